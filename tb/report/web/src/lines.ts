import {element} from './dom';

export const kMostLines = 20000;

/// A text with the numbers of its lines. @param click for the lines that can be clicked
export function numberedLines(
    text: string, click: (line: number) => void = () => {},
    clickable: (line: number) => boolean = () => false): HTMLElement {
  const lines = text.replace(/\n$/, '').split('\n').slice(0, kMostLines);
  const list = lines.map((line, at) => {
    const number = at + 1, attributes = {id: `L${number}`, 'data-line': String(number)};
    if (!clickable(number)) return element('div', attributes, line || ' ');
    const made = element('button', {type: 'button', ...attributes}, line || ' ');
    made.onclick = () => click(number);
    return made;
  });
  return element('pre', {class: 'numbered'}, ...list);
}
