import type {Pick} from './pick';
import type {Selection} from './panels/selection';
import type {Scene} from './scene';

const kPause = 300;  // [ms] browsers refuse changes of the address that come too fast

/// Keeps window and selection in the address of the page: "#t=0,5000&slice=7". A link or a reload
/// comes back to them.
export function keepAddress(scene: Scene, selection: Selection, gone: AbortSignal): void {
  restore(scene, selection);
  let timer = 0;
  scene.afterDraw.push(() => {
    clearTimeout(timer);
    timer = window.setTimeout(() => save(scene), kPause);
  });
  addEventListener('hashchange', () => restore(scene, selection), {signal: gone});
  gone.addEventListener('abort', () => {
    clearTimeout(timer);
    setAddress('');
  });
}

function save({view, selected}: Scene): void {
  const pick = selected &&
      `&${selected.kind}=${selected.index}${
                   selected.kind === 'point' ? `&counter=${selected.counter}` : ''}`;
  setAddress(`t=${Math.round(view.t0)},${Math.round(view.t1)}${pick ?? ''}`);
}

function setAddress(hash: string): void {
  try {
    history.replaceState(null, '', `#${hash}`);
  } catch {
    // Some browsers forbid it for files; the page works without.
  }
}

function restore(scene: Scene, selection: Selection): void {
  const words = new URLSearchParams(location.hash.slice(1));
  const times = words.get('t')?.split(',').map(Number) ?? [];
  if (times.length === 2 && times.every(Number.isFinite)) scene.setView(times[0], times[1]);
  const pick = pickOf(words, scene);
  if (pick) selection.select(pick);
}

function pickOf(words: URLSearchParams, {run}: Scene): Pick|null {
  const within = (key: string, count: number) => {
    const text = words.get(key), index = Number(text);
    return text !== null && Number.isInteger(index) && index >= 0 && index < count ? index : -1;
  };
  const slice = within('slice', run.meta.slices), instant = within('instant', run.meta.instants);
  if (slice >= 0) return {kind: 'slice', index: slice};
  if (instant >= 0) return {kind: 'instant', index: instant};
  const counter = within('counter', run.counters.length);
  const index = counter < 0 ? -1 : within('point', run.counters[counter].time.length);
  return index < 0 ? null : {kind: 'point', index, counter};
}
