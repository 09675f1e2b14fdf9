import {element, heading, panel} from '../dom';
import type {Json} from '../meta';
import {counted} from '../units';

type Leaf = {
  path: string; line: HTMLElement; changed: boolean
};

/// The default of each setting that differs from it, under its JSON pointer.
type Defaults = Record<string, Json>;

/// The effective configuration as a tree that folds. Settings that differ from their default are
/// marked, and a switch hides the others. A search opens what it finds and hides the rest.
export function configuration(config: Json, defaults: Defaults = {}): HTMLElement {
  const leaves: Leaf[] = [], tree = branch(config, '', {leaves, defaults});
  const count = element('span', {class: 'facts', role: 'status'});
  const search = element('input', {
    type: 'search',
    placeholder: 'search the configuration',
    'aria-label': 'Search the configuration'
  });
  const only = element('input', {type: 'checkbox', id: 'only-changed'});
  const show = () => {
    const words = search.value.toLowerCase().split(/\s+/).filter(word => word);
    const found = leaves.filter(({path, line, changed}) => {
      const shown = (changed || !only.checked) && words.every(word => path.includes(word));
      return !(line.hidden = !shown);
    });
    const chosen = words.length > 0 || only.checked;
    count.textContent = chosen ? `${found.length} of ${leaves.length}` : '';
    for (const fold of [...tree.querySelectorAll('details')].reverse()) {
      fold.hidden = !fold.querySelector('.leaf:not([hidden])');
      fold.open = chosen && !fold.hidden;
    }
  };
  search.oninput = only.onchange = show;
  const differ = Object.keys(defaults).length;
  only.disabled = !differ;
  return panel(
      'configuration', 'Configuration', heading('Effective configuration'), search, ' ',
      element('label', {}, only, ' only what differs'), ' ', count,
      element(
          'p', {class: 'facts'},
          differ ? `\u2260 marks what differs from the default: ${
                       counted(differ, 'setting')}. Values of ` +
                  'profiles are defaults. Names, texts, steps and expectations have none.' :
                   'Every setting is at its default.'),
      tree);
}

/// What a setting that differs would be by default.
function standard(value: Json): string {
  if (value === null) return 'none';
  const objects = Array.isArray(value) && typeof value[0] === 'object';
  return objects ? counted(value.length, 'element') : JSON.stringify(value);
}

function mark(defaults: Defaults, pointer: string): (Node|string)[] {
  if (!(pointer in defaults)) return [];
  return [
    ' ', element('span', {class: 'changed'}, `\u2260 default ${standard(defaults[pointer])}`)
  ];
}

/// The profile that sets what an object does not.
function profile(value: Json): string {
  if (value === null || typeof value !== 'object' || Array.isArray(value)) return '';
  return typeof value.profile === 'string' ? ` (profile ${value.profile})` : '';
}

function branch(
    value: Json, pointer: string, found: {leaves: Leaf[]; defaults: Defaults},
    changed = false): HTMLElement {
  const made = element('div', {class: 'branch'});
  if (value === null || typeof value !== 'object') return made;
  for (const [key, child] of Object.entries(value)) {
    const way = `${pointer}/${key}`, differs = changed || way in found.defaults;
    const notes = mark(found.defaults, way);
    if (child !== null && typeof child === 'object' && Object.keys(child).length) {
      const size = Array.isArray(child) ? ` [${child.length}]` : '';
      made.append(element(
          'details', {}, element('summary', {}, key + size + profile(child), ...notes),
          branch(child, way, found, Array.isArray(child) && differs)));
    } else {
      const text = JSON.stringify(child);
      const line = element(
          'div', {class: 'leaf'}, element('span', {class: 'key'}, key), ` ${text}`, ...notes);
      const path = `${way.slice(1).replaceAll('/', '.')} ${text}`.toLowerCase();
      found.leaves.push({path, line, changed: differs});
      made.append(line);
    }
  }
  return made;
}
