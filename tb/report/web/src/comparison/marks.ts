import type {Run} from '../data';
import {Pick, timesOf} from '../pick';
import type {Scene} from '../scene';

import type {Compared} from './compared';

const kHeight = 3;
const kLeast = 3;  // pixels, so that a narrow difference is seen

/// A difference of a row.
interface Mark {
  begin: number;   ///< [ps]
  end: number;     ///< [ps]
  alone: boolean;  ///< only one of the runs has it
}

/// The differences of each row, by begin. What only happens at another time is not marked: most of
/// a run does, once one thing is late.
function marksOf(run: Compared): Mark[][] {
  const marks: Mark[][] = run.meta.rows.map(() => []);
  for (const {marked, a, b} of run.comparison.differences) {
    if (!marked) continue;
    for (const pick of [a, b])
      if (pick) marks[rowOf(run, pick)].push(markOf(run, pick, !a || !b));
  }
  for (const list of marks) list.sort((x, y) => x.begin - y.begin);
  return marks;
}

function rowOf({slices, instants}: Run, {kind, index}: Pick): number {
  return (kind === 'slice' ? slices : instants).row[index];
}

function markOf(run: Run, pick: Pick, alone: boolean): Mark {
  const [begin, end] = timesOf(run, pick);
  return {begin, end, alone};
}

/// Draws a line over each difference: red if only one run has it.
export function markDifferences(scene: Scene, run: Compared): void {
  const marks = marksOf(run), {view} = scene;
  scene.overRows.push((c, lanes) => {
    for (const lane of lanes) {
      for (const {begin, end, alone} of marks[lane.index]) {
        if (begin > view.t1) break;
        if (end < view.t0) continue;
        const x0 = Math.max(view.x(begin), view.gutter);
        const x1 = Math.min(Math.max(view.x(end), x0 + kLeast), view.gutter + view.width);
        c.fillStyle = alone ? scene.theme.plain.bad : scene.theme.plain.accent;
        c.fillRect(x0, view.top(lane), x1 - x0, kHeight);
      }
    }
  });
}
