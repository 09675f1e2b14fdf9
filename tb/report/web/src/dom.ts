/// Makes an element. Text becomes text nodes, never markup: names of a run may hold anything.
export function element<K extends keyof HTMLElementTagNameMap>(
    tag: K, attributes: Record<string, string> = {},
    ...children: (Node|string)[]): HTMLElementTagNameMap[K] {
  const made = document.createElement(tag);
  for (const [name, value] of Object.entries(attributes)) made.setAttribute(name, value);
  made.append(...children);
  return made;
}

export function button(
    text: string, click: () => void, attributes: Record<string, string> = {}): HTMLButtonElement {
  const made = element('button', {type: 'button', ...attributes}, text);
  made.onclick = click;
  return made;
}

/// A part of the page that a keyboard can reach and scroll.
export function panel(id: string, title: string, ...children: (Node|string)[]): HTMLElement {
  return element('section', {id, tabindex: '0', 'aria-label': title}, ...children);
}

export function heading(text: string): HTMLElement {
  return element('h2', {}, text);
}

/// A table of facts: name and value a line.
export function facts(rows: [string, Node|string][]): HTMLElement {
  const lines = rows.map(
      ([name, value]) =>
          element('tr', {}, element('th', {scope: 'row'}, name), element('td', {}, value)));
  return element('table', {}, element('tbody', {}, ...lines));
}
