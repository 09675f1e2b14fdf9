import {Colour, isFault} from '../colours';
import type {Lane} from '../layout';
import type {Scene} from '../scene';
import {gallop, lowerBound} from '../sorted';

const kBucket = 4;  // events closer than these pixels are drawn as one
const kDenseHeight = 5;
const kHalf = 4;  // half the width of a mark

/// Draws the events of rows: single ones as triangles, dense ones as a strip whose strength tells
/// how many they are, or a row of triangles would become a black band. Faults come last.
export function drawInstants(scene: Scene, c: CanvasRenderingContext2D, lanes: Lane[]): void {
  for (const lane of lanes) drawRow(scene, c, lane);
  for (const lane of lanes) drawFaults(scene, c, lane);
}

function drawRow(scene: Scene, c: CanvasRenderingContext2D, lane: Lane): void {
  const {view, theme} = scene, {instants} = scene.run;
  const last = instants.first[lane.index + 1], foot = view.top(lane) + lane.height - 2;
  let i = lowerBound(instants.time, view.t0, instants.first[lane.index], last);
  while (i < last && instants.time[i] < view.t1) {
    const x = view.x(instants.time[i]);
    const next = gallop(instants.time, view.time(x + kBucket), i + 1, last);
    const colour = scene.colourOfInstant(i);
    if (next > i + 1)
      drawDense(c, x, foot, next - i, theme.plain.ink);
    else if (!isFault(colour))
      drawTriangle(c, x, foot, inkOf(scene, colour));
    i = next;
  }
}

/// Events that have no class of their own stand out best in the colour of the text.
function inkOf({theme}: Scene, colour: Colour): string {
  return colour === 'mark' || colour === 'story' ? theme.of[colour] : theme.plain.ink;
}

function drawTriangle(c: CanvasRenderingContext2D, x: number, foot: number, colour: string): void {
  c.fillStyle = colour;
  c.beginPath();
  c.moveTo(x, foot - 9);
  c.lineTo(x + kHalf, foot);
  c.lineTo(x - kHalf, foot);
  c.fill();
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
