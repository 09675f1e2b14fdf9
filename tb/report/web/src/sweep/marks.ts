import {cellText, Column, failed, Sweep} from './data';
import {Scale} from './scale';

/// What the reader chose to see.
export interface Choice {
  x: string;
  y: string[];     ///< one column, or percentiles of one latency
  colour: string;  ///< '': none
  facet: string;   ///< '': one field for all
  means: boolean;  ///< a mark a point, with the mean of its seeds
  logX: boolean;
  logY: boolean;
  front: string;  ///< which ends of the axes are better: "--", "-+", "+-", "++"; '': no front
}

/// A mark: of a run, or of the mean of a point.
export interface Mark {
  row: number;     ///< the run, or the first run of the point
  series: number;  ///< place in Choice.y
  x: number;
  y: number;
  halfX: number;  ///< half of the interval of a mean; NaN: none
  halfY: number;
  failed: boolean;
  facet: number;
  front: boolean;
}

/// What is drawn: the marks, and what places them.
export interface Picture {
  choice: Choice;
  marks: Mark[];
  missing: number;   ///< runs, or points, without a value on one of the axes
  facets: string[];  ///< title of each field
  across: Column;
  up: Column[];
  scaleX: Scale;
  scaleY: Scale;
}

interface Value {
  at: number;
  half: number;
}

/// The value of a run, or of the point whose first run it is.
function valueOf(sweep: Sweep, {place, mean, half}: Column, row: number, means: boolean): Value {
  const group = sweep.group[row];
  if (means && mean && half) return {at: mean[group], half: half[group]};
  return {at: place[row], half: NaN};
}

/// Runs of a point come one after the other, and the first stands for all.
function rowsOf({first, meta}: Sweep, means: boolean): number[] {
  return means ? [...first.subarray(0, meta.groups)] :
                 Array.from({length: meta.rows}, (_, row) => row);
}

function pointFailed(sweep: Sweep, row: number): boolean {
  const group = sweep.group[row];
  for (let i = sweep.first[group]; i < sweep.first[group + 1]; ++i)
    if (failed(sweep, i)) return true;
  return false;
}

/// Different values of a column, at most `most`, with a text of each; none if there are more.
export function values(column: Column, most: number): number[]|null {
  const found = new Set<number>();
  for (const value of column.place) {
    if (!Number.isNaN(value)) found.add(value);
    if (found.size > most) return null;
  }
  return [...found].sort((a, b) => a - b);
}

/// Marks of a front: no other one of the field is better in one figure and as good in the other.
function markFront(marks: Mark[], front: string): void {
  const [signX, signY] = [...front].map(sign => sign === '+' ? -1 : 1);
  const order =
      marks.filter(mark => !mark.failed).sort((a, b) => (a.x - b.x) * signX || (a.y - b.y) * signY);
  let best = Infinity, at = NaN;
  for (const mark of order) {
    mark.front = mark.y * signY < best || (mark.y * signY === best && mark.x === at);
    if (mark.front) [best, at] = [mark.y * signY, mark.x];
  }
}

export function pictureOf(sweep: Sweep, choice: Choice): Picture {
  const across = sweep.column(choice.x), up = choice.y.map(name => sweep.column(name));
  const field = choice.facet ? sweep.column(choice.facet) : null;
  const fields = field && values(field, Infinity), marks: Mark[] = [];
  let missing = 0;
  for (const row of rowsOf(sweep, choice.means)) {
    const x = valueOf(sweep, across, row, choice.means);
    const facet = field ? fields!.indexOf(field.place[row]) : 0;
    const bad = choice.means ? pointFailed(sweep, row) : failed(sweep, row);
    const before = marks.length;
    up.forEach((column, series) => {
      const y = valueOf(sweep, column, row, choice.means);
      if (Number.isNaN(x.at) || Number.isNaN(y.at) || facet < 0) return;
      const place = {row, series, x: x.at, y: y.at, halfX: x.half, halfY: y.half};
      marks.push({...place, failed: bad, facet, front: false});
    });
    if (marks.length === before) ++missing;
  }
  const facets = field ?
      fields!.map(value => `${field.label} = ${cellText(field, field.place.indexOf(value))}`) :
      [''];
  if (choice.front)
    facets.forEach(
        (_, facet) => up.forEach(
            (__, series) => markFront(
                marks.filter(mark => mark.facet === facet && mark.series === series),
                choice.front)));
  const ends = (at: 'x'|'y', half: 'halfX'|'halfY') => marks.flatMap(
      mark =>
          Number.isNaN(mark[half]) ? [mark[at]] : [mark[at] - mark[half], mark[at] + mark[half]]);
  return {
    choice,
    marks,
    missing,
    facets,
    across,
    up,
    scaleX: new Scale(across, ends('x', 'halfX'), choice.logX),
    scaleY: new Scale(up[0], ends('y', 'halfY'), choice.logY)
  };
}
