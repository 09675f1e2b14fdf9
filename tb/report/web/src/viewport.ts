import {kRuler, Lane, Layout} from './layout';

const kLeastSpan = 100;  // [ps]

/// The window on the run: its times, how far it is scrolled, and its place on the canvas.
export class Viewport {
  t0 = 0;      ///< [ps]
  t1: number;  ///< [ps]
  scroll = 0;
  gutter = 190;  ///< width of the names at the left
  width = 1;     ///< of the part right of the gutter
  height = 1;    ///< of the canvas

  constructor(private readonly end: number, private readonly layout: Layout) {
    this.t1 = this.whole;
  }

  /// [ps] The end of the window on the whole run. A margin keeps the numbers of charts, at the
  /// right edge, off the last steps.
  get whole(): number {
    return this.end * 1.02;
  }

  /// Asking the canvas for its size costs a call into the browser: once a frame, not once a column.
  resize(width: number, height: number): void {
    this.gutter = width < 600 ? 96 : 190;
    this.width = Math.max(1, width - this.gutter);
    this.height = height;
    this.scrollTo(this.scroll);
  }

  get span(): number {
    return this.t1 - this.t0;
  }
  x(time: number): number {
    return this.gutter + (time - this.t0) / this.span * this.width;
  }
  time(x: number): number {
    return this.t0 + (x - this.gutter) / this.width * this.span;
  }
  top(lane: Lane): number {
    return kRuler + lane.y - (lane.pinned ? 0 : this.scroll);
  }
  /// Upper edge of what scrolls.
  get fold(): number {
    return kRuler + this.layout.pinnedHeight;
  }

  laneAt(y: number): Lane|undefined {
    const inside = (lane: Lane) => y >= this.top(lane) && y < this.top(lane) + lane.height;
    return this.layout.lanes.find(lane => lane.pinned === y < this.fold && inside(lane));
  }

  /// Shows from t0 to t1, as far as the run reaches and no closer than 100 ps.
  set(t0: number, t1: number): void {
    const span = Math.min(Math.max(t1 - t0, kLeastSpan), Math.max(kLeastSpan, this.whole));
    this.t0 = Math.min(Math.max(t0, -span * 0.1), this.end - span * 0.9);
    this.t0 = Math.max(this.t0, -span * 0.1);
    this.t1 = this.t0 + span;
  }

  zoom(factor: number, x = this.gutter + this.width / 2): void {
    const time = this.time(x);
    this.set(time - (time - this.t0) * factor, time + (this.t1 - time) * factor);
  }

  scrollTo(scroll: number): void {
    const most = this.layout.height - (this.height - kRuler) + 18;
    this.scroll = Math.max(0, Math.min(scroll, most));
  }

  /// Moves just as far as needed to show a span of a lane.
  show(begin: number, end: number, lane: Lane|undefined): void {
    if (begin < this.t0 || end > this.t1) {
      const span = Math.max(this.span, (end - begin) * 1.5), middle = (begin + end) / 2;
      this.set(middle - span / 2, middle + span / 2);
    }
    if (!lane || lane.pinned) return;
    const top = this.top(lane);
    if (top < this.fold || top + lane.height > this.height) {
      this.scrollTo(lane.y - this.layout.pinnedHeight - (this.height - this.fold) / 2);
    }
  }
}
