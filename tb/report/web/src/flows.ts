import {Run, valueText} from './data';

/// The arrows: which signal released which waits. A signal's slice leads to instants of release.
export class Flows {
  readonly count: number;
  private readonly out = new Map<number, number[]>();
  private readonly into = new Map<number, number[]>();
  private readonly latest: Float64Array;  // latest release of each block of 64 flows

  constructor(private readonly run: Run) {
    this.count = run.from.length;
    this.latest = new Float64Array(Math.ceil(this.count / kBlock));
    for (let i = 0; i < this.count; ++i) {
      append(this.out, run.from[i], run.to[i]);
      append(this.into, run.to[i], run.from[i]);
      const block = Math.floor(i / kBlock);
      this.latest[block] = Math.max(this.latest[block], run.instants.time[run.to[i]]);
    }
  }

  /// Instants that a slice releases.
  releases(slice: number): number[] {
    return this.out.get(slice) ?? [];
  }
  /// Slices that release an instant.
  releasedBy(instant: number): number[] {
    return this.into.get(instant) ?? [];
  }

  /// The instant at which a wait was released: the last one on its lane and within it that has its
  /// value and an arrow. -1 if there is none.
  releaseOf(wait: number): number {
    const {slices, instants, meta} = this.run, row = this.firstRow(slices.row[wait]);
    if (meta.colours[slices.name[wait]] !== 'wait') return -1;
    const fence = (name: number) => meta.names[name].split(' ').pop();
    for (let i = instants.first[row + 1] - 1; i >= instants.first[row]; --i) {
      if (instants.time[i] > slices.end[wait]) continue;
      if (instants.time[i] < slices.begin[wait]) return -1;
      const same = valueText(instants.value, i) === valueText(slices.value, wait) &&
          fence(instants.name[i]) === fence(slices.name[wait]);
      if (same && this.into.has(i)) return i;
    }
    return -1;
  }
  /// The row with the instants of an object: the first of the rows of its name.
  private firstRow(row: number): number {
    const {rows} = this.run.meta, base = rows[row].name.replace(/ \(\d+\)$/, '');
    while (row > 0 && rows[row - 1].group === rows[row].group &&
           rows[row - 1].name.replace(/ \(\d+\)$/, '') === base)
      --row;
    return row;
  }

  /// Calls `visit` for each flow that touches [t0, t1]. Flows are sorted by the begin of their
  /// signal.
  visit(t0: number, t1: number, visit: (flow: number) => void): void {
    const {from, to, slices, instants} = this.run;
    for (let block = 0; block < this.latest.length; ++block) {
      if (this.latest[block] < t0) continue;
      const first = block * kBlock;
      if (slices.begin[from[first]] > t1) return;
      for (let i = first; i < Math.min(this.count, first + kBlock); ++i) {
        if (slices.begin[from[i]] <= t1 && instants.time[to[i]] >= t0) visit(i);
      }
    }
  }
}

const kBlock = 64;

function append(map: Map<number, number[]>, key: number, value: number): void {
  const list = map.get(key);
  if (list)
    list.push(value);
  else
    map.set(key, [value]);
}
