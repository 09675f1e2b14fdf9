import type {Lane} from '../layout';
import {sliceTitle} from '../pick';
import type {Scene} from '../scene';
import {gallop, lowerBound} from '../sorted';
import type {Frame} from './frame';

const kNarrow = 2;     // a narrower span is drawn by its share of a pixel
const kLetter = 6.2;   // width of one; text of wider ones is squeezed
const kTextFrom = 34;  // a narrower span has no text
const kFaultWidth = 3;
const kDimmed = 0.15;

/// Draws the spans of rows: wide ones as bars, narrow ones as columns whose strength is the share
/// of the time that they take. Faults come last, so that no other span hides them.
export function drawSlices(scene: Scene, frame: Frame, lanes: Lane[]): void {
  const {view} = scene, c = frame.context;
  frame.clearStrip(Math.max(1, Math.ceil(view.width)), Math.max(1, lanes.length));
  lanes.forEach((lane, line) => drawRow(scene, frame, lane, line));
  frame.putStrip();
  c.imageSmoothingEnabled = false;
  lanes.forEach((lane, line) => {
    c.drawImage(
        frame.scratch, 0, line, frame.across, 1, view.gutter, view.top(lane) + 2, frame.across,
        lane.height - 4);
  });
  for (const lane of lanes) drawFaults(scene, c, lane);
}

function drawRow(scene: Scene, frame: Frame, lane: Lane, line: number): void {
  const {view} = scene, {slices} = scene.run;
  const last = slices.first[lane.index + 1];
  // Ends rise within a row, since its spans do not overlap.
  let i = lowerBound(slices.end, view.t0, slices.first[lane.index], last);
  while (i < last && slices.begin[i] < view.t1) {
    const x0 = Math.max(view.x(slices.begin[i]), view.gutter - kNarrow);
    const x1 = Math.min(view.x(slices.end[i]), view.gutter + view.width + kNarrow);
    if (x1 - x0 >= kNarrow) {
      drawBar(scene, frame.context, lane, i, x0, x1);
      ++i;
    } else {
      i = drawColumn(scene, frame, line, i, Math.floor(x0), last);
    }
  }
  frame.context.globalAlpha = 1;
}

function drawBar(
    scene: Scene, c: CanvasRenderingContext2D, lane: Lane, index: number, x0: number,
    x1: number): void {
  const {view, theme} = scene, colour = scene.colourOfSlice(index), y = view.top(lane) + 2;
  c.globalAlpha = scene.matches && !scene.matches[index] ? kDimmed : 1;
  c.fillStyle = theme.of[colour];
  c.fillRect(x0, y, x1 - x0, lane.height - 4);
  if (x1 - x0 < kTextFrom) return;
  const text = sliceTitle(scene.run, index);
  const left = Math.max(x0, view.gutter) + 3, space = x1 - left - 3;
  const room = Math.floor(space / kLetter);
  if (room < 3) return;
  c.fillStyle = theme.ink[colour];
  c.textAlign = 'left';
  c.fillText(
      text.length > room ? `${text.slice(0, room - 1)}\u2026` : text, left, y + lane.height / 2 - 2,
      space);
}

/// One column stands for all narrow spans that begin in its pixel. Returns the first span behind
/// them. Only the last span that begins in a pixel can be wide, since those of a row do not
/// overlap.
function drawColumn(
    scene: Scene, frame: Frame, line: number, index: number, x: number, last: number): number {
  const {view, matches} = scene, {slices} = scene.run;
  let next = gallop(slices.begin, view.time(x + 1), index + 1, last);
  const wide = view.x(slices.end[next - 1]) - view.x(slices.begin[next - 1]) >= kNarrow;
  if (wide && next - 1 > index) --next;
  const share = Math.min(1, (slices.busy[next] - slices.busy[index]) / (view.span / view.width));
  let found = !matches;
  for (let i = index; matches && i < next && !found; ++i) found = matches[i] !== 0;
  const column = x - view.gutter;
  if (column >= 0 && column < frame.across) {
    const opacity = Math.round((found ? 0.25 + 0.75 * share : 0.08) * 255);
    const pixel = scene.theme.pixel[scene.colourOfSlice(index)];
    frame.pixels[line * frame.across + column] = (pixel | opacity << 24) >>> 0;
  }
  return next;
}

function drawFaults(scene: Scene, c: CanvasRenderingContext2D, lane: Lane): void {
  const {view, theme} = scene, {slices} = scene.run;
  const y = view.top(lane) + 2, height = lane.height - 4;
  let behind = -kFaultWidth;  // right edge of the last one drawn
  for (const i of scene.faults.slices[lane.index]) {
    if (slices.end[i] < view.t0 || slices.begin[i] > view.t1) continue;
    const x0 = Math.max(view.x(slices.begin[i]), view.gutter - kNarrow);
    const x1 = Math.min(view.x(slices.end[i]), view.gutter + view.width);
    if (slices.open[i]) {
      c.fillStyle = theme.plain.bad;
      c.fillRect(x1 - kFaultWidth, y, kFaultWidth, height);
    } else if (x1 - x0 < kFaultWidth && x0 - behind >= 0) {
      c.fillStyle = theme.of[scene.colourOfSlice(i)];
      behind = Math.floor(x0) - 1 + kFaultWidth;
      c.fillRect(behind - kFaultWidth, y, kFaultWidth, height);
    }
  }
}
