import {element, heading, panel} from '../dom';
import type {Meta} from '../meta';
import {sortable} from '../table';
import {duration, grouped} from '../units';

const kPercentiles = ['min', 'p50', 'p99', 'max'] as const;

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
      ([name, {value, unit, meaning}]) => [name, value, unit ?? '', meaning ?? '']);
  if (counters.length) {
    made.append(
        heading('Counters'),
        sortable(
            [{title: 'name'}, {title: 'value', format: count}, {title: 'unit'}, {title: 'meaning'}],
            counters));
  }
  if (!made.childNodes.length)
    made.append(heading('Numbers'), element('p', {}, 'The run has none.'));
  return made;
}
