import {element, heading, panel} from '../dom';
import type {Meta, Result} from '../meta';
import type {Story} from './story';

/// What the run found: what waits for ever, the story of a counterexample, reasons, expectations.
export function findings(meta: Meta, story: Story): HTMLElement {
  const {result} = meta, made = panel('story', 'Story');
  if (result.waiting.length) made.append(heading('Why it is blocked'), blocked(result));
  if (result.reasons.length) {
    made.append(
        heading('Reasons'),
        element('ul', {}, ...result.reasons.map(text => element('li', {}, text))));
  }
  made.append(...story.content);
  if (result.expectations.length) made.append(heading(titleOf(result)), expectations(result));
  if (!made.childNodes.length)
    made.append(
        heading('Story'),
        meta.kind === 'exploration' ? 'The search found no violation.' :
                                      'Nothing was expected, and nothing went wrong.');
  return made;
}

function blocked({waiting}: Result): HTMLElement {
  // Each part is isolated: a name written from right to left must not turn its neighbours round.
  const part = (text: Node|string) => element('bdi', {}, text);
  return element('ul', {id: 'blocked'}, ...waiting.map(entry => {
    if (typeof entry === 'string') return element('li', {}, part(entry));
    const {who, what, why} = entry;
    return element(
        'li', {}, part(element('b', {}, who)), ' waits for ', part(what), ': ', part(why));
  }));
}

function titleOf({expectations: list}: Result): string {
  return `Expectations: ${list.filter(({holds}) => holds).length} of ${list.length} hold`;
}

function expectations({expectations: list}: Result): HTMLElement {
  const head =
      ['', 'expected', 'found'].map(text => element('th', {scope: 'col'}, text || 'holds'));
  const rows = list.map(
      ({expected, found, holds}) => element(
          'tr', holds ? {} : {class: 'bad'}, element('td', {}, holds ? '\u2713 yes' : '\u2717 no'),
          element('td', {}, expected), element('td', {}, found)));
  return element(
      'table', {id: 'expectations'}, element('thead', {}, element('tr', {}, ...head)),
      element('tbody', {}, ...rows));
}
