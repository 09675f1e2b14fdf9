// The page of a sweep: its points, the front, selections, and the command of each run. Run by node
// --test.
import assert from 'node:assert/strict';

import {pages} from './test/browser.mjs';
import {grid, settings, sweepPage} from './test/sweeps.mjs';

const {pageTest} = pages();
const runs = (hash = '') => ({hash: `#means=0&x=/programs/0/duration&y=gpu_wait.p50${hash}`});
const model = sweepPage(grid(), settings());
const many = sweepPage(grid(8), settings());
/// Place of the first mark that a function picks.
const place = (page, pick) =>
    page.run(text => fenceline.at(fenceline.marks().findIndex((0, eval)(text))), pick.toString());
const choose = async (page, label, value) => {
  await page.tab.getByLabel(label, {exact: true}).selectOption(value);
  await page.settle();
};
const facts = page => page.run(
    () => fenceline.marks().map(({row, x, y, front, facet}) => ({row, x, y, front, facet})));

pageTest('a sweep says how many runs it has and how they ended', model, async page => {
  assert.equal(await page.text('.badge'), '1 failed');
  assert.match(
      await page.text('header'),
      /Sweep of compositor\s+6 points, 2 seeds each: 1 invalid, 11 pass/);
  assert.match(await page.text('#details'), /Nothing selected/);
  assert.match(await page.text('#runs'), /All 12 runs/);
});

const kPlain = sweepPage(
    [
      ...grid().filter(({name}) => !/^gpu_wait|^raised/.test(name)),
      {name: 'broken', unit: 'list', cells: grid()[0].cells.map(() => null)}
    ],
    settings());
pageTest('a sweep without figures shows its verdicts', kPlain, async page => {
  assert.equal(await page.tab.getByLabel('y', {exact: true}).inputValue(), 'verdict');
  assert.equal(new Set((await facts(page)).map(({y}) => y)).size, 2);
});

pageTest('a mark is where its values are and a click shows its command', model, async page => {
  const [x, y] = await place(page, mark => mark.row === 3);
  assert.equal(await page.pixel(x, y), await page.colour('good'));
  assert.equal(await page.run(([a, b]) => fenceline.hit(a, b).row, [x, y]), 3);
  await page.click(x, y);
  assert.match(await page.text('#details'), /Point 1, seed 2: pass/);
  assert.equal(
      await page.text('.command code'),
      'fenceline run scenarios/compositor.json --set \'/programs/0/duration="2us"\' ' +
          '--set /platform/host/cores=2 --seed 2');
  await page.tab.getByRole('tab', {name: 'All figures'}).click();
  assert.match(await page.text('#figures'), /raised\s+19[^]*ddi\.calls\s+12/);
}, runs());

pageTest('marks rise with their values on both axes', model, async page => {
  const low = await place(page, mark => mark.row === 0),
        high = await place(page, mark => mark.row === 4);
  assert.ok(low[0] < high[0] && low[1] > high[1]);
  const {width, height} = await page.tab.locator('canvas').boundingBox();
  assert.ok(low[0] > 70 && high[0] < width && high[1] > 0 && low[1] < height);
}, runs());

pageTest('a failed run is a cross and not a disc', model, async page => {
  const [x, y] = await place(page, mark => mark.failed);
  const colour = await page.colour('isr');
  assert.equal(await page.pixel(x, y), colour);
  assert.notEqual(await page.pixel(x, y - 3), colour);
  assert.match(await page.text('#legend'), /failed/);
}, runs());

pageTest('percentiles have intervals by rank', model, async page => {
  const of = (count, share) => page.run(
      ([n, p]) => fenceline.percentile(Array.from({length: n}, (_, at) => at + 1), p),
      [count, share]);
  // Of tables of the binomial distribution.
  assert.deepEqual(await of (10, 0.5), {at: 5, low: 2, high: 9});
  assert.deepEqual(await of (6, 0.5), {at: 3, low: 1, high: 6});
  assert.deepEqual(await of (5, 0.5), {at: 3, low: NaN, high: NaN});
  assert.deepEqual(await of (100, 0.5), {at: 50, low: 40, high: 61});
  assert.deepEqual(await of (100, 0.9), {at: 90, low: 84, high: 96});
  assert.deepEqual(await of (35, 0.9), {at: 32, low: 28, high: NaN});
  assert.deepEqual(await of (367, 0.99), {at: 364, low: 359, high: NaN});
  const {low, high} = await of (1000, 0.5), more = await of (1001, 0.5);
  assert.ok(Math.abs(low - more.low) <= 2 && Math.abs(high - more.high) <= 2);
});

pageTest('percentiles are those of each value of x and of each facet', many, async page => {
  await page.tab.getByRole('tab', {name: 'Percentiles'}).click();
  const text = await page.text('#percentiles');
  assert.match(text, /Percentiles of 47 runs[^]*95 % confidence/);
  // Point 0 and point 3 have the same duration: 16 runs.
  assert.match(text, /duration = 1us\s+16\s+70 ps\s+30 ps to 6\.0[0-9]+ ns/);
  assert.match(text, /duration = 4us\s+15\s/);
  await choose(page, 'facets', '/platform/host/cores');
  assert.match(
      await page.text('#percentiles'),
      /cores = 2, duration = 1us\s+8\s+30 ps\s+0 ps to 70 ps\s+70 ps\s+40 ps to open/);
}, runs());

pageTest('a drag selects the runs of its box and their table sorts', model, async page => {
  const [x0, y0] = await place(page, mark => mark.row === 0);
  const [x1, y1] = await place(page, mark => mark.row === 3);
  await page.drag(x0 - 9, y0 + 9, x1 + 9, y1 - 9);
  assert.match(await page.text('#runs'), /4 runs selected/);
  const first = () => page.text('#runs tbody tr:first-child td:first-child');
  assert.equal(await first(), '0.1');
  const sort = page.tab.locator('#runs').getByRole('button', {name: 'gpu_wait.p50'});
  await sort.click();
  await sort.click();
  assert.equal(await first(), '1.2');
  await page.tab.getByRole('button', {name: 'point and seed 1.2'}).click();
  assert.match(await page.text('#details'), /Point 1, seed 2/);
  await page.keys('Escape');
  assert.match(await page.text('#runs'), /All 12 runs/);
}, runs());

pageTest('arrow keys step from mark to mark along x', model, async page => {
  await page.keys('ArrowRight', 'ArrowRight', 'ArrowRight');
  assert.match(await page.text('#details'), /Point 3, seed 1/);
  await page.keys('ArrowLeft');
  assert.match(await page.text('#details'), /Point 0, seed 2/);
}, runs());

pageTest('the front has what no other mark beats', model, async page => {
  await choose(page, 'Pareto front', '-+');
  const best = (await facts(page)).filter(({front}) => front).map(({row}) => row);
  // Points 3, 4 and 5 take 1, 2 and 4 us; the last run of point 5 failed.
  assert.deepEqual(best, [7, 9, 10]);
  const at = await page.run(() => fenceline.marks().findIndex(mark => mark.row === 7));
  const [x, y] = await page.run(index => fenceline.at(index), at);
  assert.ok(await page.count(await page.colour('front'), x, y - 40, 60, 42) > 20);
  await choose(page, 'Pareto front', '--');
  assert.deepEqual((await facts(page)).filter(({front}) => front).map(({row}) => row), [0]);
}, runs());

pageTest('facets divide the marks and share their axes', model, async page => {
  await choose(page, 'facets', '/platform/host/cores');
  const seen = await facts(page);
  assert.deepEqual(seen.map(({row, facet}) => facet === (row < 6 ? 0 : 1)), Array(12).fill(true));
  const left = await place(page, mark => mark.row === 0),
        right = await place(page, mark => mark.row === 6);
  const {width} = await page.tab.locator('canvas').boundingBox();
  assert.ok(left[0] < width / 2 && right[0] > width / 2);
  assert.ok(right[1] < left[1]);
}, runs());

pageTest('means have the intervals of the program', model, async page => {
  const list = await page.run(() => fenceline.marks().map(({row, y, halfY}) => [row, y, halfY]));
  assert.deepEqual(list, [0, 1, 2, 3, 4, 5].map(at => [2 * at, at * 2000 + 5, 64]));
  const [x, y] = await place(page, mark => mark.row === 2);
  await page.click(x, y);
  const text = await page.text('#details');
  assert.match(text, /Point 1: 2 runs[^]*gpu_wait\.p50\s+2\.005 ns \u00b1 64 ps/);
  assert.equal(await page.tab.locator('.command').count(), 2);
  await page.tab.getByLabel('means of the seeds').uncheck();
  await page.settle();
  assert.equal((await facts(page)).length, 12);
}, {hash: '#y=gpu_wait.p50'});

pageTest('percentiles of a latency are drawn together', model, async page => {
  await choose(page, 'y', 'gpu_wait.p50\ngpu_wait.p99');
  const ofRun = (await facts(page)).filter(({row}) => row === 2).map(({y}) => y);
  assert.deepEqual(ofRun, [2000, 3000]);
  assert.match(await page.text('#legend'), /gpu_wait\.p50\s+gpu_wait\.p99/);
}, runs());

pageTest('runs without a value are counted', model, async page => {
  await choose(page, 'y', 'raised');
  assert.equal((await facts(page)).length, 11);
  assert.match(await page.text('#legend'), /1 runs have no such value/);
}, runs());

pageTest('the address keeps what was chosen', model, async page => {
  await choose(page, 'colour', '/platform/host/cores');
  await page.tab.getByLabel('log x').check();
  await page.tab.reload();
  await page.run(() => fenceline.ready);
  assert.equal(await page.tab.getByLabel('colour').inputValue(), '/platform/host/cores');
  assert.ok(await page.tab.getByLabel('log x').isChecked());
  const [one, two, four] = await Promise.all([0, 2, 4].map(
      row => page.run(
          wanted => fenceline.at(fenceline.marks().findIndex(m => m.row === wanted))[0], row)));
  assert.ok(Math.abs(two - one - (four - two)) < 1);
}, runs());

pageTest(
    'a sweep that is too large for its page says so',
    sweepPage(grid(1), settings(), {runs: 60, points: 60}), async page => {
      assert.match(
          await page.text('header .notice'), /thinned: it shows 6 of 60 runs\. sweep\.csv has all/);
      assert.equal(await page.tab.getByLabel('means of the seeds').count(), 0);
    });

const hostile = () => {
  const bad = [
    '</script><script>window.hurt = 1</script>', '{{columns}} {{meta}} $& $`', '\u202eright',
    '<img src=x onerror="window.hurt = 1">'
  ];
  const columns = grid();
  columns[2].words = bad.slice(0, 3);
  delete columns[2].numbers;
  columns[6].name = bad[3];
  return sweepPage(columns, Array(6).fill(` --set '${bad.join(' ')}'`), {
    scenario: bad[0],
    command: bad[1],
    same: bad.map(text => [text, text, text]),
    verdicts: {[bad[0]]: 12}
  });
};
pageTest('names in a sweep are text and nothing else', hostile(), async page => {
  await page.keys('ArrowRight');
  await page.tab.getByRole('tab', {name: 'All figures'}).click();
  assert.match(await page.text('.command code'), /\{\{columns\}\}/);
  assert.equal(await page.run(() => window.hurt), undefined);
  assert.match(await page.text('h1'), /<script>window\.hurt/);
}, {hash: '#means=0'});

for (const colorScheme of ['light', 'dark'])
  pageTest(`a sweep is accessible: ${colorScheme}`, model, async page => {
    await page.keys('ArrowRight');
    assert.deepEqual(await page.faults(), []);
  }, {colorScheme, bypassCSP: true});

pageTest('a sweep fits a phone', model, async page => {
  assert.equal(await page.run(() => document.documentElement.scrollWidth), 390);
  const [x, y] = await place(page, mark => mark.row === 2);
  await page.tab.locator('canvas').scrollIntoViewIfNeeded();
  await page.click(x, y);
  assert.match(await page.text('#details'), /Point 1/);
}, {viewport: {width: 390, height: 844}});
