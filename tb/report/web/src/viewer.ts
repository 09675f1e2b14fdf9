import {keepAddress} from './address';
import {kTogether} from './colours';
import type {Run} from './data';
import {button, element} from './dom';
import {hit, visible} from './hit';
import {Keys, Steps} from './keys';
import {isGood} from './meta';
import {legend} from './panels/legend';
import {Scenario} from './panels/scenario';
import {Selection} from './panels/selection';
import {Tab, Tabs} from './panels/tabs';
import type {Pick} from './pick';
import {Pointer} from './pointer';
import {present} from './ready';
import {Scene} from './scene';
import {Search} from './search';
import {grouped} from './units';

const kHelp = 'Timeline. W and S zoom, A and D move, comma and full stop step through a row, ' +
    'brackets follow arrows, question mark lists all keys.';

/// What a kind of page with a timeline has of its own. Each kind has a bundle of its own, so that a
/// page holds no code that it does not run.
export interface Kind<Shown extends Run> {
  load(): Promise<Shown[]>;
  facts(run: Shown): string;  ///< the line below the title
  /// The panel in the middle, and what n and p step through.
  middle(run: Shown, scene: Scene, selection: Selection): {panel: HTMLElement; steps?: Steps};
  tabs(run: Shown, scenario: Tab): Tab[];
  /// Chooses one of several runs.
  chooser?(run: Shown, at: number, choose: (at: number) => void): HTMLElement;
}

function header({meta}: Run, about: string): HTMLElement {
  const {result} = meta;
  const made = element(
      'header', {},
      element('span', {class: `badge ${isGood(result) ? 'good' : 'bad'}`}, result.verdict),
      element('h1', {}, `${result.scenario}: ${result.title}`),
      element('div', {class: 'facts'}, about));
  const parts: [number, string][] =
      [[meta.thinned, 'spans and events'], [meta.thinned_values, 'values of charts']];
  const left = parts.filter(([count]) => count).map(([count, what]) => `${grouped(count)} ${what}`);
  if (left.length) {
    const text = `This page is thinned: ${left.join(' and ')} are left out.`;
    made.append(element('div', {class: 'notice'}, text));
  }
  return made;
}

function toolbar(scene: Scene, keys: Keys, search: Search, filter: HTMLInputElement): HTMLElement {
  const tools: [string, string, string][] = [
    ['Fit', '0', 'Fit the whole run'], ['\u2212', 's', 'Zoom out'], ['+', 'w', 'Zoom in'],
    ['\u2190', 'a', 'Earlier'], ['\u2192', 'd', 'Later']
  ];
  const buttons = tools.map(
      ([text, key, label]) => button(
          text, () => keys.press(key), {title: `${label}: key ${key}`, 'aria-label': label}));
  const hidden = element('span', {class: 'facts', role: 'status', id: 'hidden-arrows'});
  scene.afterDraw.push(() => {
    const count = scene.arrowsHidden;
    const text = count ? `${grouped(count)} arrows hidden: zoom in or select a signal` : '';
    if (hidden.textContent !== text) hidden.textContent = text;
  });
  return element(
      'nav', {class: 'bar', 'aria-label': 'Tools'}, ...buttons, search.input,
      button('\u2191', () => search.step(-1), {'aria-label': 'Previous hit', title: 'Shift+Enter'}),
      button('\u2193', () => search.step(1), {'aria-label': 'Next hit', title: 'Enter'}),
      search.status, filter,
      button(
          'Pin these', () => scene.pinShown(true), {title: 'Pins the rows that the filter leaves'}),
      button('Unpin all', () => scene.pinShown(false)), hidden, legend(scene.run),
      button('?', () => keys.press('?'), {'aria-label': 'Keys', title: 'key ?'}));
}

/// Shows a run. @param gone aborts when another one takes its place
function build<Shown extends Run>(
    kind: Kind<Shown>, run: Shown, chooser: HTMLElement[], gone: AbortSignal) {
  const canvas = element('canvas', {tabindex: '0', role: 'application', 'aria-label': kHelp});
  const scene = new Scene(run, canvas, gone), selection = new Selection(scene);
  const {panel, steps} = kind.middle(run, scene, selection);
  const search = new Search(scene, selection), pointer = new Pointer(scene, selection);
  const filter = element('input', {
    type: 'search',
    id: 'filter',
    placeholder: 'rows with \u2026',
    'aria-label': 'Filter rows',
    title: 'key r'
  });
  filter.oninput = () => scene.setFilter(filter.value);
  filter.onkeydown = event => {
    if (event.key === 'Escape') canvas.focus();
  };
  const keys = new Keys(scene, selection, steps, search.input, filter, gone);
  const scenario = new Scenario(scene, selection),
        about = {title: 'Scenario', panel: scenario.panel};
  const list = kind.tabs(run, about), tabs = new Tabs(list, 'More');
  selection.openScenario = () => {
    tabs.open(list.indexOf(about));
    scenario.mark();
    scenario.panel.scrollIntoView({block: 'nearest'});
  };
  document.getElementById('app')!.replaceChildren(
      header(run, kind.facts(run)), ...chooser, toolbar(scene, keys, search, filter),
      element(
          'main', run.meta.rows.length ? {} : {class: 'undrawn'},
          element('div', {id: 'view'}, canvas, pointer.tip),
          element('div', {id: 'panels'}, selection.panel, panel, tabs.root)),
      keys.help);
  keepAddress(scene, selection, gone);
  return {scene, selection, steps, search, keys};
}

/// What tests and scripts of the reader may use.
function offer({scene, selection, steps, search, keys}: ReturnType<typeof build>) {
  return {
    meta: scene.run.meta,
    run: scene.run,
    scene,
    view: () => [scene.view.t0, scene.view.t1],
    setView: (t0: number, t1: number) => scene.setView(t0, t1),
    visible: (most?: number) => visible(scene, most),
    hit: (x: number, y: number) => hit(scene, x, y),
    select: (pick: Pick|null) => selection.select(pick),
    selection: () => scene.selected,
    find: (text: string) => search.find(text),
    key: (key: string) => keys.press(key),
    story:
        steps && {count: steps.count, go: (step: number) => steps.go(step), at: () => steps.place},
    drawNow: () => scene.draw(),
    together: kTogether,
  };
}

/// Shows one of the runs of the page, in the place of the one that was shown.
function show<Shown extends Run>(kind: Kind<Shown>, runs: Shown[], at: number): void {
  const choose = (next: number) => {
    shown.abort();
    show(kind, runs, next);
    document.querySelectorAll<HTMLElement>('.chooser button')[next].focus();
  };
  const shown = new AbortController();
  const chooser = runs.length > 1 && kind.chooser ? [kind.chooser(runs[at], at, choose)] : [];
  Object.assign(handle, offer(build(kind, runs[at], chooser, shown.signal)));
}

async function start<Shown extends Run>(kind: Kind<Shown>): Promise<void> {
  const began = performance.now(), runs = await kind.load(), loaded = performance.now();
  show(kind, runs, 0);
  await new Promise(done => requestAnimationFrame(() => requestAnimationFrame(done)));
  Object.assign(handle, {times: {began, loaded, ready: performance.now()}});
}

const handle: {ready?: Promise<void>} = {};

/// Shows the page.
export function view<Shown extends Run>(kind: Kind<Shown>): void {
  present(handle, () => start(kind));
}
