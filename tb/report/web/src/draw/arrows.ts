import {kRuler, Lane} from '../layout';
import type {Scene} from '../scene';

const kMostArrows = 400;

/// Draws the arrows from signals to releases. If there are too many, those of the selection only.
export function drawFlows(scene: Scene, c: CanvasRenderingContext2D): void {
  const {view, run, selected} = scene, mine: number[] = [], others: number[] = [];
  let count = 0;
  scene.flows.visit(view.t0, view.t1, flow => {
    const ofSelection = selected?.kind === 'slice' ?
        run.from[flow] === selected.index :
        selected?.kind === 'instant' && run.to[flow] === selected.index;
    if (ofSelection)
      mine.push(flow);
    else if (++count <= kMostArrows)
      others.push(flow);
  });
  scene.arrowsHidden = count > kMostArrows ? count : 0;
  if (!scene.arrowsHidden)
    for (const flow of others) drawArrow(scene, c, flow, false);
  for (const flow of mine) drawArrow(scene, c, flow, true);
  c.globalAlpha = 1;
  c.lineWidth = 1;
}

/// Middle of a lane; one that is scrolled under the pinned lanes is at their edge.
function middleOf({view}: Scene, lane: Lane): number {
  const y = view.top(lane) + lane.height / 2;
  return lane.pinned ? y : Math.max(y, view.fold);
}

function drawArrow(scene: Scene, c: CanvasRenderingContext2D, flow: number, strong: boolean): void {
  const {run, view, layout, theme} = scene, {slices, instants} = run;
  const from = layout.laneOfRow(slices.row[run.from[flow]]);
  const to = layout.laneOfRow(instants.row[run.to[flow]]);
  if (!from || !to) return;
  const x0 = view.x(slices.begin[run.from[flow]]), x1 = view.x(instants.time[run.to[flow]]);
  const y0 = middleOf(scene, from), y1 = middleOf(scene, to);
  if ((y0 < kRuler && y1 < kRuler) || (y0 > view.height && y1 > view.height)) return;
  c.globalAlpha = strong ? 1 : 0.55;
  c.lineWidth = strong ? 2 : 1;
  c.strokeStyle = c.fillStyle = strong ? theme.plain.accent : theme.of.signal;
  const bend = Math.max(12, Math.min(60, Math.abs(x1 - x0) / 2));
  c.beginPath();
  c.moveTo(x0, y0);
  c.bezierCurveTo(x0 + bend, y0, x1 - bend, y1, x1, y1);
  c.stroke();
  c.beginPath();
  c.moveTo(x1, y1);
  c.lineTo(x1 - 6, y1 - 3);
  c.lineTo(x1 - 6, y1 + 3);
  c.fill();
}
