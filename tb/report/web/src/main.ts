import {keepAddress} from './address';
import {kTogether} from './colours';
import {load, Run} from './data';
import {button, element} from './dom';
import {hit, visible} from './hit';
import {Keys} from './keys';
import {isGood, Meta} from './meta';
import {comparisonFacts, Differences, sections} from './panels/comparison';
import {configuration} from './panels/configuration';
import {aboutSearch, searched, searchFacts, violations} from './panels/exploration';
import {findings} from './panels/findings';
import {legend} from './panels/legend';
import {numbers} from './panels/numbers';
import {Scenario} from './panels/scenario';
import {Selection} from './panels/selection';
import {Story} from './panels/story';
import {Tab, Tabs} from './panels/tabs';
import {faultAt, Pick} from './pick';
import {Pointer} from './pointer';
import {present} from './ready';
import {Scene} from './scene';
import {Search} from './search';
import {duration, grouped} from './units';

const kHelp = 'Timeline. W and S zoom, A and D move, comma and full stop step through a row, ' +
    'brackets follow arrows, question mark lists all keys.';

function factsOf({result, ...meta}: Meta): string[] {
  const parts = [
    `${duration(meta.end, 6)} simulated`, `${grouped(meta.slices)} spans`,
    `${grouped(meta.instants)} events`, `${grouped(meta.flows)} signals that release a wait`
  ];
  if (result.waiting.length && isGood(result)) parts.push('ends blocked, as expected');
  return result.seed === undefined ? parts : [...parts, `seed ${result.seed}`];
}

function header({meta, exploration, comparison}: Run): HTMLElement {
  const {result} = meta;
  const about = exploration ? searchFacts(exploration) :
      comparison            ? comparisonFacts(comparison) :
                              factsOf(meta).join(', ');
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

function aboutRun({meta}: Run, scenario: Tab): Tab[] {
  return [
    {title: 'Numbers', panel: numbers(meta)},
    {title: 'Configuration', panel: configuration(meta.config, meta.defaults)}, scenario
  ];
}

function tabsOf(run: Run, scenario: Tab): Tab[] {
  if (run.comparison) return sections(run.comparison);
  if (!run.exploration) return aboutRun(run, scenario);
  const about = aboutSearch(run.exploration, run.meta);
  return run.meta.scenario_text ? [...about, scenario] : about;
}

/// What the run found. A search that found nothing says what it looked at.
function found(
    {meta, exploration}: Run, story: Story, scene: Scene, selection: Selection): HTMLElement {
  const nothing = exploration && !exploration.violations.length;
  if (nothing) return searched(exploration);
  return findings(meta, story, ({time_ps}) => {
    const mark = faultAt(scene.run, time_ps);
    if (mark) selection.goTo(mark);
  });
}

/// Shows a run. @param gone aborts when another one takes its place
function build(run: Run, chooser: HTMLElement[], gone: AbortSignal) {
  const canvas = element('canvas', {tabindex: '0', role: 'application', 'aria-label': kHelp});
  const scene = new Scene(run, canvas, gone), selection = new Selection(scene),
        story = new Story(scene, selection);
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
  const {comparison} = run, differences = new Differences(scene, selection);
  const keys =
      new Keys(scene, selection, comparison ? differences : story, search.input, filter, gone);
  const scenario = new Scenario(scene, selection),
        about = {title: 'Scenario', panel: scenario.panel};
  const list = tabsOf(run, about), tabs = new Tabs(list, 'More');
  selection.openScenario = () => {
    tabs.open(list.indexOf(about));
    scenario.mark();
    scenario.panel.scrollIntoView({block: 'nearest'});
  };
  document.getElementById('app')!.replaceChildren(
      header(run), ...chooser, toolbar(scene, keys, search, filter),
      element(
          'main', run.meta.rows.length ? {} : {class: 'undrawn'},
          element('div', {id: 'view'}, canvas, pointer.tip),
          element(
              'div', {id: 'panels'}, selection.panel,
              comparison ? differences.panel : found(run, story, scene, selection), tabs.root)),
      keys.help);
  keepAddress(scene, selection, gone);
  return {scene, selection, story, search, keys};
}

/// What tests and scripts of the reader may use.
function offer({scene, selection, story, search, keys}: ReturnType<typeof build>) {
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
    story: {count: story.count, go: (step: number) => story.go(step), at: () => story.place},
    drawNow: () => scene.draw(),
    together: kTogether,
  };
}

/// Shows one of the runs of the page, in the place of the one that was shown.
function show(runs: Run[], at: number): void {
  const choose = (next: number) => {
    shown.abort();
    show(runs, next);
    document.querySelectorAll<HTMLElement>('.chooser button')[next].focus();
  };
  const shown = new AbortController();
  const chooser = runs.length > 1 ? [violations(runs, at, choose)] : [];
  Object.assign(handle, offer(build(runs[at], chooser, shown.signal)));
}

async function start(): Promise<void> {
  const began = performance.now(), runs = await load(), loaded = performance.now();
  show(runs, 0);
  await new Promise(done => requestAnimationFrame(() => requestAnimationFrame(done)));
  Object.assign(handle, {times: {began, loaded, ready: performance.now()}});
}

const handle: {ready?: Promise<void>} = {};
present(handle, start);
