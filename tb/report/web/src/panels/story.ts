import {element, heading} from '../dom';
import type {Operation, Violation} from '../meta';
import type {Scene} from '../scene';
import type {Selection} from './selection';

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
      const who = element(
          'td', {}, agent, ...(held ? [' ', element('span', {class: 'held'}, 'held')] : []));
      const line =
          element('tr', {}, element('td', {class: 'n'}, String(step)), who, element('td', {}, go));
      const nth = this.steps.filter(one => one.text === text).length;
      this.steps.push({line, text, nth});
      body.append(line);
    }
    this.content.push(
        heading(`${violation.invariant} ${violation.name}`), element('p', {}, violation.message));
    if (body.childNodes.length) this.content.push(element('table', {class: 'steps'}, body));
    this.addRest(violation);
  }

  private addRest({why, holds = [], inevitable_after_step: fate, ...cure}: Violation): void {
    const operation = ({agent, op, nth}: Operation) => `${agent} ${op} #${nth}`;
    this.addList('Why', why);
    this.addList(
        'Holds: the fewest fixed orders',
        holds.map(({hold, until}) => `${operation(hold)} waits until ${operation(until)}`));
    this.addList('What lets it happen', cure.mechanisms);
    this.addList('Would be prevented by', cure.prevented_by);
    this.addList('Is not prevented', cure.not_prevented ? [cure.not_prevented] : []);
    if (cure.breaks_in_time === false)
      this.addList('No timeline', ['it breaks in orders that the cycle timeline does not take']);
    if (fate) this.addList('Inevitable', [`from step ${fate} on, every order breaks it`]);
  }

  private addList(title: string, lines: string[] = []): void {
    if (!lines.length) return;
    this.content.push(
        element('h3', {}, title), element('ul', {}, ...lines.map(t => element('li', {}, t))));
  }
}
