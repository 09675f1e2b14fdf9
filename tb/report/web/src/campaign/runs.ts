import {command} from '../command';
import {element, facts, heading, panel} from '../dom';
import {controls} from '../sweep/controls';
import {cellText, Column, commandOf, Sweep, SweepMeta} from '../sweep/data';
import type {Choice} from '../sweep/marks';
import {Plot} from '../sweep/plot';
import {grouped} from '../units';

/// Figures of the runs, column by column; null: the run has none.
export interface Runs {
  all: number;        ///< also of those that the page leaves out
  causes: string[];   ///< of failures; the first one is empty
  failure: number[];  ///< of each run, a place in `causes`
  seed: number[];
  time: (number|null)[];  ///< [ps]; steps if the policy of the campaign chooses orders
  events: (number|null)[];
  states?: (number|null)[];
  executions?: (number|null)[];
  features: {name: string; runs: string}[];  ///< a digit 0 or 1 for each run
}

type Cells = (number|null)[];

function columnOf(
    name: string, unit: string, meaning: string, cells: Cells, words?: string[]): Column {
  const code = Float64Array.from(cells, cell => cell ?? NaN);
  return {name, label: name, unit, meaning, words, ranked: words !== undefined, code, place: code};
}

/// The runs as the points of a sweep, each with a seed of its own.
export function sweepOf(runs: Runs, command: string, timed: boolean): Sweep {
  const place = runs.seed.map((_, at) => at), digits = (text: string) => [...text].map(Number);
  const columns = [
    columnOf('seed', 'number', 'seed of the scenario', runs.seed),
    timed ? columnOf('simulated time', 'ps', 'from the begin of the run to its end', runs.time) :
            columnOf('steps', 'count', 'steps of all agents', runs.time),
    columnOf('events', 'count', 'length of the run', runs.events),
    ...runs.states ? [columnOf('states', 'count', 'states of the search', runs.states)] : [],
    ...runs.executions ?
        [columnOf('executions', 'count', 'executions of the search', runs.executions)] :
        [],
    columnOf(
        'verdict', 'word', 'pass, or the cause of the failure', runs.failure,
        ['pass', ...runs.causes.slice(1)]),
    ...runs.features.map(
        ({name, runs: text}) =>
            columnOf(name, 'word', 'the scenario has it', digits(text), ['without', 'with']))
  ];
  const column = (name: string) => columns.find(one => one.name === name)!;
  const first = Uint32Array.from([...place, place.length]);
  const failed = runs.failure.filter(cause => cause).length;
  const meta = {varied: [] as string[], command, rows: place.length, groups: place.length, failed};
  return {
    meta: meta as unknown as SweepMeta,
    columns,
    group: Uint32Array.from(place),
    first,
    settings: place.map(() => ''),
    column
  };
}

function firstChoice({columns}: Sweep): Choice {
  const searched = columns.some(({name}) => name === 'states');
  const [x, y] = searched ? ['events', 'states'] : [columns[1].name, 'events'];
  return {x, y: [y], colour: 'verdict', facet: '', means: false, logX: true, logY: true, front: ''};
}

/// The runs of the campaign as points over chosen axes. A point says what it is.
export class RunsChart {
  readonly panel: HTMLElement;
  readonly plot: Plot;
  private readonly about = element('div', {class: 'about'});
  private readonly sweep: Sweep;

  /// @param again see Campaign::command @param timed the policy is that of the timing
  constructor(runs: Runs, private readonly again: string, timed: boolean) {
    this.sweep = sweepOf(runs, again, timed);
    const choice = firstChoice(this.sweep), legend = element('div');
    this.plot = new Plot(this.sweep, choice);
    this.plot.onPicture = () => {
      legend.replaceChildren(this.plot.paint.legend(this.plot.picture));
      this.plot.onSelect();
    };
    this.plot.onSelect = () => this.tell();
    const shown = runs.seed.length < runs.all ? [element(
                                                    'p', {class: 'notice'},
                                                    `Shown are ${grouped(runs.seed.length)} of ${
                                                        grouped(runs.all)} runs, all that failed ` +
                                                        'among them. runs.csv has all of them.')] :
                                                [];
    this.panel = panel(
        'runs', 'Runs', ...shown, controls(this.sweep, choice, next => this.plot.show(next)),
        legend, element('div', {class: 'chart'}, this.plot.canvas, this.plot.tip), this.about);
    this.plot.onPicture();
  }

  private tell(): void {
    const {current, chosen} = this.plot, {sweep} = this;
    if (!current) {
      const count = chosen.size ? `${grouped(chosen.size)} runs are selected, with the seeds ${
                                          [...chosen]
                                              .slice(0, 20)
                                              .map(row => cellText(sweep.column('seed'), row))
                                              .join(', ')}${chosen.size > 20 ? ' and more' : ''}.` :
                                  '';
      this.about.replaceChildren(element(
          'p', {class: 'facts'},
          `${count} Click a point to see its run and the command that repeats it. `.trim()));
      return;
    }
    const {row} = current, having: string[] = [];
    const list = sweep.columns.flatMap((column): [string, string][] => {
      if (column.words?.[1] !== 'with') return [[column.name, cellText(column, row)]];
      if (column.code[row]) having.push(column.name);
      return [];
    });
    this.about.replaceChildren(
        heading(`Seed ${cellText(sweep.column('seed'), row)}`),
        ...this.again ? [element('h3', {}, 'Repeat it with'), command(commandOf(sweep, row))] : [],
        facts(
            [...list, ['has', having.join(', ') || 'none of the features that tell runs apart']]));
  }
}
