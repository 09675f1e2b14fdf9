import {element, heading, panel} from '../dom';
import {kMostLines, numberedLines} from '../lines';
import type {Pick} from '../pick';
import type {Scene} from '../scene';
import {grouped} from '../units';
import type {Selection} from './selection';

/// The text of the scenario. A click on a line goes to what the line has caused; the lines that
/// have caused the selection are marked.
export class Scenario {
  readonly panel = panel('scenario', 'Scenario');
  private readonly status = element('p', {class: 'facts', role: 'status'});
  private lines?: HTMLElement;
  private marked: Element[] = [];
  private line = 0;
  private hits: Pick[] = [];
  private hit = -1;

  constructor(private readonly scene: Scene, private readonly selection: Selection) {
    const {scenario_text: text, scenario_file: path} = scene.run.meta;
    if (!text) {
      const why = path ? `${path} is too long for the page.` : 'The page does not hold its text.';
      this.panel.append(heading('Scenario'), why);
      return;
    }
    const {places} = scene;
    this.lines = numberedLines(text, line => this.go(line), line => places.has(line));
    const count = text.replace(/\n$/, '').split('\n').length;
    const rest = count > kMostLines ? `, the first ${grouped(kMostLines)} are here` : '';
    this.status.textContent = scene.run.meta.rows.length ?
        'A click on a line goes to what it has caused.' :
        'This page has no timeline to which its lines could lead.';
    this.panel.append(
        heading(`${path || 'Scenario'}: ${grouped(count)} lines${rest}`), this.status, this.lines);
    selection.changed.push(() => this.mark());
  }

  /// To the first that a line has caused, or to the next one if the line was clicked before.
  go(line: number): void {
    if (line !== this.line) this.hits = this.scene.places.picks(line);
    this.hit = line === this.line && this.hits.length ? (this.hit + 1) % this.hits.length : 0;
    this.line = line;
    if (this.hits.length) this.selection.goTo(this.hits[this.hit]);
    this.status.textContent = this.hits.length ?
        `Line ${line}: ${grouped(this.hit + 1)} of ${grouped(this.hits.length)} on the timeline` :
        `Line ${line} has caused nothing that the timeline shows`;
  }

  /// Marks the lines of the selection and brings the first into view.
  mark(): void {
    const [first, last] = this.scene.places.linesOf(this.scene.selected);
    for (const line of this.marked) line.removeAttribute('aria-current');
    this.marked = first ? [...this.lines?.children ?? []].slice(first - 1, last) : [];
    for (const line of this.marked) line.setAttribute('aria-current', 'true');
    if (this.marked.length && !this.panel.hidden) this.reveal(this.marked[0]);
  }

  /// Scrolls the panel and nothing around it: a page of one column would leave the timeline.
  private reveal(line: Element): void {
    const box = this.panel.getBoundingClientRect(), {top, bottom} = line.getBoundingClientRect();
    if (top < box.top || bottom > box.bottom)
      this.panel.scrollTop += top - box.top - box.height / 3;
  }
}
