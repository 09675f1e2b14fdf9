import {kRuler, kStrip} from '../layout';
import type {Scene} from '../scene';
import {clock, duration} from '../units';

const kMiddle = (kStrip + kRuler) / 2;

/// Distance of the grid's lines, a round number of picoseconds.
function stepOf({view}: Scene): number {
  const raw = view.span / Math.max(2, view.width / 120), power = 10 ** Math.floor(Math.log10(raw));
  return Math.max(1, [1, 2, 5, 10].map(k => k * power).find(step => step >= raw)!);
}

function eachLine(scene: Scene, visit: (time: number, x: number) => void): void {
  const {view} = scene, step = stepOf(scene);
  for (let time = Math.ceil(view.t0 / step) * step; time < view.t1; time += step) {
    visit(time, Math.round(view.x(time)) + 0.5);
  }
}

export function drawGrid(
    scene: Scene, c: CanvasRenderingContext2D, top: number, bottom: number): void {
  c.strokeStyle = scene.theme.plain.line;
  c.beginPath();
  eachLine(scene, (_, x) => {
    c.moveTo(x, top);
    c.lineTo(x, bottom);
  });
  c.stroke();
}

/// The times. Deep in a long run they have many digits: then the left edge shows the time of the
/// first line once, and each line how much later it is. The last one stays within the edge.
export function drawRuler(scene: Scene, c: CanvasRenderingContext2D): void {
  const {view, theme} = scene, step = stepOf(scene);
  c.fillStyle = theme.plain.back;
  c.fillRect(0, 0, view.gutter + view.width, kRuler);
  c.fillStyle = theme.plain.soft;
  c.textAlign = 'left';
  const base = Math.ceil(view.t0 / step) * step, deep = base > 2000 * step;
  if (deep) c.fillText(`${clock(base, step, base)} +`, 8, kMiddle);
  drawGrid(scene, c, kRuler - 6, kRuler);
  const edge = view.gutter + view.width - 2;
  let free = 0;  // right of the last label
  eachLine(scene, (time, x) => {
    if (x < view.gutter) return;
    const text = deep ? `+${duration(time - base)}` : clock(time, step, view.t1);
    const width = c.measureText(text).width, left = Math.min(x + 4, edge - width);
    if (left < free) return;
    c.fillText(text, left, kMiddle);
    free = left + width + 4;
  });
}
