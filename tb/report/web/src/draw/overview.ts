import type {Run} from '../data';
import {kStrip} from '../layout';
import type {Faults, Scene} from '../scene';

const kRim = 3;   // free above and below the curve
const kGrip = 4;  // least width of the window, so that it can be seen and dragged
const kQuiet = ['idle', 'ready'];

/// Of each part of the whole run: how much happens, 1 for the part with the most, and whether a
/// fault is in it.
interface Parts {
  load: Float64Array;
  fault: Uint8Array;
}

/// The parts of a run, one a pixel. They are summed up once for a width.
export class Overview {
  private parts: Parts = {load: new Float64Array(0), fault: new Uint8Array(0)};

  constructor(private readonly run: Run, private readonly faults: Faults) {}

  of(count: number): Parts {
    if (this.parts.load.length !== count)
      this.parts = {load: loadsOf(this.run, count), fault: this.faultsOf(count)};
    return this.parts;
  }

  private faultsOf(count: number): Uint8Array {
    const {slices, instants, meta} = this.run, fault = new Uint8Array(count);
    const mark = (time: number) => fault[Math.min(count - 1, Math.floor(time / meta.end * count))] =
        1;
    for (const row of this.faults.slices)
      for (const i of row) mark(slices.begin[i]);
    for (const row of this.faults.instants)
      for (const i of row) mark(instants.time[i]);
    return fault;
  }
}

/// The time of all spans in each part, but for sleeping cores and threads that only could run.
function loadsOf({slices, meta}: Run, count: number): Float64Array {
  const part = meta.end / count, load = new Float64Array(count + 1);
  const steps = new Float64Array(count + 2);
  const quiet = meta.colours.map(colour => kQuiet.includes(colour));
  for (let i = 0; i < slices.begin.length; ++i) {
    if (quiet[slices.name[i]]) continue;
    const begin = slices.begin[i] / part, end = slices.end[i] / part;
    const first = Math.min(count, Math.floor(begin)), last = Math.min(count, Math.floor(end));
    // What is whole comes from the steps: a long span costs no more than a short one.
    load[first] += first + 1 - begin;
    load[last] -= last + 1 - end;
    ++steps[first + 1];
    --steps[last + 1];
  }
  let whole = 0, most = 0;
  for (let at = 0; at < count; ++at) {
    whole += steps[at];
    most = Math.max(most, load[at] += whole);
  }
  return load.slice(0, count).map(value => most > 0 ? Math.max(0, value) / most : 0);
}

/// Left and right edge of the window on the strip.
export function windowOf({view, run}: Scene): [number, number] {
  const at = (time: number) =>
      view.gutter + Math.min(Math.max(time / run.meta.end, 0), 1) * view.width;
  const x0 = Math.min(at(view.t0), view.gutter + view.width - kGrip);
  return [x0, Math.max(at(view.t1), x0 + kGrip)];
}

/// The whole run above the ruler, with the window that is shown.
export function drawOverview(scene: Scene, c: CanvasRenderingContext2D): void {
  const {view, theme, overview} = scene, {gutter, width} = view;
  const foot = kStrip - kRim, height = kStrip - 2 * kRim, [x0, x1] = windowOf(scene);
  c.fillStyle = theme.plain.lane;
  c.fillRect(gutter, 1, width, kStrip - 2);
  c.fillStyle = theme.plain.back;
  c.fillRect(x0, 1, x1 - x0, kStrip - 2);
  c.fillStyle = theme.plain.soft;
  const {load, fault} = overview.of(Math.floor(width));
  c.beginPath();
  c.moveTo(gutter, foot);
  load.forEach((share, at) => {
    const top = foot - Math.ceil(share * height);
    c.lineTo(gutter + at, top);
    c.lineTo(gutter + at + 1, top);
  });
  c.lineTo(gutter + load.length, foot);
  c.fill();
  c.beginPath();
  fault.forEach((marked, at) => marked && c.rect(gutter + at - 1, 1, 2, kStrip - 2));
  c.fillStyle = theme.plain.bad;
  c.fill();
  c.strokeStyle = theme.plain.accent;
  c.lineWidth = 2;
  c.strokeRect(x0, 1, x1 - x0, kStrip - 2);
  c.lineWidth = 1;
  c.textAlign = 'left';
  c.fillStyle = theme.plain.soft;
  c.fillText('whole run', 8, kStrip / 2);
}
