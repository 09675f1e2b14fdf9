// The page of a command that runs: it follows the states of its server, and says when there are no
// more. Run by node --test.
import assert from 'node:assert/strict';
import {spawn} from 'node:child_process';
import {existsSync, readFileSync} from 'node:fs';
import {after, before, test} from 'node:test';
import {fileURLToPath} from 'node:url';

import {startChromium} from './test/browser.mjs';
import {hostileState, LiveServer, openLive, program, running, until} from './test/live.mjs';

let browser;
before(async () => {
  browser = await startChromium();
});
after(() => browser.close());

function liveTest(name, state, act, options) {
  test(name, async () => {
    const server = await LiveServer.start(state);
    const page = await openLive(browser, server.address, options);
    await act(page, server);
    assert.deepEqual(page.problems, []);
    assert.deepEqual(page.strange, []);
    await page.tab.close();
    await server.stop();
  });
}

liveTest('a live page shows progress facts and what waits', running(), async page => {
  assert.equal(await page.text('.badge'), 'running');
  assert.match(await page.text('header'), /fenceline run: 12 runs\s+running for 1 min 15 s/);
  assert.match(await page.text('.step'), /3 of 12 runs, 25 %/);
  assert.equal(await page.tab.locator('progress').evaluate(bar => bar.value / bar.max), 0.25);
  assert.match(await page.text('section[aria-label=Facts]'), /not as expected\s+12\u202f345/);
  const waits = await page.text('section[aria-label="late seed 4: waits now"]');
  assert.match(waits, /thread T0 waits for F >= 2\s+queue q0 is parked/);
  assert.equal(await page.tab.title(), 'running: 12 runs');
});

liveTest('a live page follows the states', running(), async (page, server) => {
  const next = running();
  server.state =
      {...next, number: 2, progress: {...next.progress, done: 6}, parts: next.parts.slice(1)};
  await until(() => page.text('.step'), /6 of 12 runs, 50 %/);
  assert.equal(await page.tab.locator('section').count(), 3);
});

liveTest('a live page keeps the focus and the place in a list', running(), async (page, server) => {
  const list = page.tab.locator('section[aria-label="late seed 4: waits now"]');
  await list.focus();
  server.state = {...running(), number: 2, seconds: 80};
  await until(() => page.text('header'), /1 min 20 s/);
  assert.equal(await list.evaluate(section => section === document.activeElement), true);
});

liveTest(
    'a live page says when the command is over and asks no more', running(),
    async (page, server) => {
      server.state = {...running(), number: 2, state: 'over', facts: [['files', 'runs/one']]};
      await until(() => page.text('.badge'), /over/);
      assert.match(await page.text('header'), /took 1 min 15 s/);
      assert.match(await page.text('section[aria-label=Facts]'), /files\s+runs\/one/);
      const questions = server.questions;
      await page.tab.waitForTimeout(1500);
      assert.equal(server.questions, questions);
    });

for (const [state, word] of [['interrupted', /interrupted/], ['failed', /failed/]])
  liveTest(`a live page says that a command was ${state}`, running(), async (page, server) => {
    server.state = {...running(), number: 2, state};
    await until(() => page.text('.badge'), word);
  });

test('a live page keeps the last state when its server is gone', async () => {
  const server = await LiveServer.start(running());
  const page = await openLive(browser, server.address);
  await server.stop();
  await until(() => page.text('.badge'), /ended/);
  assert.match(await page.text('.notice'), /its server with it/);
  assert.match(await page.text('.step'), /3 of 12 runs/);
  await page.tab.close();
});

liveTest('a live page says that nothing new comes', running(), async page => {
  await until(() => page.text('header'), /nothing new for 5 s/);
});

liveTest('a live page starts before the first state', {}, async (page, server) => {
  assert.equal(await page.text('.badge'), 'starting');
  server.state = running();
  await until(() => page.text('.badge'), /running/);
});

liveTest('names on a live page are text and nothing else', hostileState(), async page => {
  assert.match(await page.text('h1'), /<script>/);
  assert.equal(await page.tab.evaluate(() => window.hurt), undefined);
});

liveTest('a live page may ask its own server alone', running(), async page => {
  const other = await LiveServer.start({});
  const refused = await page.tab.evaluate(
      address => fetch(address).then(() => 'let through', () => 'refused'), other.address);
  assert.equal(refused, 'refused');
  assert.equal(other.questions, 0);
  page.problems.length = 0;  // the browser has complained
  page.strange.length = 0;
  await other.stop();
});

for (const colorScheme of ['light', 'dark'])
  liveTest(`a live page is accessible: ${colorScheme}`, running(), async page => {
    const axe = fileURLToPath(new URL('node_modules/axe-core/axe.min.js', import.meta.url));
    await page.tab.evaluate(text => (0, eval)(text), readFileSync(axe, 'utf8'));
    const {violations} = await page.tab.evaluate(() => axe.run());
    assert.deepEqual(violations.map(({id, nodes}) => [id, nodes[0].html]), []);
  }, {colorScheme, bypassCSP: true});

liveTest('a live page fits a phone', running(), async page => {
  assert.equal(await page.tab.evaluate(() => document.documentElement.scrollWidth), 390);
}, {viewport: {width: 390, height: 844}});

test('the page of a search follows it to its end', {skip: !existsSync(program)}, async () => {
  const scenario =
      fileURLToPath(new URL('../../../scenarios/litmus/P05_drop_resample.json', import.meta.url));
  const command = spawn(program, ['explore', scenario, '--live', '--jobs', '2']);
  const ended = new Promise(done => command.on('exit', done));
  let log = '';
  const address = await new Promise(done => command.stderr.on('data', bytes => {
    log += bytes;
    const found = /http:\S+(?=\n)/.exec(log);
    if (found) done(found[0]);
  }));
  const page = await openLive(browser, address);
  await until(() => page.text('section[aria-label=Facts]'), /P05_drop_resample\s+PROVED/);
  assert.equal(await page.text('.badge'), 'over');
  assert.equal(await ended, 0);
  assert.deepEqual(page.problems, []);
  await page.tab.close();
});
