import {element, heading} from '../dom';
import type {Violation} from '../meta';
import type {Scene} from '../scene';
import type {Selection} from './selection';

/// The steps of the counterexamples. The timeline follows the step that is looked at.
export class Story {
  readonly content: HTMLElement[] = [];
  place = -1;
  private readonly steps: {line: HTMLElement; text: string}[] = [];

  constructor(private readonly scene: Scene, private readonly selection: Selection) {
    for (const violation of scene.run.meta.story) this.add(violation);
  }

  get count(): number {
    return this.steps.length;
  }

  go(step: number): void {
    if (!this.steps.length) return;
    this.steps[this.place]?.line.removeAttribute('aria-current');
    this.place = Math.max(0, Math.min(this.steps.length - 1, step));
    const {line, text} = this.steps[this.place];
    line.setAttribute('aria-current', 'step');
    line.scrollIntoView({block: 'nearest'});
    this.show(text);
  }

  /// The writer names the instant of a step by the step's text.
  private show(text: string): void {
    const {meta, instants} = this.scene.run;
    const name = meta.names.findIndex((n, i) => meta.colours[i] === 'story' && n.endsWith(text));
    const index = name < 0 ? -1 : instants.name.indexOf(name);
    if (index >= 0) this.selection.goTo({kind: 'instant', index});
  }

  private add(violation: Violation): void {
    const body = element('tbody');
    for (const {step, agent, text, held} of violation.story ?? []) {
      const number = this.steps.length;
      const go = element('button', {type: 'button'}, text);
      go.onclick = () => this.go(number);
      const who = element(
          'td', {}, agent, ...(held ? [' ', element('span', {class: 'held'}, 'held')] : []));
      const line =
          element('tr', {}, element('td', {class: 'n'}, String(step)), who, element('td', {}, go));
      this.steps.push({line, text});
      body.append(line);
    }
    this.content.push(
        heading(`${violation.invariant} ${violation.name}`), element('p', {}, violation.message));
    if (body.childNodes.length) this.content.push(element('table', {class: 'steps'}, body));
    this.addList('Why', violation.why);
    this.addList('Would be prevented by', violation.prevented_by);
  }

  private addList(title: string, lines: string[] = []): void {
    if (!lines.length) return;
    this.content.push(
        element('h3', {}, title), element('ul', {}, ...lines.map(t => element('li', {}, t))));
  }
}
