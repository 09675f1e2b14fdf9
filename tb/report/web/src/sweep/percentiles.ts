import {element, heading} from '../dom';
import {Column as TableColumn, sortable} from '../table';
import {counted, grouped} from '../units';

import {cellText, Column, failed, figure, Sweep} from './data';
import {selectedRows} from './details';
import {values} from './marks';
import type {Plot} from './plot';

const kShares: [number, string][] = [[0.5, 'median'], [0.9, 'p90'], [0.99, 'p99']];
const kOutside = 0.025;  // of the distribution, on each side of an interval
const kExact = 1000;     // more values: the normal distribution is near enough
const kMostGroups = 24;

/// A percentile of some values by nearest rank, and the values that bound it with 95 % confidence;
/// NaN where there are too few values for a bound.
export interface Percentile {
  at: number;
  low: number;
  high: number;
}

/// The interval makes no assumption about the distribution: the number of values below the
/// percentile of the whole is binomial. @param sorted ascending, not empty
export function percentile(sorted: number[], share: number): Percentile {
  const count = sorted.length, [low, high] = bounds(count, share);
  const value = (rank: number) => sorted[rank - 1] ?? NaN;
  return {at: value(Math.max(1, Math.ceil(share * count))), low: value(low), high: value(high)};
}

/// Ranks of the two values, from 1; outside of 1 to `count` if there is none.
function bounds(count: number, share: number): [number, number] {
  if (count > kExact) {
    const half = 1.96 * Math.sqrt(count * share * (1 - share));
    return [Math.floor(share * count - half), Math.ceil(share * count + half) + 1];
  }
  if (share > 0.5) {
    const [low, high] = bounds(count, 1 - share);
    return [count + 1 - high, count + 1 - low];
  }
  // `sum` is the chance that at most `below` values lie below the percentile.
  let chance = (1 - share) ** count, sum = chance, below = 0, low = 0, high = count + 1;
  for (;; ++below) {
    if (sum <= kOutside) low = below + 1;
    if (sum >= 1 - kOutside) {
      high = below + 1;
      break;
    }
    chance *= (count - below) / (below + 1) * share / (1 - share);
    sum += chance;
  }
  return [low, high];
}

/// Runs that the percentiles are taken of together, with what they have in common.
function groupsOf(sweep: Sweep, {choice}: Plot, rows: number[]): [string, number[]][] {
  const apart = [choice.facet, choice.x].filter(name => name).map(name => sweep.column(name));
  const few = apart.filter(column => values(column, kMostGroups));
  const groups = new Map<string, number[]>();
  for (const row of rows) {
    const key = few.map(column => `${column.label} = ${cellText(column, row)}`).join(', ');
    const group = groups.get(key);
    if (group)
      group.push(row);
    else
      groups.set(key, [row]);
  }
  return [...groups];
}

const kNote = 'Percentiles are those of the runs that passed, by nearest rank. Below each stand ' +
    'the two values between which the percentile of all such runs lies with 95 % confidence. ' +
    'The interval needs no assumption about the distribution, only that the runs are independent, ' +
    'as those with different seeds are. Where there are too few runs for a bound, it is open: ' +
    'a median needs 6 runs, p90 36 and p99 368.';

/// A table with the percentiles of each figure on the y axis: of the runs of each value on the x
/// axis and of each facet, if these are few.
export function showPercentiles(sweep: Sweep, plot: Plot, into: HTMLElement): void {
  const rows = selectedRows(sweep, plot).filter(row => !failed(sweep, row));
  const figures = plot.choice.y.map(name => sweep.column(name)).filter(({ranked}) => !ranked);
  into.replaceChildren(
      heading(`Percentiles of ${counted(rows.length, 'run')}`),
      element('p', {class: 'facts'}, kNote));
  for (const column of figures) {
    const lines = groupsOf(sweep, plot, rows).map(([name, list]) => lineOf(column, name, list));
    into.append(heading(column.label), tableOf(column, lines.filter(({sorted}) => sorted.length)));
  }
}

interface Line {
  name: string;
  sorted: number[];
}

function lineOf({place}: Column, name: string, rows: number[]): Line {
  const list = rows.map(row => place[row]).filter(value => !Number.isNaN(value));
  return {name: name || 'all runs', sorted: list.sort((a, b) => a - b)};
}

function tableOf({unit}: Column, lines: Line[]): HTMLElement {
  const text = (value: number) => Number.isNaN(value) ? 'open' : figure(value, unit);
  const interval = ({low, high}: Percentile) =>
      Number.isNaN(low) && Number.isNaN(high) ? 'too few runs' : `${text(low)} to ${text(high)}`;
  const found = lines.map(({sorted}) => kShares.map(([share]) => percentile(sorted, share)));
  const shown = (one: Percentile) =>
      element('span', {}, figure(one.at, unit), element('div', {class: 'facts'}, interval(one)));
  const columns: TableColumn[] =
      kShares.map(([, title], at) => ({title, show: place => shown(found[Number(place)][at])}));
  return sortable(
      [{title: 'runs of'}, {title: 'runs', format: value => grouped(Number(value))}, ...columns],
      lines.map(({name, sorted}, at) => [name, sorted.length, at, at, at]));
}
