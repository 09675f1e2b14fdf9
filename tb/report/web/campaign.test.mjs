// The page of a campaign: failures with their scenarios and commands, coverage and its holes. Run
// by node --test.
import assert from 'node:assert/strict';

import {pages} from './test/browser.mjs';
import {failing, hostileCampaign, passing} from './test/campaigns.mjs';

const {pageTest} = pages();
const press = (page, name) => page.tab.getByRole('button', {name, exact: true}).click();
const tab = (page, name) => page.tab.getByRole('tab', {name}).click();

pageTest('a campaign says how many runs failed and why', failing(), async page => {
  assert.equal(await page.text('.badge'), '7 failed');
  assert.match(
      await page.text('header'),
      /Campaign of small\s+200 runs from seed 1, policy timing, 2 groups of failures/);
  assert.match(
      await page.text('#failures'),
      /2 groups of failures[^]*2\s+I2\s+queue q0 breaks I2\s+5\s+difference order/);
});

pageTest('a failure has its scenario and the command that repeats it', failing(), async page => {
  const text = await page.text('#details');
  assert.match(text, /^I2[^]*Repeat it with\s+fenceline run out\/failure-I2\.json/);
  assert.match(text, /seeds\s+35, 173\s+scenario\s+failure-I2\.json: made small in 189 runs/);
  assert.match(text, /Counterexample\s+hold: q0 waits[^]*"name": "I2"/);
  await press(page, 'difference order');
  const next = await page.text('#details');
  assert.match(
      next, /^difference order[^]*rule\s+in order[^]*first seeds[^]*that of the first seed/);
  assert.doesNotMatch(next, /Counterexample/);
  assert.equal(await page.text('#failures tr[aria-current] button'), 'difference order');
});

pageTest('a group of points opens its list with the holes first', failing(), async page => {
  assert.match(await page.text('#coverage'), /2 of 3 points, 66\.7 %, in 200 runs/);
  await press(page, 'steps of threads');
  const rows = () => page.tab.locator('#coverage .points tbody tr').allInnerTexts();
  assert.deepEqual(
      (await rows()).map(text => text.trim().split(/\s+/)),
      [['never', 'poll'], ['120', 'wait'], ['200', 'submit']]);
  await page.tab.locator('#coverage input').fill('wa');
  assert.equal((await rows()).length, 1);
  assert.match(await page.text('#coverage .points'), /1 points, 0 holes/);
});

pageTest('a feature says with which others it was in flight', failing(), async page => {
  await tab(page, 'Features');
  assert.match(await page.text('#features'), /2 operations and steps, 1 never in flight/);
  await press(page, 'packet_begin');
  assert.match(
      await page.text('#features .points'),
      /2 points, 1 holes[^]*never\s+step poll\s+3\s+packet_begin/);
  await tab(page, 'Reference');
  assert.match(await page.text('#judged'), /final values\s+90\s+4\s+1[^]*removes a mechanism\s+7/);
});

pageTest('a campaign without failures and coverage says so', passing(), async page => {
  assert.equal(await page.text('.badge'), 'pass');
  assert.match(await page.text('#failures'), /No run failed/);
  assert.match(await page.text('#details'), /constraints\s+small\s+policy\s+timing/);
  assert.deepEqual(await page.tab.getByRole('tab').allInnerTexts(), ['Runs', 'Reference']);
});

const open = (page, name) => page.tab.getByRole('tab', {name, exact: true}).click();
const select = (page, label, value) =>
    page.tab.getByLabel(label, {exact: true}).selectOption(value);

pageTest(
    'the runs of a campaign are points, and a click says how to repeat one', failing(),
    async page => {
      await open(page, 'Runs');
      await page.settle();
      const marks =
          await page.run(() => fenceline.plot.picture.marks.map(({row, failed}) => [row, failed]));
      assert.deepEqual(marks, [[0, false], [1, true], [2, false]]);
      assert.match(await page.text('#runs'), /1 runs have no such value/);
      const [x, y] = await page.run(() => fenceline.at(2));
      assert.equal(await page.pixel(x, y), await page.colour('good'));
      await page.tab.locator('canvas').click({position: {x, y}});
      const text = await page.text('#runs');
      assert.match(
          text, /Seed 9\s+Repeat it with\s+fenceline campaign --preset small --runs 1 --seed 9/);
      assert.match(
          text, /simulated time\s+20 us\s+events\s+300\s+verdict\s+pass\s+has\s+step poll/);
    });

pageTest('the chart of a campaign has chosen axes, colours and facets', failing(), async page => {
  await open(page, 'Runs');
  await select(page, 'y', 'simulated time');
  await select(page, 'facets', 'step poll');
  const picture = await page.run(() => {
    const {facets, marks} = fenceline.plot.picture;
    return [facets, marks.map(({y, facet}) => [y, facet])];
  });
  assert.deepEqual(
      picture, [['step poll = without', 'step poll = with'], [[5e6, 0], [9e6, 1], [2e7, 1]]]);
});

pageTest('the keyboard reaches tabs, failures and runs of a campaign', failing(), async page => {
  await page.tab.getByRole('button', {name: 'difference order'}).focus();
  await page.tab.keyboard.press('Enter');
  assert.match(await page.text('#details'), /^difference order/);
  assert.match(await page.text('#failures tr[aria-current]'), /difference order/);
  await page.tab.getByRole('tab', {name: 'Runs', exact: true}).focus();
  await page.tab.keyboard.press('ArrowLeft');
  assert.ok(await page.tab.locator('#features').isVisible());
  await page.tab.keyboard.press('ArrowRight');
  await page.tab.locator('canvas').focus();
  await page.tab.keyboard.press('ArrowRight');
  assert.match(await page.text('#runs'), /Seed 7/);
  await page.tab.keyboard.press('ArrowRight');
  assert.match(await page.text('#runs'), /Seed 8[^]*verdict\s+hang/);
  await page.tab.keyboard.press('Escape');
  assert.doesNotMatch(await page.text('#runs'), /Seed 8/);
});

pageTest('names in a campaign are text and nothing else', hostileCampaign(), async page => {
  await page.tab.locator('#coverage td button').click();
  assert.match(await page.text('.command code'), /<script>/);
  assert.equal(await page.run(() => window.hurt), undefined);
});

pageTest('a command is selected or copied by its button', failing(), async page => {
  await press(page, 'Copy');
  await page.tab.locator('.command [role=status]:not(:empty)').waitFor();
  assert.equal(
      await page.run(() => getSelection().toString()), 'fenceline run out/failure-I2.json');
});

for (const colorScheme of ['light', 'dark'])
  pageTest(`a campaign is accessible: ${colorScheme}`, failing(), async page => {
    await press(page, 'steps of threads');
    assert.deepEqual(await page.faults(), []);
    await open(page, 'Runs');
    assert.deepEqual(await page.faults(), []);
  }, {colorScheme, bypassCSP: true});

pageTest('a campaign fits a phone', failing(), async page => {
  for (const title of ['Coverage', 'Runs']) {
    await open(page, title);
    assert.equal(await page.run(() => document.documentElement.scrollWidth), 390, title);
  }
  await press(page, 'difference order');
  assert.match(await page.text('#details'), /^difference order/);
}, {viewport: {width: 390, height: 844}});
