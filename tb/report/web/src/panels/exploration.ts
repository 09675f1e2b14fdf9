import type {Run} from '../data';
import {button, element, facts, heading, panel} from '../dom';
import type {Exploration, Json} from '../meta';
import {sortable} from '../table';
import {grouped} from '../units';
import {configuration} from './configuration';
import type {Tab} from './tabs';

const kMeaning: Record<string, string> = {
  PROVED: 'No order within the bounds breaks an invariant, leaves an agent stuck or stops the ' +
      'machine. All of them were searched.',
  VIOLATED: 'Some order breaks an invariant. There is a smallest counterexample of each violation.',
  INCOMPLETE: 'The search gave up and found nothing. This proves nothing.',
  VACUOUS: 'No run ends within the bounds, so that nothing was proved.'
};

function boundsText({bounds}: Exploration): string {
  return Object.entries(bounds)
      .map(([name,
             most]) => typeof most === 'number' ? `${name} \u2264 ${most}` : `${name}: ${most}`)
      .join(', ');
}

export function searchFacts(found: Exploration): string[] {
  return [
    `${grouped(found.executions)} executions`, `${grouped(found.states)} states`,
    `within ${boundsText(found)}`
  ];
}

/// Chooses the violation that the page shows.
export function violations(runs: Run[], shown: number, choose: (at: number) => void): HTMLElement {
  const titles = runs.map(({meta: {story: [{invariant, name}]}}) => `${invariant} ${name}`);
  return element(
      'nav', {class: 'bar chooser', 'aria-label': 'Violations'},
      ...titles.map(
          (title, at) => button(title, () => choose(at), {'aria-pressed': String(at === shown)})));
}

/// Tabs with what was searched.
export function aboutSearch(found: Exploration, config: Json): Tab[] {
  return [
    {title: 'Search', panel: search(found)}, {title: 'Invariants', panel: invariants(found)},
    {title: 'Races', panel: races(found)}, {title: 'Configuration', panel: configuration(config)}
  ];
}

const count = (value: string|number) => grouped(Number(value));

function search(found: Exploration): HTMLElement {
  const ends = [
    ...found.outcomes.completes ? ['every program ends'] : [],
    ...found.outcomes.waits ? ['in some, an agent waits for a value that no signal gives'] : []
  ];
  return panel(
      'search-facts', 'Search', heading(found.verdict),
      element('p', {}, kMeaning[found.verdict] ?? ''),
      ...found.why_incomplete ? [element('p', {}, found.why_incomplete)] : [], facts([
        ['bounds', boundsText(found)], ['strategy', found.search],
        ['executions', grouped(found.executions)],
        ['of these, to their end', grouped(found.finished)],
        ['cut: taken in another order', grouped(found.cut_asleep)],
        ['cut: state met before', grouped(found.cut_met_before)],
        ['cut: beyond the bounds', grouped(found.cut_beyond_bounds)],
        ['runs with random priorities', grouped(found.random_priority_runs)],
        ['states', grouped(found.states)], ['longest run', `${grouped(found.longest_run)} steps`],
        ['most choices in a run', grouped(found.most_choices)], ['ends of runs', ends.join('; ')]
      ]));
}

function invariants({tested, violations}: Exploration): HTMLElement {
  const result = (name: string) =>
      violations.some(({invariant}) => invariant === name) ? 'broken' : 'held';
  const used = tested.filter(({runs}) => runs), never = tested.filter(({runs}) => !runs);
  return panel(
      'invariants', 'Invariants', heading(`${used.length} put to the test`),
      sortable(
          [
            {title: 'invariant'}, {title: 'name'}, {title: 'runs', format: count}, {title: 'result'}
          ],
          used.map(({invariant, name, runs}) => [invariant, name, runs, result(invariant)])),
      heading(`${never.length} never put to the test`),
      element('p', {}, never.map(({invariant, name}) => `${invariant} ${name}`).join(', ')));
}

function races({races: list}: Exploration): HTMLElement {
  const both = list.filter(one => one.first_won && one.second_won).length;
  return panel(
      'races', 'Races', heading(`${list.length} pairs of steps, ${both} met both ways`),
      sortable(
          [
            {title: 'one step'}, {title: 'another step'}, {title: 'one first', format: count},
            {title: 'other first', format: count}
          ],
          list.map(one => [one.first, one.second, one.first_won, one.second_won])));
}
