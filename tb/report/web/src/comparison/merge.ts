import type {Counter, Instants, Run, Slices, Values} from '../data';
import type {ComparisonMeta, Meta} from '../meta';
import type {Pick} from '../pick';

import type {Compared, Difference} from './compared';

type Row = Meta['rows'][number];

/// Rows of A and of B, by group and then by lane: the lanes of A first, then those of B alone. A
/// place is [run, row of that run].
type Place = [number, number];

/// The lane of a row: a lane's later rows hold what overlaps, and end with " (n)".
function lanes(rows: Row[]): Map<string, Map<string, number[]>> {
  const groups = new Map<string, Map<string, number[]>>();
  rows.forEach(({group, name}, at) => {
    const lane = name.replace(/ \(\d+\)$/, '');
    const list = groups.get(group) ?? groups.set(group, new Map()).get(group)!;
    list.set(lane, [...list.get(lane) ?? [], at]);
  });
  return groups;
}

function sideBySide(runs: [Run, Run]): Place[] {
  const sides = runs.map(({meta}) => lanes(meta.rows)), places: Place[] = [];
  const both = <T>(a?: Map<string, T>, b?: Map<string, T>) =>
      new Set([...a?.keys() ?? [], ...b?.keys() ?? []]);
  for (const group of both(sides[0], sides[1])) {
    for (const lane of both(sides[0].get(group), sides[1].get(group)))
      sides.forEach((side, run) => {
        for (const row of side.get(group)?.get(lane) ?? []) places.push([run, row]);
      });
  }
  return places;
}

/// Where the items of both runs are once the rows are in their new places.
class Order {
  readonly first: Uint32Array;
  readonly row: Uint16Array;
  readonly from: Place[] = [];                   ///< of each item: its run, and its place there
  readonly to: [number[], number[]] = [[], []];  ///< of each item of a run: its new place

  constructor(places: Place[], firsts: Uint32Array[]) {
    this.first = new Uint32Array(places.length + 1);
    const rows: number[] = [];
    places.forEach(([run, row], at) => {
      for (let i = firsts[run][row]; i < firsts[run][row + 1]; ++i) {
        this.to[run][i] = this.from.length;
        this.from.push([run, i]);
        rows.push(at);
      }
      this.first[at + 1] = this.from.length;
    });
    this.row = Uint16Array.from(rows);
  }

  take<T extends Uint8Array|Uint32Array|Float64Array>(lists: T[], into: T, shift = 0): T {
    this.from.forEach(([run, i], at) => into[at] = lists[run][i] + run * shift);
    return into;
  }
  values(lists: Values[]): Values {
    const near = this.take(lists.map(list => list.near), new Float64Array(this.from.length));
    if (!lists.some(({exact}) => exact)) return {near, exact: null};
    const wide = lists.map(widened);
    return {near, exact: BigUint64Array.from(this.from, ([run, i]) => wide[run][i])};
  }
}

function widened({near, exact}: Values): BigUint64Array {
  return exact ?? BigUint64Array.from(near, value => BigInt.asUintN(64, BigInt(value)));
}

function mergeSlices(order: Order, [a, b]: Slices[], names: number): Slices {
  const count = order.from.length, busy = new Float64Array(count + 1);
  const begin = order.take([a.begin, b.begin], new Float64Array(count));
  const end = order.take([a.end, b.end], new Float64Array(count));
  for (let i = 0; i < count; ++i) busy[i + 1] = busy[i] + end[i] - begin[i];
  return {
    first: order.first,
    row: order.row,
    begin,
    end,
    name: order.take([a.name, b.name], new Uint32Array(count), names),
    value: order.values([a.value, b.value]),
    open: order.take([a.open, b.open], new Uint8Array(count)),
    place: new Uint32Array(count),  // each run has a scenario of its own
    busy
  };
}

function mergeInstants(order: Order, [a, b]: Instants[], names: number): Instants {
  const count = order.from.length;
  return {
    first: order.first,
    row: order.row,
    time: order.take([a.time, b.time], new Float64Array(count)),
    name: order.take([a.name, b.name], new Uint32Array(count), names),
    value: order.values([a.value, b.value]),
    place: new Uint32Array(count)
  };
}

/// The arrows of both runs, by the begin of their signal.
function mergeFlows(
    runs: Run[], slices: Order, instants: Order, begin: Float64Array): [number, number][] {
  const flows = runs.flatMap(
      ({from, to}, run) => [...from].map(
          (signal, i): [number, number] => [slices.to[run][signal], instants.to[run][to[i]]]));
  return flows.sort((x, y) => begin[x[0]] - begin[y[0]]);
}

const kSides = ['A', 'B'];

function mergeCounters(runs: Run[]): Counter[] {
  const key = ({group, name}: Counter) => `${group}\n${name}`;
  const all = runs.flatMap(
      ({counters}, run) => counters.map(
          one => ({key: key(one), counter: {...one, name: `${one.name} (${kSides[run]})`}})));
  const groups = [...new Set(all.map(({counter}) => counter.group))];
  const keys = [...new Set(all.map(one => one.key))];
  return all
      .sort(
          (x, y) => groups.indexOf(x.counter.group) - groups.indexOf(y.counter.group) ||
              keys.indexOf(x.key) - keys.indexOf(y.key))
      .map(({counter}) => counter);
}

function mergeMeta(
    {equal, folders, runs: [a, b]}: ComparisonMeta, places: Place[], counters: Counter[]): Meta {
  const rows = places.map(([run, row]) => {
    const one = [a, b][run].rows[row];
    return {...one, name: `${one.name} (${kSides[run]})`};
  });
  const verdicts = [a, b].map(({result}) => result.verdict);
  return {
    ...a,
    kind: 'comparison',
    wide: a.wide || b.wide,
    names: [...a.names, ...b.names],
    colours: [...a.colours, ...b.colours],
    rows,
    slices: a.slices + b.slices,
    instants: a.instants + b.instants,
    flows: a.flows + b.flows,
    thinned: a.thinned + b.thinned,
    thinned_values: a.thinned_values + b.thinned_values,
    end: Math.max(a.end, b.end),
    counters: counters.map(one => ({...one, points: one.time.length})),
    result: {
      scenario: 'Comparison',
      title: folders.map((folder, i) => `${kSides[i]} = ${folder} (${verdicts[i]})`).join(', '),
      verdict: equal ? 'equal' : 'different',
      reasons: [],
      waiting: [],
      expectations: []
    },
    places: [],
    scenario_file: '',
    scenario_text: ''
  };
}

/// One run with the rows of two, side by side, on one time axis.
export function merge(meta: ComparisonMeta, a: Run, b: Run): Compared {
  const runs: [Run, Run] = [a, b], places = sideBySide(runs), names = a.meta.names.length;
  const ofSlices = new Order(places, runs.map(({slices}) => slices.first));
  const ofInstants = new Order(places, runs.map(({instants}) => instants.first));
  const slices = mergeSlices(ofSlices, runs.map(run => run.slices), names);
  const flows = mergeFlows(runs, ofSlices, ofInstants, slices.begin);
  const counters = mergeCounters(runs);
  const pick = (span: number, run: number, place: number): Pick|null => place < 0 ?
      null :
      {kind: span ? 'slice' : 'instant', index: (span ? ofSlices : ofInstants).to[run][place]};
  const differences = meta.differences.map(([change, span, inA, inB]): Difference => ({
                                             change: meta.changes[change],
                                             marked: change !== meta.shifted,
                                             a: pick(span, 0, inA),
                                             b: pick(span, 1, inB)
                                           }));
  return {
    meta: mergeMeta(meta, places, counters),
    slices,
    instants: mergeInstants(ofInstants, runs.map(run => run.instants), names),
    from: Uint32Array.from(flows, ([signal]) => signal),
    to: Uint32Array.from(flows, ([, release]) => release),
    counters,
    comparison: {sections: meta.sections, differences}
  };
}
