import {element, heading, panel} from '../dom';

/// The text of the scenario file with the numbers of its lines.
export function scenario(text: string): HTMLElement {
  if (!text)
    return panel('scenario', 'Scenario', heading('Scenario'), 'The page does not hold its text.');
  const lines = text.replace(/\n$/, '').split('\n');
  const list = lines.map(
      (line, at) => element('div', {id: `L${at + 1}`, 'data-line': String(at + 1)}, line || ' '));
  return panel(
      'scenario', 'Scenario', heading(`Scenario, ${lines.length} lines`),
      element('pre', {class: 'numbered'}, ...list));
}
