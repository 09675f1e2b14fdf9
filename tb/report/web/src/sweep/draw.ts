import {Field, Fields, kFoot, kHead, kLeft} from './fields';
import type {Mark, Picture} from './marks';
import {Paint, shapeOf} from './paint';
import type {Tick} from './scale';

const kFont = '11px system-ui, "DejaVu Sans", sans-serif';

export interface Shown {
  picture: Picture;
  fields: Fields;
  paint: Paint;
  chosen: Set<number>;  ///< runs
  current: Mark|null;
  hovered: Mark|null;
  drag: [number, number, number, number]|null;
}

interface Inks {
  back: string;
  ink: string;
  soft: string;
  line: string;
  lane: string;
  front: string;
  accent: string;
}

function readInks(): Inks {
  const style = getComputedStyle(document.documentElement);
  const read = (name: string) => style.getPropertyValue(`--${name}`).trim();
  return {
    back: read('back'),
    ink: read('ink'),
    soft: read('soft'),
    line: read('line'),
    lane: read('lane'),
    front: read('front'),
    accent: read('accent')
  };
}

/// Makes the canvas fit, one pixel of the screen for each of its own, and draws.
export function drawPlot(canvas: HTMLCanvasElement, shown: Shown): void {
  const scale = devicePixelRatio || 1, width = canvas.clientWidth, height = canvas.clientHeight;
  canvas.width = Math.round(width * scale);
  canvas.height = Math.round(height * scale);
  const c = canvas.getContext('2d', {alpha: false})!, inks = readInks();
  c.setTransform(scale, 0, 0, scale, 0, 0);
  c.fillStyle = inks.back;
  c.fillRect(0, 0, width, height);
  c.font = kFont;
  shown.fields.list.forEach((field, at) => drawField(c, shown, inks, field, at));
  const radius = shown.picture.marks.length > 3000 ? 2 : 4;
  drawFronts(c, shown, inks);
  for (const mark of shown.picture.marks) drawMark(c, shown, inks, mark, radius);
  for (const mark of [shown.current, shown.hovered])
    if (mark) drawRing(c, shown, inks, mark);
  if (shown.drag) drawDrag(c, shown.drag, inks);
}

function drawField(
    c: CanvasRenderingContext2D, {picture}: Shown, inks: Inks, field: Field, at: number): void {
  const {x, y, width, height} = field, {scaleX, scaleY, across, up, choice, facets} = picture;
  c.fillStyle = inks.lane;
  c.fillRect(x, y, width, height);
  c.strokeStyle = inks.line;
  c.fillStyle = inks.soft;
  c.textBaseline = 'middle';
  c.textAlign = 'right';
  for (const {at: share, text} of scaleY.ticks(Math.max(2, height / 40))) {
    const middle = y + (1 - share) * height;
    line(c, x, middle, x + width, middle);
    c.fillText(clipped(c, text, kLeft - 10), x - 6, middle);
  }
  c.textAlign = 'center';
  c.textBaseline = 'top';
  for (const {at: share, text} of fitting(c, scaleX.ticks(Math.max(2, width / 80)), width)) {
    line(c, x + share * width, y, x + share * width, y + height);
    c.fillText(clipped(c, text, 120), x + share * width, y + height + 5);
  }
  c.fillStyle = inks.ink;
  c.fillText(
      clipped(c, titleOf(across.label, scaleX.log), width), x + width / 2, y + height + kFoot - 16);
  const figure = titleOf(choice.y.length > 1 ? shared(choice.y) : up[0].label, scaleY.log);
  const above = facets[at] ? `${figure}, ${facets[at]}` : figure;
  c.textAlign = 'left';
  c.fillText(clipped(c, above, width + kLeft - 12), x - kLeft + 8, y - kHead + 6);
}

/// Ticks whose texts do not run into each other.
function fitting(c: CanvasRenderingContext2D, ticks: Tick[], width: number): Tick[] {
  let end = -Infinity;
  return ticks.filter(({at, text}) => {
    const half = Math.min(120, c.measureText(text).width) / 2 + 4;
    if (at * width - half < end) return false;
    end = at * width + half;
    return true;
  });
}

function titleOf(name: string, log: boolean): string {
  return log ? `${name} (logarithmic)` : name;
}

/// What the names of percentiles have in common: "gpu_wait.p50" and "gpu_wait.max" are "gpu_wait".
function shared(names: string[]): string {
  return names[0].slice(0, names[0].lastIndexOf('.'));
}

/// A pointer differs from others at its end: the begin is what can be left out.
function clipped(c: CanvasRenderingContext2D, text: string, room: number): string {
  if (c.measureText(text).width <= room) return text;
  let from = 1;
  while (from < text.length && c.measureText(`\u2026${text.slice(from)}`).width > room) ++from;
  return `\u2026${text.slice(from)}`;
}

function drawMark(
    c: CanvasRenderingContext2D, shown: Shown, inks: Inks, mark: Mark, radius: number): void {
  const {fields, paint, chosen} = shown, [x, y] = fields.at(mark), colour = paint.colour(mark);
  c.strokeStyle = c.fillStyle = colour;
  c.globalAlpha = chosen.size && !chosen.has(mark.row) ? 0.25 : 1;
  drawInterval(c, fields, mark, x, y);
  if (mark.failed) {
    c.lineWidth = 2;
    line(c, x - radius, y - radius, x + radius, y + radius);
    line(c, x - radius, y + radius, x + radius, y - radius);
    c.lineWidth = 1;
  } else {
    outline(c, shapeOf(mark.series), x, y, radius);
    c.fill();
    c.strokeStyle = inks.back;
    c.lineWidth = 0.5;
    if (radius > 2) c.stroke();
    c.lineWidth = 1;
  }
  c.globalAlpha = 1;
}

function outline(
    c: CanvasRenderingContext2D, shape: string, x: number, y: number, radius: number): void {
  c.beginPath();
  if (shape === 'circle') c.arc(x, y, radius, 0, 7);
  if (shape === 'square') c.rect(x - radius, y - radius, 2 * radius, 2 * radius);
  if (shape !== 'triangle') return;
  c.moveTo(x, y - radius);
  c.lineTo(x + radius, y + radius);
  c.lineTo(x - radius, y + radius);
  c.closePath();
}

function drawInterval(
    c: CanvasRenderingContext2D, fields: Fields, mark: Mark, x: number, y: number): void {
  const {facet, halfX, halfY} = mark;
  if (halfY > 0) {
    const ends = [-halfY, halfY].map(half => fields.place(facet, mark.x, mark.y + half)[1]);
    if (ends.every(Number.isFinite)) whisker(c, [x, ends[0]], [x, ends[1]], 3, 0);
  }
  if (halfX > 0) {
    const ends = [-halfX, halfX].map(half => fields.place(facet, mark.x + half, mark.y)[0]);
    if (ends.every(Number.isFinite)) whisker(c, [ends[0], y], [ends[1], y], 0, 3);
  }
}

function whisker(
    c: CanvasRenderingContext2D, from: [number, number], to: [number, number], wide: number,
    high: number): void {
  line(c, ...from, ...to);
  for (const [x, y] of [from, to]) line(c, x - wide, y - high, x + wide, y + high);
}

function drawFronts(c: CanvasRenderingContext2D, {picture, fields}: Shown, inks: Inks): void {
  c.strokeStyle = inks.front;
  c.lineWidth = 2;
  picture.facets.forEach((_, facet) => picture.up.forEach((__, series) => {
    const front =
        picture.marks.filter(mark => mark.front && mark.facet === facet && mark.series === series);
    c.beginPath();
    for (const [x, y] of front.map(mark => fields.at(mark)).sort((a, b) => a[0] - b[0]))
      c.lineTo(x, y);
    c.stroke();
  }));
  c.lineWidth = 1;
}

function drawRing(c: CanvasRenderingContext2D, {fields}: Shown, inks: Inks, mark: Mark): void {
  const [x, y] = fields.at(mark);
  c.strokeStyle = inks.ink;
  c.lineWidth = 2;
  c.beginPath();
  c.arc(x, y, 8, 0, 7);
  c.stroke();
  c.lineWidth = 1;
}

function drawDrag(
    c: CanvasRenderingContext2D, [x0, y0, x1, y1]: [number, number, number, number],
    inks: Inks): void {
  c.fillStyle = inks.accent;
  c.globalAlpha = 0.15;
  c.fillRect(x0, y0, x1 - x0, y1 - y0);
  c.globalAlpha = 1;
  c.strokeStyle = inks.accent;
  c.strokeRect(x0, y0, x1 - x0, y1 - y0);
}

function line(c: CanvasRenderingContext2D, x0: number, y0: number, x1: number, y1: number): void {
  c.beginPath();
  c.moveTo(x0, y0);
  c.lineTo(x1, y1);
  c.stroke();
}
