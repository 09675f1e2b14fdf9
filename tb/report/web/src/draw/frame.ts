import {kRuler, Lane} from '../layout';
import type {Scene} from '../scene';
import {drawCharts} from './chart';
import {drawFlows} from './arrows';
import {drawInstants} from './instants';
import {drawGrid, drawRuler} from './ruler';
import {drawSlices} from './slices';
import {drawOverlay} from './overlay';
import {drawOverview} from './overview';

export const kFont = '11px system-ui, "DejaVu Sans", sans-serif';

/// The canvas and the strip: an image with a line a row, which holds the row's one-pixel columns.
/// It costs one call a row to draw, instead of one a column.
export class Frame {
  readonly context: CanvasRenderingContext2D;
  readonly scratch = document.createElement('canvas');
  across = 1;
  pixels = new Uint32Array(1);
  private strip = new ImageData(1, 1);

  constructor(readonly canvas: HTMLCanvasElement) {
    this.context = canvas.getContext('2d', {alpha: false})!;
  }

  /// Makes the canvas fit, one pixel of the screen for each of its own.
  fit(width: number, height: number): void {
    const scale = devicePixelRatio || 1;
    const wide = Math.round(width * scale), high = Math.round(height * scale);
    if (this.canvas.width !== wide || this.canvas.height !== high) {
      this.canvas.width = wide;
      this.canvas.height = high;
    }
    this.context.setTransform(scale, 0, 0, scale, 0, 0);
  }
  clearStrip(across: number, lines: number): void {
    this.across = across;
    if (this.strip.width === across && this.strip.height === lines) {
      this.pixels.fill(0);
      return;
    }
    this.strip = new ImageData(across, lines);
    this.pixels = new Uint32Array(this.strip.data.buffer);
    this.scratch.width = across;
    this.scratch.height = lines;
  }
  putStrip(): void {
    this.scratch.getContext('2d')!.putImageData(this.strip, 0, 0);
  }
}

export function drawFrame(scene: Scene, frame: Frame): void {
  const {view, layout} = scene, {plain} = scene.theme, c = frame.context;
  const width = view.gutter + view.width;
  frame.fit(width, view.height);
  c.fillStyle = plain.back;
  c.fillRect(0, 0, width, view.height);
  c.font = kFont;
  c.textBaseline = 'middle';
  const seen = layout.lanes.filter(lane => isSeen(scene, lane));
  // What scrolls passes under what is pinned.
  drawPart(scene, frame, seen.filter(lane => !lane.pinned), view.fold, view.height);
  drawPart(scene, frame, seen.filter(lane => lane.pinned), kRuler, view.fold);
  inside(c, view.gutter, kRuler, view.width, view.height - kRuler, () => {
    drawFlows(scene, c);
    drawOverlay(scene, c);
  });
  drawRuler(scene, c);
  drawOverview(scene, c);
}

function isSeen({view}: Scene, lane: Lane): boolean {
  const top = view.top(lane);
  return top < view.height && top + lane.height > (lane.pinned ? kRuler : view.fold);
}

function drawPart(scene: Scene, frame: Frame, lanes: Lane[], top: number, bottom: number): void {
  const {view} = scene, {plain} = scene.theme, c = frame.context;
  if (bottom <= top || !lanes.length) return;
  inside(c, view.gutter, top, view.width, bottom - top, () => {
    c.fillStyle = plain.lane;
    for (const lane of lanes) {
      if (lane.kind !== 'group')
        c.fillRect(view.gutter, view.top(lane) + 1, view.width, lane.height - 2);
    }
    drawGrid(scene, c, top, bottom);
    drawCharts(scene, c, lanes.filter(lane => lane.kind === 'chart'));
    const rows = lanes.filter(lane => lane.kind === 'row');
    drawSlices(scene, frame, rows);
    drawInstants(scene, c, rows);
    for (const draw of scene.overRows) draw(c, rows);
  });
  const names = (group: boolean, width: number) => {
    const named = lanes.filter(lane => (lane.kind === 'group') === group);
    inside(c, 0, top, width, bottom - top, () => drawNames(scene, c, named, width));
  };
  names(false, view.gutter - 6);
  names(true, view.gutter + view.width);  // nothing is to the right of them
  if (lanes[0].pinned) {
    c.fillStyle = plain.accent;
    c.fillRect(0, bottom - 1, view.gutter + view.width, 1);
  }
}

function drawNames(
    {view, theme}: Scene, c: CanvasRenderingContext2D, lanes: Lane[], width: number): void {
  c.textAlign = 'left';
  for (const lane of lanes) {
    const group = lane.kind === 'group';
    c.font = group ? `bold ${kFont}` : kFont;
    c.fillStyle = group ? theme.plain.soft : theme.plain.ink;
    const x = group ? 8 : 18;
    const text = shortened(c, lane.label, width - 2 - x);
    c.fillText(text, x, view.top(lane) + lane.height / 2);
  }
  c.font = kFont;
}

/// Names differ at their ends (core0.dpc, core1.dpc): the middle is what can be left out.
function shortened(c: CanvasRenderingContext2D, text: string, room: number): string {
  if (c.measureText(text).width <= room) return text;
  text = text.replace(/\b(Current|Monitored)Value\b/, '$1');
  if (c.measureText(text).width <= room) return text;
  for (let keep = text.length - 1; keep > 2; --keep) {
    const head = Math.ceil(keep / 2), tail = keep - head;
    const short = `${text.slice(0, head)}\u2026${text.slice(text.length - tail)}`;
    if (c.measureText(short).width <= room) return short;
  }
  return '\u2026';
}

export function inside(
    c: CanvasRenderingContext2D, x: number, y: number, width: number, height: number,
    draw: () => void): void {
  c.save();
  c.beginPath();
  c.rect(x, y, width, height);
  c.clip();
  draw();
  c.restore();
}
