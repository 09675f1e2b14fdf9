// A page with two runs: rows side by side, differences marked, listed and followed. Run by node
// --test.
import assert from 'node:assert/strict';
import {readFileSync} from 'node:fs';

import {pages} from './test/browser.mjs';
import {compared, hostile, wide} from './test/models.mjs';

const kUs = 1e6, kHigh = {
  viewport: {width: 1480, height: 1400}
};  // all rows are seen
const {pageTest} = pages();
const spans = async (page, title) =>
    (await page.run(() => fenceline.visible(1e6))).filter(({name}) => name === title);

pageTest('the rows of two runs lie side by side on one axis', compared(), async page => {
  assert.equal(await page.text('.badge'), 'different');
  assert.equal(await page.text('h1'), 'Comparison: A = runs/a (hang), B = runs/b (pass)');
  assert.match(
      await page.text('header .facts'),
      /^verdict: 1 difference; statistics: 2 differences; configuration: 1 difference; timeline: [0-9]+ differences; the same: fences$/);
  const [a, b] = await spans(page, 'wait app/F >= 43');
  assert.deepEqual([a.row, b.row], ['app.other (A)', 'app.other (B)']);
  assert.equal(b.y - a.y, 18);
  assert.deepEqual([a.begin, a.end, b.begin, b.end], [2e6, 63e6, 2e6, 73e6]);
  assert.equal(await page.pixel(b.x + b.width - 20, b.y + 6), await page.colour('wait'));
  assert.deepEqual(await page.run(() => fenceline.view()), [0, 122.4 * kUs]);
}, kHigh);

pageTest('a row that only one run has is there once', compared(), async page => {
  const rows = await page.run(() => fenceline.meta.rows.map(({name}) => name));
  assert.equal(rows.filter(name => name.startsWith('extra')).join(), 'extra (B)');
  assert.equal(rows.indexOf('gpu0.compute0 (B)'), rows.indexOf('gpu0.compute0 (A)') + 1);
  const groups = await page.run(() => fenceline.meta.rows.map(({group}) => group));
  assert.equal(groups.lastIndexOf('Queues') - groups.indexOf('Queues'), 2);
});

pageTest('differences are marked over their spans', compared(), async page => {
  const longer = await spans(page, 'wait app/F >= 43'), [fresh] = await spans(page, 'COPY');
  for (const one of longer)
    assert.equal(await page.pixel(one.x + 30, one.y), await page.colour('accent'));
  assert.equal(await page.pixel(fresh.x + 30, fresh.y), await page.colour('bad'));
  const [same] = await spans(page, 'wait app/F >= 42');
  assert.notEqual(await page.pixel(same.x + 30, same.y), await page.colour('accent'));
}, kHigh);

pageTest('a click on a difference selects it and moves the window', compared(), async page => {
  await page.view(0, 1 * kUs);
  await page.tab.locator('#differences').getByRole('button', {name: 'COPY'}).click();
  await page.settle();
  assert.match(await page.text('#details'), /^COPY[^]*extra \(B\)/);
  const [t0, t1] = await page.run(() => fenceline.view());
  assert.ok(t0 <= 80 * kUs && t1 >= 80 * kUs);
  assert.match(
      await page.text('tr[aria-current]'), /only in B\s+Queues \/ extra \(B\)\s+COPY\s+at 80 us/);
});

pageTest('a line leads to both runs', compared(), async page => {
  const line = page.tab.locator('#differences tr', {hasText: 'longer'});
  assert.match(await line.innerText(), /^longer\s+Threads \/ app\.other/);  // the row
  assert.match(await line.innerText(), /wait app\/F >= 43\s+at 2 us, lasts 61 us \u2192 71 us/);
  await line.getByRole('button', {name: 'B', exact: true}).click();
  assert.match(await page.text('#details'), /app\.other \(B\)/);
  await line.getByRole('button', {name: 'wait'}).click();
  assert.match(await page.text('#details'), /app\.other \(A\)/);
});

pageTest('n and p step through the differences', compared(), async page => {
  await page.keys('n');
  assert.match(await page.text('#details'), /^wait app\/F >= 43/);
  await page.keys('n');
  assert.match(await page.text('#details'), /^COPY/);
  await page.keys('p');
  assert.match(await page.text('#details'), /^wait app\/F >= 43/);
  await page.keys('?');
  assert.match(await page.text('#help'), /n\s+next difference\s+p\s+previous difference/);
});

const kUneven = compared();
kUneven.sections[0].differences.push(['reasons/0', 'a waiter waits '.repeat(30), 'absent', null]);
pageTest('a short text keeps its column beside a long one', kUneven, async page => {
  const widths = await page.run(
      () => [...document.querySelectorAll('#results table:first-of-type th')].map(
          cell => cell.clientWidth));
  assert.ok(Math.min(...widths) >= 90, `${widths}`);
});

pageTest('results, numbers and configuration are side by side', compared(), async page => {
  assert.match(
      await page.text('#results'), /Verdict: 1 different[^]*verdict\s+hang\s+pass\s+Fences: same/);
  await page.tab.getByRole('tab', {name: 'Numbers'}).click();
  assert.match(await page.text('#statistics'), /doorbells\s+8\s+4\s+\u00d70\.5/);
  await page.tab.getByRole('tab', {name: 'Configuration'}).click();
  assert.match(await page.text('#configuration'), /gpu\/slots\s+4\s+2/);
});

pageTest('arrows and charts of both runs are there', compared(), async page => {
  const flows = await page.run(() => [...fenceline.run.from].map((signal, i) => {
    const {slices, instants, meta} = fenceline.run;
    return [meta.rows[slices.row[signal]].name, meta.rows[instants.row[fenceline.run.to[i]]].name];
  }));
  for (const [signal, release] of flows) assert.equal(signal.slice(-3), release.slice(-3));
  assert.equal(flows.length, 4);
  const charts = await page.run(() => fenceline.meta.counters.map(({name}) => name));
  assert.deepEqual(charts.slice(0, 2), ['app/F CurrentValue (A)', 'app/F CurrentValue (B)']);
});

const mixed = compared();
mixed.runs[1] = wide();
mixed.differences = [];
pageTest('values of 64 bits beside small ones stay exact', mixed, async page => {
  const [big] = await spans(page, `signal app/F = ${2n ** 64n - 2n}`);
  assert.equal(big.row, 'gpu0.compute0 (B)');
  assert.equal((await spans(page, 'signal app/F = 42'))[0].row, 'gpu0.compute0 (A)');
});

const bad = compared();
bad.runs = [hostile(), hostile()];
bad.differences = [[2, 1, 0, 0]];
bad.folders = ['</script>', '{{meta}}'];
bad.sections[0].differences = [['</script><img src=x>', '{{columns}}', '<b>', null]];
pageTest('names that break careless pages are text', bad, async page => {
  assert.equal(await page.run(() => window.hurt), undefined);
  assert.match(await page.text('#results'), /<\/script><img src=x>/);
});

for (const colorScheme of ['light', 'dark']) {
  pageTest(`a comparison is accessible, ${colorScheme}`, compared(), async page => {
    const axe = new URL('node_modules/axe-core/axe.min.js', import.meta.url);
    await page.run(text => (0, eval)(text), readFileSync(axe, 'utf8'));
    const {violations} = await page.run(() => axe.run());
    assert.deepEqual(violations.map(({id, nodes}) => [id, nodes[0].html]), []);
  }, {colorScheme, bypassCSP: true});
}

pageTest(
    'a comparison fits a phone: verdict and differences come first', compared(), async page => {
      for (const title of ['Results', 'Numbers', 'Configuration']) {
        await page.tab.getByRole('tab', {name: title}).click();
        assert.equal(await page.run(() => document.documentElement.scrollWidth), 390, title);
      }
      const top = async selector => (await page.tab.locator(selector).boundingBox()).y;
      assert.ok(await top('.badge') < 60);
      assert.ok(await top('#differences') < 250);
      assert.ok(await top('#differences') < await top('canvas'));
      await page.tab.locator('#differences button').first().click();
      assert.match(await page.text('#differences tr[aria-current]'), /wait app\/F >= 43/);
    }, {viewport: {width: 390, height: 844}});
