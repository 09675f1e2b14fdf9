import {showsValue} from './colours';
import {isNobody, Run, valueText} from './data';

/// Something of the run that can be selected. A point is a value of a counter.
export type Pick = {
  kind: 'slice'|'instant'; index: number
}|{
  kind: 'point';
  index: number;
  counter: number
};

export function samePick(a: Pick|null, b: Pick|null): boolean {
  return a?.kind === b?.kind && a?.index === b?.index && counterOf(a) === counterOf(b);
}
function counterOf(pick: Pick|null): number {
  return pick?.kind === 'point' ? pick.counter : -1;
}

/// When it is: [begin, end], in picoseconds. A point lasts until the next one.
export function timesOf(run: Run, pick: Pick): [number, number] {
  if (pick.kind === 'point') {
    const {time} = run.counters[pick.counter];
    return [time[pick.index], time[pick.index + 1] ?? run.meta.end];
  }
  const {slices, instants} = run, {kind, index} = pick;
  if (kind === 'slice') return [slices.begin[index], slices.end[index]];
  return [instants.time[index], instants.time[index]];
}

/// Where a preemption stopped: words at the end of a name.
const kStop = /, (?:preempted )?(?:at a|between|within) [a-z ]+$/;

/// Title of a span: its name, with the value if it has one: "signal frame = 7".
export function sliceTitle(run: Run, index: number): string {
  const name = run.slices.name[index], words = run.meta.names[name];
  if (!showsValue(run.meta.colours[name])) return words;
  const value = readable(valueText(run.slices.value, index), isNobody(run.slices.value, index));
  const stop = words.search(kStop), end = stop < 0 ? words.length : stop;
  return `${words.slice(0, end)} ${relationOf(run, name)} ${value}${words.slice(end)}`;
}

export function titleOf(run: Run, pick: Pick): string {
  if (pick.kind === 'slice') return sliceTitle(run, pick.index);
  if (pick.kind === 'point') {
    const {name, unit} = run.counters[pick.counter],
                 value = pointText(run, pick.counter, pick.index);
    return `${name} = ${value}${unit && value !== kNoWaiter ? ` ${unit}` : ''}`;
  }
  const name = run.meta.names[run.instants.name[pick.index]];
  const value = valueText(run.instants.value, pick.index);
  const relation = relationOf(run, run.instants.name[pick.index]);
  return value === '0' ?
      name :
      `${name} ${relation} ${readable(value, isNobody(run.instants.value, pick.index))}`;
}

/// The mark of a fault at a time; null if the page has left it out.
export function faultAt({meta, instants}: Run, time: number): Pick|null {
  const index = instants.time.findIndex(
      (at, i) => at === time && meta.colours[instants.name[i]] === 'suspect');
  return index < 0 ? null : {kind: 'instant', index};
}

/// A wait ends at its value or above.
function relationOf(run: Run, name: number): string {
  return run.meta.colours[name] === 'wait' ? '>=' : '=';
}

export const kNoWaiter = 'no waiter';

function readable(value: string, nobody: boolean): string {
  return nobody ? kNoWaiter : value;
}

/// True if the point says that nobody waits. Only a MonitoredValue can say that.
export function isGap(run: Run, counter: number, index: number): boolean {
  const {monitored, value} = run.counters[counter];
  return monitored && isNobody(value, index);
}

/// True if the point is the largest number, to which a reset or a removal can signal a fence.
export function isLargest(run: Run, counter: number, index: number): boolean {
  const {monitored, value} = run.counters[counter];
  return !monitored && isNobody(value, index);
}

export function pointText(run: Run, counter: number, index: number): string {
  if (isLargest(run, counter, index)) return '2^64-1';
  return readable(valueText(run.counters[counter].value, index), isGap(run, counter, index));
}
