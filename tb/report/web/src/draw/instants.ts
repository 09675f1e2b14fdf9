import {Colour, isFault} from '../colours';
import type {Lane} from '../layout';
import type {Scene} from '../scene';
import {gallop, lowerBound} from '../sorted';

const kBucket = 4;  // pixels with so many events are dense:
const kDense = 4;
const kDenseHeight = 5;
const kHalf = 4;      // half the width of a mark
const kNear = 12;     // pixels: nearer events share a mark, which leaves room between marks
const kLongest = 28;  // pixels between the first and the last event of one mark
const kDigit = 6;     // its width

/// Draws the events of rows: single ones as triangles, near ones as one mark with their number,
/// dense ones as a strip whose strength tells how many they are. Faults come last.
export function drawInstants(scene: Scene, c: CanvasRenderingContext2D, lanes: Lane[]): void {
  const font = c.font;
  c.font = '9px system-ui, "DejaVu Sans", sans-serif';
  for (const lane of lanes) drawRow(scene, c, lane);
  c.font = font;
  for (const lane of lanes) drawFaults(scene, c, lane);
}

function drawRow(scene: Scene, c: CanvasRenderingContext2D, lane: Lane): void {
  const {view, theme} = scene, {time, first} = scene.run.instants;
  const last = first[lane.index + 1], foot = view.top(lane) + lane.height - 2;
  let i = lowerBound(time, view.t0, first[lane.index], last);
  while (i < last && time[i] < view.t1) {
    const x = view.x(time[i]), next = gallop(time, view.time(x + kBucket), i + 1, last);
    if (next - i >= kDense) {
      drawDense(c, x, foot, next - i, theme.plain.ink);
      i = next;
    } else {
      i = drawMark(scene, c, i, last, foot);
    }
  }
}

/// Draws an event and those behind it that are near. Returns the first one that is left.
function drawMark(
    scene: Scene, c: CanvasRenderingContext2D, from: number, last: number, foot: number): number {
  const {view, theme} = scene, {time} = scene.run.instants, x0 = view.x(time[from]);
  let x1 = x0, to = from, count = 0, ink = '';
  for (; to < last; ++to) {
    const x = view.x(time[to]);
    if (x - x1 >= kNear || x - x0 > kLongest) break;
    const dense = to + kDense <= last && view.x(time[to + kDense - 1]) - x < kBucket;
    if (dense && to > from) break;
    x1 = x;
    const colour = scene.colourOfInstant(to);
    if (isFault(colour)) continue;
    const own = inkOf(scene, colour);
    ink = !count || ink === own ? own : theme.plain.ink;
    ++count;
  }
  if (count) drawTriangle(c, x0, x1, foot, ink);
  if (count > 1) drawCount(c, (x0 + x1) / 2, x1 - x0 + 2 * kHalf, foot, count, theme.plain.back);
  return to;
}

/// Events that have no class of their own stand out best in the colour of the text.
function inkOf({theme}: Scene, colour: Colour): string {
  return colour === 'mark' || colour === 'story' ? theme.of[colour] : theme.plain.ink;
}

/// A triangle that is stretched from its first to its last event.
function drawTriangle(
    c: CanvasRenderingContext2D, x0: number, x1: number, foot: number, colour: string): void {
  c.fillStyle = colour;
  c.beginPath();
  c.moveTo(x0, foot - 9);
  c.lineTo(x1, foot - 9);
  c.lineTo(x1 + kHalf, foot);
  c.lineTo(x0 - kHalf, foot);
  c.fill();
}

function drawCount(
    c: CanvasRenderingContext2D, x: number, room: number, foot: number, count: number,
    colour: string): void {
  const text = String(count);
  if (text.length * kDigit > room) return;
  c.fillStyle = colour;
  c.textAlign = 'center';
  c.fillText(text, x, foot - 4);
}

function drawDense(
    c: CanvasRenderingContext2D, x: number, foot: number, count: number, colour: string): void {
  c.globalAlpha = Math.min(0.7, 0.25 + 0.05 * Math.log2(count));
  c.fillStyle = colour;
  c.fillRect(Math.round(x), foot - kDenseHeight, kBucket, kDenseHeight);
  c.globalAlpha = 1;
}

/// A fault is a triangle that stands on its tip: its form tells it too, not only its colour.
function drawFaults(scene: Scene, c: CanvasRenderingContext2D, lane: Lane): void {
  const {view, theme} = scene, {instants} = scene.run, top = view.top(lane) + 2;
  let last = -kHalf;
  for (const i of scene.faults.instants[lane.index]) {
    const time = instants.time[i], x = view.x(time);
    if (time < view.t0 || time > view.t1 || x - last < 3) continue;
    last = x;
    c.fillStyle = theme.plain.bad;
    c.beginPath();
    c.moveTo(x, top + 12);
    c.lineTo(x + kHalf + 1, top);
    c.lineTo(x - kHalf - 1, top);
    c.fill();
    c.fillRect(x - 1.5, top, 3, lane.height - 4);
  }
}
