import {element, heading, panel} from '../dom';
import type {Json} from '../meta';

type Leaf = {
  path: string; line: HTMLElement
};

/// The effective configuration as a tree that folds. A search opens what it finds and hides the
/// rest.
export function configuration(config: Json): HTMLElement {
  const leaves: Leaf[] = [], tree = branch(config, '', leaves);
  const count = element('span', {class: 'facts', role: 'status'});
  const search = element('input', {
    type: 'search',
    placeholder: 'search the configuration',
    'aria-label': 'Search the configuration'
  });
  search.oninput = () => {
    const words = search.value.toLowerCase().split(/\s+/).filter(word => word);
    const found =
        leaves.filter(({path, line}) => !(line.hidden = !words.every(word => path.includes(word))));
    count.textContent = words.length ? `${found.length} of ${leaves.length}` : '';
    for (const fold of [...tree.querySelectorAll('details')].reverse()) {
      fold.hidden = !fold.querySelector('.leaf:not([hidden])');
      fold.open = words.length > 0 && !fold.hidden;
    }
  };
  return panel(
      'configuration', 'Configuration', heading('Effective configuration'), search, ' ', count,
      tree);
}

function branch(value: Json, path: string, leaves: Leaf[]): HTMLElement {
  const made = element('div', {class: 'branch'});
  if (value === null || typeof value !== 'object') return made;
  for (const [key, child] of Object.entries(value)) {
    const way = path ? `${path}.${key}` : key;
    if (child !== null && typeof child === 'object' && Object.keys(child).length) {
      const size = Array.isArray(child) ? ` [${child.length}]` : '';
      made.append(
          element('details', {}, element('summary', {}, key + size), branch(child, way, leaves)));
    } else {
      const text = JSON.stringify(child);
      const line =
          element('div', {class: 'leaf'}, element('span', {class: 'key'}, key), ` ${text}`);
      leaves.push({path: `${way} ${text}`.toLowerCase(), line});
      made.append(line);
    }
  }
  return made;
}
