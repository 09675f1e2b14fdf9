import {element} from '../dom';
import type {Operation, Violation} from '../meta';

/// What lets a violation happen and what would prevent it. It comes before the story, because the
/// fault is there, and not in the orders of the steps.
export function causeOf({mechanisms, prevented_by, not_prevented}: Violation): HTMLElement[] {
  return [
    ...list('What lets it happen', mechanisms), ...list('Would be prevented by', prevented_by),
    ...list('Is not prevented', not_prevented ? [not_prevented] : [])
  ];
}

/// The orders of steps that lead to a violation.
export function ordersOf({why, holds = [], inevitable_after_step: fate, breaks_in_time}: Violation):
    HTMLElement[] {
  const operation = ({agent, op, nth}: Operation) => `${agent} ${op} #${nth}`;
  return [
    ...list('Inevitable', fate ? [`from step ${fate} on, every order breaks it`] : []),
    ...list('Why: the orders that it takes', why),
    ...list(
        'Holds: the fewest orders to fix',
        holds.map(({hold, until}) => `${operation(hold)} waits until ${operation(until)}`)),
    ...list(
        'No timeline',
        breaks_in_time === false ?
            ['the cycle timeline does not take such an order; it may happen all the same'] :
            [])
  ];
}

function list(title: string, lines: string[] = []): HTMLElement[] {
  if (!lines.length) return [];
  return [element('h3', {}, title), element('ul', {}, ...lines.map(t => element('li', {}, t)))];
}

/// The agent of a step, marked if a hold names the step: it waits for another one, or another one
/// for it.
export function agentOf(agent: string, held: boolean): HTMLElement {
  const mark = () => element(
      'span', {class: 'held', title: 'a hold fixes the order of this step and another one'},
      'order fixed');
  return element('td', {}, agent, ...(held ? [' ', mark()] : []));
}
