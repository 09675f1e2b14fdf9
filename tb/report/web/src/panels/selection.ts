import {kClasses} from '../colours';
import {valueText} from '../data';
import {button, element, facts, heading, panel} from '../dom';
import {Pick, pointText, samePick, timesOf, titleOf} from '../pick';

import type {Scene} from '../scene';
import {duration, exactTime} from '../units';

type Facts = [string, Node | string][];

/// What is selected: one thing at a time, shown in full, with links along the arrows.
export class Selection {
  readonly panel = panel('details', 'Selection');
  readonly changed: (() => void)[] = [];  ///< called after a change
  openScenario: () => void = () => {};

  constructor(private readonly scene: Scene) {
    this.refresh();
  }

  select(pick: Pick|null): void {
    if (samePick(pick, this.scene.selected)) return;
    this.scene.selected = pick;
    this.refresh();
    for (const act of this.changed) act();
    this.scene.redraw();
  }
  /// Selects it and moves the window to it.
  goTo(pick: Pick): void {
    this.select(pick);
    this.scene.show(pick);
  }

  /// Shows the text of a step that has no mark on the timeline.
  showUnmarked(text: string): void {
    this.select(null);
    this.panel.replaceChildren(
        heading(text), element('p', {class: 'facts'}, 'This step has no mark on the timeline.'));
  }

  /// Along an arrow: forward from a signal to its first release, back from a release, or from the
  /// wait that it ends, to the signal.
  follow(forward: boolean): void {
    const pick = this.scene.selected;
    if (!pick) return;
    if (forward && pick.kind === 'slice')
      this.goToFirst('instant', this.scene.flows.releases(pick.index));
    const release = pick.kind === 'slice' ? this.scene.flows.releaseOf(pick.index) : pick.index;
    if (!forward && pick.kind !== 'point')
      this.goToFirst('slice', this.scene.flows.releasedBy(release));
  }
  /// To the neighbour in the same row.
  step(by: number): void {
    const pick = this.scene.selected;
    if (!pick) return;
    const index = pick.index + by;
    if (pick.kind === 'point') {
      if (index >= 0 && index < this.scene.run.counters[pick.counter].time.length)
        this.goTo({...pick, index});
    } else if (this.scene.rowOf(pick.kind, index) === this.scene.rowOf(pick.kind, pick.index)) {
      this.goTo({...pick, index});
    }
  }

  private goToFirst(kind: 'slice'|'instant', list: number[]): void {
    if (list.length) this.goTo({kind, index: list[0]});
  }

  refresh(): void {
    const {run, selected} = this.scene;
    this.panel.replaceChildren(heading(selected ? titleOf(run, selected) : 'Nothing selected'));
    if (!selected) {
      const help =
          'Click a bar, a mark or a chart. Press . to step from span to span, ? for all keys.';
      this.panel.append(element('p', {class: 'facts'}, help));
      return;
    }
    const list = selected.kind === 'point' ? this.ofPoint(selected.counter, selected.index) :
        selected.kind === 'slice'          ? this.ofSlice(selected.index) :
                                             this.ofInstant(selected.index);
    this.panel.append(facts(list));
    const lane = this.scene.laneOf(selected);
    if (lane) {
      this.panel.append(button(lane.pinned ? 'Unpin row' : 'Pin row', () => {
        this.scene.togglePin(this.scene.laneOf(selected)!);
        this.refresh();
      }, {title: 'key t'}));
    }
  }

  private ofSlice(index: number): Facts {
    const {run} = this.scene, {slices} = run, [begin, end] = timesOf(run, {kind: 'slice', index});
    const colour = this.scene.colourOfSlice(index);
    const list: Facts = [
      ['row', this.scene.layout.rowName(slices.row[index])],
      ['kind', kClasses[colour]],
      ['begin', exactTime(begin)],
      ['end', slices.open[index] ? `not ended at ${exactTime(end)}` : exactTime(end)],
      [slices.open[index] ? 'lasts at least' : 'lasts', duration(end - begin, 6)],
      ['value', valueText(slices.value, index)],
    ];
    const to = this.scene.flows.releases(index), by = this.scene.flows.releaseOf(index);
    if (to.length) list.push(['releases', this.links('instant', to)]);
    if (by >= 0) list.push(['released by', this.links('slice', this.scene.flows.releasedBy(by))]);
    return [...list, ...this.cause({kind: 'slice', index})];
  }

  private ofInstant(index: number): Facts {
    const {run} = this.scene, {instants, slices} = run;
    const list: Facts = [
      ['row', this.scene.layout.rowName(instants.row[index])],
      ['kind', kClasses[this.scene.colourOfInstant(index)]],
      ['at', exactTime(instants.time[index])],
    ];
    if (this.scene.colourOfInstant(index) !== 'story')
      list.push(['value', valueText(instants.value, index)]);
    const by = this.scene.flows.releasedBy(index);
    if (by.length) {
      list.push(['released by', this.links('slice', by)]);
      list.push(['after its begin', duration(instants.time[index] - slices.begin[by[0]], 6)]);
    }
    return [...list, ...this.cause({kind: 'instant', index})];
  }

  private cause(pick: Pick): Facts {
    const [first, last] = this.scene.places.linesOf(pick);
    if (this.scene.places.fromOption(pick)) return [['caused by', 'an option of the command']];
    if (!first) return [];
    const lines = last > first ? `lines ${first} to ${last}` : `line ${first}`;
    return [['caused by', button(`${lines} of the scenario`, () => this.openScenario())]];
  }

  private ofPoint(counter: number, index: number): Facts {
    const {run} = this.scene, {name, group, unit} = run.counters[counter];
    const [begin, end] = timesOf(run, {kind: 'point', index, counter});
    return [
      ['chart', `${group} / ${name}`],
      ['value', `${pointText(run, counter, index)} ${unit}`.trim()],
      ['since', exactTime(begin)],
      ['until', exactTime(end)],
      ['lasts', duration(end - begin, 6)],
    ];
  }

  private links(kind: 'slice'|'instant', list: number[]): HTMLElement {
    const links = list.slice(0, kMostLinks).map(index => {
      const pick: Pick = {kind, index};
      return button(titleOf(this.scene.run, pick), () => this.goTo(pick));
    });
    const more = list.length - links.length;
    return element('span', {class: 'links'}, ...links, ...(more > 0 ? [`and ${more} more`] : []));
  }
}

const kMostLinks = 40;
