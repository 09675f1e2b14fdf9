import {button, element} from './dom';

/// A command line, with a button that copies it.
export function command(text: string): HTMLElement {
  const code = element('code', {}, text),
        status = element('span', {class: 'facts', role: 'status'});
  const copy = button('Copy', async () => {
    getSelection()?.selectAllChildren(code);
    try {
      await navigator.clipboard.writeText(text);
      status.textContent = 'copied';
    } catch {
      status.textContent = 'selected';  // the browser keeps the clipboard from pages
    }
  });
  return element('div', {class: 'command'}, code, copy, status);
}
