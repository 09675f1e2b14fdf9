// The colours of the page: they differ for colour-blind readers, and text on them can be read.
import assert from 'node:assert/strict';
import {test} from 'node:test';

import {pages} from './test/browser.mjs';
import {contrast, distance} from './test/colours.mjs';
import {small} from './test/models.mjs';

const kLeast = 20;  // CIE76; two colours side by side are told apart from about 2.3 on
const kReadable = 4.5;
const {pageTest} = pages();

test('the distance of colours is that of the reader who sees it least', () => {
  assert.equal(Math.round(distance('#ffffff', '#000000')), 100);
  assert.ok(distance('#d01010', '#6a6a10') < 15);  // red and olive, 78 apart for most
});

for (const colorScheme of ['light', 'dark']) {
  pageTest(`colours of one row differ for every reader, ${colorScheme}`, small(), async page => {
    const {together, theme} =
        await page.run(() => ({together: fenceline.together, theme: fenceline.scene.theme}));
    for (const row of together) {
      for (const one of row) {
        for (const other of row.filter(name => name > one)) {
          const apart = distance(theme.of[one], theme.of[other]);
          assert.ok(apart >= kLeast, `${one} and ${other}: ${apart.toFixed(1)}`);
        }
      }
    }
  }, {colorScheme});

  pageTest(`each colour differs from an empty row, ${colorScheme}`, small(), async page => {
    const theme = await page.run(() => fenceline.scene.theme);
    for (const [name, colour] of Object.entries(theme.of)) {
      const apart = distance(colour, theme.plain.lane);
      assert.ok(apart >= kLeast, `${name}: ${apart.toFixed(1)}`);
    }
  }, {colorScheme});

  pageTest(`names on spans can be read, ${colorScheme}`, small(), async page => {
    const {of, ink} = await page.run(() => fenceline.scene.theme);
    for (const [name, colour] of Object.entries(of)) {
      const found = contrast(colour, ink[name]);
      assert.ok(found >= kReadable, `${name}: ${found.toFixed(2)}`);
    }
  }, {colorScheme});
}
