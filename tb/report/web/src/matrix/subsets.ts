import {command} from '../command';
import {button, element, facts, heading, panel} from '../dom';
import type {Violation} from '../meta';
import {causeOf, ordersOf, storyTable} from '../exploration/violation';
import {told} from '../exploration/told';
import {grouped} from '../units';
import {commandOf, Matrix, Row} from './data';

const kMostLines = 512;
const kBad = 'VIOLATED';

/// The table of subsets, and the counterexample of the one that is looked at.
export class Subsets {
  readonly list = panel('subsets', 'Subsets');
  readonly detail = panel('counterexample', 'Counterexample');
  readonly filter: HTMLElement;
  onSelect: () => void = () => {};
  private readonly wanted = new Map<string, string>();  // of each mechanism, "on" or "off"
  private verdict = '';
  private at = -1;
  private lines = new Map<number, HTMLElement>();

  constructor(private readonly matrix: Matrix) {
    this.filter = this.makeFilter();
    this.fill();
    this.go(matrix.result.rows.findIndex(({verdict}) => verdict === kBad));
  }

  go(at: number): void {
    this.lines.get(this.at)?.removeAttribute('aria-current');
    this.at = at;
    this.lines.get(at)?.setAttribute('aria-current', 'step');
    const row = this.matrix.result.rows[at];
    if (row)
      this.detail.replaceChildren(...this.about(row, this.matrix.found[at]));
    else
      this.detail.replaceChildren(heading('No subset breaks anything'));
    this.onSelect();
  }

  private makeFilter(): HTMLElement {
    const {mechanisms, rows} = this.matrix.result;
    const verdicts = [...new Set(rows.map(({verdict}) => verdict))];
    const chooser = (label: string, values: string[], take: (value: string) => void) => {
      const made = element(
          'select', {'aria-label': label},
          ...['', ...values].map(value => element('option', {value}, value || 'any')));
      made.onchange = () => {
        take(made.value);
        this.fill();
      };
      return element('label', {class: 'choice'}, element('span', {}, label), made);
    };
    return element(
        'nav', {class: 'bar', 'aria-label': 'Which subsets'},
        chooser('verdict', verdicts, value => this.verdict = value),
        ...mechanisms.map(
            ({name}) => chooser(name, ['on', 'off'], value => this.wanted.set(name, value))));
  }

  private fits({on, verdict}: Row): boolean {
    if (this.verdict && verdict !== this.verdict) return false;
    return [...this.wanted].every(([name, wish]) => !wish || on.includes(name) === (wish === 'on'));
  }

  private fill(): void {
    const {mechanisms, rows} = this.matrix.result;
    const found = rows.flatMap((row, at) => this.fits(row) ? [at] : []);
    const names = ['verdict', 'broken', 'executions', ...mechanisms.map(({name}) => name)];
    const body = element('tbody');
    this.lines.clear();
    for (const at of found.slice(0, kMostLines)) {
      this.lines.set(at, this.line(rows[at], at));
      body.append(this.lines.get(at)!);
    }
    const head = names.map(name => element('th', {scope: 'col'}, ...broken(name)));
    this.list.replaceChildren(
        heading(`${grouped(found.length)} of ${grouped(rows.length)} subsets`),
        element(
            'table', {class: 'subsets'}, element('thead', {}, element('tr', {}, ...head)), body));
    if (found.length > kMostLines)
      this.list.append(element(
          'p', {class: 'facts'}, `and ${grouped(found.length - kMostLines)} more: choose above`));
    this.lines.get(this.at)?.setAttribute('aria-current', 'step');
  }

  private line({on, verdict, violations, executions}: Row, at: number): HTMLElement {
    const {mechanisms} = this.matrix.result, good = verdict === 'PROVED';
    const title = `${verdict}: ${on.join(', ') || 'no mechanism'}`;
    const open = button(verdict, () => this.go(at), {'aria-label': title});
    const cells = mechanisms.map(
        ({name}) => on.includes(name) ? element('td', {class: 'on'}, 'on') :
                                        element('td', {class: 'facts'}, 'off'));
    return element(
        'tr', {},
        element(
            'td',
            {class: good          ? 'good' :
                 verdict === kBad ? 'bad' :
                                    ''},
            open),
        element('td', {}, violations.join(' ')), element('td', {class: 'n'}, grouped(executions)),
        ...cells);
  }

  /// The sets that are off here and break something when they alone are off: these are explained.
  private explained(off: string[]): HTMLElement[] {
    const {mechanisms, rows, backups} = this.matrix.result;
    const within = backups.filter(set => set.every(name => off.includes(name)));
    const links = within.map(set => {
      const at = rows.findIndex(
          ({on}) =>
              on.length === mechanisms.length - set.length && !set.some(name => on.includes(name)));
      return button(set.join(' + '), () => this.go(at));
    });
    if (!links.length) return [];
    return [
      element('h3', {}, 'Explained by the subset that lacks only'),
      element('span', {class: 'links'}, ...links)
    ];
  }

  private about({on, verdict, executions}: Row, found: Violation|null): HTMLElement[] {
    const {mechanisms} = this.matrix.result;
    const off = mechanisms.map(({name}) => name).filter(name => !on.includes(name));
    const set = facts([
      ['on', on.join(', ') || 'none'], ['off', off.join(', ') || 'none'],
      ['executions', grouped(executions)]
    ]);
    const again = [element('h3', {}, 'Explore it with'), command(commandOf(this.matrix, this.at))];
    if (!found) return [heading(verdict), set, ...again];
    if (!found.story?.length)
      return [
        heading(`${found.invariant} ${found.name}`), element('p', {}, told(found).message), set,
        ...this.cures(on), ...this.explained(off), ...again
      ];
    const lines: HTMLElement[] = [], {message, ...rest} = told(found);
    const goTo = (step: number) => {
      const line = lines[(found.story ?? []).findIndex(one => one.step === step)];
      lines.forEach(one => one.removeAttribute('aria-current'));
      line.setAttribute('aria-current', 'step');
      line.scrollIntoView({block: 'nearest'});
    };
    return [
      heading(`${found.invariant} ${found.name}`), element('p', {}, message), set,
      ...this.cures(on), ...causeOf(found), ...ordersOf({...rest, message}, goTo),
      ...storyTable(found, text => text, line => lines.push(line)), ...again
    ];
  }

  /// The fewest mechanisms that, added to these, suffice.
  private cures(on: string[]): HTMLElement[] {
    const {rows, sufficient} = this.matrix.result;
    const missing = sufficient.map(set => set.filter(name => !on.includes(name)));
    const fewest = missing.filter(
        (set, at) => !missing.some(
            (other, i) => i !== at && other.every(name => set.includes(name)) &&
                (other.length < set.length || i < at)));
    if (!fewest.length) return [];
    const links = fewest.map(set => {
      const all = [...on, ...set];
      const at = rows.findIndex(
          row => row.on.length === all.length && all.every(name => row.on.includes(name)));
      return button(set.join(' + '), () => this.go(at));
    });
    return [
      element('h3', {}, 'Suffices together with'), element('span', {class: 'links'}, ...links)
    ];
  }
}

/// The name of a switch, which may go on below behind its dots.
function broken(name: string): Node[] {
  return name.split(/(?<=\.)/).flatMap(part => [document.createTextNode(part), element('wbr')]);
}
