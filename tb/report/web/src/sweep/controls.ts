import {element} from '../dom';
import type {Column, Sweep} from './data';
import {Choice, values} from './marks';

const kPercentiles = ['p50', 'p99', 'max'];
const kMostFacets = 24;
const kFronts: [string, string][] = [
  ['', 'none'], ['--', 'less x, less y'], ['-+', 'less x, more y'], ['+-', 'more x, less y'],
  ['++', 'more x, more y']
];
const kTexts = ['reason'];
const kNoFigures = ['number', 'value', 'word', 'text', 'list'];  // units of other columns

/// Latencies with percentiles: the name of each with its columns.
function latencies({columns}: Sweep): Map<string, string[]> {
  const found = new Map<string, string[]>();
  for (const {name} of columns) {
    const dot = name.lastIndexOf('.');
    if (!kPercentiles.includes(name.slice(dot + 1))) continue;
    const latency = name.slice(0, dot);
    found.set(latency, [...found.get(latency) ?? [], name]);
  }
  for (const [name, list] of found)
    if (list.length < 2) found.delete(name);
  return found;
}

/// What is shown first: the first varied value, and the first latency, or else another figure, or
/// else the verdict.
export function firstChoice(sweep: Sweep): Choice {
  const {columns, meta} = sweep,
                  several = (column: Column) => (values(column, 1) ?? [0, 0]).length > 1;
  const isFigure = ({name, unit}: Column) =>
      !kNoFigures.includes(unit) && !meta.varied.includes(name);
  const x = meta.varied.find(name => several(sweep.column(name)));
  const y = columns.find(({name}) => name.endsWith('.p50')) ??
      columns.find(({name}) => name === 'end_time_ps') ?? [...columns].reverse().find(isFigure) ??
      sweep.column('verdict');
  const colour = meta.failed ? 'verdict' : meta.varied.find(name => name !== x) ?? '';
  const means = columns.some(({mean}) => mean !== undefined);
  const plain = {facet: '', logX: false, logY: false, front: ''};
  return {x: x ?? (means ? 'point' : 'seed'), y: [y.name], colour, means: means && !!x, ...plain};
}

/// The choice that an address names; what it does not name is that of `first`.
export function choiceOf(sweep: Sweep, hash: string, first: Choice): Choice {
  const words = new URLSearchParams(hash.replace(/^#/, ''));
  const names = new Set(sweep.columns.map(({name}) => name));
  const one = (key: 'x'|'colour'|'facet') => {
    const name = words.get(key);
    return name !== null && (names.has(name) || (!name && key !== 'x')) ? name : first[key];
  };
  const y = words.getAll('y').filter(name => names.has(name)), front = words.get('front');
  const flag = (key: 'means'|'logX'|'logY') => words.has(key) ? words.get(key) === '1' : first[key];
  return {
    x: one('x'),
    y: y.length ? y : first.y,
    colour: one('colour'),
    facet: one('facet'),
    means: flag('means') && sweep.columns.some(({mean}) => mean !== undefined),
    logX: flag('logX'),
    logY: flag('logY'),
    front: kFronts.some(([sign]) => sign === front) ? front! : first.front
  };
}

export function addressOf({y, means, logX, logY, ...words}: Choice): string {
  const all = new URLSearchParams(words);
  for (const name of y) all.append('y', name);
  for (const [key, on] of Object.entries({means, logX, logY})) all.set(key, on ? '1' : '0');
  return all.toString();
}

/// Where the reader chooses what is seen.
export function controls(
    sweep: Sweep, choice: Choice, change: (choice: Choice) => void): HTMLElement {
  const now = {...choice}, changed = () => change({...now});
  const names = sweep.columns.map(({name}) => name);
  const figures = names.filter(name => !kTexts.includes(name));
  const few = figures.filter(name => values(sweep.column(name), kMostFacets) !== null);
  const pairs = (list: string[]) =>
      list.map((name): [string, string] => [name, sweep.column(name).label]);
  const all = [...latencies(sweep)].map(
      ([name, list]): [string, string] => [list.join('\n'), `${name}: percentiles`]);
  const made = element('nav', {class: 'bar', 'aria-label': 'What is shown'});
  const add =
      (label: string, list: [string, string][], value: string, take: (value: string) => void) =>
          made.append(select(label, list, value, value => {
            take(value);
            changed();
          }));
  const addBox = (label: string, key: 'means'|'logX'|'logY') =>
      made.append(box(label, now[key], on => {
        now[key] = on;
        changed();
      }));
  add('x', pairs(figures), now.x, value => now.x = value);
  addBox('log x', 'logX');
  add('y', [...all, ...pairs(figures)], now.y.join('\n'), value => now.y = value.split('\n'));
  addBox('log y', 'logY');
  add('colour', [['', 'none'], ...pairs(figures)], now.colour, value => now.colour = value);
  add('facets', [['', 'one'], ...pairs(few)], now.facet, value => now.facet = value);
  add('Pareto front', kFronts, now.front, value => now.front = value);
  if (sweep.columns.some(({mean}) => mean)) addBox('means of the seeds', 'means');
  return made;
}

function select(
    label: string, list: [string, string][], value: string,
    change: (value: string) => void): HTMLElement {
  const made = element(
      'select', {'aria-label': label},
      ...list.map(([key, text]) => element('option', {value: key}, text)));
  made.value = value;
  made.onchange = () => change(made.value);
  return element('label', {class: 'choice'}, element('span', {}, label), made);
}

function box(label: string, on: boolean, change: (on: boolean) => void): HTMLElement {
  const made = element('input', {type: 'checkbox'});
  made.checked = on;
  made.onchange = () => change(made.checked);
  return element('label', {class: 'choice'}, made, label);
}
