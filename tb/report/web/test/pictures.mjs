// Makes the pictures of docs/how_to/report.md: node test/pictures.mjs, from tb/report/web, with the
// program in FENCELINE (default: build/release/bin/fenceline). It searches the litmus test that
// loses a waiter, opens the page, clicks as the reader does, and keeps what is seen after some of
// them.
import {execFileSync} from 'node:child_process';
import {mkdtempSync, rmSync} from 'node:fs';
import {tmpdir} from 'node:os';
import {join} from 'node:path';
import {fileURLToPath, pathToFileURL} from 'node:url';

import {startChromium} from './browser.mjs';

const root = fileURLToPath(new URL('../../../../', import.meta.url));
const program = process.env.FENCELINE ?? join(root, 'build/release/bin/fenceline');
const folder = mkdtempSync(join(tmpdir(), 'fenceline-pictures-')), out = join(folder, 'lost');
execFileSync(
    program, ['explore', 'scenarios/litmus/P02_sb_no_cmp_barrier.json', '--out', out],
    {cwd: root, stdio: 'ignore'});

const step = (tab, text) => tab.locator('#story button', {hasText: text}).first().click();
const clicks = {
  waits: tab => step(tab, 'waits for F to reach 1'),
  asked: tab => step(tab, 'reads the shadow'),
  late: tab => step(tab, 'the shadow MonitoredValue of F in gpu0 is 0'),
  signal: async tab => {
    const {x, y} = await tab.evaluate(
        () => fenceline.visible(1e6).find(({name}) => name.startsWith('signal F')));
    const box = await tab.locator('canvas').boundingBox();
    await tab.mouse.click(box.x + x + 3, box.y + y + 5);
  },
  cause: tab => tab.locator('#details button', {hasText: 'of the scenario'}).click(),
};

const browser = await startChromium();
try {
  const tab = await browser.newPage({viewport: {width: 1200, height: 800}});
  await tab.goto(pathToFileURL(join(out, 'report.html')).href);
  await tab.evaluate(() => fenceline.ready);
  const shoot = name => tab.screenshot({path: join(root, `docs/pictures/report_${name}.png`)});
  const kept = ['asked', 'late', 'cause'];
  await shoot('verdict');
  for (const [name, click] of Object.entries(clicks)) {
    await click(tab);
    await tab.evaluate(
        () => new Promise(done => requestAnimationFrame(() => requestAnimationFrame(done))));
    if (kept.includes(name)) await shoot(name);
  }
} finally {
  await browser.close();
  rmSync(folder, {recursive: true});
}
