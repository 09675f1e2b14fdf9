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
  thinned: number;  ///< spans and events left out
  thinned_values: number;
  result: Result;
  latencies: Record<string, Latency>;
  counts: Record < string, {
    value: number;
    unit: string;
    meaning: string
  }
  > ;
  config: Json;
  defaults?: Record<string, Json>;     ///< of settings that differ from them, by JSON pointer
  scenario_file: string;               ///< its name, without folders
  scenario_text: string;               ///< empty if it is too long
  places: [number, number, string][];  ///< line, column and object of parts of the scenario
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
  ending?: string;
  seed?: number;
  policy?: string;
  reasons: string[];  ///< that are neither violations nor expectations
  violations?: Broken[];
  waiting: (string|Waiter)[];  ///< what waits for ever; a plain sentence, or in parts
  faults?: FaultSeen[];        ///< faults of the scenario that happened, the last ones
  expectations: Expectation[];
}

/// An invariant that a run breaks.
export interface Broken {
  invariant: string;
  name: string;
  message: string;
}

export interface FaultSeen {
  text: string;
  time_ps: number;
  pointer: string;
  line: number;  ///< of the scenario; 0: it comes from an option
}

export interface Expectation {
  expected: string;
  found: string;
  holds: boolean;
  pointer?: string;  ///< place in the scenario: a JSON pointer
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
  meaning?: string;  ///< of a finding that breaks no invariant
  steps?: number;    ///< of the shortest run
  replays?: number;
  execution?: number;  ///< the first one that showed it
  holds?: {hold: Operation; until: Operation; steps?: OrderedSteps}[];
  why?: string[];
  prevented_by?: string[];
  prevented_by_meanings?: string[];
  mechanisms?: string[];
  not_prevented?: string;
  inevitable_after_step?: number;
  decided_by?: OrderedSteps;
  breaks_in_time?: boolean;  ///< false: there is no timeline of it
  story?: StoryStep[];
  omitted_behind?: string;
  omitted_steps?: {step: number; agent: string; text: string}[];
  at_end?: string[];  ///< agents that have not ended
}

export interface StoryStep {
  step: number;
  agent: string;
  op: string;
  text: string;
  held: boolean;
  decides?: boolean;        ///< of the lines of a step: it says what decides
  omitted_before?: string;  ///< steps that the story leaves out before this one
}

/// Numbers of two steps, in the order that they took.
export interface OrderedSteps {
  first: number;
  second: number;
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

/// What the element "meta" of the page of an exploration holds.
export interface ExplorationMeta {
  format: number;
  kind: 'exploration';
  exploration: Exploration;
  config: Json;
  defaults: Record<string, Json>;  ///< see Meta
  scenario_file: string;           ///< see Meta
  scenario_text: string;
  runs: Meta[];     ///< timelines of counterexamples
  drawn: number[];  ///< of each timeline, the place of its counterexample
}

/// What result.json of an exploration holds.
export interface Exploration {
  scenario: string;
  title: string;
  verdict: string;
  verdict_meaning: string;
  as_expected: boolean;
  reasons: string[];
  bounds: Record<string, string|number>;
  bounds_meanings: Record<string, string>;
  complete: boolean;
  search: string;
  why_incomplete?: string;
  states: number;
  executions: number;
  executions_meanings: Record<string, string>;  ///< of each count of executions by their end
  outcomes: {completes: boolean; waits: boolean};
  longest_run: number;
  most_choices: number;
  random_priority_runs: number;
  races: {first: string; second: string; first_won: number; second_won: number}[];
  ways: {op: string; does: string; offered: number; taken: number}[];
  tested: {invariant: string; name: string; runs: number}[];
  violations: Violation[];
}

export interface Section {
  title: string;
  differences: [string, string, string, number|null][];  ///< name, A, B, ratio B / A
}

/// The nth time that an agent does something.
export interface Operation {
  agent: string;
  op: string;
  nth: number;
}

/// True if something keeps the run from its end. A run that completes may leave something behind.
export function isBlocked({waiting, ending}: Result): boolean {
  return waiting.length > 0 && ending !== 'completed';
}

/// True if the run is what its author wants it to be, or if two runs are equal.
export function isGood(result: Result): boolean {
  return ['pass', 'PROVED', 'equal'].includes(result.verdict);
}
