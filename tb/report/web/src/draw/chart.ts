import type {Counter} from '../data';
import type {Lane} from '../layout';
import {isGap, isLargest, kNoWaiter, pointText} from '../pick';
import type {Scene} from '../scene';
import {lowerBound} from '../sorted';
import {size} from '../units';

/// The part of a counter that is seen: points first to last - 1, and the least and greatest of
/// those that have a place on the scale.
interface Part {
  first: number;
  last: number;
  low: number;      ///< index of the point
  top: number;      ///< index of the point
  largest: number;  ///< index of a point with the largest number, which is beyond the scale; or -1
}

export function drawCharts(scene: Scene, c: CanvasRenderingContext2D, lanes: Lane[]): void {
  for (const lane of lanes) {
    const part = seenPart(scene, lane.index);
    if (part) drawChart(scene, c, lane, part);
  }
  c.lineWidth = 1;
}

function seenPart({run, view}: Scene, index: number): Part|null {
  const {time, value} = run.counters[index];
  const first = Math.max(0, lowerBound(time, view.t0, 0, time.length) - 1);
  const last = lowerBound(time, view.t1, first, time.length);
  let low = -1, top = -1, largest = -1;
  for (let i = first; i < last; ++i) {
    if (isGap(run, index, i)) continue;
    if (isLargest(run, index, i)) {
      largest = i;
      continue;
    }
    if (low < 0 || value.near[i] < value.near[low]) low = i;
    if (top < 0 || value.near[i] > value.near[top]) top = i;
  }
  return first < last ? {first, last, low, top, largest} : null;
}

/// The scale is that of what is seen, or a step of one in a hundred would be less than a pixel.
function scaleOf(
    {run}: Scene, lane: Lane, part: Part, foot: number, height: number): (index: number) => number {
  const {near} = run.counters[lane.index].value, {largest} = part;
  const low = near[part.low], range = near[part.top] - low;
  const below = largest < 0 ? height : height / 2;
  return index => isLargest(run, lane.index, index) ? foot - height :
                                                      Math.round(
                                                          foot -
                                                          (range ? (near[index] - low) / range :
                                                               largest < 0 ? 0.5 :
                                                                             0) *
                                                              below);
}

/// A step line. All points of a pixel are one upright stroke from their least to their greatest.
function drawChart(scene: Scene, c: CanvasRenderingContext2D, lane: Lane, part: Part): void {
  const {run, view, theme} = scene, counter = run.counters[lane.index];
  const foot = view.top(lane) + lane.height - 4, height = lane.height - 8;
  const at = scaleOf(scene, lane, part, foot, height);
  c.strokeStyle = theme.plain.accent;
  c.lineWidth = 2;
  c.beginPath();
  let pen: number|null = null;  // height of the line, none in a gap
  for (let i = part.first; i < part.last;) {
    const x = Math.max(view.x(counter.time[i]), view.gutter);
    const next =
        Math.max(i + 1, lowerBound(counter.time, view.time(Math.floor(x) + 1), i + 1, part.last));
    if (pen !== null) c.lineTo(x, pen);
    pen = drawStroke(scene, c, lane.index, i, next, x, pen, at);
    if (pen === null) drawGap(scene, c, lane, counter, next - 1, x);
    i = next;
  }
  if (pen !== null) c.lineTo(view.x(Math.min(view.t1, run.meta.end)), pen);
  c.stroke();
  if (part.low >= 0 || part.largest >= 0) drawScale(scene, c, lane, part);
}

/// Draws points i to next - 1 at x, and returns the height at which the line goes on.
function drawStroke(
    scene: Scene, c: CanvasRenderingContext2D, counter: number, i: number, next: number, x: number,
    pen: number|null, at: (index: number) => number): number|null {
  let low = -Infinity, top = Infinity;
  for (let k = i; k < next; ++k) {
    if (isGap(scene.run, counter, k)) continue;
    low = Math.max(low, at(k));
    top = Math.min(top, at(k));
  }
  if (top <= low) {
    if (pen === null) c.moveTo(x, low);
    c.lineTo(x, low);
    c.lineTo(x, top);
  }
  if (isGap(scene.run, counter, next - 1)) return null;
  const end = at(next - 1);
  c.lineTo(x, end);
  return end;
}

/// Says that nobody waits, if there is room for the words.
function drawGap(
    {run, view, theme}: Scene, c: CanvasRenderingContext2D, lane: Lane, counter: Counter,
    index: number, x: number): void {
  const end = Math.min(view.x(counter.time[index + 1] ?? run.meta.end), view.gutter + view.width);
  const middle = view.top(lane) + lane.height / 2;
  if (end - x < 4) return;
  c.fillStyle = theme.plain.soft;
  c.globalAlpha = 0.5;
  c.fillRect(x, middle + 7, end - x, 2);
  c.globalAlpha = 1;
  if (end - x < 70) return;
  c.fillStyle = theme.plain.soft;
  c.textAlign = 'left';
  c.fillText(kNoWaiter, x + 5, middle - 1);
}

/// The least and greatest value, on a ground of their own: the line must not run through them.
function drawScale(
    {run, view, theme}: Scene, c: CanvasRenderingContext2D, lane: Lane, part: Part): void {
  const {unit} = run.counters[lane.index];
  const textOf = (index: number) => size(pointText(run, lane.index, index), unit);
  const high = part.largest < 0 ? part.top : part.largest;
  const top = textOf(high), low = textOf(part.low < 0 ? high : part.low);
  const right = view.gutter + view.width - 4, y = view.top(lane);
  c.textAlign = 'right';
  const write = (text: string, middle: number) => {
    const {width} = c.measureText(text);
    c.fillStyle = theme.plain.lane;
    c.fillRect(right - width - 3, middle - 6, width + 6, 12);
    c.fillStyle = theme.plain.soft;
    c.fillText(text, right, middle);
  };
  if (top === low)
    write(top, y + lane.height / 2);
  else {
    write(top, y + 8);
    write(low, y + lane.height - 7);
  }
}
