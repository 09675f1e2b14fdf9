import {button, element} from '../dom';
import type {Operation, OrderedSteps, Violation} from '../meta';

/// Shows a step of the story, by its number.
export type Go = (step: number) => void;

const kEachAlone = 'Each of these alone would prevent it';

/// What lets a violation happen and what would prevent it. It comes before the story, because the
/// fault is there, and not in the orders of the steps.
export function causeOf(
    {mechanisms, prevented_by, prevented_by_meanings, not_prevented}: Violation): HTMLElement[] {
  const cures = prevented_by?.map((value, at) => {
    const meaning = prevented_by_meanings?.[at];
    return meaning ? `${value}: ${meaning}` : value;
  });
  return [
    ...list('What lets it happen', mechanisms),
    ...list(cures && cures.length > 1 ? kEachAlone : 'Would be prevented by', cures),
    ...list('Is not prevented', not_prevented ? [not_prevented] : [])
  ];
}

/// The title of a finding. One without a number has its name alone.
export function findingTitle({invariant, name}: Pick<Violation, 'invariant'|'name'>): string {
  return invariant === name ? name : `${invariant} ${name}`;
}

/// The orders of steps that lead to a violation. The one that decides it comes first.
export function ordersOf(found: Violation, go: Go): HTMLElement[] {
  const {why, holds = [], inevitable_after_step: fate, decided_by: race} = found;
  const lines = (some: typeof holds) =>
      some.map(({hold, until, steps}) => order(found, go, steps, ruleOf(hold, until)));
  const decides =
      holds.find(({steps}) => race && steps?.first === race.first && steps.second === race.second);
  const others = lines(holds.filter(one => one !== decides));
  const rule = decides && ruleOf(decides.hold, decides.until);
  const from = `From step ${fate} on, every order breaks the rule.`;
  return [
    ...race  ? list('The order that decides it', [[...order(found, go, race, rule), hint(from)]]) :
        fate ? list('The step that decides it', [[...stepOf(found, go, fate), hint(from)]]) :
               [],
    ...list(race ? 'Needed as well' : 'It happens in these orders', others),
    ...holds.length ? [] : list('Why', why)
  ];
}

/// What the timeline is of a violation, or why there is none.
export function timelineOf({breaks_in_time: drawn}: Violation): HTMLElement[] {
  if (drawn === undefined) return [];
  if (!drawn)
    return list(
        'No timeline',
        ['The timing of the model does not take such an order. Hardware may take it.']);
  return list('The timeline', [
    'It shows another run: with the fixed orders alone and the timing of the model. It breaks the ' +
    'same rule, but other steps may come in another order than in this story, or not at all.'
  ]);
}

type Line = (Node|string)[];

const hint = (text: string) => element('div', {class: 'facts'}, text);

function ruleOf(hold: Operation, until: Operation): string {
  const named = ({agent, op, nth}: Operation) => `${agent} ${op} #${nth}`;
  return `${named(hold)} waits until ${named(until)}`;
}

/// An order of two steps. @param rule the hold that fixes it
function order(found: Violation, go: Go, steps?: OrderedSteps, rule?: string): Line {
  if (!steps) return [rule ?? ''];
  return [
    ...stepOf(found, go, steps.first), ' comes before ', ...stepOf(found, go, steps.second),
    ...rule ? [hint(`as a hold: ${rule}`)] : []
  ];
}

/// "step 4: the engine issues"; the number leads to the step. Of several lines one may say what
/// decides.
function stepOf({story = []}: Violation, go: Go, step: number): Line {
  const lines = story.filter(one => one.step === step);
  const line = lines.find(({decides}) => decides) ?? lines[0];
  if (!line) return [`step ${step}`];
  return [button(`step ${step}`, () => go(step), {class: 'link'}), `: ${said(line)}`];
}

function said({agent, text}: {agent: string; text: string}): string {
  return text.startsWith(`${agent} `) ? text : `${agent}: ${text}`;
}

function list(title: string, lines: (string|Line)[] = []): HTMLElement[] {
  if (!lines.length) return [];
  const items = lines.map(line => element('li', {}, ...(typeof line === 'string' ? [line] : line)));
  return [element('h3', {}, title), element('ul', {}, ...items)];
}

/// What the orders of a violation say of a step: "before step 22".
function marksOf(
    {holds = [], inevitable_after_step: fate, decided_by: race}: Violation,
    step: number): string[] {
  const deciding = race?.first === step ? [`decides it: before step ${race.second}`] :
      race?.second === step             ? [`decided: after step ${race.first}`] :
      fate === step                     ? ['decides it'] :
                                          [];
  const orders = holds.flatMap(({steps}) => {
    if (!steps || steps.first === race?.first && steps.second === race.second) return [];
    return steps.first === step ? [`before step ${steps.second}`] :
        steps.second === step   ? [`after step ${steps.first}`] :
                                  [];
  });
  return [...deciding, ...orders];
}

/// A line for steps that a story leaves out, and their lines, which a click shows. @param after
/// number of the step before them @param before of the one behind them
function omission(
    {omitted_steps: all = []}: Violation, text: string, after: number,
    before: number): HTMLElement[] {
  const rows =
      all.filter(({step}) => step > after && step < before)
          .map(
              ({step, agent, text: does}) => element(
                  'tr', {class: 'facts', hidden: ''}, element('td', {class: 'n'}, String(step)),
                  element('td', {}, agent), element('td', {}, does)));
  const what = `${text} omitted`;
  const opener = button(what, () => {
    const open = opener.getAttribute('aria-expanded') === 'false';
    opener.setAttribute('aria-expanded', String(open));
    for (const row of rows) row.hidden = !open;
  }, {'aria-expanded': 'false', class: 'fold'});
  const content = rows.length ? opener : what;
  return [
    element('tr', {class: 'facts'}, element('td'), element('td', {colspan: '2'}, content)), ...rows
  ];
}

/// The steps of a story, a line each, with lines for what is left out. @param show puts the text of
/// a step @param line called for each step with its line
export function storyTable(
    found: Violation, show: (text: string, at: number) => Node | string,
    line: (row: HTMLElement, at: number) => void): HTMLElement[] {
  const {story = [], omitted_behind: behind, at_end = []} = found, body = element('tbody');
  if (!story.length) return [];
  const omitted = (text: string, after = 0, before = Infinity) =>
      body.append(...omission(found, text, after, before));
  story.forEach(({step, agent, text, held, omitted_before: before}, at) => {
    if (before) omitted(before, story[at - 1]?.step, step);
    const first = step !== story[at - 1]?.step, marks = first ? marksOf(found, step) : [];
    const fixed = held && first && !marks.length ? ['order fixed'] : marks;
    const row = element(
        'tr', {}, element('td', {class: 'n'}, String(step)),
        element('td', {}, agent, ...fixed.map(mark => element('div', {class: 'held'}, mark))),
        element('td', {}, show(text, at)));
    line(row, at);
    body.append(row);
  });
  if (behind) omitted(behind, story[story.length - 1].step);
  for (const text of at_end)
    body.append(element('tr', {}, element('td', {}, 'end'), element('td', {colspan: '2'}, text)));
  return [
    element('h3', {}, 'Story'), element('table', {class: 'steps'}, body),
    element(
        'p', {class: 'facts'},
        'Omitted steps: the violation does not depend on them, or they only pass something on and ' +
            'print no event.')
  ];
}
