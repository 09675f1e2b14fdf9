import {element} from './dom';
import {windowOf} from './draw/overview';
import {hit} from './hit';
import {kRuler, kStrip} from './layout';
import type {Selection} from './panels/selection';
import {samePick, timesOf, titleOf} from './pick';
import type {Scene} from './scene';
import {duration} from './units';

interface Drag {
  x: number;
  y: number;
  t0: number;
  t1: number;
  scroll: number;
  moved: boolean;
  measure: boolean;
  strip: boolean;  ///< on the strip with the whole run
}

/// Mouse and touch on the canvas: wheel, drag, click, and the tip beside the pointer.
export class Pointer {
  readonly tip = element('div', {id: 'tip'});
  private drag: Drag|null = null;

  constructor(private readonly scene: Scene, private readonly selection: Selection) {
    const {canvas} = scene;
    canvas.addEventListener('wheel', event => this.wheel(event), {passive: false});
    canvas.onpointerdown = event => this.down(event);
    canvas.onpointermove = event => this.drag ? this.dragTo(event, this.drag) : this.hover(event);
    canvas.onpointerup = event => this.up(event);
    canvas.onpointercancel = () => this.drag = null;
    canvas.onpointerleave = () => this.leave();
    this.leave();
  }

  private wheel(event: WheelEvent): void {
    const {scene} = this, {view} = scene;
    event.preventDefault();
    if (event.shiftKey || Math.abs(event.deltaX) > Math.abs(event.deltaY)) {
      const by = (event.deltaX || event.deltaY) / view.width * view.span;
      scene.setView(view.t0 + by, view.t1 + by);
    } else if (event.offsetX > view.gutter || event.ctrlKey) {
      view.zoom(Math.exp(event.deltaY * 0.0015), event.offsetX);
      scene.redraw();
    } else {
      scene.scrollTo(view.scroll + event.deltaY);
    }
  }

  private down(event: PointerEvent): void {
    const {canvas, view} = this.scene;
    canvas.setPointerCapture(event.pointerId);
    canvas.focus();
    this.drag = {
      x: event.offsetX,
      y: event.offsetY,
      t0: view.t0,
      t1: view.t1,
      scroll: view.scroll,
      moved: false,
      measure: event.shiftKey || event.offsetY < kRuler,
      strip: event.offsetY < kStrip
    };
    if (this.drag.strip) this.jump(event, this.drag);
  }

  /// A press beside the window moves it there, so that a drag goes on from the pointer.
  private jump({offsetX: x}: PointerEvent, drag: Drag): void {
    const {scene} = this, {view, run} = scene, [x0, x1] = windowOf(scene);
    if (x < view.gutter || (x >= x0 && x <= x1)) return;
    const middle = (x - view.gutter) / view.width * run.meta.end, half = view.span / 2;
    scene.setView(middle - half, middle + half);
    [drag.t0, drag.t1] = [view.t0, view.t1];
  }
  private slide(dx: number, {t0, t1}: Drag): void {
    const {scene} = this, by = dx / scene.view.width * scene.run.meta.end;
    scene.setView(t0 + by, t1 + by);
  }

  private dragTo(event: PointerEvent, drag: Drag): void {
    const {scene} = this, {view} = scene, dx = event.offsetX - drag.x, dy = event.offsetY - drag.y;
    drag.moved ||= Math.abs(dx) + Math.abs(dy) > 3;
    if (!drag.moved) return;
    if (drag.strip) return this.slide(dx, drag);
    if (drag.measure) {
      scene.range = [view.time(drag.x), view.time(event.offsetX)];
      scene.redraw();
      return;
    }
    const by = -dx / view.width * (drag.t1 - drag.t0);
    view.scrollTo(drag.scroll - dy);
    scene.setView(drag.t0 + by, drag.t1 + by);
  }

  private up(event: PointerEvent): void {
    const {scene, drag} = this;
    this.drag = null;
    if (!drag || drag.moved || drag.strip) return;
    const lane = scene.view.laneAt(event.offsetY);
    if (event.offsetX >= scene.view.gutter) {
      this.selection.select(hit(scene, event.offsetX, event.offsetY));
    } else if (lane && event.offsetY > kRuler) {
      scene.togglePin(lane);
      this.selection.refresh();
    }
  }

  private hover(event: PointerEvent): void {
    const {scene} = this, pick = hit(scene, event.offsetX, event.offsetY);
    if (!samePick(pick, scene.hovered)) {
      scene.hovered = pick;
      scene.redraw();
    }
    this.tip.hidden = !pick;
    if (!pick) return;
    const [begin, end] = timesOf(scene.run, pick);
    const lasts = pick.kind === 'instant' ? '' : `, lasts ${duration(end - begin)}`;
    this.tip.textContent = `${titleOf(scene.run, pick)}${lasts}, at ${duration(begin, 9)}`;
    const room = scene.view.gutter + scene.view.width - this.tip.offsetWidth - 4;
    this.tip.style.left = `${Math.max(0, Math.min(event.offsetX + 12, room))}px`;
    const below = event.offsetY + 18, above = event.offsetY - this.tip.offsetHeight - 8;
    this.tip.style.top = `${below + this.tip.offsetHeight > scene.view.height ? above : below}px`;
  }

  private leave(): void {
    this.scene.hovered = null;
    this.tip.hidden = true;
    this.scene.redraw();
  }
}
