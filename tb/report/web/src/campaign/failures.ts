import {command} from '../command';
import {button, element, facts, heading, panel} from '../dom';
import {numberedLines} from '../lines';
import {counted, grouped} from '../units';
import type {Campaign, Failure, Finding} from './data';

/// The groups of failures, and the one that is looked at.
export class Failures {
  readonly list = panel('failures', 'Failures');
  readonly detail = panel('details', 'Failure');
  at = -1;
  private readonly lines: HTMLElement[] = [];

  constructor(private readonly campaign: Campaign) {
    const {failures} = campaign.result, body = element('tbody');
    failures.forEach((failure, at) => {
      this.lines.push(this.line(failure, at));
      body.append(this.lines[at]);
    });
    const head = ['runs', 'cause', 'reason'].map(
        (text, at) => element('th', at ? {scope: 'col'} : {scope: 'col', class: 'n'}, text));
    const groups = failures.length;
    this.list.append(heading(groups ? `${counted(groups, 'group')} of failures` : 'No run failed'));
    if (groups)
      this.list.append(
          element('table', {}, element('thead', {}, element('tr', {}, ...head)), body));
    else
      this.list.append('Every run kept the invariants and came to an end that is allowed.');
    this.go(groups ? 0 : -1);
  }

  go(at: number): void {
    this.lines[this.at]?.removeAttribute('aria-current');
    this.at = at;
    const failure = this.campaign.result.failures[at];
    if (!failure) {
      this.detail.replaceChildren(heading('No failure'), ...this.settings());
      return;
    }
    this.lines[at].setAttribute('aria-current', 'step');
    this.detail.replaceChildren(...this.about(failure, this.campaign.findings[at]));
  }

  private line({runs, cause, reason}: Failure, at: number): HTMLElement {
    return element(
        'tr', {}, element('td', {class: 'n'}, grouped(runs)),
        element('td', {}, button(cause, () => this.go(at))), element('td', {}, reason));
  }

  private about(failure: Failure, {command: text, document: scenario, counterexample}: Finding):
      Node[] {
    const {cause, reason, rule, runs, seeds, shrink_runs: tried} = failure;
    const size = tried ? `made small in ${grouped(tried)} runs` : 'that of the first seed';
    const made: Node[] = [
      heading(cause), element('p', {}, reason), element('h3', {}, 'Repeat it with'), command(text),
      facts([
        ...rule ? [['rule', rule] as [string, string]] : [], ['runs', grouped(runs)],
        [seeds.length < runs ? 'first seeds' : 'seeds', seeds.join(', ')],
        ['scenario', `${failure.scenario}: ${size}`]
      ])
    ];
    if (counterexample)
      made.push(
          element('h3', {}, 'Counterexample'), element('pre', {class: 'told'}, counterexample));
    made.push(element('h3', {}, 'Scenario'), numberedLines(scenario));
    return made;
  }

  private settings(): Node[] {
    const {constraints, policy, first_seed: seed, set, kmd} = this.campaign.result;
    return [facts([
      ['constraints', constraints], ['policy', policy], ['first seed', String(seed)],
      ...set.length ? [['settings', set.join(', ')] as [string, string]] : [],
      ...kmd ? [['driver', kmd] as [string, string]] : []
    ])];
  }
}
