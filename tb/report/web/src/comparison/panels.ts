import type {Run} from '../data';
import {button, element, heading, panel} from '../dom';
import type {Section} from '../meta';
import type {Selection} from '../panels/selection';
import type {Tab} from '../panels/tabs';
import {Pick, timesOf, titleOf} from '../pick';
import type {Scene} from '../scene';
import {sortable} from '../table';
import {counted, duration} from '../units';

import type {Compared, Comparison, Difference} from './compared';

const kMostLines = 500;

/// The differences of two timelines. A click, or n and p, shows one on the timeline.
export class Differences {
  readonly noun = 'difference';
  readonly panel = panel('differences', 'Differences');
  place = -1;
  private readonly list: Difference[];
  private readonly lines: HTMLElement[] = [];

  constructor({comparison}: Compared, scene: Scene, private readonly selection: Selection) {
    this.list = comparison.differences.slice(0, kMostLines);
    const all = comparison.differences.length;
    const body = element('tbody');
    this.list.forEach((difference, at) => {
      this.lines.push(this.line(scene, difference, at));
      body.append(this.lines[at]);
    });
    this.panel.append(
        heading(`Timeline: ${counted(all, 'difference')}`),
        element('table', {class: 'steps'}, body));
    if (all > this.list.length)
      this.panel.append(element('p', {class: 'facts'}, `and ${all - this.list.length} more`));
  }

  get count(): number {
    return this.list.length;
  }

  go(step: number): void {
    if (!this.list.length) return;
    this.lines[this.place]?.removeAttribute('aria-current');
    this.place = Math.max(0, Math.min(this.list.length - 1, step));
    this.lines[this.place].setAttribute('aria-current', 'step');
    this.lines[this.place].scrollIntoView({block: 'nearest'});
    const {a, b} = this.list[this.place];
    this.selection.goTo((a ?? b)!);
  }

  private line({run, layout}: Scene, {change, a, b}: Difference, at: number): HTMLElement {
    const pick = (a ?? b)!,
          row = layout.rowName((pick.kind === 'slice' ? run.slices : run.instants).row[pick.index]);
    const title = button(titleOf(run, pick), () => this.go(at), {title: row});
    const sides =
        a && b ? [button('B', () => this.selection.goTo(b), {title: 'The same in B'})] : [];
    return element(
        'tr', {}, element('td', {class: 'change'}, change),
        element('td', {}, element('div', {class: 'facts'}, row), title),
        element('td', {}, timesText(run, a, b)), element('td', {}, ...sides));
  }
}

/// "10 us, lasts 1 us -> 2 us" of an item.
function timesText(run: Run, a: Pick|null, b: Pick|null): string {
  const [begin, end] = timesOf(run, (a ?? b)!);
  if (!a || !b) return `at ${duration(begin)}`;
  const [begins, ends] = timesOf(run, b);
  const pair = (x: number, y: number) =>
      x === y ? duration(x) : `${duration(x)} \u2192 ${duration(y)}`;
  const lasts = end - begin === ends - begins ? '' : `, lasts ${pair(end - begin, ends - begins)}`;
  return `at ${pair(begin, begins)}${lasts}`;
}

/// In what the runs differ, in one line.
export function comparisonFacts({sections: all, differences}: Comparison): string {
  const parts = [
    ...all.map(({title, differences: list}): [string, number] => [title, list.length]),
    ['timeline', differences.length] as [string, number]
  ];
  const differ = parts.filter(([, count]) => count);
  const same = parts.filter(([, count]) => !count).map(([title]) => title);
  return [
    ...differ.map(([title, count]) => `${title}: ${counted(count, 'difference')}`),
    ...same.length ? [`the same: ${same.join(', ')}`] : []
  ].join('; ');
}

/// Tabs with the other differences: results, configuration and numbers, A beside B.
export function sections({sections: all}: Comparison): Tab[] {
  const own = ['statistics', 'configuration'];
  const results = panel('results', 'Results');
  for (const section of all.filter(({title}) => !own.includes(title)))
    results.append(heading(headOf(section)), ...tableOf(section));
  const tab = (id: string, title: string): Tab => {
    const section = all.find(one => one.title === id)!;
    return {title, panel: panel(id, title, heading(headOf(section)), ...tableOf(section))};
  };
  return [
    {title: 'Results', panel: results}, tab('statistics', 'Numbers'),
    tab('configuration', 'Configuration')
  ];
}

function headOf({title, differences}: Section): string {
  const name = title[0].toUpperCase() + title.slice(1);
  return `${name}: ${differences.length ? `${differences.length} different` : 'same'}`;
}

function tableOf({title, differences}: Section): HTMLElement[] {
  if (!differences.length) return [];
  const columns = [{title: 'name'}, {title: 'A'}, {title: 'B'}];
  if (title !== 'statistics') {
    return [sortable(columns, differences.map(([name, a, b]) => [name, a, b]))];
  }
  const format = (value: string|number) =>
      typeof value === 'number' ? `\u00d7${Number(value.toPrecision(4))}` : value;
  return [sortable(
      [...columns, {title: 'B / A', format}],
      differences.map(([name, a, b, ratio]) => [name, a, b, ratio ?? '']))];
}
