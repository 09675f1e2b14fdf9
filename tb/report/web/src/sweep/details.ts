import {command} from '../command';
import {element, facts, heading, panel} from '../dom';
import {Cell, sortable} from '../table';
import {grouped} from '../units';

import {cellText, Column, commandOf, figure, Sweep} from './data';

import type {Mark} from './marks';
import type {Plot} from './plot';

const kMostLines = 500, kMostCommands = 20;

/// The mark that is selected: its run, or the runs of its point, with the commands that repeat
/// them.
export function showDetails(sweep: Sweep, plot: Plot, into: HTMLElement): void {
  const mark = plot.current;
  if (!mark) {
    into.replaceChildren(
        heading('Nothing selected'),
        element(
            'p', {class: 'facts'},
            'Click a mark to see its run and the command that repeats it. Drag to select ' +
                'several. Arrow keys step from mark to mark.'));
    return;
  }
  if (plot.choice.means)
    into.replaceChildren(...ofPoint(sweep, plot, mark));
  else
    into.replaceChildren(...ofRun(sweep, plot, mark.row));
}

function named(sweep: Sweep, {choice}: Plot, skip: string[] = []): Column[] {
  const names = [...sweep.meta.varied, choice.x, ...choice.y, choice.colour, choice.facet];
  return [...new Set(names)]
      .filter(name => name && !skip.includes(name))
      .map(name => sweep.column(name));
}

function ofRun(sweep: Sweep, plot: Plot, row: number): Node[] {
  const of = (name: string) => cellText(sweep.column(name), row);
  const list = named(sweep, plot, ['point', 'seed', 'verdict']).map((column): [
    string, string
  ] => [column.label, cellText(column, row)]);
  const reason: [string, string][] = of('reason') ? [['reason', of('reason')]] : [];
  return [
    heading(`Point ${of('point')}, seed ${of('seed')}: ${of('verdict')}`),
    element('h3', {}, 'Repeat it with'), command(commandOf(sweep, row)), facts([...reason, ...list])
  ];
}

function ofPoint(sweep: Sweep, plot: Plot, {row}: Mark): Node[] {
  const group = sweep.group[row], rows = [];
  for (let i = sweep.first[group]; i < sweep.first[group + 1]; ++i) rows.push(i);
  const list = named(sweep, plot).map((column): [
    string, string
  ] => [column.label, column.mean ? meanText(column, group) : cellText(column, row)]);
  const made = [
    heading(`Point ${cellText(sweep.column('point'), row)}: ${rows.length} runs`), facts(list),
    element('h3', {}, 'Repeat them with'),
    ...rows.slice(0, kMostCommands).map(one => command(commandOf(sweep, one)))
  ];
  if (rows.length > kMostCommands)
    made.push(element('p', {class: 'facts'}, 'and so on for the other seeds'));
  return made;
}

function meanText({mean, half, unit}: Column, group: number): string {
  if (Number.isNaN(mean![group])) return '';
  const interval = half![group];
  return `${figure(mean![group], unit)}${
      Number.isNaN(interval) ? '' : ` \u00b1 ${figure(interval, unit)}`}`;
}

/// A table of the runs that are selected, or of all.
export function showTable(sweep: Sweep, plot: Plot, into: HTMLElement): void {
  const rows = selectedRows(sweep, plot), shown = rows.slice(0, kMostLines);
  const columns = named(sweep, plot, ['point', 'seed', 'verdict']);
  const select = (value: Cell) => {
    const row = Number(value),
          text = `${cellText(sweep.column('point'), row)}.${cellText(sweep.column('seed'), row)}`;
    const made = element('button', {type: 'button', 'aria-label': `point and seed ${text}`}, text);
    made.onclick = () => selectRow(plot, sweep, row);
    return made;
  };
  const value = ({words, ranked, code, place}: Column, row: number): Cell =>
      Number.isNaN(code[row]) ? '' :
      ranked                  ? words![code[row]] :
                                place[row];
  const formats = columns.map(
      ({label, ranked, unit}) => ({
        title: label,
        ...ranked ? {} : {format: (cell: Cell) => cell === '' ? '' : figure(Number(cell), unit)}
      }));
  const verdict = sweep.column('verdict');
  into.replaceChildren(
      heading(
          plot.chosen.size ? `${grouped(rows.length)} runs selected` :
                             `All ${grouped(rows.length)} runs`),
      sortable(
          [{title: 'point.seed', show: select}, {title: 'verdict'}, ...formats],
          shown.map(row => [row, cellText(verdict, row), ...columns.map(one => value(one, row))])));
  if (rows.length > shown.length)
    into.append(element('p', {class: 'facts'}, `and ${grouped(rows.length - shown.length)} more`));
}

/// With means, a mark stands for all runs of its point.
export function selectedRows(sweep: Sweep, {chosen, choice}: Plot): number[] {
  const all = Array.from({length: sweep.meta.rows}, (_, row) => row);
  if (!chosen.size) return all;
  const points = new Set([...chosen].map(row => sweep.group[row]));
  return all.filter(row => choice.means ? points.has(sweep.group[row]) : chosen.has(row));
}

function selectRow(plot: Plot, sweep: Sweep, row: number): void {
  const wanted = plot.choice.means ? sweep.first[sweep.group[row]] : row;
  plot.select(plot.picture.marks.find(mark => mark.row === wanted) ?? null);
}

/// Every figure of the selected run, and those that all runs have in common.
export function showFigures(sweep: Sweep, plot: Plot, into: HTMLElement): void {
  const row = plot.current?.row;
  into.replaceChildren();
  if (row !== undefined) {
    const list = sweep.columns.map(column => [column.name, cellText(column, row), column.meaning]);
    into.append(
        heading(`Point ${cellText(sweep.column('point'), row)}, seed ${
            cellText(sweep.column('seed'), row)}`),
        sortable([{title: 'name'}, {title: 'value'}, {title: 'meaning'}], list));
  }
  into.append(
      heading('The same in all runs'),
      sortable([{title: 'name'}, {title: 'value'}, {title: 'meaning'}], sweep.meta.same));
}

export const makePanels = () => ({
  details: panel('details', 'Selection'),
  runs: panel('runs', 'Runs'),
  percentiles: panel('percentiles', 'Percentiles'),
  figures: panel('figures', 'Figures')
});
