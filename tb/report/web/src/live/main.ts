import {element, facts, heading} from '../dom';
import {present} from '../ready';
import {grouped} from '../units';

import {latest, Part, State, Value} from './data';

const kEvery = 500;  ///< [ms] between two questions
const kQuiet = 5;    ///< [s] without a new state that are worth a word
const kWords: Record<State['state'], [string, string]> = {
  running: ['running', ''],
  over: ['over', 'good'],
  interrupted: ['interrupted', 'bad'],
  failed: ['failed', 'bad'],
};

function shown(value: Value): string {
  return typeof value === 'number' && Number.isInteger(value) ? grouped(value) : String(value);
}

function time(seconds: number): string {
  const all = Math.floor(seconds), minutes = Math.floor(all / 60);
  if (minutes === 0) return `${all} s`;
  return minutes < 60 ? `${minutes} min ${all % 60} s` :
                        `${Math.floor(minutes / 60)} h ${minutes % 60} min`;
}

function rowsOf({columns, rows}: Part): HTMLElement {
  if (columns.length === 1 && !columns[0])
    return element('ul', {}, ...rows.map(([text]) => element('li', {class: 'leaf'}, shown(text))));
  const heads = columns.map(title => element('th', {scope: 'col'}, title));
  const cell = (value: Value) =>
      element('td', typeof value === 'number' ? {class: 'n'} : {}, shown(value));
  const lines = rows.map(row => element('tr', {}, ...row.map(cell)));
  return element(
      'table', {}, element('thead', {}, element('tr', {}, ...heads)),
      element('tbody', {}, ...lines));
}

/// Fills a section anew; its place in the page, and how far it is scrolled, stay.
function fill(section: HTMLElement, part: Part): void {
  section.setAttribute('aria-label', part.title);
  section.replaceChildren(heading(part.title));
  if (part.rows.length) section.append(rowsOf(part));
  if (part.note) section.append(element('p', {class: 'facts'}, part.note));
}

class Page {
  private readonly badge = element('span', {class: 'badge', role: 'status'});
  private readonly title = element('h1');
  private readonly since = element('div', {class: 'facts'});
  private readonly notice = element('div', {class: 'notice', role: 'alert'});
  private readonly bar = element('progress', {'aria-label': 'progress'}) as HTMLProgressElement;
  private readonly count = element('div', {class: 'facts'});
  private readonly step = element('div', {class: 'step', hidden: ''}, this.bar, this.count);
  private readonly facts = element('section', {tabindex: '0', 'aria-label': 'Facts'});
  private readonly main = element('main', {}, this.facts);
  private parts: HTMLElement[] = [];

  constructor() {
    const header =
        element('header', {}, this.badge, this.title, this.since, this.notice, this.step);
    document.getElementById('app')!.replaceChildren(header, this.main);
    this.say('starting', '');
  }

  /// Changes the badge; a reader that speaks says only what changes.
  say(word: string, kind: string): void {
    if (this.badge.textContent === word) return;
    this.badge.textContent = word;
    this.badge.className = `badge ${kind}`;
  }
  warn(text: string): void {
    if (this.notice.textContent !== text) this.notice.textContent = text;
  }

  show(state: State): void {
    const [word, kind] = kWords[state.state];
    this.say(word, kind);
    this.title.textContent = `fenceline ${state.command}: ${state.title}`;
    document.title = `${word}: ${state.title}`;
    const ends = state.state === 'running' ? 'running for' : 'took';
    this.since.textContent = `${ends} ${time(state.seconds)}`;
    this.progress(state.progress);
    this.facts.replaceChildren(
        heading('Now'), facts(state.facts.map(([name, value]) => [name, shown(value)])));
    while (this.parts.length > state.parts.length) this.parts.pop()!.remove();
    state.parts.forEach((part, at) => {
      if (!this.parts[at]) {
        this.parts.push(element('section', {tabindex: '0'}));
        this.main.append(this.parts[at]);
      }
      fill(this.parts[at], part);
    });
  }

  private progress(step: State['progress']): void {
    this.step.hidden = !step;
    if (!step) return;
    this.bar.max = Math.max(step.all, 1);
    this.bar.value = step.done;
    const share = step.all > 0 ? 100 * step.done / step.all : 0;
    const parts = step.unit ? `${grouped(step.done)} of ${grouped(step.all)} ${step.unit}, ` : '';
    this.count.textContent = `${parts}${share.toFixed(share < 10 ? 1 : 0)} %`;
  }
}

/// Asks for states until the command is over, or its server is gone.
class Reader {
  readonly page = new Page();
  state: State|null = null;
  private at = performance.now();  ///< when the last new state came
  private failures = 0;

  /// False once there is nothing more to come.
  async read(): Promise<boolean> {
    try {
      const state = await latest();
      this.failures = 0;
      if (state && state.number !== this.state?.number) this.take(state);
      const quiet = Math.floor((performance.now() - this.at) / 1000);
      this.page.warn(quiet >= kQuiet && !this.over() ? `nothing new for ${time(quiet)}` : '');
    } catch {
      // One question may get lost on a loaded machine.
      if (++this.failures > 2) this.leave();
    }
    return !this.over() && this.failures <= 2;
  }

  private take(state: State): void {
    this.state = state;
    this.at = performance.now();
    this.page.show(state);
  }
  private over(): boolean {
    return this.state !== null && this.state.state !== 'running';
  }
  private leave(): void {
    this.page.say('ended', 'bad');
    this.page.warn('The command has ended, and its server with it. The last state is shown.');
  }
}

async function start(): Promise<void> {
  const reader = new Reader();
  Object.assign(handle, {state: () => reader.state});
  const next = async () => {
    if (await reader.read()) setTimeout(next, kEvery);
  };
  await next();
}

const handle: {ready?: Promise<void>} = {};
present(handle, start);
