import {element, heading, panel} from '../dom';
import type {Meta} from '../meta';
import {Cell, sortable} from '../table';
import {duration, grouped} from '../units';

const kPercentiles = ['min', 'p50', 'p99', 'max'] as const;

/// A value with the unit at the end of its row.
function amount(value: Cell, row: Cell[]): string {
  const unit = String(row[row.length - 1]);
  if (unit === 'ps') return duration(Number(value));
  return `${grouped(Number(value))}${unit && unit !== 'count' ? ` ${unit}` : ''}`;
}

/// A name that may be broken behind its dots.
function broken(name: Cell): Node {
  const parts = String(name).split('.');
  return element(
      'span', {}, ...parts.flatMap((part, at) => at ? ['.', element('wbr'), part] : [part]));
}

/// Latencies and counters of the run.
export function numbers({latencies, counts}: Meta): HTMLElement {
  const made = panel('numbers', 'Numbers');
  const time = (value: string|number) => value === '' ? '' : duration(Number(value));
  const count = (value: string|number) => typeof value === 'number' ? grouped(value) : value;
  const rows = Object.entries(latencies).map(
      ([name,
        found]) => [name, found.count, ...kPercentiles.map(key => found.count ? found[key] : '')]);
  if (rows.length) {
    made.append(
        heading('Latencies'),
        sortable(
            [
              {title: 'name'}, {title: 'count', format: count},
              ...kPercentiles.map(title => ({title, format: time}))
            ],
            rows));
  }
  const counters = Object.entries(counts).map(
      ([name, {value, unit, meaning}]) => [name, value, meaning ?? '', unit ?? '']);
  if (counters.length) {
    made.append(
        heading('Counters'),
        sortable(
            [{title: 'name', show: broken}, {title: 'value', format: amount}, {title: 'meaning'}],
            counters));
  }
  if (!made.childNodes.length)
    made.append(heading('Numbers'), element('p', {}, 'The run has none.'));
  return made;
}
