import {heading, panel} from '../dom';
import {numberedLines} from '../lines';

/// The text of the scenario file with the numbers of its lines.
export function scenario(text: string): HTMLElement {
  if (!text)
    return panel('scenario', 'Scenario', heading('Scenario'), 'The page does not hold its text.');
  const lines = numberedLines(text);
  return panel(
      'scenario', 'Scenario', heading(`Scenario, ${lines.childElementCount} lines`), lines);
}
