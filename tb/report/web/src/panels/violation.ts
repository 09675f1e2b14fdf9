import {element} from '../dom';
import type {Operation, Violation} from '../meta';

/// What is known of a violation besides its story: why it happens, and what would prevent it.
export function aboutViolation({why, holds = [], inevitable_after_step: fate, ...cure}: Violation):
    HTMLElement[] {
  const operation = ({agent, op, nth}: Operation) => `${agent} ${op} #${nth}`;
  return [
    ...list('Why', why),
    ...list(
        'Holds: the fewest fixed orders',
        holds.map(({hold, until}) => `${operation(hold)} waits until ${operation(until)}`)),
    ...list('What lets it happen', cure.mechanisms),
    ...list('Would be prevented by', cure.prevented_by),
    ...list('Is not prevented', cure.not_prevented ? [cure.not_prevented] : []),
    ...list(
        'No timeline',
        cure.breaks_in_time === false ?
            ['it breaks in orders that the cycle timeline does not take'] :
            []),
    ...list('Inevitable', fate ? [`from step ${fate} on, every order breaks it`] : [])
  ];
}

function list(title: string, lines: string[] = []): HTMLElement[] {
  if (!lines.length) return [];
  return [element('h3', {}, title), element('ul', {}, ...lines.map(t => element('li', {}, t)))];
}

/// The agent of a step, marked if the step was held back.
export function agentOf(agent: string, held: boolean): HTMLElement {
  return element('td', {}, agent, ...(held ? [' ', element('span', {class: 'held'}, 'held')] : []));
}
