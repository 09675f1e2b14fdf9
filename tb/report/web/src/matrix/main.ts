import {element} from '../dom';
import {Tabs} from '../panels/tabs';
import {present} from '../ready';
import {grouped} from '../units';

import {loadMatrix, Matrix} from './data';
import {sets} from './sets';
import {Subsets} from './subsets';

function header({result: {scenario, title, rows, bounds, mechanisms}}: Matrix): HTMLElement {
  const count = new Map<string, number>();
  for (const {verdict} of rows) count.set(verdict, (count.get(verdict) ?? 0) + 1);
  const limits = Object.entries(bounds).map(
      ([name, most]) => typeof most === 'number' ? `${name} \u2264 ${most}` : `${name}: ${most}`);
  const parts = [
    `${grouped(rows.length)} subsets of ${mechanisms.length} mechanisms`,
    ...[...count].map(([verdict, number]) => `${grouped(number)} ${verdict}`),
    `within ${limits.join(', ')}`
  ];
  return element(
      'header', {}, element('h1', {}, `${scenario}: ${title}`),
      element('div', {class: 'facts'}, parts.join(', ')));
}

async function start(): Promise<void> {
  const matrix = await loadMatrix(), subsets = new Subsets(matrix);
  const tabs = new Tabs(
      [{title: 'Counterexample', panel: subsets.detail}, {title: 'Sets', panel: sets(matrix)}],
      'More');
  subsets.onSelect = () => tabs.open(0);
  document.getElementById('app')!.replaceChildren(
      header(matrix), subsets.filter, element('main', {class: 'pair'}, subsets.list, tabs.root));
  Object.assign(handle, {matrix, go: (row: number) => subsets.go(row)});
}

const handle: {ready?: Promise<void>} = {};
present(handle, start);
