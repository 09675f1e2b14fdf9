// The page of a search: its verdict, a counterexample at a time, and what was searched. Run by node
// --test.
import assert from 'node:assert/strict';
import {readFileSync} from 'node:fs';

import {pages} from './test/browser.mjs';
import {explored, givenUp, hostileSearch, proved} from './test/models.mjs';

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
  assert.match(text, /The meaning of PROVED\./);
  assert.match(text, /waiters\s+\u2264\s2\s+waits\s+steps\s+all\s+size of the steps/);
  assert.match(text, /states at choices\s+283\s/);
  assert.match(text, /longest run\s+64 steps/);
  // Ends that no execution has are not shown.
  assert.match(
      text,
      /569 executions\s[^]*34\s+the run came to its end\s+319\s+reached a new choice\s+216\s+every next step was taken before$/);
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

pageTest('a counterexample has its causes and cures', explored(), async page => {
  const text = await page.text('#story');
  assert.match(text, /^I01 no lost waiter\s+waits since step 4/);
  assert.doesNotMatch(text, /4 ps/);
  assert.match(text, /What lets it happen\s+gpu\.signal_barrier=off: no order/);
  assert.match(text, /Would be prevented by\s+gpu\.signal_barrier=before_raise: nothing overtakes/);
  // The cause is read first.
  assert.ok(text.indexOf('What lets it happen') < text.indexOf('Story'));
  await tab(page, 'Invariants');
  assert.match(await page.text('#invariants'), /I01\s[^\n]*broken/);
});

pageTest('the holds of a counterexample are said by its steps', explored(), async page => {
  const text = await page.text('#story');
  assert.match(text, /Needed as well\s+step 1: engine: Curr[^\n]* comes before step 3: engine: C/);
  assert.match(text, /as a hold: engine issue #1 waits until cmp drain #1/);
  assert.match(
      text,
      /1\s+engine\s+before step 3\s+Curr[^]*3\s+engine\s+decided: after step 2\s+after step 1\s+Curr/);
  await page.tab.locator('#story').getByRole('button', {name: 'step 3'}).first().click();
  await page.settle();
  assert.match(await page.text('#details'), /^3 CurrentValue 42 enters the FIFO/);
  assert.match(await page.text('#story tr[aria-current]'), /^3\s/);
});

pageTest('the two steps whose order decides a violation come first', explored(), async page => {
  const text = await page.text('#story');
  assert.match(
      text,
      /The order that decides it\s+step 2: engine: the shadow is read comes before step 3: [^]*From step 2 on, every order breaks the rule\.\s+Needed as well\s+step 1/);
  assert.match(text, /2\s+engine\s+decides it: before step 3\s+the shadow is read/);
});

const kTwoLines = explored();
{
  const {story} = kTwoLines.exploration.violations[0];
  const at = story.findIndex(({step}) => step === 2);
  story.splice(at + 1, 0, {...story[at], text: 'nobody is parked', decides: true});
}

pageTest('of the lines of a step, the one that decides is named', kTwoLines, async page => {
  assert.match(
      await page.text('#story'),
      /The order that decides it\s+step 2: engine: nobody is parked comes before step 3/);
});

const kTwoCures = explored();
Object.assign(kTwoCures.exploration.violations[0], {
  prevented_by: ['gpu.signal_barrier=before_raise', 'os.resample=after_ddi'],
  prevented_by_meanings: ['nothing overtakes', 'the OS looks again']
});

pageTest('of several cures, each alone is enough', kTwoCures, async page => {
  assert.match(
      await page.text('#story'),
      /Each of these alone would prevent it\s+gpu\.signal_barrier[^]*os\.resample=after_ddi/);
});

const kNoRace = explored();
delete kNoRace.exploration.violations[0].decided_by;

pageTest('a violation without a race names the step that decides it', kNoRace, async page => {
  const text = await page.text('#story');
  assert.match(
      text, /The step that decides it\s+step 2: engine: the shadow is read\s+From step 2 on/);
  assert.match(text, /It happens in these orders\s+step 1/);
  assert.match(text, /2\s+engine\s+decides it\s+the shadow is read/);
});

pageTest('a page without a timeline shows its scenario', proved(), async page => {
  await tab(page, 'Scenario');
  assert.match(
      await page.text('#scenario'),
      /^small\.json: 3 lines\s+This page has no timeline[^]*"name": "small"/);
});

pageTest('a counterexample without a timeline shows its scenario', explored(), async page => {
  await violation(page, 'I07 data');
  await tab(page, 'Scenario');
  assert.match(await page.text('#scenario'), /"name": "small"/);
});

pageTest('a story says what it leaves out', explored(), async page => {
  const text = await page.text('#story');
  assert.match(text, /the shadow is read\s+12 steps of cmp, T0 omitted\s+3\s/);
  assert.match(text, /2 steps of T0 omitted\s+end\s+T0 has not ended/);
});

pageTest('a click and Enter show the steps that a story leaves out', explored(), async page => {
  const opener = page.tab.getByRole('button', {name: '2 steps of T0 omitted'});
  await opener.click();
  assert.match(
      await page.text('#story'),
      /2 steps of T0 omitted\s+4\s+T0\s+T0 takes a lock\s+5\s+T0\s+T0 parks\s+end\s/);
  assert.equal(await opener.getAttribute('aria-expanded'), 'true');
  await opener.press('Enter');
  assert.doesNotMatch(await page.text('#story'), /takes a lock/);
  assert.equal(await opener.getAttribute('aria-expanded'), 'false');
  // Steps without a text are only counted.
  assert.equal(await page.tab.getByRole('button', {name: '12 steps of cmp'}).count(), 0);
});

const kDecided = explored();
kDecided.exploration.violations[0].holds.push({
  hold: {agent: 'engine', op: 'read_shadow', nth: 1},
  until: {agent: 'cmp', op: 'drain', nth: 2},
  steps: {first: 2, second: 3}
});

pageTest('the order that decides a violation comes first', kDecided, async page => {
  assert.match(
      await page.text('#story'),
      /The order that decides it\s+step 2:[^]*as a hold: engine read_shadow #1[^]*Needed as well\s+step 1:[^]*Story/);
  assert.equal((await page.text('#story')).match(/as a hold/g).length, 2);
});

const kHang = explored();
kHang.exploration.violations[1] = {
  ...kHang.exploration.violations[1],
  invariant: 'HANG',
  name: 'HANG'
};

pageTest('a hang has one name and is told from broken invariants', kHang, async page => {
  await violation(page, 'HANG');
  assert.match(await page.text('#story'), /^HANG\s+a value is torn/);
  await tab(page, 'Invariants');
  assert.match(await page.text('#invariants'), /HANG: found without breaking an invariant/);
});

const kUnmarked = explored();
kUnmarked.exploration.violations[0].story[1].text = 'puts its write into the FIFO';

pageTest('a step without a mark leaves no other step selected', kUnmarked, async page => {
  await page.keys('n', 'n');
  assert.match(
      await page.text('#details'),
      /^puts its write into the FIFO\s+This step has no mark on the timeline/);
});

pageTest('the counts of a counterexample stand on the search tab', explored(), async page => {
  assert.match(
      await page.text('#search-facts'),
      /Counterexamples[^]*I01 no lost waiter\s+8\s+12\s+30\s+I07 data\s+0/);
  assert.doesNotMatch(await page.text('#story'), /replays|30/);
});

pageTest(
    'the story steps on the timeline, also to a text that comes twice', explored(), async page => {
      await page.keys('n', 'n', 'n');
      assert.match(await page.text('#details'), /^3 CurrentValue 42 enters the FIFO/);
      await page.keys('p', 'p');
      assert.match(await page.text('#details'), /^1 CurrentValue 42 enters the FIFO/);
    });

pageTest('the timeline follows the steps, and a click leads to one', explored(), async page => {
  await page.view(0, 25e6);
  await page.keys('n', 'n');
  assert.match(
      await page.text('tr[aria-current=step]'),
      /2\s+engine\s+decides it: before step 3\s+the shadow/);
  assert.match(await page.text('#details'), /^2 the shadow is read/);
  const [t0, t1] = await page.run(() => fenceline.view());
  assert.ok(t0 < 40e6 && 40e6 < t1);
  await page.tab.locator('#story').getByRole('button', {name: 'enters the FIFO'}).first().click();
  assert.match(await page.text('#details'), /^1 CurrentValue 42 enters the FIFO/);
  await page.keys('?');
  assert.match(await page.text('#help'), /n\s+next step of the story\s+p\s+previous step/);
});

const kAlike = explored();
kAlike.exploration.violations[1] = {
  ...kAlike.exploration.violations[1],
  invariant: 'I01',
  name: 'no lost waiter'
};
pageTest('findings with one title have numbers', kAlike, async page => {
  assert.deepEqual(
      await page.tab.locator('.chooser button').allInnerTexts(),
      ['I01 no lost waiter (1 of 2)', 'I01 no lost waiter (2 of 2)']);
  assert.match(
      await page.text('#search-facts'), /I01 no lost waiter \(1 of 2\)\s+8\s[^]*\(2 of 2\)\s+0/);
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
  assert.match(await page.text('#story'), /The timeline\s+It shows another run/);
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

const kTabs = ['Search', 'Freedoms', 'Invariants', 'Races', 'Configuration', 'Scenario'];

for (const width of [1480, 390])
  pageTest(`hostile names of a search are only text: ${width}`, hostileSearch(), async page => {
    for (const title of kTabs) {
      await tab(page, title);
      const {scroll, wide} =
          await page.run(() => ({scroll: document.documentElement.scrollWidth, wide: innerWidth}));
      assert.ok(scroll <= wide, `${title} is ${scroll} wide`);
    }
    assert.equal(await page.run(() => window.hurt), undefined);
    assert.equal(await page.tab.locator('#app img, #app script, #app b').count(), 0);
    const story = await page.text('#story');
    assert.match(story, /<img src=x onerror="window\.hurt = 1">/);
    assert.match(story, /\$& \{\{meta\}\}/);
    // Text from right to left does not turn its neighbours round.
    const bidi =
        await page.run(() => getComputedStyle(document.querySelector('#story td')).unicodeBidi);
    assert.equal(bidi, 'isolate');
  }, {viewport: {width, height: 900}});

pageTest('what decides a violation is seen beside its timeline', explored(), async page => {
  assert.ok(await page.tab.locator('#view').isVisible());
  const heading = page.tab.locator('#story h3', {hasText: 'decides it'}).first();
  const {y, height} = await heading.boundingBox();
  assert.ok(y + height < 1000, `it ends at ${y + height}`);
}, {viewport: {width: 1400, height: 1000}});

pageTest('the keyboard reaches violations, steps and tabs of a search', explored(), async page => {
  await page.tab.locator('.chooser button').nth(1).focus();
  await page.tab.keyboard.press('Enter');
  assert.match(await page.text('#story'), /^I07 data/);
  await page.tab.locator('.chooser button').first().focus();
  await page.tab.keyboard.press('Enter');
  await page.tab.locator('#story').getByRole('button', {name: 'step 2'}).first().focus();
  await page.tab.keyboard.press('Enter');
  assert.match(await page.text('#story tr[aria-current]'), /^2\s/);
  await page.tab.getByRole('tab', {name: 'Search'}).focus();
  await page.tab.keyboard.press('ArrowRight');
  assert.ok(await page.tab.locator('#freedoms').isVisible());
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
