import {element} from './dom';
import type {Pick} from './pick';
import {valueText} from './data';
import type {Selection} from './panels/selection';
import type {Scene} from './scene';

/// Finds spans and events by their name, or by name and value: "frame = 7".
export class Search {
  readonly input = element('input', {
    type: 'search',
    id: 'search',
    placeholder: 'search: frame = 7',
    'aria-label': 'Search names and values',
    title: 'key /'
  });
  readonly status = element('span', {class: 'facts', role: 'status', id: 'found'});
  private hits: Pick[] = [];
  private at = -1;

  constructor(private readonly scene: Scene, private readonly selection: Selection) {
    this.input.oninput = () => this.find(this.input.value);
    this.input.onkeydown = event => {
      if (event.key === 'Enter') this.step(event.shiftKey ? -1 : 1);
      if (event.key !== 'Escape') return;
      this.input.value = '';
      this.find('');
      scene.canvas.focus();
    };
  }

  /// Returns the number of hits.
  find(text: string): number {
    this.hits = [];
    this.at = -1;
    this.scene.matches = text.trim() ? this.match(text.trim().toLowerCase()) : null;
    this.status.textContent = text.trim() ? `${this.hits.length} found` : '';
    this.scene.redraw();
    return this.hits.length;
  }

  step(by: number): void {
    const count = this.hits.length;
    if (!count) return;
    this.at = this.at < 0 ? (by > 0 ? 0 : count - 1) : (this.at + by + count) % count;
    this.selection.goTo(this.hits[this.at]);
    this.status.textContent = `${this.at + 1} of ${count}`;
  }

  /// Marks the slices that match and collects all hits by time. Names are few: they are compared
  /// once.
  private match(text: string): Uint8Array {
    const {meta, slices, instants} = this.scene.run, matches = new Uint8Array(meta.slices);
    const [, name, value] = /^(.*?)(?:\s*>?=\s*(-?\d+))?$/s.exec(text)!;
    const named = meta.names.map(n => n.toLowerCase().includes(name));
    const fits = (values: typeof slices.value, i: number) =>
        value === undefined || valueText(values, i) === value;
    const found: number[] = [], events: number[] = [];
    for (let i = 0; i < meta.slices; ++i) {
      if (named[slices.name[i]] && fits(slices.value, i)) {
        matches[i] = 1;
        found.push(i);
      }
    }
    for (let i = 0; i < meta.instants; ++i) {
      if (named[instants.name[i]] && fits(instants.value, i)) events.push(i);
    }
    found.sort((a, b) => slices.begin[a] - slices.begin[b]);
    events.sort((a, b) => instants.time[a] - instants.time[b]);
    this.hits = merge(found, events, (slice, event) => slices.begin[slice] <= instants.time[event]);
    return matches;
  }
}

function merge(
    slices: number[], instants: number[],
    before: (slice: number, event: number) => boolean): Pick[] {
  const all: Pick[] = [];
  for (let s = 0, e = 0; s < slices.length || e < instants.length;) {
    const slice = e === instants.length || (s < slices.length && before(slices[s], instants[e]));
    if (slice)
      all.push({kind: 'slice', index: slices[s++]});
    else
      all.push({kind: 'instant', index: instants[e++]});
  }
  return all;
}
