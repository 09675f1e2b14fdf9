import {element} from '../dom';

import {cellText, figure, Sweep} from './data';
import {drawPlot} from './draw';
import {Fields} from './fields';
import {Choice, Mark, Picture, pictureOf} from './marks';
import {Paint} from './paint';

const kNear = 9;  // pixels around a mark
const kHelp = 'Points of the sweep. Arrow keys step from mark to mark, Escape selects nothing. ' +
    'The table below holds the same.';

/// The canvas with the marks, and what is selected on it.
export class Plot {
  readonly canvas = element('canvas', {tabindex: '0', role: 'application', 'aria-label': kHelp});
  readonly tip = element('div', {id: 'tip', hidden: ''});
  picture!: Picture;
  chosen = new Set<number>();  ///< runs; empty: all
  current: Mark|null = null;
  onSelect: () => void = () => {};
  onPicture: () => void = () => {};
  paint!: Paint;
  private hovered: Mark|null = null;
  private drag: [number, number, number, number]|null = null;
  private fields!: Fields;
  private asked = false;

  constructor(private readonly sweep: Sweep, public choice: Choice) {
    const {canvas} = this;
    this.show(choice);
    canvas.onpointerdown = event => this.down(event);
    canvas.onpointermove = event => this.move(event);
    canvas.onpointerup = event => this.up(event);
    canvas.onpointercancel = () => this.drag = null;
    canvas.onpointerleave = () => this.hover(null);
    canvas.onkeydown = event => this.key(event);
    new ResizeObserver(() => this.redraw()).observe(canvas);
    matchMedia('(prefers-color-scheme: dark)')
        .addEventListener('change', () => this.show(this.choice));
  }

  show(choice: Choice): void {
    this.choice = choice;
    this.picture = pictureOf(this.sweep, choice);
    this.paint = new Paint(this.sweep, choice);
    this.current = this.hovered = null;
    this.onPicture();
    this.redraw();
  }

  redraw(): void {
    if (this.asked) return;
    this.asked = true;
    requestAnimationFrame(() => {
      this.asked = false;
      this.draw();
    });
  }
  draw(): void {
    const {canvas} = this, room = canvas.parentElement!;
    this.fields = new Fields(this.picture, room.clientWidth, room.clientHeight);
    canvas.style.height = `${Math.max(room.clientHeight, this.fields.height)}px`;
    drawPlot(canvas, {...this.parts, fields: this.fields});
  }
  private get parts() {
    const {picture, paint, chosen, current, hovered, drag} = this;
    return {picture, paint, chosen, current, hovered, drag};
  }

  /// Where a mark is on the canvas, in pixels.
  at(mark: Mark): [number, number] {
    return this.fields.at(mark);
  }

  hit(x: number, y: number): Mark|null {
    const facet = this.fields.under(x, y);
    let near = kNear, found: Mark|null = null;
    for (const mark of this.picture.marks) {
      if (mark.facet !== facet) continue;
      const [left, top] = this.fields.at(mark), distance = Math.hypot(left - x, top - y);
      if (distance >= near) continue;
      near = distance;
      found = mark;
    }
    return found;
  }

  select(mark: Mark|null): void {
    this.current = mark;
    if (!mark) this.chosen.clear();
    this.onSelect();
    this.redraw();
  }

  private down(event: PointerEvent): void {
    if (event.button) return;
    this.canvas.setPointerCapture(event.pointerId);
    const {offsetX: x, offsetY: y} = event;
    this.drag = [x, y, x, y];
  }

  private move({offsetX: x, offsetY: y}: PointerEvent): void {
    if (!this.drag) return this.hover(this.hit(x, y));
    this.drag = [this.drag[0], this.drag[1], x, y];
    this.redraw();
  }

  private up(event: PointerEvent): void {
    if (!this.drag) return;
    const [x0, y0, x1, y1] = this.drag;
    this.drag = null;
    if (Math.abs(x1 - x0) + Math.abs(y1 - y0) < 5)
      this.select(this.hit(x1, y1));
    else
      this.choose(
          Math.min(x0, x1), Math.min(y0, y1), Math.max(x0, x1), Math.max(y0, y1), event.shiftKey);
  }

  private choose(left: number, top: number, right: number, bottom: number, add: boolean): void {
    if (!add) this.chosen.clear();
    for (const mark of this.picture.marks) {
      const [x, y] = this.fields.at(mark);
      if (x >= left && x <= right && y >= top && y <= bottom) this.chosen.add(mark.row);
    }
    this.onSelect();
    this.redraw();
  }

  private hover(mark: Mark|null): void {
    this.tip.hidden = !mark;
    if (mark) {
      const [x, y] = this.fields.at(mark), {clientWidth} = this.canvas;
      this.tip.textContent = this.textOf(mark);
      this.tip.style.left =
          `${Math.max(0, Math.min(x + 12, clientWidth - this.tip.offsetWidth))}px`;
      this.tip.style.top = `${y + 14}px`;
    }
    if (mark === this.hovered) return;
    this.hovered = mark;
    this.redraw();
  }

  /// "point 3, seed 2: cores = 4, gpu_wait.p50 = 3.1 ms".
  private textOf({row, x, y, series}: Mark): string {
    const {sweep, picture: {across, up}, choice} = this;
    const of = (name: string) => cellText(sweep.column(name), row);
    const has = (name: string) => sweep.columns.some(one => one.name === name);
    const named = (choice.means ? ['point'] : ['point', 'seed']).filter(has), column = up[series];
    const text = (one: typeof across, value: number) =>
        one.words ? cellText(one, row) : figure(value, one.unit);
    return `${named.map(name => `${name} ${of(name)}`).join(', ')}: ${across.label} = ${
        text(across, x)}, ${column.label} = ${text(column, y)}`;
  }

  private key(event: KeyboardEvent): void {
    const by = event.key === 'ArrowRight' ? 1 : event.key === 'ArrowLeft' ? -1 : 0;
    if (event.key === 'Escape') this.select(null);
    if (!by || event.ctrlKey || event.altKey || event.metaKey) return;
    event.preventDefault();
    const {marks} = this.picture;
    const order = [...marks].sort((a, b) => a.facet - b.facet || a.x - b.x || a.y - b.y);
    if (!order.length) return;
    const at = this.current ? order.indexOf(this.current) + by : by > 0 ? 0 : order.length - 1;
    this.select(order[(at + order.length) % order.length]);
  }
}
