import {element} from '../dom';
import {grouped} from '../units';

import {cellText, Column, figure, Sweep} from './data';
import {Choice, Mark, Picture, values} from './marks';

const kMostWords = 8;  ///< values with a colour of their own
const kPalette = ['accent', 'isr', 'update', 'driver', 'signal', 'work', 'dpc', 'soft'];
const kShapes = ['circle', 'triangle', 'square'];

/// Colours of marks, and the words for them.
export class Paint {
  private readonly column: Column|null;
  private readonly own: number[]|null;  // values with a colour of their own; null: a ramp
  private readonly range: [number, number] = [Infinity, -Infinity];
  private readonly colours: Record<string, string> = {};

  constructor(sweep: Sweep, private readonly choice: Choice) {
    this.column = choice.colour ? sweep.column(choice.colour) : null;
    this.own = this.column && values(this.column, kMostWords);
    for (const value of this.column?.place ?? []) {
      if (Number.isNaN(value)) continue;
      this.range[0] = Math.min(this.range[0], value);
      this.range[1] = Math.max(this.range[1], value);
    }
    const style = getComputedStyle(document.documentElement);
    for (const name of [...kPalette, 'good', 'low', 'high'])
      this.colours[name] = style.getPropertyValue(`--${name}`).trim();
  }

  colour({row}: Mark): string {
    if (!this.column) return this.colours[kPalette[0]];
    const value = this.column.place[row];
    if (Number.isNaN(value)) return this.colours.soft;
    if (this.own) return this.colours[this.nameOf(value)];
    const [low, high] = this.range, share = (value - low) / (high - low);
    return mixed(this.colours.low, this.colours.high, share);
  }

  private nameOf(value: number): string {
    const {words, code, place} = this.column!;
    if (words?.[code[place.indexOf(value)]] === 'pass') return 'good';
    return kPalette[this.own!.indexOf(value) % kPalette.length];
  }

  /// Names what the colours and shapes say.
  legend({marks, missing}: Picture): HTMLElement {
    const made = element('div', {class: 'marks'});
    const add = (shape: string, text: string, colour = '') => made.append(element(
        'span', {class: 'mark'}, element('i', {
          class: shape,
          ...colour &&
              {
                style: `--c: var(--${colour})`
              }
        }),
        text));
    const {column, own, choice} = this;
    if (column) made.append(element('b', {title: column.name}, column.label));
    for (const value of own ?? [])
      add('circle', cellText(column!, column!.place.indexOf(value)), this.nameOf(value));
    if (column && !own) {
      const [low, high] = this.range.map(
          value => column.ranked ? column.words![value] : figure(value, column.unit));
      made.append(element('span', {class: 'mark'}, low, element('i', {class: 'ramp'}), high));
    }
    if (choice.y.length > 1) choice.y.forEach((name, at) => add(shapeOf(at), name));
    if (marks.some(mark => mark.failed)) add('cross', 'failed');
    if (choice.front) add('line', 'no other mark is better in both');
    if (choice.means)
      made.append(element('span', {class: 'facts'}, 'bars: 95 % interval of a mean'));
    if (missing) {
      const text = `${grouped(missing)} ${choice.means ? 'points' : 'runs'} have no such value`;
      made.append(element('span', {class: 'facts'}, text));
    }
    return made;
  }
}

export function shapeOf(series: number): string {
  return kShapes[series % kShapes.length];
}

function mixed(low: string, high: string, share: number): string {
  const parts = [1, 3, 5].map(at => {
    const [a, b] = [low, high].map(colour => parseInt(colour.slice(at, at + 2), 16));
    return Math.round(a + (b - a) * share).toString(16).padStart(2, '0');
  });
  return `#${parts.join('')}`;
}
