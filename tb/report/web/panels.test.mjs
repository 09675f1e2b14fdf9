// The panels around the timeline, other windows, and who cannot see or point. Run by node --test.
import assert from 'node:assert/strict';
import {readFileSync} from 'node:fs';

import {pages} from './test/browser.mjs';
import {small} from './test/models.mjs';

const {pageTest} = pages();
const tab = (page, name) => page.tab.getByRole('tab', {name}).click();

pageTest('who waits for ever comes first, then reasons and expectations', small(), async page => {
  const text = await page.text('#story');
  assert.match(
      text, /^Why it is blocked\s+app\.main waits for app\/F >= 44: no queue signals 44\s/);
  assert.match(text, /signals 44\s+Reasons\s+app\.main waits for ever/);
  assert.match(text, /Expectations: 1 of 2 hold/);
  assert.match(await page.text('#expectations tr.bad'), /no\s+app\.main ends\s+it waits/);
});

pageTest('reasons begin with the invariants that broke', broken(), async page => {
  assert.match(await page.text('#reasons'), /^I1 NO_LOST_WAITER: it waits since 2 us\s+app\.main/);
});
function broken() {
  const model = small();
  model.result.violations =
      [{invariant: 'I1', name: 'NO_LOST_WAITER', message: 'it waits since 2000000 ps'}];
  return model;
}

pageTest('a waiter may be a sentence', sentences(), async page => {
  assert.match(await page.text('#blocked'), /^thread T0 waits for F >= 1$/);
});
function sentences() {
  const model = small();
  model.result.waiting = ['thread T0 waits for F >= 1'];
  return model;
}

pageTest('a good run is shown as good', good(), async page => {
  assert.match(await page.tab.locator('.badge').getAttribute('class'), /\bgood\b/);
  assert.doesNotMatch(await page.text('#story'), /blocked|Reasons/);
});
function good() {
  const model = small();
  Object.assign(model.result, {verdict: 'pass', waiting: [], reasons: []});
  return model;
}

pageTest('a good run that ends blocked says that it is to', intended(), async page => {
  assert.match(
      await page.text('#story'),
      /^Why it is blocked\s+The verdict is pass all the same: the scenario expects this end/);
  assert.match(await page.text('header'), /pass[^]*ends blocked, as expected/);
});
function intended() {
  const model = good();
  model.result.waiting = small().result.waiting;
  model.result.expectations = [{expected: 'the run hangs', found: 'hangs', holds: true}];
  return model;
}

const kRandom = small();
kRandom.result.policy = 'random';
pageTest('a run in random order says that its times are steps', kRandom, async page => {
  assert.match(await page.text('header'), /100.000.000 steps, shown as ps, /);
});

const kLeft = small();
kLeft.result.ending = 'completed';
kLeft.flows = kLeft.flows.slice(0, 1);
pageTest('a run that completes is not blocked by what it leaves', kLeft, async page => {
  assert.match(await page.text('#story'), /^What is left at the end\s+app\.main/);
  assert.match(await page.text('header'), /, 303 events, 1 signal that releases a wait/);
});

pageTest('times of expectations have units, and are exact in their titles', timed(), async page => {
  const row = page.tab.locator('#expectations tbody tr');
  assert.match(await row.innerText(), /p99 at most 2 ms\s+8\.2211 us$/);
  assert.equal(await row.locator('.time').last().getAttribute('title'), '8\u202f221\u202f100 ps');
  assert.match(await page.text('#story'), /Reasons\s+it took 20 ps or 3 ns/);
});
function timed() {
  const model = small();
  model.result.reasons = ['it took 20 ps or 3000 ps'];
  model.result.expectations =
      [{expected: 'p99 at most 2000000000 ps', found: '8221100 ps', holds: true}];
  return model;
}

pageTest('a thinned page says so', {...small(), thinned: 2345678}, async page => {
  assert.match(await page.text('.notice'), /2.345.678 spans and events are left out/);
});

pageTest('thinned charts say so', {...small(), thinned: 5, thinned_values: 1234}, async page => {
  assert.match(
      await page.text('.notice'), /: 5 spans and events and 1.234 values of charts are left out/);
});

pageTest('numbers sort both ways', small(), async page => {
  const first = async () =>
      (await page.tab.locator('#numbers tbody tr').allInnerTexts())[0].split(/\s\s+|\t/)[0];
  assert.equal(await first(), 'signal to release');
  await page.tab.locator('#numbers').getByRole('button', {name: 'max', exact: true}).click();
  assert.equal(await first(), 'doorbell');
  await page.tab.locator('#numbers').getByRole('button', {name: 'max', exact: true}).click();
  assert.equal(await first(), 'signal to release');
  assert.equal(await page.tab.locator('#numbers th[aria-sort=descending]').innerText(), 'max');
  assert.match(await page.text('#numbers'), /packets\s+12.345/);
});

pageTest('the configuration folds and is searched', small(), async page => {
  await tab(page, 'Configuration');
  const shown = () => page.tab.locator('#configuration .leaf:visible').allInnerTexts();
  assert.deepEqual(await shown(), ['seed 1']);
  await page.tab.locator('#configuration summary', {hasText: 'gpu'}).first().click();
  assert.deepEqual(
      await shown(),
      ['signal_barrier "before_raise" \u2260 default "before_check"', 'empty {}', 'seed 1']);
  await page.tab.getByLabel('Search the configuration').fill('gpu slots');
  assert.deepEqual(await shown(), ['slots 4 \u2260 default none']);
  assert.match(await page.text('#configuration'), /1 of 5/);
  await page.tab.getByLabel('Search the configuration').fill('nothing');
  assert.deepEqual(await shown(), []);
  await page.tab.getByLabel('Search the configuration').fill('');
  assert.deepEqual(await shown(), ['seed 1']);
});

pageTest('a switch hides the settings that are at their default', small(), async page => {
  await tab(page, 'Configuration');
  const shown = () => page.tab.locator('#configuration .leaf:visible').allInnerTexts();
  assert.match(await page.text('#configuration'), /differs from the default: 2 settings/);
  await page.tab.getByLabel('only what differs').check();
  assert.deepEqual(await shown(), [
    'signal_barrier "before_raise" \u2260 default "before_check"', 'slots 4 \u2260 default none'
  ]);
  assert.match(await page.text('#configuration'), /2 of 5/);
  await page.tab.getByLabel('Search the configuration').fill('slots');
  assert.deepEqual(await shown(), ['slots 4 \u2260 default none']);
  await page.tab.getByLabel('Search the configuration').fill('');
  await page.tab.getByLabel('only what differs').uncheck();
  assert.deepEqual(await shown(), ['seed 1']);
});

const untouched = {
  ...small(),
  config: {adapter: {profile: 'discrete', slots: 4}},
  defaults: {}
};

pageTest(
    'a profile is named, and without a difference nothing is marked', untouched, async page => {
      await tab(page, 'Configuration');
      assert.match(await page.text('#configuration'), /Every setting is at its default/);
      assert.match(await page.text('#configuration'), /adapter \(profile discrete\)/);
      assert.ok(await page.tab.getByLabel('only what differs').isDisabled());
      assert.equal(await page.tab.locator('#configuration .changed').count(), 0);
    });

pageTest('the scenario has numbers of lines', small(), async page => {
  await tab(page, 'Scenario');
  assert.equal(await page.text('#L2'), '  "name": "small",');
  assert.equal(
      await page.run(() => getComputedStyle(document.getElementById('L2'), '::before').content),
      '"2"');
  assert.equal(await page.tab.locator('.numbered div').count(), 4);
});

pageTest('arrow keys move between the tabs', small(), async page => {
  await page.tab.getByRole('tab', {name: 'Numbers'}).focus();
  await page.tab.keyboard.press('ArrowRight');
  assert.ok(await page.tab.locator('#configuration').isVisible());
  assert.ok(!await page.tab.locator('#numbers').isVisible());
  await page.tab.keyboard.press('ArrowLeft');
  assert.ok(await page.tab.locator('#numbers').isVisible());
  assert.deepEqual(await page.run(() => fenceline.view()), [0, 102e6]);
});

pageTest('the legend names every colour that the run has, and every mark', small(), async page => {
  await page.tab.locator('.legend summary').click();
  const text = await page.text('.legend');
  for (const word
           of ['signal', 'wait', 'work of an engine', 'fault', 'lost log entries', 'PCIe transfer',
               'no waiter', 'not ended', 'releases a wait']) {
    assert.ok(text.includes(word), word);
  }
  assert.ok(!text.includes('MonitoredValue'));
});

pageTest('the help lists all keys and gives the keyboard back', small(), async page => {
  await page.keys('?');
  assert.match(await page.text('#help'), /w or \+\s+zoom in/);
  assert.doesNotMatch(await page.text('#help'), /step of the story|difference/);
  await page.tab.keyboard.press('w');
  assert.deepEqual(await page.run(() => fenceline.view()), [0, 102e6]);
  await page.tab.keyboard.press('Escape');
  await page.keys('w');
  assert.notDeepEqual(await page.run(() => fenceline.view()), [0, 102e6]);
});

pageTest('the keyboard reaches everything: the whole of the page by Tab', small(), async page => {
  const reached = new Set();
  for (let i = 0; i < 60; ++i) {
    await page.tab.keyboard.press('Tab');
    reached.add(await page.run(
        () => document.activeElement.id ||
            document.activeElement.tagName + document.activeElement.textContent.slice(0, 20)));
  }
  for (const place
           of ['search', 'filter', 'CANVAS', 'details', 'story', 'tab-numbers', 'SUMMARYLegend',
               'BUTTONPin these']) {
    assert.ok(reached.has(place), `${place} is not among ${[...reached].join(', ')}`);
  }
});

pageTest(
    'a phone shows verdict and story before all else, and no line is too long',
    small(), async page => {
      const top = async selector => (await page.tab.locator(selector).boundingBox()).y;
      assert.ok(await top('.badge') < 40);
      assert.ok(await top('#story') < 120);
      assert.ok(await top('#view') > await top('#story') + 100);
      assert.ok(await page.run(() => document.documentElement.scrollWidth <= innerWidth));
      assert.ok(await page.tab.getByText('no queue signals 44').isVisible());
      await page.tab.locator('.legend summary').click();
      assert.ok((await page.tab.locator('.legend > div').boundingBox()).x >= 0);
    }, {viewport: {width: 390, height: 844}, hasTouch: true, isMobile: true});

pageTest('on a phone, names of charts differ and headings are whole', longNames(), async page => {
  const names = await page.run(() => {
    const {layout, view} = fenceline.scene, canvas = document.querySelector('canvas');
    return [0, 1].map(chart => {
      const lane = layout.laneOfChart(chart), c = canvas.getContext('2d');
      return c.getImageData(18, view.top(lane), view.gutter - 24, lane.height).data.join();
    });
  });
  assert.notEqual(names[0], names[1]);
  const [gutter, y] = await page.run(() => {
    const {layout, view} = fenceline.scene;
    return [view.gutter, view.top(layout.lanes.find(({label}) => label.startsWith('Queues')))];
  });
  assert.ok(await page.count(await page.colour('soft'), gutter + 2, y, 40, 18) > 5);
}, {viewport: {width: 390, height: 844}});
function longNames() {
  const model = small();
  model.rows[0].group = 'Queues and contexts';
  return model;
}

const axe = readFileSync(new URL('node_modules/axe-core/axe.min.js', import.meta.url), 'utf8');
const windows = {
  wide: {width: 1480, height: 900},
  phone: {width: 390, height: 844}
};
for (const colorScheme of ['light', 'dark']) {
  for (const [name, viewport] of Object.entries(windows)) {
    // Without bypassing the policy of the page axe cannot be put into it.
    pageTest(`axe finds nothing: ${colorScheme}, ${name}`, small(), async page => {
      await page.keys('.');
      for (const title of ['Numbers', 'Configuration', 'Scenario']) {
        await tab(page, title);
        await page.run(axe);
        const {violations} = await page.run(() => window.axe.run());
        assert.deepEqual(
            violations.map(({id, nodes}) => `${id}: ${nodes[0].target} ${nodes[0].failureSummary}`),
            []);
      }
    }, {colorScheme, viewport, bypassCSP: true});
  }
}

for (const colorScheme of ['light', 'dark']) {
  pageTest(`the timeline has the colours of the style: ${colorScheme}`, small(), async page => {
    const {x, y} = await page.span('DISPATCH', 1);
    assert.equal(await page.pixel(x + 200, y + 4), await page.colour('work'));
    assert.equal(await page.pixel(700, 480), colorScheme === 'light' ? '#ffffff' : '#12181b');
  }, {colorScheme});
}
