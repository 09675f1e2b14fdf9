import {element} from './dom';

/// A text with the numbers of its lines.
export function numberedLines(text: string): HTMLElement {
  const lines = text.replace(/\n$/, '').split('\n');
  const list = lines.map(
      (line, at) => element('div', {id: `L${at + 1}`, 'data-line': String(at + 1)}, line || ' '));
  return element('pre', {class: 'numbered'}, ...list);
}
