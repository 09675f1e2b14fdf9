import type {Run} from './data';
import type {Pick} from './pick';
import {timesOf} from './pick';

/// A program, step, command or object in the text of the scenario.
interface Place {
  line: number;    ///< from 1; 0: it comes from an option
  from: number;    ///< place in the text
  to: number;      ///< its end
  object: string;  ///< name of its rows, titles and charts; empty: it has none
}

/// Links lines of the scenario with what they caused on the timeline, both ways.
export class Places {
  private readonly list: Place[];
  private readonly starts: number[] = [0];  ///< of each line
  private readonly inside: Int32Array;      ///< of each line: number of places that it is part of

  constructor(private readonly run: Run) {
    const {scenario_text: text, places} = run.meta;
    for (let at = text.indexOf('\n'); at >= 0; at = text.indexOf('\n', at + 1))
      this.starts.push(at + 1);
    const ends = endsOf(text);
    this.list = places.map(([line, column, object]) => {
      const from = line && text ? this.offset(text, line, column) : -1;
      return {line, from, to: ends.get(from) ?? from, object};
    });
    this.inside = this.cover();
  }

  /// The first and the last line of what caused it; 0 if they are not known.
  linesOf(pick: Pick|null): [number, number] {
    const number = this.numberOf(pick);
    if (!number) return [0, 0];
    const {line, from, to} = this.list[number - 1];
    return [line, from < 0 ? line : this.lastLine(line, to)];
  }
  /// True if it was caused by a part of the scenario that an option has put there.
  fromOption(pick: Pick|null): boolean {
    const number = this.numberOf(pick);
    return number > 0 && !this.list[number - 1].line;
  }

  /// What the places on a line, and all inside them, have caused: first what the step itself is,
  /// then what serves it, each in the order of time. A line without a place stands for the one
  /// around it.
  picks(line: number): Pick[] {
    const wanted = this.within(line), run = this.run;
    let found = this.matching(wanted, new Set(), new Set());
    const objects =
        this.list.flatMap((one, at) => wanted[at + 1] && one.object ? [one.object] : []);
    if (!found.length && objects.length) {
      const about = (text: string) => text.split(' ').some(word => objects.includes(word));
      const rows = new Set(run.meta.rows.flatMap(({name}, at) => about(name) ? [at] : []));
      const names = new Set(run.meta.names.flatMap((name, at) => about(name) ? [at] : []));
      found = this.matching(new Uint8Array(wanted.length), rows, names);
    }
    const begin = (pick: Pick) => timesOf(run, pick)[0];
    const rank = (pick: Pick) => Number(this.serves(pick));
    return found.sort((a, b) => rank(a) - rank(b) || begin(a) - begin(b));
  }

  /// True for transfers, calls of the driver and interrupts that a step needs.
  private serves(pick: Pick): boolean {
    const {slices, instants, meta} = this.run;
    const name = (pick.kind === 'slice' ? slices : instants).name[pick.index];
    return ['pcie', 'driver', 'isr', 'dpc'].includes(meta.colours[name]);
  }

  /// True if a line is part of a place.
  has(line: number): boolean {
    return this.inside[line - 1] > 0;
  }

  private numberOf(pick: Pick|null): number {
    if (!pick || pick.kind === 'point') return 0;
    return (pick.kind === 'slice' ? this.run.slices : this.run.instants).place[pick.index];
  }

  private lastLine(line: number, to: number): number {
    while (line < this.starts.length && this.starts[line] <= to) ++line;
    return line;
  }

  private cover(): Int32Array {
    const count = new Int32Array(this.starts.length + 1);
    for (const {line, from, to} of this.list) {
      if (from < 0) continue;
      ++count[line - 1];
      --count[this.lastLine(line, to)];
    }
    for (let line = 1; line < count.length; ++line) count[line] += count[line - 1];
    return count;
  }

  /// Columns count characters, of which some are two units of a text here.
  private offset(text: string, line: number, column: number): number {
    let at = this.starts[line - 1] ?? -1;
    for (let left = column - 1; left > 0; --left) at += text.codePointAt(at)! > 0xffff ? 2 : 1;
    return at;
  }

  /// Marks the numbers of places.
  private within(line: number): Uint8Array {
    const begin = this.starts[line - 1], end = this.starts[line] ?? Infinity;
    let outer = this.list.filter(({from}) => from >= begin && from < end);
    if (!outer.length) {
      const around = this.list.filter(({from, to}) => from >= 0 && from < begin && to >= begin);
      outer = around.slice(-1);
    }
    const marks = new Uint8Array(this.list.length + 1);
    this.list.forEach(({from}, at) => {
      if (outer.some(one => from >= one.from && from <= one.to)) marks[at + 1] = 1;
    });
    return marks;
  }

  private matching(places: Uint8Array, rows: Set<number>, names: Set<number>): Pick[] {
    const {slices, instants} = this.run, picks: Pick[] = [];
    for (const [kind, {place, row, name}] of [['slice', slices], ['instant', instants]] as const)
      for (let index = 0; index < place.length; ++index)
        if (places[place[index]] || rows.has(row[index]) || names.has(name[index]))
          picks.push({kind, index});
    return picks;
  }
}

/// Where each object of a JSON text ends.
function endsOf(text: string): Map<number, number> {
  const ends = new Map<number, number>(), open: number[] = [];
  for (const {0: token, index} of text.matchAll(/"(?:[^"\\]|\\.)*"|[{}]/g)) {
    if (token === '{') open.push(index);
    if (token === '}' && open.length) ends.set(open.pop()!, index);
  }
  return ends;
}
