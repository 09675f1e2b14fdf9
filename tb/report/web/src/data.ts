import {Reader, unpack} from './bytes';
import type {Meta} from './meta';
import {takeData} from './ready';

/// Values of slices, instants or a counter. `exact` is there when they have 64 bits; `near` is then
/// rounded and good for drawing only.
export interface Values {
  near: Float64Array;
  exact: BigUint64Array|null;
}

/// Spans of time. A row holds those from first[row] to first[row + 1]; they never overlap and rise.
export interface Slices {
  first: Uint32Array;
  row: Uint16Array;
  begin: Float64Array;  ///< [ps]
  end: Float64Array;    ///< [ps]
  name: Uint32Array;
  value: Values;
  open: Uint8Array;    ///< 1: it should have ended before the end of the run
  place: Uint32Array;  ///< its cause: a number in the places of the scenario, from 1; 0: none
  busy: Float64Array;  ///< busy[i]: sum of the durations before i
}

export interface Instants {
  first: Uint32Array;
  row: Uint16Array;
  time: Float64Array;  ///< [ps]
  name: Uint32Array;
  value: Values;
  place: Uint32Array;  ///< as in slices
}

export interface Counter {
  name: string;
  group: string;
  unit: string;
  monitored: boolean;  ///< a MonitoredValue, which can say that nobody waits
  time: Float64Array;  ///< [ps]
  value: Values;
}

export interface Run {
  meta: Meta;
  slices: Slices;
  instants: Instants;
  from: Uint32Array;  ///< of each flow, its signal: index of a slice
  to: Uint32Array;    ///< of each flow, its release: index of an instant
  counters: Counter[];
}

/// Begins and ends of the slices of rows.
interface Edges {
  first: Uint32Array;
  begin: Float64Array;
  end: Float64Array;
}

/// Decodes the columns, whose order is that of this class's functions in `load`.
class Columns {
  constructor(private readonly reader: Reader, private readonly meta: Meta) {}

  /// Sums of a count for each row.
  starts(): Uint32Array {
    const rows = this.meta.rows.length, first = new Uint32Array(rows + 1);
    const counts = this.numbers(new Uint32Array(rows));
    for (let row = 0; row < rows; ++row) first[row + 1] = first[row] + counts[row];
    return first;
  }

  numbers<T extends Uint8Array|Uint32Array|Float64Array>(into: T): T {
    return this.reader.column(into);
  }

  /// Rising times; differences within each range of `first`.
  times(first: Uint32Array): Float64Array {
    const time = this.numbers(new Float64Array(first[first.length - 1]));
    for (let row = 0; row + 1 < first.length; ++row)
      for (let i = first[row] + 1; i < first[row + 1]; ++i) time[i] += time[i - 1];
    return time;
  }

  /// Times of instants: the number of edges of slices that one is behind, and the time since.
  timesBehind(first: Uint32Array, {first: slices, begin, end}: Edges): Float64Array {
    const count = first[first.length - 1], behind = this.numbers(new Uint32Array(count));
    const time = this.numbers(new Float64Array(count));
    for (let row = 0; row + 1 < first.length; ++row) {
      for (let i = first[row], edge = 2 * slices[row] - 1, last = 0; i < first[row + 1]; ++i) {
        edge += behind[i];
        if (behind[i]) last = (edge % 2 ? end : begin)[edge >> 1];
        last = time[i] += last;
      }
    }
    return time;
  }

  /// Indices; each is a difference to the one before it.
  indices(count: number): Uint32Array {
    const steps = this.reader.signedColumn(count), into = new Uint32Array(count);
    for (let i = 0, last = 0; i < count; ++i) into[i] = last += steps[i];
    return into;
  }

  /// Values; each is a difference to the last one of the same key.
  values(count: number, keys: number, key: (index: number) => number): Values {
    if (!this.meta.wide) {
      const near = this.reader.signedColumn(count), last = new Float64Array(keys);
      for (let i = 0; i < count; ++i) near[i] = last[key(i)] += near[i];
      return {near, exact: null};
    }
    const steps = this.reader.bigColumn(count), near = new Float64Array(count);
    const exact = new BigUint64Array(count), last = new BigUint64Array(keys);
    for (let i = 0; i < count; ++i) {
      exact[i] = last[key(i)] = BigInt.asUintN(64, last[key(i)] + steps[i]);
      near[i] = Number(exact[i]);
    }
    return {near, exact};
  }
}

/// The row of each index.
function owners(first: Uint32Array): Uint16Array {
  const row = new Uint16Array(first[first.length - 1]);
  for (let r = 0; r + 1 < first.length; ++r) row.fill(r, first[r], first[r + 1]);
  return row;
}

function readSlices(columns: Columns, first: Uint32Array, names: number): Slices {
  const count = first[first.length - 1], begin = columns.times(first);
  const lasts = columns.numbers(new Float64Array(count));
  const end = new Float64Array(count), busy = new Float64Array(count + 1);
  for (let i = 0; i < count; ++i) {
    end[i] = begin[i] + lasts[i];
    busy[i + 1] = busy[i] + lasts[i];
  }
  const name = columns.numbers(new Uint32Array(count));
  const value = columns.values(count, names, i => name[i]);
  const open = columns.numbers(new Uint8Array(count));
  const place = columns.numbers(new Uint32Array(count));
  return {first, row: owners(first), begin, end, name, value, open, place, busy};
}

function readInstants(columns: Columns, first: Uint32Array, edges: Edges, names: number): Instants {
  const time = columns.timesBehind(first, edges),
        name = columns.numbers(new Uint32Array(time.length));
  const value = columns.values(time.length, names, i => name[i]);
  const place = columns.numbers(new Uint32Array(time.length));
  return {first, row: owners(first), time, name, value, place};
}

function decode(meta: Meta, bytes: Uint8Array): Run {
  const reader = new Reader(bytes), columns = new Columns(reader, meta), names = meta.names.length;
  const sliceStarts = columns.starts(), instantStarts = columns.starts();
  const slices = readSlices(columns, sliceStarts, names);
  const instants = readInstants(columns, instantStarts, slices, names);
  const from = columns.indices(meta.flows), to = columns.indices(meta.flows);
  const counters = meta.counters.map(({name, group, unit, points}) => {
    const time = columns.times(Uint32Array.of(0, points));
    const monitored = name.includes('Monitored'), value = columns.values(points, 1, () => 0);
    return {name, group, unit, monitored, time, value};
  });
  reader.finish();
  return {meta, slices, instants, from, to, counters};
}

/// Reads out of the page its data and the runs that it shows. Throws if the data is of another
/// format or is cut off. @param metas finds the data of the runs
export async function readRuns<Data extends {format: number}>(metas: (data: Data) => Meta[]):
    Promise<{meta: Data; runs: Run[]}> {
  const {meta, columns} = await takeData<Data>();
  const read = async (one: Meta, at: number) => decode(one, await unpack(columns[at], one.codec));
  return {meta, runs: await Promise.all(metas(meta).map(read))};
}

const kNobody = 2n ** 64n - 1n;

/// True if nobody waits: what a MonitoredValue of -1 says, which has all 64 bits set.
export function isNobody(values: Values, index: number): boolean {
  return values.exact ? values.exact[index] === kNobody : values.near[index] === -1;
}

/// A value, exact.
export function valueText(values: Values, index: number): string {
  return String(values.exact ? values.exact[index] : values.near[index]);
}
