import type {Run} from './data';

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
