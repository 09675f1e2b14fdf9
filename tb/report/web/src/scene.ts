import {Colour, isFault, readTheme} from './colours';
import type {Run} from './data';
import {drawFrame, Frame} from './draw/frame';
import {Overview} from './draw/overview';
import {Flows} from './flows';
import type {Lane} from './layout';
import {Layout} from './layout';
import {Pick, timesOf} from './pick';
import {Places} from './places';
import {Viewport} from './viewport';

/// The timeline: what is shown, what is selected, and its canvas.
export class Scene {
  readonly layout: Layout;
  readonly view: Viewport;
  readonly flows: Flows;
  readonly faults: Faults;
  readonly places: Places;
  readonly overview: Overview;
  theme = readTheme();
  selected: Pick|null = null;
  hovered: Pick|null = null;
  matches: Uint8Array|null = null;      ///< of each slice, if a search is on
  range: [number, number]|null = null;  ///< measured by hand [ps]
  arrowsHidden = 0;                     ///< too many to draw
  readonly afterDraw: (() => void)[] = [];
  readonly overRows: ((c: CanvasRenderingContext2D, rows: Lane[]) => void)[] = [];  ///< drawn last
  private readonly frame: Frame;
  private asked = false;

  /// @param gone aborts when another run takes its place
  constructor(readonly run: Run, readonly canvas: HTMLCanvasElement, gone: AbortSignal) {
    this.layout = new Layout(run);
    this.view = new Viewport(run.meta.end, this.layout);
    this.flows = new Flows(run);
    this.faults = findFaults(run);
    this.places = new Places(run);
    this.overview = new Overview(run, this.faults);
    this.frame = new Frame(canvas);
    new ResizeObserver(() => this.redraw()).observe(canvas);
    matchMedia('(prefers-color-scheme: dark)').addEventListener('change', () => {
      this.theme = readTheme();
      this.redraw();
    }, {signal: gone});
    this.redraw();
  }

  /// Asks for one frame; drawing never runs in a loop.
  redraw(): void {
    if (this.asked) return;
    this.asked = true;
    requestAnimationFrame(() => {
      this.asked = false;
      this.draw();
      for (const act of this.afterDraw) act();
    });
  }
  draw(): void {
    this.view.resize(this.canvas.clientWidth, this.canvas.clientHeight);
    drawFrame(this, this.frame);
  }

  setView(t0: number, t1: number): void {
    this.view.set(t0, t1);
    this.redraw();
  }
  scrollTo(y: number): void {
    this.view.scrollTo(y);
    this.redraw();
  }
  setFilter(text: string): void {
    this.layout.setFilter(text);
    this.placed();
  }
  togglePin(lane: Lane): void {
    this.layout.toggle(lane);
    this.placed();
  }
  pinShown(pin: boolean): void {
    this.layout.pinShown(pin);
    this.placed();
  }
  show(pick: Pick): void {
    const [begin, end] = timesOf(this.run, pick);
    this.view.show(begin, end, this.laneOf(pick));
    this.redraw();
  }

  laneOf(pick: Pick): Lane|undefined {
    if (pick.kind === 'point') return this.layout.laneOfChart(pick.counter);
    return this.layout.laneOfRow(this.rowOf(pick.kind, pick.index));
  }
  rowOf(kind: 'slice'|'instant', index: number): number {
    return (kind === 'slice' ? this.run.slices : this.run.instants).row[index];
  }
  colourOfSlice(index: number): Colour {
    return this.run.meta.colours[this.run.slices.name[index]];
  }
  colourOfInstant(index: number): Colour {
    return this.run.meta.colours[this.run.instants.name[index]];
  }

  private placed(): void {
    this.view.scrollTo(this.view.scroll);
    this.redraw();
  }
}

/// Of each row, the indices of its slices and instants that must never be overlooked.
export interface Faults {
  slices: number[][];
  instants: number[][];
}

function findFaults({meta, slices, instants}: Run): Faults {
  const fault = meta.colours.map(isFault);
  const found: Faults = {slices: meta.rows.map(() => []), instants: meta.rows.map(() => [])};
  for (let i = 0; i < slices.name.length; ++i) {
    if (fault[slices.name[i]] || slices.open[i]) found.slices[slices.row[i]].push(i);
  }
  for (let i = 0; i < instants.name.length; ++i) {
    if (fault[instants.name[i]]) found.instants[instants.row[i]].push(i);
  }
  return found;
}
