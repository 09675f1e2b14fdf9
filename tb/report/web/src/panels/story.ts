import {element, heading} from '../dom';
import type {Violation} from '../meta';
import type {Scene} from '../scene';
import type {Selection} from './selection';
import {agentOf, causeOf, ordersOf} from './violation';

/// The steps of the counterexamples. The timeline follows the step that is looked at.
export class Story {
  readonly content: HTMLElement[] = [];
  place = -1;
  private readonly steps: {line: HTMLElement; text: string; nth: number}[] = [];

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
    const {line, text, nth} = this.steps[this.place];
    line.setAttribute('aria-current', 'step');
    line.scrollIntoView({block: 'nearest'});
    this.show(text, nth);
  }

  /// The writer names the instant of a step by its number on the timeline and the step's text. Of
  /// equal texts, the nth step has the nth name.
  private show(text: string, nth: number): void {
    const {meta, instants} = this.scene.run;
    const names = meta.names.flatMap(
        (name, at) => meta.colours[at] === 'story' && name.endsWith(text) ? [at] : []);
    const index = nth < names.length ? instants.name.indexOf(names[nth]) : -1;
    if (index >= 0) this.selection.goTo({kind: 'instant', index});
  }

  private add(violation: Violation): void {
    const body = element('tbody');
    for (const {step, agent, text, held} of violation.story ?? []) {
      const number = this.steps.length;
      const go = element('button', {type: 'button'}, text);
      go.onclick = () => this.go(number);
      const line = element(
          'tr', {}, element('td', {class: 'n'}, String(step)), agentOf(agent, held),
          element('td', {}, go));
      const nth = this.steps.filter(one => one.text === text).length;
      this.steps.push({line, text, nth});
      body.append(line);
    }
    this.content.push(
        heading(`${violation.invariant} ${violation.name}`), element('p', {}, violation.message),
        ...causeOf(violation));
    if (body.childNodes.length)
      this.content.push(element('h3', {}, 'Story'), element('table', {class: 'steps'}, body));
    this.content.push(...ordersOf(violation));
  }
}
