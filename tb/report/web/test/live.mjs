// A server as fenceline_live is one, with states that a test chooses, and the page in Chromium.
import assert from 'node:assert/strict';
import {readFileSync} from 'node:fs';
import {createServer} from 'node:http';
import {dirname, join} from 'node:path';
import {fileURLToPath} from 'node:url';

const shellPath = process.env.FENCELINE_PAGE_SHELL ??
    fileURLToPath(new URL('../../../../build/release/generated/run_page.html', import.meta.url));

/// The program of the same build.
export const program = join(dirname(shellPath), '../bin/fenceline');

export class LiveServer {
  state = {};     ///< what the page is given from now on
  questions = 0;  ///< how often it has asked
  #server;

  static async start(state) {
    const made = new LiveServer(), page = readFileSync(join(dirname(shellPath), 'live_page.html'));
    made.state = state;
    made.#server = createServer((request, response) => {
      if (request.url === '/token/') return response.end(page);
      if (request.url !== '/token/state') return response.writeHead(404).end();
      ++made.questions;
      response.end(JSON.stringify(made.state));
    });
    await new Promise(done => made.#server.listen(0, '127.0.0.1', done));
    return made;
  }
  get address() {
    return `http://127.0.0.1:${this.#server.address().port}/token/`;
  }
  stop() {
    this.#server.closeAllConnections();
    return new Promise(done => this.#server.close(done));
  }
}

const part = (title, columns, rows, note) => ({title, columns, rows, note});

/// A command amid its runs.
export function running() {
  return {
    command: 'run',
    title: '12 runs',
    state: 'running',
    number: 1,
    seconds: 75.4,
    progress: {done: 3, all: 12, unit: 'runs'},
    facts: [['runs ended', 3], ['not as expected', 12345]],
    parts: [
      part('Under way', ['run', 'simulated time'], [['late seed 4', '1.5 ms']]),
      part(
          'late seed 4: waits now', [''], [['thread T0 waits for F >= 2'], ['queue q0 is parked']]),
      part('late seed 4: counters', ['counter', 'value', 'meaning'], [['events', 100200, 'all']]),
    ],
  };
}

/// Names that would be markup elsewhere.
export function hostileState() {
  const name = '<img src=x onerror="window.hurt = 1"><script>window.hurt = 1</script>';
  return {
    ...running(),
    title: name,
    facts: [[name, name]],
    parts: [part(name, [name], [[name]], name)],
  };
}

/// Opens the page of a server. `problems` is all that went wrong in it.
export async function openLive(browser, address, options = {}) {
  const tab = await browser.newPage({viewport: {width: 1280, height: 900}, ...options});
  const problems = [], strange = [];
  tab.on('pageerror', error => problems.push(error.message));
  tab.on('console', message => message.type() === 'error' && problems.push(message.text()));
  tab.on('request', request => request.url().startsWith(address) || strange.push(request.url()));
  await tab.goto(address);
  await tab.evaluate(() => fenceline.ready);
  return {tab, problems, strange, text: selector => tab.locator(selector).innerText()};
}

/// Waits until what a function returns matches.
export async function until(get, pattern) {
  let text = '';
  for (let i = 0; i < 100; ++i) {
    text = await get();
    if (pattern.test(text)) return;
    await new Promise(done => setTimeout(done, 100));
  }
  assert.match(text, pattern);
}
