// Pages that the program writes: of runs with different features. Run by node --test.
import assert from 'node:assert/strict';
import {readFileSync, statSync} from 'node:fs';
import {join, resolve} from 'node:path';
import {test} from 'node:test';
import {fileURLToPath} from 'node:url';

import {pages} from './test/browser.mjs';

const {runTest, runScenario} = pages();
const root = fileURLToPath(new URL('../../../', import.meta.url));
const kRuns = {
  'the flagship': 'native_fence/frame_pipeline',
  'a display': 'preemption/flip_while_preempting',
  'memory pressure': 'memory/pressure',
  'software scheduling': 'preemption/compositor',
  'a reset': 'preemption/engine_reset',
  'a lost waiter': 'faults/message_lost',
};
const pathOf = name => `scenarios/${name}.json`;
const json = (folder, file) => JSON.parse(readFileSync(join(folder, file), 'utf8'));

/// Of each row, the classes of its spans.
const classesOfRows = () => {
  const {meta, slices} = fenceline.run;
  return meta.rows.map(({group, name}, row) => {
    const names = slices.name.subarray(slices.first[row], slices.first[row + 1]);
    return {
      row: `${group} / ${name}`,
      classes: [...new Set([...names].map(at => meta.colours[at]))]
    };
  });
};

for (const [name, scenario] of Object.entries(kRuns)) {
  runTest(`the page of ${name} says what its files say`, pathOf(scenario), async (page, folder) => {
    const result = json(folder, 'result.json');
    assert.equal(await page.text('.badge'), result.verdict);
    assert.equal(await page.text('h1'), `${result.scenario}: ${result.title}`);
    const holds = result.expectations.filter(one => one.holds).length;
    assert.match(
        await page.text('#story'),
        new RegExp(`Expectations: ${holds} of ${result.expectations.length} hold`));
    assert.deepEqual(
        await page.run(() => fenceline.meta.names.filter(text => /\?|undefined/.test(text))), []);
  });

  runTest(`on each row of ${name} lie classes that differ`, pathOf(scenario), async page => {
    const together = await page.run(() => fenceline.together);
    for (const {row, classes} of await page.run(classesOfRows))
      assert.ok(
          classes.length < 2 || together.some(list => classes.every(one => list.includes(one))),
          `${row}: ${classes}`);
  });
}

for (const colorScheme of ['light', 'dark']) {
  runTest(
      `nothing in the page of a reset hinders readers, ${colorScheme}`, pathOf(kRuns['a reset']),
      async page => assert.deepEqual(await page.faults(), []), {colorScheme, bypassCSP: true});
}

runTest(
    'a signal leads to its release and back, by clicks and keys', pathOf(kRuns['the flagship']),
    async page => {
      await page.run(() => fenceline.setView(0, 20e9));
      const pick = await page.run(() => ({kind: 'slice', index: fenceline.run.from[0]}));
      await page.run(signal => fenceline.select(signal), pick);
      await page.tab.locator('#details button', {hasText: 'released'}).first().click();
      assert.match(await page.text('#details'), /^released .+\s+row\s/);
      await page.keys('[');
      assert.deepEqual(await page.selection(), pick);
      await page.keys(']', '[');
      assert.deepEqual(await page.selection(), pick);
    });

runTest(
    'a message that is lost is a fault on its link', pathOf(kRuns['a lost waiter']), async page => {
      assert.equal(await page.run(() => fenceline.find('link fault: a message is lost')), 1);
      await page.tab.locator('#search').fill('link fault');
      await page.tab.keyboard.press('Enter');
      assert.match(await page.text('#details'), /row\s+PCIe \/ gpu0\.pcie\.up\s+kind\s+fault/);
    });

runTest(
    'a reset signals the largest number, which the chart says', pathOf(kRuns['a reset']),
    async page => {
      const found =
          await page.run(() => fenceline.run.counters.findIndex(({name}) => name.startsWith('G ')));
      await page.run(
          counter => fenceline.select(
              {kind: 'point', counter, index: fenceline.run.counters[counter].time.length - 1}),
          found);
      assert.match(await page.text('#details'), /value\s+2\^64-1/);
    });

test('the page of the flagship has at most 100 kB', () => {
  const folder = runScenario(pathOf(kRuns['the flagship']));
  const {size} = statSync(join(folder, 'report.html'));
  assert.ok(size <= 100e3, `${size} bytes`);
});

runTest(
    'memory is charted by place from the start', pathOf(kRuns['memory pressure']), async page => {
      const charts = await page.run(
          () => fenceline.run.counters.filter(({group}) => group === 'Memory')
                    .map(({name, time}) => [name, time[0]]));
      assert.deepEqual(charts, [
        ['gpu0 managed allocations in a memory segment', 0],
        ['gpu0 managed allocations in the aperture', 0], ['gpu0 managed allocations evicted', 0]
      ]);
    });

runTest(
    'preempted work has its number before the level', pathOf(kRuns['software scheduling']),
    async page => {
      const names = (await page.run(() => fenceline.visible(1e6))).map(({name}) => name);
      assert.ok(names.includes('buffer = 1, preempted at a thread group boundary'));
    });

runTest('on a phone verdict and story come first', pathOf(kRuns['a lost waiter']), async page => {
  const top = async selector => (await page.tab.locator(selector).boundingBox()).y;
  assert.ok(await top('.badge') < await top('#story') && await top('#story') < await top('canvas'));
  assert.ok(await top('#story') < 200);
  assert.ok(await page.run(() => document.documentElement.scrollWidth <= innerWidth));
}, {viewport: {width: 390, height: 844}});

test('the page does not depend on how the path of the scenario was typed', () => {
  const path = pathOf(kRuns['software scheduling']);
  const page = typed => readFileSync(join(runScenario(typed), 'report.html'));
  assert.ok(page(path).equals(page(resolve(root, path))));
});

runTest(
    'a lost message is named where the run is blocked and stands on its packet',
    pathOf('faults/message_lost'), async page => {
      assert.match(
          await page.text('#faults'),
          /gpu0\.pcie\.up: a message is lost \(number 3\) at 182\.8\d+ us \(faults\/0, line 95 of/);
      await page.tab.locator('#faults button').click();
      assert.equal(await page.text('#details h2'), 'link fault: a message is lost');
      assert.match(await page.text('#details'), /caused by\s+lines 95 to 98 of the scenario/);
      const struck = await page.run(() => {
        const {meta, slices, instants} = fenceline.run;
        const {index} = fenceline.selection(), at = slices.begin.indexOf(instants.time[index]);
        const wrong = slices.name.findIndex(name => meta.colours[name] === 'suspect');
        return [
          meta.names[slices.name[wrong]], slices.begin[wrong] === instants.time[index], at >= 0
        ];
      });
      assert.deepEqual(struck, ['MSI-X write: a message is lost', true, true]);
      await page.tab.getByRole('tab', {name: 'Scenario'}).click();
      await page.tab.locator('#L96').click();
      assert.match(await page.text('#scenario [role=status]'), /^Line 96: 1 of 2 on the timeline/);
    });

runTest(
    'the line of a wait leads to the wait before its transfers', pathOf('faults/message_lost'),
    async page => {
      await page.tab.getByRole('tab', {name: 'Scenario'}).click();
      await page.tab.locator('#L83').click();
      assert.match(await page.text('#details h2'), /^wait F >= 1/);
    });
