// The scenario in the page: its lines lead to the timeline and back. Run by node --test.
import assert from 'node:assert/strict';
import {test} from 'node:test';

import {pages} from './test/browser.mjs';
import {explored, hostile, small} from './test/models.mjs';

const {open, pageTest} = pages();

const kLines = [
  '{', '  "processes": [{"name": "app", "fences": [{"name": "F"}],',
  '    "queues": [{"name": "gpu0.compute0"}]}],',
  '  "programs": [{"thread": "app.main", "steps": [', '    {"submit": {"commands": [',
  '      {"dispatch": "1us"},', '      {"signal": "F}\\" {"}', '    ]}},',
  '    {"wait": "\u{1F600}\u{1F600}"}, {"wait": "F"}', '  ]}],', '  "expect": {}', '}'
];

/// Line, column in characters, and object of a part of the text.
function place(line, start, object = '') {
  const before = kLines[line - 1].slice(0, kLines[line - 1].indexOf(start));
  return [line, [...before].length + 1, object];
}

/// The small run with a scenario: its signal and wait of 42, and its dispatches, have causes.
function placed() {
  const model = small();
  model.scenario_file = 'placed.json';
  model.scenario_text = kLines.join('\n') + '\n';
  model.places = [
    place(2, '{"name": "app"'), place(2, '{"name": "F"', 'app/F'),
    place(3, '{"name"', 'gpu0.compute0'), place(4, '{"thread"', 'app.main'), place(5, '{"submit"'),
    place(6, '{"dispatch"'), place(7, '{"signal"'), place(9, '{"wait": "\u{1F600}'),
    place(9, '{"wait": "F"'), [0, 0, '']
  ];
  const cause = (item, at, number) => {
    item[at] = number;
  };
  const [queue, engine, , , main] = model.rows;
  cause(queue.slices[0], 5, 7);
  cause(queue.slices[1], 5, 10);
  for (const slice of engine.slices) cause(slice, 5, 6);
  cause(main.slices[0], 5, 9);
  cause(main.instants[0], 3, 9);
  return model;
}

const tab = page => page.tab.getByRole('tab', {name: 'Scenario'}).click();
const line = (page, number) => page.tab.locator(`#L${number}`);
const title = page => page.text('#details h2');
const status = page => page.text('#scenario [role=status]');

pageTest('a line leads to each thing that it has caused', placed(), async page => {
  await tab(page);
  assert.match(await page.text('#scenario h2'), /^placed\.json: 12 lines$/);
  await page.view(80e6, 90e6);
  await line(page, 6).click();
  assert.equal(await title(page), 'DISPATCH');
  assert.equal(await status(page), 'Line 6: 1 of 2 on the timeline');
  const [t0] = await page.run(() => fenceline.view());
  assert.ok(t0 <= 0);
  await line(page, 6).click();
  assert.equal(await status(page), 'Line 6: 2 of 2 on the timeline');
  assert.match(await page.text('#details'), /begin\s+20/);
  await line(page, 6).click();
  assert.equal(await status(page), 'Line 6: 1 of 2 on the timeline');
});

pageTest('a step stands for its commands and a bracket line for its step', placed(), async page => {
  await tab(page);
  await line(page, 5).click();
  assert.equal(await status(page), 'Line 5: 1 of 3 on the timeline');
  await line(page, 8).click();
  assert.equal(await status(page), 'Line 8: 1 of 3 on the timeline');
  await line(page, 7).click();
  assert.equal(await title(page), 'signal app/F = 42');
  await line(page, 9).click();
  assert.equal(await title(page), 'wait app/F >= 42');
  assert.equal(await status(page), 'Line 9: 1 of 2 on the timeline');
});

pageTest('an object leads to its row or to what names it', placed(), async page => {
  await tab(page);
  await line(page, 3).click();
  assert.equal(await title(page), 'signal app/F = 42');
  assert.equal(await status(page), 'Line 3: 1 of 2 on the timeline');
  await line(page, 2).click();
  assert.match(await status(page), /^Line 2: 1 of \d+ on the timeline$/);
  assert.match(await title(page), /app\/F/);
});

pageTest('all lines are equally high', placed(), async page => {
  await tab(page);
  const heights = await page.run(
      () => [...document.querySelectorAll('.numbered > *')].map(({clientHeight}) => clientHeight));
  assert.equal(new Set(heights).size, 1);
});

pageTest('lines outside of programs and objects are text', placed(), async page => {
  await tab(page);
  for (const number of [1, 11, 12])
    assert.equal(await line(page, number).evaluate(node => node.tagName), 'DIV');
  assert.equal(await line(page, 10).evaluate(node => node.tagName), 'BUTTON');
});

pageTest('a selection names its line, marks it and opens the scenario', placed(), async page => {
  const wait = await page.span('wait app/F >= 42');
  await page.click(wait.x + 2, wait.y + 4);
  assert.match(await page.text('#details'), /caused by\s+line 9 of the scenario/);
  await page.tab.getByRole('button', {name: 'line 9 of the scenario'}).click();
  assert.ok(await page.tab.locator('#scenario').isVisible());
  assert.equal(await line(page, 9).getAttribute('aria-current'), 'true');
  await page.keys(']', '[', '.');
  const signal = await page.span('signal app/F = 42');
  await page.click(signal.x + 4, signal.y + 4);
  assert.equal(await line(page, 7).getAttribute('aria-current'), 'true');
  assert.equal(await page.tab.locator('#scenario [aria-current]').count(), 1);
  const more = await page.span('signal app/F = 42');
  await page.run(() => fenceline.run.slices.place[0] = 5);
  await page.keys('Escape');
  await page.click(more.x + 4, more.y + 4);
  assert.match(await page.text('#details'), /caused by\s+lines 5 to 8 of the scenario/);
  assert.equal(await page.tab.locator('#scenario [aria-current]').count(), 4);
  const idle = await page.span('C6');
  await page.click(idle.x + 4, idle.y + 4);
  assert.doesNotMatch(await page.text('#details'), /caused by/);
  assert.equal(await page.tab.locator('#scenario [aria-current]').count(), 0);
});

pageTest('what an option has put there has no line', placed(), async page => {
  const signal = await page.span('signal app/F = 43');
  await page.click(signal.x + 4, signal.y + 4);
  assert.match(await page.text('#details'), /caused by\s+an option of the command/);
});

pageTest('a page without the text says why', {...placed(), scenario_text: ''}, async page => {
  await tab(page);
  assert.match(await page.text('#scenario'), /placed\.json is too long for the page/);
  const wait = await page.span('wait app/F >= 42');
  await page.click(wait.x + 2, wait.y + 4);
  assert.match(await page.text('#details'), /line 9/);
});

pageTest('a counterexample shows the scenario of its run', foundHere(), async page => {
  await tab(page);
  assert.equal(await page.text('#L3'), kLines[2]);
});
function foundHere() {
  const model = explored(), {scenario_text, scenario_file, places} = placed();
  Object.assign(model.runs[0], {scenario_text, scenario_file, places});
  return model;
}

pageTest('a hostile scenario is only text', hostileText(), async page => {
  await tab(page);
  for (let number = 1; number <= 8; ++number) await line(page, number).click();
  assert.match(await page.text('#scenario'), /<img src=x onerror/);
  assert.equal(await page.tab.locator('img').count(), 0);
  assert.equal(await page.run(() => window.hurt), undefined);
});
function hostileText() {
  const model = hostile();
  model.places = [[1, 1, '<img'], [2, 9999, ''], [77, 1, '$&'], [3, 2, '\u202E']];
  return model;
}

pageTest('a long scenario is quick to open', long(), async page => {
  const times = await page.run(() => fenceline.times);
  assert.ok(times.ready - times.began < 3000, `${times.ready - times.began} ms`);
  await tab(page);
  await line(page, 19999).click();
  assert.match(await page.text('#scenario h2'), /the first 20.000 are here/);
});
function long() {
  const model = small(), step = '    {"wait": "F"},\n';
  model.scenario_text = '{"steps": [\n' + step.repeat(50000) + ']}\n';
  model.places = Array.from({length: 50000}, (_, at) => [at + 2, 5, '']);
  return model;
}

test('the scenario is accessible', async () => {
  const page = await open(placed(), {bypassCSP: true});
  await tab(page);
  await line(page, 6).click();
  assert.deepEqual(await page.faults(), []);
  await page.close();
});
