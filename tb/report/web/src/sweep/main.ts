import {element} from '../dom';
import {Tabs} from '../panels/tabs';
import {present} from '../ready';
import {counted, grouped} from '../units';

import {addressOf, choiceOf, controls, firstChoice} from './controls';
import {loadSweep, Sweep} from './data';
import {makePanels, showDetails, showFigures, showTable} from './details';

import type {Choice} from './marks';
import {percentile, showPercentiles} from './percentiles';
import {Plot} from './plot';

function header({meta}: Sweep): HTMLElement {
  const {points, runs, verdicts, failed, rows} = meta, seeds = runs / points;
  const list = Object.entries(verdicts).map(([verdict, count]) => `${grouped(count)} ${verdict}`);
  const made = element(
      'header', {},
      element(
          'span', {class: `badge ${failed ? 'bad' : 'good'}`},
          failed ? `${grouped(failed)} failed` : 'pass'),
      element('h1', {}, `Sweep of ${meta.scenario}`),
      element(
          'div', {class: 'facts'},
          `${counted(points, 'point')}, ${counted(seeds, 'seed')} each: ${list.join(', ')}`));
  if (rows < runs) {
    const text = `This page is thinned: it shows ${grouped(rows)} of ${grouped(runs)} runs. ` +
        'sweep.csv has all of them.';
    made.append(element('div', {class: 'notice'}, text));
  }
  return made;
}

function saveChoice(choice: Choice): void {
  try {
    history.replaceState(null, '', `#${addressOf(choice)}`);
  } catch {
    // Some browsers forbid it for files; the page works without.
  }
}

function build(sweep: Sweep): Plot {
  const plot = new Plot(sweep, choiceOf(sweep, location.hash, firstChoice(sweep)));
  const {details, runs, percentiles, figures} = makePanels(),
                                     marks = element(
                                         'div',
                                         {id: 'legend', role: 'region', 'aria-label': 'Legend'});
  const tabs = new Tabs(
      [
        {title: 'Runs', panel: runs}, {title: 'Percentiles', panel: percentiles},
        {title: 'All figures', panel: figures}
      ],
      'More');
  plot.onSelect = () => {
    showDetails(sweep, plot, details);
    showTable(sweep, plot, runs);
    showPercentiles(sweep, plot, percentiles);
    showFigures(sweep, plot, figures);
  };
  plot.onPicture = () => {
    marks.replaceChildren(plot.paint.legend(plot.picture));
    plot.onSelect();
  };
  plot.onPicture();
  const change = (choice: Choice) => {
    plot.chosen.clear();
    plot.show(choice);
    saveChoice(choice);
  };
  document.getElementById('app')!.replaceChildren(
      header(sweep), controls(sweep, plot.choice, change), marks,
      element(
          'main', {class: 'plot'}, element('div', {id: 'view'}, plot.canvas, plot.tip),
          element('div', {id: 'panels'}, details, tabs.root)));
  return plot;
}

async function start(): Promise<void> {
  const sweep = await loadSweep(), plot = build(sweep);
  await new Promise(done => requestAnimationFrame(() => requestAnimationFrame(done)));
  Object.assign(handle, {
    sweep,
    plot,
    marks: () => plot.picture.marks,
    hit: (x: number, y: number) => plot.hit(x, y),
    at: (index: number) => plot.at(plot.picture.marks[index]),
    percentile
  });
}

const handle: {ready?: Promise<void>} = {};
present(handle, start);
