// The page of a matrix: a table of subsets that opens the counterexample of each. Run by node
// --test.
import assert from 'node:assert/strict';

import {pages} from './test/browser.mjs';
import {hostileMatrix, matrix, provedMatrix} from './test/matrices.mjs';

const {pageTest} = pages();
const open = (page, name) => page.tab.getByRole('button', {name, exact: true}).click();

pageTest('a matrix says how many subsets hold and shows the first that breaks', matrix(), async page => {
  assert.match(
      await page.text('header'),
      /P01: Two mechanisms\s+4 subsets of 2 mechanisms, 2 VIOLATED, 2 PROVED, within signals \u2264 1, steps: all/);
  const rows = await page.tab.locator('#subsets tbody tr').allInnerTexts();
  assert.deepEqual(rows.map(text => text.trim().split(/[ \t\n]+/).slice(0, 4)), [
    ['VIOLATED', 'I1', '1\u202f234', 'off'], ['PROVED', '56', 'on', 'off'],
    ['VIOLATED', 'I7', '78', 'off'], ['PROVED', '90', 'on', 'on']
  ]);
  assert.match(await page.text('#counterexample'), /^I1 NO_LOST_WAITER\s+I1 breaks/);
  assert.match(await page.text('#counterexample'), /Suffices together with\s+cmp\.recheck/);
  await page.tab.locator('#counterexample')
      .getByRole('button', {name: 'cmp.recheck'})
      .last()
      .click();
  assert.match(await page.text('#counterexample'), /^I7/);
});

pageTest('a subset opens its counterexample with story and command', matrix(), async page => {
  await page.tab.getByRole('tab', {name: 'Sets'}).click();
  await open(page, 'VIOLATED: os.resample');
  const text = await page.text('#counterexample');
  assert.match(text, /^I7[^]*on\s+os\.resample\s+off\s+cmp\.recheck/);
  assert.match(text, /^I7 NO_LOST_WAITER\s+I7 breaks at step 4\s/);
  assert.match(
      text,
      /orders\s+step 3: engine: the engine issues comes before step 4: cmp: torn\s+as a hold: cmp drain #1 waits until engine issue #1/);
  assert.match(
      text,
      /Story\s+3\s+engine\s+before step 4\s+the engine issues\s+4\s+cmp\s+after step 3\s+torn/);
  assert.doesNotMatch(text, /No timeline/);
  assert.equal(
      await page.text('.command code'),
      'fenceline explore scenarios/P01.json --set /platform/ordering/cmp.recheck=false ' +
          '--set \'/platform/ordering/os.resample="always"\'');
  assert.equal(await page.tab.locator('#subsets tr[aria-current]').count(), 1);
});

pageTest('a subset that holds has no counterexample', matrix(), async page => {
  await open(page, 'PROVED: cmp.recheck');
  const text = await page.text('#counterexample');
  assert.match(text, /^PROVED\s+on\s+cmp\.recheck\s+off\s+os\.resample\s+executions\s+56/);
  assert.doesNotMatch(text, /Story/);
});

pageTest('subsets are chosen by mechanism and verdict', matrix(), async page => {
  await page.tab.getByLabel('os.resample', {exact: true}).selectOption('on');
  assert.match(await page.text('#subsets'), /^2 of 4 subsets/);
  await page.tab.getByLabel('verdict', {exact: true}).selectOption('VIOLATED');
  assert.match(await page.text('#subsets'), /^1 of 4 subsets[^]*I7/);
  await page.tab.getByLabel('os.resample', {exact: true}).selectOption('');
  assert.match(await page.text('#subsets'), /^2 of 4 subsets/);
});

pageTest('the sets of a matrix are in words', matrix(), async page => {
  await page.tab.getByRole('tab', {name: 'Sets'}).click();
  assert.match(
      await page.text('#sets'),
      /suffice\s+cmp\.recheck\s+Must not[^]*true: it looks again[^]*never again: it looks once/);
});

pageTest('a matrix in which nothing breaks says so', provedMatrix(), async page => {
  assert.match(await page.text('#counterexample'), /No subset breaks anything/);
  await page.tab.getByRole('tab', {name: 'Sets'}).click();
  assert.match(await page.text('#sets'), /suffice\s+nothing[^]*Each of them may be left out/);
});

pageTest('names in a matrix are text and nothing else', hostileMatrix(), async page => {
  await page.tab.getByRole('tab', {name: 'Sets'}).click();
  assert.match(await page.text('#sets'), /<script>/);
  assert.equal(await page.run(() => window.hurt), undefined);
});

for (const colorScheme of ['light', 'dark'])
  pageTest(`a matrix is accessible: ${colorScheme}`, matrix(), async page => {
    assert.deepEqual(await page.faults(), []);
  }, {colorScheme, bypassCSP: true});

pageTest(
    'the keyboard filters subsets, opens them and follows their orders', matrix(), async page => {
      await page.tab.getByLabel('verdict', {exact: true}).focus();
      await page.tab.keyboard.press('V');
      assert.match(await page.text('#subsets'), /^2 of 4 subsets/);
      await page.tab.locator('#subsets td button').first().focus();
      await page.tab.keyboard.press('Tab');
      await page.tab.keyboard.press('Enter');
      assert.match(await page.text('#counterexample'), /^I7/);
      await page.tab.getByRole('button', {name: 'step 4'}).focus();
      await page.tab.keyboard.press('Enter');
      assert.match(await page.text('#counterexample tr[aria-current]'), /^4\s/);
      await page.tab.getByRole('tab', {name: 'Counterexample'}).focus();
      await page.tab.keyboard.press('ArrowRight');
      assert.ok(await page.tab.locator('#sets').isVisible());
    });

pageTest('a matrix fits a phone', matrix(), async page => {
  assert.equal(await page.run(() => document.documentElement.scrollWidth), 390);
  await open(page, 'VIOLATED: os.resample');
  assert.match(await page.text('#counterexample'), /^I7/);
}, {viewport: {width: 390, height: 844}});
