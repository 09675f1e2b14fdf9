// Opens pages of hand-made runs in Chromium, and looks at what they show.
import assert from 'node:assert/strict';
import {execFileSync} from 'node:child_process';
import {mkdtempSync, readFileSync, rmSync, writeFileSync} from 'node:fs';
import {tmpdir} from 'node:os';
import {dirname, join} from 'node:path';
import {after, before, test} from 'node:test';
import {fileURLToPath, pathToFileURL} from 'node:url';
import {chromium} from 'playwright-core';

import {page as pageOf} from './encode.mjs';

const shellPath = process.env.FENCELINE_PAGE_SHELL ??
    fileURLToPath(new URL('../../../../build/release/generated/run_page.html', import.meta.url));

const root = fileURLToPath(new URL('../../../../', import.meta.url));
/// The program of the build that made the shell.
const program = process.env.FENCELINE ?? join(dirname(shellPath), '../bin/fenceline');

/// The shell of a model: that of runs, or the one beside it for its kind of page.
function shellOf({kind = 'run'}) {
  return readFileSync(join(dirname(shellPath), `${kind}_page.html`), 'utf8');
}

/// The browser without windows: it opens a page faster than the whole one.
export function startChromium() {
  // It has no sandbox for root, as whom tests run in containers.
  const args = process.getuid() === 0 ? ['--no-sandbox'] : [];
  return chromium.launch({executablePath: '/usr/bin/chromium-headless-shell', args});
}

/// The size of the window at first.
const viewport = {
  width: 1480,
  height: 900
};

class Browser {
  #folder = mkdtempSync(join(tmpdir(), 'fenceline-page-'));
  #browser;
  #idle = new Map();  ///< tabs that show nothing, by their options: a new one takes longer

  static async start() {
    const made = new Browser();
    made.#browser = await startChromium();
    return made;
  }
  async stop() {
    await this.#browser.close();
    rmSync(this.#folder, {recursive: true});
  }

  /// Opens the page of a model; `hash` is put after its address.
  async open(model, {codec, ...options} = {}) {
    const file = join(this.#folder, 'report.html');
    writeFileSync(file, pageOf(shellOf(model), model, codec));
    return this.openFile(file, options);
  }

  /// Lets the program run a scenario. Returns the folder with its outputs.
  runScenario(scenario, ...options) {
    const out = join(mkdtempSync(join(this.#folder, 'run-')), 'out');
    execFileSync(
        program, ['run', scenario, '--out', out, ...options], {cwd: root, stdio: 'ignore'});
    return out;
  }

  /// Opens a page that is there; `hash` is put after its address.
  async openFile(file, {hash = '', ...options} = {}) {
    const url = pathToFileURL(file).href, key = JSON.stringify(options);
    if (!this.#idle.has(key)) this.#idle.set(key, []);
    const idle = this.#idle.get(key);
    const tab = idle.pop() ?? await this.#browser.newPage({viewport, ...options});
    const opened = new Opened(tab, url, async () => {
      await tab.goto('about:blank');  // only then the same address is loaded again
      await tab.setViewportSize(options.viewport ?? viewport);
      idle.push(tab);
    });
    await tab.goto(url + hash);
    await tab.evaluate(() => fenceline.ready.catch(() => {}));
    return opened;
  }
}

/// Tests with pages of one browser, which starts before the first of them. `open` is
/// Browser.open. A page of a `pageTest` or `runTest` must end without an error and without a
/// request.
export function pages() {
  let browser;
  before(async () => {
    browser = await Browser.start();
  });
  after(() => browser.stop());
  const open = (model, options) => browser.open(model, options);
  const pageTest = (name, model, act, options) => test(name, async () => {
    const page = await open(model, options);
    await act(page);
    await page.close();
  });
  /// Tests the page that the program writes about a scenario.
  const runTest = (name, scenario, act, options) => test(name, async () => {
    const folder = browser.runScenario(scenario);
    const page = await browser.openFile(join(folder, 'report.html'), options);
    await act(page, folder);
    await page.close();
  });
  const runScenario = (...given) => browser.runScenario(...given);
  return {open, pageTest, runTest, runScenario};
}

/// A page that is open. `release` takes its tab back.
class Opened {
  problems = [];  ///< errors, and requests for anything but the page
  #release;
  constructor(tab, url, release) {
    this.tab = tab;
    this.#release = release;
    tab.on('pageerror', error => this.problems.push(error.message));
    tab.on('console', message => message.type() === 'error' && this.problems.push(message.text()));
    tab.on('request', request => {
      if (request.url().split('#')[0] !== url) this.problems.push(`asks for ${request.url()}`);
    });
  }

  /// Lets a function run in the page.
  run(act, argument) {
    return this.tab.evaluate(act, argument);
  }
  /// Waits until what was asked for is drawn.
  settle() {
    return this.run(
        () => new Promise(done => requestAnimationFrame(() => requestAnimationFrame(done))));
  }
  async view(t0, t1) {
    await this.run(([from, to]) => fenceline.setView(from, to), [t0, t1]);
    await this.settle();
  }

  /// Gives the window another size, and waits until the timeline is drawn at it: a key that comes
  /// before would scroll by the size of before.
  async resize(width, height) {
    await this.tab.setViewportSize({width, height});
    await this.tab.waitForFunction(wanted => {
      const canvas = document.querySelector('canvas'), {view} = fenceline.scene;
      return innerHeight === wanted && view.height === canvas.clientHeight;
    }, height);
  }

  /// The span with that title, as it is seen.
  async span(title, number = 0) {
    const found = await this.run(
        ([wanted, index]) => fenceline.visible(1e6).filter(({name}) => name === wanted)[index],
        [title, number]);
    assert.ok(found, `${title} is not seen`);
    return found;
  }
  /// Colour of a pixel of the canvas: "#rrggbb".
  pixel(x, y) {
    return this.run(([left, top]) => {
      const canvas = document.querySelector('canvas'), scale = canvas.width / canvas.clientWidth;
      const {data} = canvas.getContext('2d').getImageData(left * scale, top * scale, 1, 1);
      return '#' + [...data].slice(0, 3).map(part => part.toString(16).padStart(2, '0')).join('');
    }, [x, y]);
  }
  /// Number of pixels of a colour in a part of the canvas.
  count(colour, x, y, width, height) {
    return this.run(([wanted, ...box]) => {
      const {data} = document.querySelector('canvas').getContext('2d').getImageData(...box);
      const rgb = parseInt(wanted.slice(1), 16);
      let found = 0;
      for (let i = 0; i < data.length; i += 4)
        found += (data[i] << 16 | data[i + 1] << 8 | data[i + 2]) === rgb;
      return found;
    }, [colour, x, y, width, height]);
  }
  /// A colour of the style sheet.
  colour(name) {
    return this.run(
        text => getComputedStyle(document.documentElement).getPropertyValue(`--${text}`).trim(),
        name);
  }
  /// Finds what is wrong for readers with handicaps: [rule, element] each. Open the page with
  /// `bypassCSP`.
  async faults() {
    const axe = new URL('../node_modules/axe-core/axe.min.js', import.meta.url);
    await this.run(text => (0, eval)(text), readFileSync(axe, 'utf8'));
    const {violations} = await this.run(() => axe.run());
    return violations.map(({id, nodes}) => [id, nodes[0].html]);
  }
  hit(x, y) {
    return this.run(([left, top]) => fenceline.hit(left, top), [x, y]);
  }
  selection() {
    return this.run(() => fenceline.selection());
  }

  /// The pointer on the canvas.
  async point(x, y) {
    const box = await this.tab.locator('canvas').boundingBox();
    await this.tab.mouse.move(box.x + x, box.y + y);
  }
  async click(x, y) {
    await this.point(x, y);
    await this.tab.mouse.down();
    await this.tab.mouse.up();
    await this.settle();
  }
  async drag(x0, y0, x1, y1) {
    await this.point(x0, y0);
    await this.tab.mouse.down();
    await this.point((x0 + x1) / 2, (y0 + y1) / 2);
    await this.point(x1, y1);
    await this.tab.mouse.up();
    await this.settle();
  }
  /// Keys, typed for real while the timeline has the focus.
  async keys(...keys) {
    await this.tab.locator('canvas').focus();
    for (const key of keys) await this.tab.keyboard.press(key);
    await this.settle();
  }
  text(selector) {
    return this.tab.locator(selector).innerText();
  }
  async close() {
    assert.deepEqual(this.problems, []);
    for (const event of ['pageerror', 'console', 'request']) this.tab.removeAllListeners(event);
    await this.#release();
  }
}
