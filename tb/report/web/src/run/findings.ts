import {button, element, heading, panel} from '../dom';
import {findingTitle} from '../exploration/violation';
import {Broken, Expectation, FaultSeen, isBlocked, isGood, Meta, Result} from '../meta';
import {reasons} from '../panels/reasons';
import {withTimes} from '../times';

/// What the run found: what waits for ever, reasons, expectations.
/// @param go goes to the mark of a fault
export function findings({result}: Meta, go: (fault: FaultSeen) => void): HTMLElement {
  const made = panel('story', 'Findings');
  if (result.waiting.length) {
    made.append(heading(isBlocked(result) ? 'Why it is blocked' : 'What is left at the end'));
    if (isGood(result) && isBlocked(result))
      made.append(element('p', {id: 'intended'}, intended(result)));
    made.append(blocked(result), ...faults(result, go));
  }
  made.append(...reasons([...(result.violations ?? []).map(broken), ...result.reasons]));
  if (result.expectations.length) made.append(heading(titleOf(result)), expectations(result));
  if (!made.childNodes.length)
    made.append(heading('Findings'), 'Nothing was expected, and nothing went wrong.');
  return made;
}

function broken(found: Broken): string {
  return `${findingTitle(found)}: ${found.message}`;
}

/// A good verdict above something that is blocked needs a word.
function intended({verdict, expectations: list}: Result): string {
  return list.length ?
      `The verdict is ${verdict} all the same: the scenario expects this end, and all ${
          list.length} expectations hold.` :
      `The verdict is ${verdict} all the same: the scenario expects nothing else.`;
}

function blocked({waiting}: Result): HTMLElement {
  // Each part is isolated: a name written from right to left must not turn its neighbours round.
  const part = (text: Node|string) =>
      element('bdi', {}, ...(typeof text === 'string' ? withTimes(text) : [text]));
  return element('ul', {id: 'blocked'}, ...waiting.map(entry => {
    if (typeof entry === 'string') return element('li', {}, part(entry));
    const {who, what, why} = entry;
    return element(
        'li', {}, part(element('b', {}, who)), ' waits for ', part(what), ': ', part(why));
  }));
}

/// Faults that the scenario asks for: one of them may be the cause.
function faults({faults: list = []}: Result, go: (fault: FaultSeen) => void): HTMLElement[] {
  if (!list.length) return [];
  const lines = list.map(fault => {
    const {text, time_ps, pointer, line} = fault;
    const link = button(text, () => go(fault), {title: 'Show its mark on the timeline'});
    const where = line ? `${pointer.slice(1)}, line ${line} of the scenario` : pointer.slice(1);
    return element('li', {}, link, ...withTimes(` at ${time_ps} ps `), `(${where})`);
  });
  const intro = 'These faults, which the scenario asks for, happened before and may be the cause:';
  return [element('p', {}, intro), element('ul', {id: 'faults'}, ...lines)];
}

function titleOf({expectations: list}: Result): string {
  return `Expectations: ${list.filter(({holds}) => holds).length} of ${list.length} hold`;
}

/// Steps of programs expect things in equal words: their place tells them apart.
function placeOf({pointer}: Expectation): Node[] {
  const place = pointer && !pointer.startsWith('/expect') ? pointer.slice(1) : '';
  return place ? [element('span', {class: 'where'}, place)] : [];
}

/// What was found has the unit of what was expected.
function foundBy({expected, found}: Expectation): (Node|string)[] {
  return withTimes(/^\d+$/.test(found) && / ps$/.test(expected) ? `${found} ps` : found);
}

function expectations({expectations: list}: Result): HTMLElement {
  const head =
      ['', 'expected', 'found'].map(text => element('th', {scope: 'col'}, text || 'holds'));
  const rows = list.map(
      one => element(
          'tr', one.holds ? {} : {class: 'bad'},
          element('td', {}, one.holds ? '\u2713 yes' : '\u2717 no'),
          element('td', {}, ...withTimes(one.expected), ...placeOf(one)),
          element('td', {}, ...foundBy(one))));
  return element(
      'table', {id: 'expectations'}, element('thead', {}, element('tr', {}, ...head)),
      element('tbody', {}, ...rows));
}
