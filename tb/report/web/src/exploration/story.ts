import {button, element, heading, panel} from '../dom';
import type {Violation} from '../meta';
import {reasons} from '../panels/reasons';
import type {Selection} from '../panels/selection';
import type {Scene} from '../scene';

import {causeOf, findingTitle, ordersOf, storyTable, timelineOf} from './violation';

/// A counterexample: its causes and its steps. The timeline follows the step that is looked at.
export class Story {
  readonly noun = 'step of the story';
  readonly panel = panel('story', 'Story');
  place = -1;
  private readonly steps: {line: HTMLElement; text: string; nth: number}[] = [];

  constructor(
      violation: Violation, private readonly scene: Scene, private readonly selection: Selection) {
    this.panel.append(...reasons(scene.run.meta.result.reasons), ...this.content(violation));
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
    if (index >= 0)
      this.selection.goTo({kind: 'instant', index});
    else
      this.selection.showUnmarked(text);
  }

  private content(violation: Violation): HTMLElement[] {
    const {story = []} = violation;
    const goTo = (step: number) => this.go(story.findIndex(one => one.step === step));
    const show = (text: string, at: number) => button(text, () => this.go(at));
    const table = storyTable(violation, show, (line, at) => {
      const {text} = story[at], nth = this.steps.filter(one => one.text === text).length;
      this.steps.push({line, text, nth});
    });
    return [
      heading(findingTitle(violation)), element('p', {}, violation.message), ...causeOf(violation),
      ...ordersOf(violation, goTo), ...timelineOf(violation), ...table
    ];
  }
}
