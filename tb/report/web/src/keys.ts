import {button, element} from './dom';
import type {Selection} from './panels/selection';
import type {Scene} from './scene';
import {timesOf} from './pick';
import {visible} from './hit';

/// What n and p step through.
export interface Steps {
  readonly noun: string;
  readonly count: number;
  readonly place: number;  ///< -1 before the first step
  go(step: number): void;
}

interface Key {
  keys: string[];
  does: string;
  act: () => void;
}

function stepping(steps: Steps): Key[] {
  const go = (by: number) => () => steps.go(steps.place + by);
  return [
    {keys: ['n'], does: `next ${steps.noun}`, act: go(1)},
    {keys: ['p'], does: `previous ${steps.noun}`, act: go(-1)}
  ];
}

/// All keys of the page: one list, for the keyboard and for the help.
export class Keys {
  readonly help = element('dialog', {id: 'help', 'aria-label': 'Keys'});
  private readonly list: Key[];

  constructor(
      private readonly scene: Scene, private readonly selection: Selection, steps: Steps|undefined,
      search: HTMLElement, filter: HTMLElement, gone: AbortSignal) {
    const {view} = scene, zoom = (factor: number) => this.change(() => view.zoom(factor));
    const move = (part: number) =>
        scene.setView(view.t0 + view.span * part, view.t1 + view.span * part);
    const scroll = (by: number) => scene.scrollTo(view.scroll + by);
    this.list = [
      {keys: ['w', '+'], does: 'zoom in', act: () => zoom(0.6)},
      {keys: ['s', '-'], does: 'zoom out', act: () => zoom(1 / 0.6)},
      {keys: ['a', 'ArrowLeft'], does: 'earlier', act: () => move(-0.25)},
      {keys: ['d', 'ArrowRight'], does: 'later', act: () => move(0.25)},
      {keys: ['ArrowUp'], does: 'scroll up', act: () => scroll(-36)},
      {keys: ['ArrowDown'], does: 'scroll down', act: () => scroll(36)},
      {keys: ['0'], does: 'the whole run', act: () => scene.setView(0, scene.view.whole)},
      {
        keys: ['f'],
        does: 'zoom to the measured range, or else to the selection',
        act: () => this.zoomToSelection()
      },
      {keys: ['m'], does: 'measure the selection', act: () => this.measure()},
      {keys: [','], does: 'previous of the row', act: () => this.step(-1)},
      {keys: ['.'], does: 'next of the row', act: () => this.step(1)},
      {keys: [']'], does: 'from a signal to what it releases', act: () => selection.follow(true)},
      {
        keys: ['['],
        does: 'from a wait or a release back to its signal',
        act: () => selection.follow(false)
      },
      {keys: ['t'], does: 'pin or unpin the row of the selection', act: () => this.pin()},
      ...steps ? stepping(steps) : [],
      {keys: ['/'], does: 'search; Enter: next, Shift+Enter: previous', act: () => search.focus()},
      {keys: ['r'], does: 'filter rows', act: () => filter.focus()},
      {keys: ['Escape'], does: 'select nothing', act: () => this.clear()},
      {keys: ['?'], does: 'this help', act: () => this.help.showModal()},
    ];
    this.fillHelp();
    addEventListener('keydown', event => this.pressed(event), {signal: gone});
  }

  /// False if the key means nothing.
  press(key: string): boolean {
    const found = this.list.find(({keys}) => keys.includes(key));
    found?.act();
    return found !== undefined;
  }

  /// The canvas has the keyboard's arrows; a panel that has the focus scrolls with them itself.
  private pressed(event: KeyboardEvent): void {
    const target = event.target as HTMLElement;
    if (event.ctrlKey || event.metaKey || event.altKey || this.help.open) return;
    if (target instanceof HTMLInputElement) return;
    if (event.key.startsWith('Arrow') && target !== this.scene.canvas && target !== document.body)
      return;
    if (this.press(event.key)) event.preventDefault();
  }

  private change(act: () => void): void {
    act();
    this.scene.redraw();
  }

  private step(by: number): void {
    if (this.scene.selected) return this.selection.step(by);
    const [first] = visible(this.scene, 1);
    if (first) this.selection.select({kind: 'slice', index: first.index});
  }

  private zoomToSelection(): void {
    const {selected, range, run} = this.scene;
    const times = range ?? (selected && timesOf(run, selected));
    if (!times) return;
    const begin = Math.min(...times), end = Math.max(...times),
          rim = Math.max(100, end - begin) * 0.2;
    this.scene.setView(begin - rim, end + rim);
  }

  private measure(): void {
    const {selected, run} = this.scene;
    if (selected) this.scene.range = timesOf(run, selected);
    this.scene.redraw();
  }

  private pin(): void {
    const {selected} = this.scene, lane = selected && this.scene.laneOf(selected);
    if (!lane) return;
    this.scene.togglePin(lane);
    this.selection.refresh();
  }

  private clear(): void {
    this.selection.select(null);
    this.scene.range = null;
    this.scene.redraw();
  }

  private fillHelp(): void {
    const rows = this.list.map(
        ({keys, does}) => element(
            'tr', {},
            element(
                'td', {},
                ...keys.flatMap((key, at) => [...(at ? [' or '] : []), element('kbd', {}, key)])),
            element('td', {}, does)));
    const pointer = [
      'Wheel: zoom at the pointer. Shift and wheel: move. Wheel over the names: scroll.',
      'Drag: move. Shift and drag, or drag on the ruler: measure.',
      'Click a name at the left: pin the row. Drag the strip at the top: move the window.'
    ];
    this.help.append(
        element('h2', {}, 'Keys'), element('table', {}, element('tbody', {}, ...rows)),
        element('h2', {}, 'Pointer'), ...pointer.map(text => element('p', {}, text)),
        button('Close', () => this.help.close()));
  }
}
