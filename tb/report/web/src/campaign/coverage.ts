import {button, element, heading, panel} from '../dom';
import {Cell, sortable} from '../table';
import {grouped} from '../units';
import type {Campaign, Coverage} from './data';

const kMostLines = 500;

/// A list of points with a filter; holes come first.
class Points {
  readonly root = element('div', {class: 'points'});
  private points: [string, number][] = [];
  private readonly search = element(
      'input', {type: 'search', placeholder: 'points with \u2026', 'aria-label': 'Filter points'});
  private readonly body = element('div');
  private readonly title = heading('');

  constructor() {
    this.search.oninput = () => this.fill();
    this.root.append(this.title, this.search, this.body);
    this.root.hidden = true;
  }

  show(title: string, points: [string, number][]): void {
    this.root.hidden = false;
    this.title.textContent = title;
    this.search.value = '';
    this.points = [...points].sort((a, b) => Number(a[1] > 0) - Number(b[1] > 0));
    this.fill();
    this.root.scrollIntoView({block: 'nearest'});
  }

  private fill(): void {
    const words = this.search.value.toLowerCase().split(/\s+/).filter(word => word);
    const found =
        this.points.filter(([name]) => words.every(word => name.toLowerCase().includes(word)));
    const holes = found.filter(([, runs]) => !runs).length;
    const runs = (value: Cell) => value ? grouped(Number(value)) : 'never';
    this.body.replaceChildren(
        element(
            'p', {class: 'facts', role: 'status'},
            `${grouped(found.length)} points, ${grouped(holes)} holes`),
        sortable(
            [{title: 'runs', format: runs}, {title: 'point'}],
            found.slice(0, kMostLines).map(([name, count]) => [count, name])));
    if (found.length > kMostLines)
      this.body.append(
          element('p', {class: 'facts'}, `and ${grouped(found.length - kMostLines)} more`));
  }
}

function share(hit: number, all: number): string {
  return all ? `${(100 * hit / all).toFixed(1)} %` : '';
}

/// What the runs have covered, by group of points. A group opens its points.
export function coverageOf({groups, runs}: Coverage): HTMLElement {
  const points = new Points(), count = (value: Cell) => grouped(Number(value));
  const open = (at: Cell) => {
    const {meaning, points: list} = groups[Number(at)];
    return button(meaning, () => points.show(meaning, list));
  };
  const percent = (value: Cell) => share(Number(value), 1);
  const [hit, all] = ['hit', 'all'].map(
      key => groups.reduce((sum, group) => sum + group[key as 'hit' | 'all'], 0));
  return panel(
      'coverage', 'Coverage',
      heading(`${grouped(hit)} of ${grouped(all)} points, ${share(hit, all)}, in ${
          grouped(runs)} runs`),
      sortable(
          [
            {title: 'points', show: open}, {title: 'hit', format: count},
            {title: 'of', format: count}, {title: 'holes', format: count},
            {title: 'share', format: percent}
          ],
          groups.map(({hit, all}, at) => [at, hit, all, all - hit, all ? hit / all : 0])),
      points.root);
}

/// With which others each operation and step was in flight. A feature opens the others.
export function featuresOf({features}: Coverage): HTMLElement {
  const points = new Points(), count = (value: Cell) => grouped(Number(value));
  const open = (at: Cell) => {
    const {name, with: list} = features[Number(at)];
    return button(name, () => points.show(`${name}, at the same time as`, features.map((other, i): [
      string, number
    ] => [other.name, list[i]])));
  };
  const rows = features.map(({with: list}, at) => {
    const met = list.filter(runs => runs).length;
    return [at, met, features.length - met, Math.max(...list)];
  });
  const never = rows.filter(row => !row[1]).length;
  return panel(
      'features', 'Features',
      heading(`${grouped(features.length)} operations and steps, ${
          grouped(never)} never in flight with another`),
      sortable(
          [
            {title: 'feature', show: open}, {title: 'met', format: count},
            {title: 'not met', format: count}, {title: 'runs, at least', format: count}
          ],
          rows.sort((a, b) => b[1] - a[1])),
      points.root);
}

/// What the reference says about the runs, and what the searches came to.
export function judgedBy({result}: Campaign): HTMLElement {
  const made = panel('judged', 'Reference'), count = (value: Cell) => grouped(Number(value));
  if (result.reference) {
    const {statements, silent} = result.reference;
    made.append(
        heading('Statements of the reference'),
        sortable(
            [
              {title: 'about'}, {title: 'one outcome', format: count},
              {title: 'several', format: count}, {title: 'open', format: count}
            ],
            Object.entries(statements).map(([name,
                                             {fixed, sets, open}]) => [name, fixed, sets, open])),
        heading(silent.length ? 'No prediction' : 'A prediction for every run'));
    if (silent.length)
      made.append(sortable(
          [{title: 'reason'}, {title: 'runs', format: count}],
          silent.map(({reason, runs}) => [reason, runs])));
  }
  if (result.searches)
    made.append(
        heading('Searches'),
        sortable(
            [{title: 'of searches'}, {title: 'number', format: count}],
            Object.entries(result.searches).map(([name,
                                                  value]) => [name.replace(/_/g, ' '), value])));
  return made;
}
