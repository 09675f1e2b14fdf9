import {button, element, facts, heading, panel} from '../dom';
import type {Exploration, Meta} from '../meta';
import {configuration} from '../panels/configuration';
import type {Tab} from '../panels/tabs';
import {sortable} from '../table';
import {counted, grouped} from '../units';

import type {Explored} from './explored';
import {findingTitle} from './violation';

function boundsText({bounds}: Exploration): string {
  return Object.entries(bounds)
      .map(([name,
             most]) => typeof most === 'number' ? `${name} \u2264 ${most}` : `${name}: ${most}`)
      .join(', ');
}

/// Where the verdict holds. The counts of the search stand in its tab.
export function searchFacts(found: Exploration): string {
  return `within ${boundsText(found)}`;
}

/// The titles of the findings; those with one title have numbers.
function titlesOf({violations: list}: Exploration): string[] {
  const titles = list.map(findingTitle);
  return titles.map((title, at) => {
    const alike = titles.flatMap((other, place) => other === title ? [place] : []);
    return alike.length > 1 ? `${title} (${alike.indexOf(at) + 1} of ${alike.length})` : title;
  });
}

/// Chooses the violation that the page shows.
export function violations(
    {exploration}: Explored, shown: number, choose: (at: number) => void): HTMLElement {
  const titles = titlesOf(exploration);
  return element(
      'nav', {class: 'bar chooser', 'aria-label': 'Violations'},
      ...titles.map(
          (title, at) => button(title, () => choose(at), {'aria-pressed': String(at === shown)})));
}

/// Tabs with what was searched. A search without violations has its first part in their place.
export function aboutSearch(found: Exploration, {config, defaults}: Meta): Tab[] {
  return [
    ...found.violations.length ? [{title: 'Search', panel: searched(found)}] : [],
    {title: 'Freedoms', panel: freedoms(found)}, {title: 'Invariants', panel: invariants(found)},
    {title: 'Races', panel: races(found)},
    {title: 'Configuration', panel: configuration(config, defaults)}
  ];
}

const count = (value: string|number) => grouped(Number(value));
const note = (text: string) => element('p', {class: 'facts'}, text);

/// The verdict, its bounds, and what the search looked at.
export function searched(found: Exploration): HTMLElement {
  const reasons = found.violations.length ? [] : found.reasons;
  return panel(
      'search-facts', 'Search', heading(found.verdict), element('p', {}, found.verdict_meaning),
      ...reasons.length ? [element('ul', {}, ...reasons.map(text => element('li', {}, text)))] : [],
      ...found.why_incomplete ? [element('p', {}, `The search gave up: ${found.why_incomplete}.`)] :
                                [],
      heading('Bounds'), bounds(found), heading('What the search looked at'), lookedAt(found),
      ...executions(found), ...counterexamples(found));
}

/// Executions by their end: the counts add up.
function executions(found: Exploration): HTMLElement[] {
  const counts = found as unknown as Record<string, number>;
  const lines = Object.entries(found.executions_meanings)
                    .filter(([key]) => counts[key])
                    .map(
                        ([key, meaning]) => element(
                            'tr', {}, element('td', {class: 'n'}, grouped(counts[key])),
                            element('td', {}, meaning)));
  return [
    heading(counted(found.executions, 'execution')),
    note('An execution goes on from the start or from a choice, up to one of these ends:'),
    element('table', {id: 'executions'}, element('tbody', {}, ...lines))
  ];
}

/// Where the counterexamples come from.
function counterexamples(found: Exploration): HTMLElement[] {
  const list = found.violations, titles = titlesOf(found);
  if (!list.length) return [];
  return [
    heading('Counterexamples'),
    sortable(
        [
          {title: 'finding'}, {title: 'steps of the shortest run', format: count},
          {title: 'first seen in execution', format: count},
          {title: 'runs to make it small', format: count}
        ],
        list.map(
            ({steps, execution, replays},
             at) => [titles[at], steps ?? 0, execution ?? 0, replays ?? 0]))
  ];
}

function bounds({bounds: list, bounds_meanings: meanings}: Exploration): HTMLElement {
  const lines = Object.entries(list).map(
      ([name, most]) => element(
          'tr', {}, element('th', {scope: 'row'}, name),
          element('td', {class: 'n'}, typeof most === 'number' ? `\u2264\u00a0${most}` : most),
          element('td', {}, meanings[name] ?? '')));
  return element('table', {}, element('tbody', {}, ...lines));
}

function lookedAt(found: Exploration): HTMLElement {
  const ends = [
    ...found.outcomes.completes ? ['every program ends'] : [],
    ...found.outcomes.waits ? ['an agent waits for a value that no signal gives'] : []
  ];
  return facts([
    ['order of the runs', found.search], ['states at choices', grouped(found.states)],
    ['runs in random order afterwards', grouped(found.random_priority_runs)],
    ['longest run', `${grouped(found.longest_run)} steps`],
    ['most choices in one run', grouped(found.most_choices)],
    ['runs end when', ends.join(', or ') || 'none came to its end']
  ]);
}

/// The choices of the search, by what the steps do.
function freedoms({ways: list = [], complete}: Exploration): HTMLElement {
  const met = list.filter(({offered}) => offered), never = list.filter(({offered}) => !offered);
  const sum = (key: 'offered'|'taken') => list.reduce((all, one) => all + one[key], 0);
  return panel(
      'freedoms', 'Freedoms',
      heading(`${grouped(sum('taken'))} of ${grouped(sum('offered'))} offered steps were taken`),
      note(
          'At a choice, several agents could take the next step. Each of these steps is offered. ' +
          (complete ? 'An offered step that was not taken there leads to an order that was ' +
                   'searched from another choice.' :
                      'The search is not complete: a step that was not taken may lead to orders ' +
                   'that nobody has looked at.')),
      sortable(
          [
            {title: 'step'}, {title: 'the agent \u2026'}, {title: 'offered', format: count},
            {title: 'taken', format: count}
          ],
          met.map(({op, does, offered, taken}) => [op, does, offered, taken])),
      heading(`${counted(never.length, 'kind')} of steps had no choice`),
      element('p', {}, never.map(({op}) => op).join(', ')));
}

/// A finding such as a hang need not break an invariant.
function unbroken(
    violations: Exploration['violations'], tested: Exploration['tested']): HTMLElement[] {
  const known = new Set(tested.map(({invariant}) => invariant));
  const others = violations.filter(({invariant}) => !known.has(invariant));
  if (!others.length) return [];
  return [element(
      'p', {}, `${others.map(findingTitle).join(', ')}: found without breaking an invariant.`)];
}

function invariants({tested, violations}: Exploration): HTMLElement {
  const result = (name: string) =>
      violations.some(({invariant}) => invariant === name) ? 'broken' : 'held';
  const used = tested.filter(({runs}) => runs), never = tested.filter(({runs}) => !runs);
  return panel(
      'invariants', 'Invariants', heading(`${counted(used.length, 'invariant')} exercised`),
      ...unbroken(violations, tested),
      note('A run exercises an invariant if something happens that the invariant speaks about.'),
      sortable(
          [
            {title: 'invariant'}, {title: 'name'}, {title: 'runs', format: count}, {title: 'result'}
          ],
          used.map(({invariant, name, runs}) => [invariant, name, runs, result(invariant)])),
      heading(`${counted(never.length, 'invariant')} never exercised`),
      note('The verdict says nothing about these.'),
      element('p', {}, never.map(({invariant, name}) => `${invariant} ${name}`).join(', ')));
}

function races({races: list, complete}: Exploration): HTMLElement {
  const both = list.filter(one => one.first_won && one.second_won).length;
  return panel(
      'races', 'Races',
      heading(`${counted(list.length, 'pair')} of steps raced, ${grouped(both)} in both orders`),
      note(
          'Two steps race if both could be taken next and touch the same place, one of them to ' +
          'write. A pair with one order only ' +
          (complete ? 'cannot happen in the other order.' :
                      'cannot happen in the other order, or the search did not get there.')),
      sortable(
          [
            {title: 'one step'}, {title: 'the other step'}, {title: 'one first', format: count},
            {title: 'the other first', format: count}
          ],
          list.map(one => [one.first, one.second, one.first_won, one.second_won])));
}
