import {element, heading} from '../dom';
import {withTimes} from '../times';

/// Why a verdict is what it is, a line for each reason.
export function reasons(list: string[]): HTMLElement[] {
  if (!list.length) return [];
  const lines = list.map(text => element('li', {}, ...withTimes(text)));
  return [heading('Reasons'), element('ul', {id: 'reasons'}, ...lines)];
}
