// Measures pages: node test/measure.mjs [REPORT.html ...], from tb/report/web. Without a file it
// measures a page of a million spans at random times, which it makes. Prints for each its size, the
// time from the navigation until it is ready, and the frames of a second while it zooms from the
// whole run to a hundred-thousandth of it and back.
import {mkdtempSync, readFileSync, rmSync, statSync, writeFileSync} from 'node:fs';
import {tmpdir} from 'node:os';
import {join} from 'node:path';
import {pathToFileURL} from 'node:url';

import {startChromium} from './browser.mjs';
import {page as pageOf} from './encode.mjs';
import {large} from './models.mjs';

const kFrames = 180;

/// Runs in the page: [frames a second, longest frame in ms].
async function zoom(frames) {
  const next = () => new Promise(requestAnimationFrame);
  const end = fenceline.meta.end, times = [await next()];
  for (let i = 1; i <= frames; ++i) {
    const depth = 1 - Math.abs(2 * i / frames - 1), span = end / 10 ** (5 * depth);
    fenceline.setView((end - span) / 3, (end - span) / 3 + span);
    times.push(await next());
  }
  const lasts = times.slice(1).map((time, i) => time - times[i]);
  return [1000 * frames / (times[frames] - times[0]), Math.max(...lasts)];
}

/// Runs in the page. The browser reports the first paint some time after it.
function firstPaint() {
  return new Promise(done => new PerformanceObserver(list => {
                               const [paint] = list.getEntriesByName('first-contentful-paint');
                               if (paint) done(paint.startTime);
                             }).observe({type: 'paint', buffered: true}));
}

async function measure(browser, file) {
  const tab = await browser.newPage({viewport: {width: 1480, height: 900}});
  await tab.goto(pathToFileURL(file).href);
  await tab.evaluate(() => fenceline.ready);
  const ready = await tab.evaluate(() => fenceline.times.ready);
  const painted = await tab.evaluate(firstPaint);
  const [rate, worst] = await tab.evaluate(zoom, kFrames);
  await tab.close();
  return {bytes: statSync(file).size, ready, painted, rate, worst};
}

const folder = mkdtempSync(join(tmpdir(), 'fenceline-measure-'));
const browser = await startChromium();
try {
  const files = process.argv.slice(2);
  if (!files.length) {
    const shell = process.env.FENCELINE_PAGE_SHELL ??
        new URL('../../../../build/release/generated/run_page.html', import.meta.url);
    files.push(join(folder, 'million.html'));
    writeFileSync(files[0], pageOf(readFileSync(shell, 'utf8'), large(1e6)));
  }
  for (const file of files) {
    const {bytes, ready, painted, rate, worst} = await measure(browser, file);
    console.log(`${file}: ${bytes} bytes, ready after ${ready.toFixed(0)} ms, first paint ${
        painted.toFixed(0)} ms, ${rate.toFixed(0)} frames/s, longest ${worst.toFixed(0)} ms`);
  }
} finally {
  await browser.close();
  rmSync(folder, {recursive: true});
}
