// The page of a search: its verdict, a counterexample at a time, and what was searched. Run by node
// --test.
import assert from 'node:assert/strict';
import {readFileSync} from 'node:fs';

import {pages} from './test/browser.mjs';
import {explored, givenUp, proved} from './test/models.mjs';

const {pageTest} = pages();
const tab = (page, name) => page.tab.getByRole('tab', {name}).click();
const violation = (page, name) => page.tab.getByRole('button', {name}).click();

pageTest('a search says its verdict, its bounds and what they mean', proved(), async page => {
  assert.equal(await page.text('.badge'), 'PROVED');
  assert.match(await page.tab.locator('.badge').getAttribute('class'), /\bgood\b/);
  assert.match(
      await page.text('header'),
      /P01: A search\s+within signals \u2264 1, waiters \u2264 2, steps: all$/);
  // The counts of the search are no part of its verdict.
  assert.doesNotMatch(await page.text('header'), /569|283/);
  const text = await page.text('#search-facts');
  assert.match(text, /No order within the bounds breaks an invariant/);
  assert.match(text, /waiters\s+\u2264\s2\s+waits\s+steps\s+all\s+size of the steps/);
  assert.match(text, /states at choices\s+283\s+executions\s+569\s+ran to the end\s+34/);
  assert.match(text, /the state was known\s+36[^]*longest run\s+64 steps/);
  assert.match(text, /runs end when\s+every program ends/);
  assert.equal(await page.tab.getByRole('tab', {name: 'Search'}).count(), 0);
  assert.ok(!await page.tab.locator('canvas').isVisible());
});

pageTest('a search says which freedoms it met and took', proved(), async page => {
  const text = await page.text('#freedoms');
  assert.match(text, /^1\u202f185 of 1\u202f227 offered steps were taken/);
  assert.match(text, /drain\s+moves its oldest write on\s+1\u202f220\s+1\u202f180/);
  assert.match(text, /searched from another choice/);
  assert.match(text, /1 kind of steps had no choice\s+park$/);
});

pageTest(
    'a search that gave up promises nothing about ways that it left out', givenUp(), async page => {
      assert.match(await page.text('#search-facts'), /The search gave up: the time is up\./);
      assert.match(await page.text('#freedoms'), /The search is not complete/);
      assert.doesNotMatch(await page.text('#freedoms'), /searched from another choice/);
      await tab(page, 'Races');
      assert.match(await page.text('#races'), /or the search did not get there/);
    });

pageTest('a search without a timeline fills the window', proved(), async page => {
  const {x, width} = await page.tab.locator('.tabbed').boundingBox();
  assert.ok(x + width > 1470);
});

pageTest('a search lists invariants and races', proved(), async page => {
  await tab(page, 'Invariants');
  const text = await page.text('#invariants');
  assert.match(
      text,
      /1 invariant exercised[^]*I01\s+NO_LOST_WAITER\s+30\s+held\s+1 invariant never exercised[^]*I02 NO_LOST_QUEUE/);
  await tab(page, 'Races');
  assert.match(await page.text('#races'), /2 pairs of steps raced, 1 in both orders/);
  assert.match(await page.text('#races'), /cmp read\s+engine drain\s+3\s+4/);
  await tab(page, 'Configuration');
  assert.match(await page.text('#configuration'), /seed 7/);
});

pageTest('a counterexample has its holds, cures and causes', explored(), async page => {
  const text = await page.text('#story');
  assert.match(text, /^I01 no lost waiter\s+waits since step 4/);
  assert.doesNotMatch(text, /4 ps/);
  assert.match(text, /Holds[^]*engine issue #1 waits until cmp drain #1/);
  assert.match(text, /What lets it happen\s+gpu\.signal_barrier=off: no order/);
  assert.match(text, /Would be prevented by\s+gpu\.signal_barrier=before_raise/);
  assert.match(text, /from step 2 on, every order breaks it/);
  // The cause is read first.
  assert.ok(text.indexOf('What lets it happen') < text.indexOf('Story'));
  await tab(page, 'Invariants');
  assert.match(await page.text('#invariants'), /I01\s[^\n]*broken/);
});

pageTest(
    'the story steps on the timeline, also to a text that comes twice', explored(), async page => {
      await page.keys('n', 'n', 'n');
      assert.match(await page.text('#details'), /^3 CurrentValue 42 enters the FIFO/);
      await page.keys('p', 'p');
      assert.match(await page.text('#details'), /^1 CurrentValue 42 enters the FIFO/);
    });

pageTest('a button shows another violation in the place of the first', explored(), async page => {
  await page.keys('n');
  await violation(page, 'I07 data');
  assert.equal(
      await page.tab.locator('.chooser button[aria-pressed="true"]').innerText(), 'I07 data');
  const text = await page.text('#story');
  assert.match(text, /^I07 data\s+a value is torn/);
  assert.match(text, /Is not prevented\s+12 values were tried[^]*No timeline/);
  assert.equal(await page.tab.locator('main').count(), 1);
  assert.ok(!await page.tab.locator('canvas').isVisible());
  await violation(page, 'I01 no lost waiter');
  await page.settle();
  await page.keys('n');
  assert.equal(await page.run(() => fenceline.story.at()), 0);
  assert.match(await page.text('#details'), /^1 CurrentValue 42/);
});

pageTest('the keys of a violation that is left are gone', explored(), async page => {
  await page.run(() => window.old = fenceline.story);
  await violation(page, 'I07 data');
  await page.tab.keyboard.press('n');
  assert.equal(await page.run(() => window.old.at()), -1);
});

for (const [name, model] of [['violated', explored()], ['proved', proved()]])
  for (const colorScheme of ['light', 'dark'])
    pageTest(`a search is accessible: ${name}, ${colorScheme}`, model, async page => {
      const axe = new URL('node_modules/axe-core/axe.min.js', import.meta.url);
      await page.run(text => (0, eval)(text), readFileSync(axe, 'utf8'));
      const {violations} = await page.run(() => axe.run());
      assert.deepEqual(violations.map(({id, nodes}) => [id, nodes[0].html]), []);
    }, {colorScheme, bypassCSP: true});

for (const [name, model] of [['violated', explored()], ['proved', proved()]])
  pageTest(`a search fits a phone: ${name}`, model, async page => {
    for (const title of ['Freedoms', 'Invariants', 'Races', 'Configuration']) {
      await tab(page, title);
      assert.equal(await page.run(() => document.documentElement.scrollWidth), 390, title);
    }
    const first = name === 'proved' ? '#search-facts' : '#story';
    const {y} = await page.tab.locator(first).boundingBox();
    assert.ok(y < 200, `${first} stands below ${y}`);
  }, {viewport: {width: 390, height: 844}});
