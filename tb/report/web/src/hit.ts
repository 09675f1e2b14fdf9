import {kRuler, Lane} from './layout';
import {Pick, sliceTitle, timesOf} from './pick';
import type {Scene} from './scene';
import {lowerBound} from './sorted';

const kSlack = 3;  // pixels around a narrow span or an event

export interface Box {
  x: number;
  y: number;
  width: number;
  height: number;
  pinned: boolean;
}

/// Where something is on the canvas; null if its row is filtered out.
export function boxOf(scene: Scene, pick: Pick): Box|null {
  const lane = scene.laneOf(pick);
  if (!lane) return null;
  const {view} = scene, [begin, end] = timesOf(scene.run, pick);
  const half = pick.kind === 'instant' ? 4 : 0, x = view.x(begin) - half;
  const width = Math.max(2, view.x(end) + half - x);
  return {x, y: view.top(lane) + 1, width, height: lane.height - 2, pinned: lane.pinned};
}

/// What is at a point of the canvas. An event in the lower half of a row comes before the span
/// behind it.
export function hit(scene: Scene, x: number, y: number): Pick|null {
  const {view} = scene;
  if (x < view.gutter || y < kRuler) return null;
  const lane = view.laneAt(y);
  if (!lane || lane.kind === 'group') return null;
  if (lane.kind === 'chart') return hitChart(scene, lane, x);
  const event = hitInstant(scene, lane, x);
  if (event && y - view.top(lane) > 6) return event;
  return hitFault(scene, lane, x) ?? hitSlice(scene, lane, x) ?? event;
}

function hitChart({run, view}: Scene, lane: Lane, x: number): Pick|null {
  const {time} = run.counters[lane.index], at = view.time(x);
  const index = lowerBound(time, at + 1, 0, time.length) - 1;
  return index < 0 || at > run.meta.end ? null : {kind: 'point', index, counter: lane.index};
}

function hitInstant({run, view}: Scene, lane: Lane, x: number): Pick|null {
  const {time, first} = run.instants, at = view.time(x);
  let near = kSlack * view.span / view.width, found = -1;
  for (let i = lowerBound(time, at - near, first[lane.index], first[lane.index + 1]);
       i < first[lane.index + 1] && time[i] <= at + near; ++i) {
    const distance = Math.abs(time[i] - at);
    if (distance > near || (found >= 0 && distance === near)) continue;
    near = distance;
    found = i;
  }
  return found < 0 ? null : {kind: 'instant', index: found};
}

/// A narrow fault is drawn over its neighbours, and so it is hit before them.
function hitFault({run, view, faults}: Scene, lane: Lane, x: number): Pick|null {
  const {begin, end} = run.slices, least = 3 * view.span / view.width;
  const found = faults.slices[lane.index].find(
      i => end[i] - begin[i] < least && Math.abs(view.x(begin[i]) - x) <= kSlack);
  return found === undefined ? null : {kind: 'slice', index: found};
}

function hitSlice({run, view}: Scene, lane: Lane, x: number): Pick|null {
  const {begin, end, first} = run.slices, at = view.time(x);
  let near = kSlack * view.span / view.width, found = -1;
  for (let i = lowerBound(end, at - near, first[lane.index], first[lane.index + 1]);
       i < first[lane.index + 1] && begin[i] <= at + near; ++i) {
    const distance = Math.max(0, begin[i] - at, at - end[i]);
    if (distance > near || (found >= 0 && distance === near)) continue;
    near = distance;
    found = i;
    if (distance === 0 && begin[i] <= at && at < end[i]) break;
  }
  return found < 0 ? null : {kind: 'slice', index: found};
}

/// The spans that are seen, with their place on the canvas; at most `most`.
export function visible(scene: Scene, most = 1000) {
  const {run, view, layout} = scene, {slices} = run, seen = [];
  for (const lane of layout.lanes) {
    if (lane.kind !== 'row') continue;
    const last = slices.first[lane.index + 1];
    for (let i = lowerBound(slices.end, view.t0, slices.first[lane.index], last);
         i < last && slices.begin[i] < view.t1 && seen.length < most; ++i) {
      const box = boxOf(scene, {kind: 'slice', index: i})!;
      seen.push({
        index: i,
        row: run.meta.rows[lane.index].name,
        name: sliceTitle(run, i),
        begin: slices.begin[i],
        end: slices.end[i],
        ...box
      });
    }
  }
  return seen;
}
