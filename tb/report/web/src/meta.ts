/// What the element "meta" of the page holds: everything but the columns.
import type {Colour} from './colours';

export interface Meta {
  format: number;
  kind: string;
  codec: string;
  wide: boolean;  ///< values have 64 bits
  names: string[];
  colours: Colour[];  ///< of each name
  rows: {group: string; name: string; depth: number; kind: string}[];
  slices: number;
  instants: number;
  flows: number;
  counters: {name: string; group: string; unit: string; points: number}[];
  end: number;      ///< [ps]
  thinned: number;  ///< spans left out
  result: Result;
  latencies: Record<string, Latency>;
  counts: Record < string, {
    value: number;
    unit: string;
    meaning: string
  }
  > ;
  config: Json;
  scenario_text: string;
  story: Violation[];
}

/// Of times in picoseconds.
export interface Latency {
  count: number;
  min: number;
  p50: number;
  p99: number;
  max: number;
}

export type Json = null|boolean|number|string|Json[]|{[key: string]: Json};

export interface Result {
  scenario: string;
  title: string;
  verdict: string;
  seed?: number;
  policy?: string;
  reasons: string[];
  waiting: (string|Waiter)[];  ///< what waits for ever; a plain sentence, or in parts
  expectations: {expected: string; found: string; holds: boolean}[];
}

export interface Waiter {
  who: string;
  what: string;
  why: string;
}

export interface Violation {
  invariant: string;
  name: string;
  message: string;
  why?: string[];
  prevented_by?: string[];
  story?: {step: number; agent: string; op: string; text: string; held: boolean}[];
}

/// What the element "meta" of a page with two runs holds.
export interface ComparisonMeta {
  format: number;
  kind: 'comparison';
  equal: boolean;
  folders: [string, string];
  runs: [Meta, Meta];
  sections: Section[];
  changes: string[];
  shifted: number;  ///< the change that is not marked on the timeline
  differences: [number, number, number, number][];  ///< change, 1 for a span, place in A, in B
}

export interface Section {
  title: string;
  differences: [string, string, string, number|null][];  ///< name, A, B, ratio B / A
}

/// True if the run is what its author wants it to be, or if two runs are equal.
export function isGood(result: Result): boolean {
  return ['pass', 'PROVED', 'equal'].includes(result.verdict);
}
