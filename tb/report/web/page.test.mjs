// The timeline: what is drawn, hit, clicked, typed. Run by node --test.
import assert from 'node:assert/strict';
import {test} from 'node:test';

import {pages} from './test/browser.mjs';
import {explored, hostile, large, small, wide} from './test/models.mjs';

const kUs = 1e6;
const {open, pageTest} = pages();

for (const codec of ['deflate-raw', 'none']) {
  pageTest(`opens from disk, ${codec}`, small(), async page => {
    assert.equal(await page.text('.badge'), 'hang');
    assert.equal(await page.text('h1'), 'small: One fence, two waits');
    assert.match(await page.text('header'), /100 us simulated, 11 spans, 303 events/);
  }, {codec});
}

pageTest('a span is drawn, hit and clicked at the same place', small(), async page => {
  const wait = await page.span('wait app/F >= 43'), x = wait.x + wait.width - 40, y = wait.y + 5;
  assert.equal(await page.pixel(x, y), await page.colour('wait'));
  assert.deepEqual(await page.hit(x, y), {kind: 'slice', index: wait.index});
  await page.click(x, y);
  assert.deepEqual(await page.selection(), {kind: 'slice', index: wait.index});
  const text = await page.text('#details');
  assert.match(text, /^wait app\/F >= 43/);
  assert.match(text, /Threads \/ app\.other/);
  assert.match(text, /lasts\s+61 us/);
  await page.point(x, y + 1);
  assert.match(await page.text('#tip'), /wait app\/F >= 43, lasts 61 us, at 2 us/);
});

pageTest('where nothing is, nothing is hit', small(), async page => {
  const signal = await page.span('signal app/F = 42');
  assert.equal(await page.hit(signal.x - 30, signal.y + 5), null);
  assert.equal(await page.pixel(signal.x - 30, signal.y + 5), await page.colour('lane'));
});

pageTest('what has not ended ends red and says so', small(), async page => {
  const wait = await page.span('wait app/F >= 44');
  assert.equal(await page.pixel(wait.x + wait.width - 2, wait.y + 5), await page.colour('bad'));
  await page.click(wait.x + 300, wait.y + 4);
  assert.match(await page.text('#details'), /not ended at 100/);
});

pageTest(
    'a fault of 20 ps in 100 us is three pixels wide and can be clicked', small(), async page => {
      const lost = await page.span('lost entries = 3');
      assert.ok(lost.end - lost.begin === 20);
      assert.ok(await page.count(await page.colour('lost'), lost.x - 4, lost.y + 8, 9, 1) >= 3);
      await page.click(lost.x, lost.y + 4);
      assert.match(await page.text('#details'), /lost log entries/);
    });

pageTest('a fault among other spans is drawn over them', crowded(), async page => {
  const lost = await page.span('lost entries = 1'), bad = await page.colour('lost');
  assert.ok(await page.count(bad, lost.x - 4, lost.y + 8, 9, 1) >= 3);
  await page.click(lost.x, lost.y + 4);
  assert.equal((await page.selection()).index, lost.index);
});
function crowded() {
  const model = small(), row = model.rows[2];
  row.slices = Array.from({length: 90000}, (_, i) => [i * 1000, i * 1000 + 900, 2, 0]);
  row.slices[45000] = [45000000, 45000010, 6, 1];
  const added = row.slices.length - 1;
  model.flows = model.flows.map(([from, to]) => [from > 3 ? from + added : from, to]);
  return model;
}

pageTest('a fault event has a form and a colour of its own', small(), async page => {
  const row = await page.span('DISPATCH'), x = await page.run(() => fenceline.scene.view.x(15e6));
  assert.equal(await page.pixel(x, row.y + 4), await page.colour('bad'));
  await page.click(x, row.y + 8);
  assert.match(await page.text('#details'), /^torn entry = 7/);
});

pageTest('dense events are a strip, single ones triangles', small(), async page => {
  const isr = await page.span('C6', 1), ink = await page.colour('ink');
  const at = time => page.run(t => fenceline.scene.view.x(t), time);
  const dense = await at(70.1 * kUs);
  assert.equal(await page.count(ink, dense - 6, isr.y, 12, 16), 0);
  assert.notEqual(await page.pixel(dense, isr.y + 13), await page.colour('idle'));
  await page.view(70 * kUs, 70.02 * kUs);
  assert.ok(await page.count(ink, (await at(70.01 * kUs)) - 6, isr.y, 12, 16) > 20);
});

pageTest('events that are near are one mark with their number', small(), async page => {
  const width = await page.run(() => fenceline.scene.view.width), apart = 6;  // pixels
  await page.view(70 * kUs - 1e5, 70 * kUs - 1e5 + 1000 * width / apart);
  const {y, height} = await page.span('C6'), ink = await page.colour('ink');
  const x = await page.run(t => fenceline.scene.view.x(t), 70 * kUs), foot = y + height - 1;
  // Its top reaches from its first event to its last one, and the number is in its middle.
  assert.equal(await page.pixel(x + 3, foot - 8), ink);
  assert.equal(await page.pixel(x + 21, foot - 8), ink);
  const filled = await page.count(ink, x + 8, foot - 8, 9, 7), whole = 9 * 7;
  assert.ok(filled < whole - 8 && filled > whole / 2, `${filled} of ${whole} without the number`);
  await page.view(70 * kUs - 1e4, 70 * kUs + 1e4);
  const alone = await page.run(t => fenceline.scene.view.x(t), 70 * kUs);
  assert.notEqual(await page.pixel(alone + 3, foot - 8), ink);
});

pageTest('zoomed out, a column is as strong as the time it is busy', half(), async page => {
  const {x, y} = await page.span('DISPATCH');
  const part = parseInt((await page.pixel(x + 300, y + 5)).slice(1, 3), 16);
  const full = parseInt((await page.colour('work')).slice(1, 3), 16);
  const none = parseInt((await page.colour('lane')).slice(1, 3), 16);
  assert.ok(part > full + 20 && part < none - 20, `${full} < ${part} < ${none}`);
});
function half() {
  const model = small();
  model.rows = [{
    group: 'Engines',
    name: 'gpu0',
    slices: Array.from({length: 50000}, (_, i) => [i * 2000, i * 2000 + 1000, 2, 0])
  }];
  model.flows = [];
  return model;
}

pageTest('a wide span is drawn behind a narrow one in the same pixel', tight(), async page => {
  const wide = await page.span('DISPATCH', 1),
        x = await page.run(() => fenceline.scene.view.x(50e6));
  assert.equal(await page.pixel(x, wide.y + 4), await page.colour('work'));
  await page.click(x, wide.y + 4);
  assert.equal((await page.selection()).index, wide.index);
});
function tight() {
  const model = small();
  model.rows = [{
    group: 'Engines',
    name: 'gpu0',
    slices: [[0, 10 * kUs, 2], [10 * kUs, 10 * kUs + 20, 0, 42], [10 * kUs + 20, 90 * kUs, 2]]
  }];
  model.flows = [];
  return model;
}

pageTest('an arrow leads from a signal to its release, and back', small(), async page => {
  const signal = await page.span('signal app/F = 42');
  await page.click(signal.x + 4, signal.y + 4);
  await page.tab.locator('#details button', {hasText: 'released app/F = 42'}).click();
  assert.equal((await page.selection()).kind, 'instant');
  assert.match(await page.text('#details'), /after its begin\s+3 us/);
  await page.keys('[');
  assert.deepEqual(await page.selection(), {kind: 'slice', index: signal.index});
  await page.keys(']');
  assert.equal((await page.selection()).kind, 'instant');
});

pageTest('the release end of an arrow is clicked and followed back by key', small(), async page => {
  const signal = await page.span('signal app/F = 42'), wait = await page.span('wait app/F >= 42');
  const release = await page.run(() => fenceline.scene.view.x(13e6));
  assert.ok(await page.count(await page.colour('mark'), release - 4, wait.y, 9, 18) > 10);
  await page.click(release, wait.y + 12);
  assert.match(await page.text('#details'), /^released app\/F = 42/);
  await page.tab.locator('#details button', {hasText: 'signal app/F = 42'}).click();
  assert.deepEqual(await page.selection(), {kind: 'slice', index: signal.index});
  await page.click(release, wait.y + 12);
  assert.equal((await page.selection()).kind, 'instant');
  await page.keys('[');
  assert.deepEqual(await page.selection(), {kind: 'slice', index: signal.index});
});

pageTest('a wait leads back to the signal that released it', small(), async page => {
  const signal = await page.span('signal app/F = 42'), wait = await page.span('wait app/F >= 42');
  await page.click(wait.x + 20, wait.y + 4);
  assert.match(await page.text('#details'), /released by\s+signal app\/F = 42/);
  await page.keys('[');
  assert.deepEqual(await page.selection(), {kind: 'slice', index: signal.index});
  const blocked = await page.span('wait app/F >= 44');
  await page.click(blocked.x + 300, blocked.y + 4);
  assert.doesNotMatch(await page.text('#details'), /released by/);
  await page.keys('[');
  assert.deepEqual(await page.selection(), {kind: 'slice', index: blocked.index});
});

pageTest('the last label of the ruler stays within the edge', small(), async page => {
  const back = await page.colour('back');
  const inked = async (x, width) => width * 15 - await page.count(back, x, 26, width, 15);
  for (const end of [90.1e6, 90.5e6, 93e6]) {
    await page.view(0, end);
    const [right, last] = await page.run(() => {
      const {view} = fenceline.scene;
      return [view.gutter + view.width, view.x(90e6)];
    });
    assert.ok(await inked(Math.floor(last) - 40, right - Math.floor(last) + 38) > 40, `to ${end}`);
    assert.equal(await inked(right - 2, 2), 0, `to ${end}`);
  }
});

pageTest('an arrow is drawn between pinned and unpinned rows', small(), async page => {
  const arrow = async () => page.count(await page.colour('accent'), 330, 50, 60, 498);
  await page.run(() => fenceline.select({kind: 'slice', index: 0}));
  await page.settle();
  const before = await page.span('signal app/F = 42');
  await page.keys('t');
  const pinned = await page.span('signal app/F = 42');
  assert.ok(pinned.pinned && pinned.y < before.y);
  assert.equal(await page.pixel(pinned.x + 6, pinned.y + 5), await page.colour('signal'));
  const to = await page.span('wait app/F >= 42');
  assert.ok(!to.pinned && await arrow() > 50);
  await page.keys('t');
  assert.equal((await page.span('signal app/F = 42')).y, before.y);
});

pageTest('a click on a name pins the row, which does not scroll', small(), async page => {
  const wait = await page.span('wait app/F >= 43');
  await page.click(60, wait.y + 8);
  const pinned = await page.span('wait app/F >= 43');
  assert.ok(pinned.y < 84);
  await page.resize(1480, 500);
  await page.keys('ArrowDown', 'ArrowDown');
  assert.equal((await page.span('wait app/F >= 43')).y, pinned.y);
  assert.ok(await page.run(() => fenceline.scene.view.scroll) > 0);
});

pageTest('the filter leaves rows that have all words; they can be pinned', small(), async page => {
  await page.tab.locator('#filter').fill('app.o thr');
  await page.settle();
  assert.deepEqual(
      [...new Set((await page.run(() => fenceline.visible())).map(({row}) => row))], ['app.other']);
  await page.tab.getByRole('button', {name: 'Pin these'}).click();
  await page.tab.locator('#filter').fill('');
  await page.settle();
  assert.ok((await page.span('wait app/F >= 43')).pinned);
  assert.ok(!(await page.span('wait app/F >= 42')).pinned);
  await page.tab.getByRole('button', {name: 'Unpin all'}).click();
  assert.ok(!(await page.span('wait app/F >= 43')).pinned);
});

pageTest('search by name and value tells n of m', small(), async page => {
  await page.keys('/');
  await page.tab.keyboard.type('app/F = 43');
  assert.equal(await page.text('#found'), '3 found');
  await page.tab.keyboard.press('Enter');
  await page.tab.keyboard.press('Enter');
  assert.equal(await page.text('#found'), '2 of 3');
  assert.match(await page.text('#details'), /^signal app\/F = 43/);
  await page.tab.keyboard.press('Shift+Enter');
  assert.match(await page.text('#details'), /^wait app\/F >= 43/);
  await page.tab.keyboard.press('Escape');
  assert.equal(await page.text('#found'), '');
});

pageTest('the wheel keeps the time under the pointer', small(), async page => {
  const time = () => page.run(() => fenceline.scene.view.time(800));
  await page.point(800, 300);
  const then = await time();
  for (let i = 0; i < 8; ++i) await page.tab.mouse.wheel(0, -300);
  await page.settle();
  const [t0, t1] = await page.run(() => fenceline.view());
  assert.ok(t1 - t0 < 100 * kUs / 20);
  assert.ok(Math.abs(await time() - then) < (t1 - t0) / 100);
});

pageTest('keys zoom, move, fit, step and zoom to the selection', small(), async page => {
  const span = async () => {
    const [a, b] = await page.run(() => fenceline.view());
    return [a, b - a];
  };
  await page.keys('w', 'd');
  const [begin, lasts] = await span();
  assert.ok(lasts < 62 * kUs && begin > 20 * kUs);
  await page.keys('0');
  assert.deepEqual(await span(), [0, 102 * kUs]);
  await page.keys('.', '.');
  assert.match(await page.text('#details'), /^signal app\/F = 43/);
  await page.keys(',');
  assert.match(await page.text('#details'), /^signal app\/F = 42/);
  await page.keys('f');
  assert.deepEqual(await span(), [9.8 * kUs, 1.4 * kUs]);
  await page.keys('Escape');
  assert.equal(await page.selection(), null);
});

pageTest('drag moves, drag with shift measures', small(), async page => {
  await page.keys('w');
  const [t0] = await page.run(() => fenceline.view());
  await page.drag(700, 500, 600, 500);
  const [moved, end] = await page.run(() => fenceline.view());
  const perPixel = (end - moved) / await page.run(() => fenceline.scene.view.width);
  assert.ok(Math.abs(moved - t0 - 100 * perPixel) < perPixel);
  await page.tab.keyboard.down('Shift');
  await page.drag(500, 450, 700, 450);
  await page.tab.keyboard.up('Shift');
  const range = await page.run(() => fenceline.scene.range);
  assert.ok(Math.abs(range[1] - range[0] - 200 * perPixel) < perPixel);
  assert.notEqual(await page.pixel(600, 480), await page.colour('back'));
  await page.keys('Escape');
  assert.equal(await page.pixel(600, 480), await page.colour('back'));
});

pageTest('the strip shows the whole run and marks the window', small(), async page => {
  const {width} = await page.tab.locator('canvas').boundingBox(), room = width - 190;
  const accent = await page.colour('accent');
  const edges = async () => {
    const columns = [];
    for (let x = 190; x < width; x += 1)
      if (await page.count(accent, x, 6, 1, 12) === 12) columns.push(x);
    return [columns[0] - 190, columns[columns.length - 1] - 190].map(x => x / room);
  };
  await page.view(25 * kUs, 75 * kUs);
  const [left, right] = await edges();
  assert.ok(Math.abs(left - 0.25) < 0.01 && Math.abs(right - 0.75) < 0.01);
  assert.ok(await page.count(await page.colour('soft'), 190, 4, room, 18) > 50);
  assert.ok(await page.count(await page.colour('bad'), 190, 2, room, 20) > 0);
});

pageTest('a drag on the strip moves the window and a press jumps', small(), async page => {
  const {width} = await page.tab.locator('canvas').boundingBox(), room = width - 190;
  const middle = async () => {
    const [t0, t1] = await page.run(() => fenceline.view());
    assert.ok(Math.abs(t1 - t0 - 10 * kUs) < 2);
    return (t0 + t1) / 2 / kUs;
  };
  await page.view(20 * kUs, 30 * kUs);
  await page.drag(190 + room * 0.25, 12, 190 + room * 0.65, 12);
  assert.ok(Math.abs(await middle() - 65) < 0.5);
  await page.click(190 + room * 0.1, 12);
  assert.ok(Math.abs(await middle() - 10) < 0.5);
  await page.drag(190 + room * 0.5, 12, 190 + room * 0.6, 12);
  assert.ok(Math.abs(await middle() - 60) < 0.5);
  assert.equal(await page.selection(), null);
});

pageTest('a chart shows values, and no waiter as a gap', small(), async page => {
  const y = await page.run(() => {
    const {layout, view} = fenceline.scene, lane = layout.laneOfChart(1);
    return view.top(lane) + lane.height / 2;
  });
  const x = time => page.run(t => fenceline.scene.view.x(t), time);
  const accent = await page.colour('accent');
  assert.ok(await page.count(accent, await x(30 * kUs), y - 16, 40, 32) > 30);
  assert.equal(await page.count(accent, await x(80 * kUs), y - 16, 40, 32), 0);
  await page.click(await x(30 * kUs), y);
  assert.match(await page.text('#details'), /^app\/F MonitoredValue = 43/);
  await page.click(await x(80 * kUs), y);
  assert.match(await page.text('#details'), /^app\/F MonitoredValue = no waiter/);
});

pageTest('values of 64 bits are exact', wide(), async page => {
  await page.span('signal app/F = 18446744073709551614');
  await page.span('signal app/F = 9007199254740993');
  await page.run(() => fenceline.select({kind: 'point', counter: 0, index: 1}));
  assert.match(await page.text('#details'), /18446744073709551614/);
  await page.run(() => fenceline.select({kind: 'point', counter: 0, index: 2}));
  assert.match(await page.text('#details'), /CurrentValue = 1\n/);
  await page.run(() => fenceline.select({kind: 'point', counter: 1, index: 0}));
  assert.match(await page.text('#details'), /no waiter/);
  assert.equal(await page.run(() => fenceline.find('F = 9007199254740993')), 1);
});

pageTest(
    'too many arrows are hidden and counted; those of the selection stay', large(60000),
    async page => {
      assert.match(await page.text('#hidden-arrows'), /1.498 arrows hidden/);
      assert.equal(await page.count(await page.colour('accent'), 200, 100, 1200, 300), 0);
      await page.run(() => fenceline.select({kind: 'slice', index: 700}));
      await page.settle();
      assert.ok(await page.count(await page.colour('accent'), 200, 100, 1200, 300) > 5);
    });

test('an address brings back window and selection', async () => {
  const page = await open(small(), {hash: '#t=10000000,20000000&slice=1'});
  assert.deepEqual(await page.run(() => fenceline.view()), [10 * kUs, 20 * kUs]);
  assert.match(await page.text('#details'), /^signal app\/F = 43/);
  await page.keys('Escape', '0');
  await page.tab.waitForFunction(() => location.hash === '#t=0,102000000');
  await page.close();
});

pageTest('hostile names and titles are only text', hostile(), async page => {
  assert.equal(await page.run(() => window.hurt), undefined);
  const title = await page.text('h1');
  for (const text
           of ['</script><script>window.hurt = 1</script>', '{{columns}} {{meta}}', '$& $1 $`']) {
    assert.ok(title.includes(text), text);
  }
  assert.match(await page.tab.title(), /^<\/script>.*\{\{columns\}\}.*<img src=x/);
  assert.equal(await page.tab.locator('img').count(), 0);
  for (let i = 0; i < 12; ++i) await page.keys('.');
  await page.tab.getByRole('tab', {name: 'Scenario'}).click();
  assert.match(await page.text('#scenario'), /<img src=x onerror/);
  assert.equal(await page.run(() => window.hurt), undefined);
});

pageTest('the story comes first on the timeline', explored(), async page => {
  assert.equal(await page.run(() => fenceline.scene.layout.lanes[0].label), 'Counterexample');
});

test('a page opened twice is the same picture', async () => {
  const shots = [];
  for (let i = 0; i < 2; ++i) {
    const page = await open(explored());
    await page.settle();
    shots.push((await page.tab.screenshot()).toString('base64'));
    await page.close();
  }
  assert.equal(shots[0], shots[1]);
});

test('data that does not fit is refused with words', async () => {
  const page = await open({...small(), damage: meta => ({...meta, flows: 1})});
  assert.match(await page.text('[role=alert]'), /^The page cannot be shown: columns: read \d+ of/);
  await page.tab.close();
});
