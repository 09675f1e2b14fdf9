import {element, heading, panel} from '../dom';
import {sortable} from '../table';
import type {Json} from '../meta';
import type {Matrix} from './data';

function valueOf(value: Json, meaning: string): string {
  return meaning ? `${value}: ${meaning}` : String(value);
}

/// What the matrix says about its mechanisms.
export function sets({result}: Matrix): HTMLElement {
  const {sufficient, backups, not_exercised: idle, mechanisms} = result;
  const of = (list: string[][], none: string) => list.length ?
      element('ul', {}, ...list.map(names => element('li', {}, names.join(' + ') || 'nothing'))) :
      element('p', {}, none);
  return panel(
      'sets', 'Sets', heading('Smallest sets that suffice'), of(sufficient, 'None suffices.'),
      heading('Must not be left out'),
      element('p', {class: 'facts'}, 'Mechanisms of one line back each other up.'),
      of(backups, 'Each of them may be left out.'),
      ...idle.length ?
          [
            heading('Not exercised'),
            element('p', {}, `${idle.join(', ')}: every search is the same with and without them.`)
          ] :
          [],
      heading('Mechanisms'),
      sortable(
          [{title: 'switch'}, {title: 'on'}, {title: 'off'}],
          mechanisms.map(
              one => [one.name, valueOf(one.on, one.on_means), valueOf(one.off, one.off_means)])));
}
