import {Colour, kClasses} from '../colours';
import {element} from '../dom';

import type {Run} from '../data';

/// Names every colour and mark that the page draws; first the colours that this run has.
export function legend({meta}: Run): HTMLElement {
  const used = new Set(meta.colours), classes = Object.keys(kClasses) as Colour[];
  const swatches = classes.filter(name => used.has(name))
                       .map(
                           name => entry(
                               element('span', {class: 'swatch', style: `--c: var(--${name})`}),
                               kClasses[name]));
  const marks: [string, string][] = [
    ['arrow', 'arrow: a signal releases a wait'],
    ['triangle', 'triangle: an event'],
    ['dense', 'strip at the foot of a row: many events; the stronger, the more'],
    ['fault', 'red triangle on its tip: a fault'],
    ['open', 'red end: not ended when the run ended'],
    ['faint', 'faint column: part of the pixel\u2019s time'],
    ['gap', 'grey line in a chart: no waiter'],
  ];
  return element(
      'details', {class: 'legend'}, element('summary', {}, 'Legend'),
      element(
          'div', {}, ...swatches,
          ...marks.map(([mark, text]) => entry(element('span', {class: `sign ${mark}`}), text))));
}

function entry(sign: HTMLElement, text: string): HTMLElement {
  return element('span', {class: 'entry'}, sign, text);
}
