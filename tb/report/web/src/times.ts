import {element} from './dom';
import {duration, grouped} from './units';

/// A text with its times, "2000000000 ps", in a unit that can be read; the exact time is the title.
export function withTimes(text: string): (Node|string)[] {
  return text.split(/(\d+ ps\b)/).map(part => {
    const [, digits] = /^(\d+) ps$/.exec(part) ?? [];
    if (!digits || Number(digits) < 1000) return part;
    return element(
        'span', {class: 'time', title: `${grouped(digits)} ps`}, duration(Number(digits), 7));
  });
}
