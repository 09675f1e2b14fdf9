import type {Run, Values} from '../data';
import type {Exploration, ExplorationMeta, Meta, Violation} from '../meta';

import {told} from './told';

/// A search with one of its counterexamples, or one that found none.
export interface Explored extends Run {
  exploration: Exploration;
  found: Violation|null;  ///< null: no counterexample
}

function values(): Values {
  return {near: new Float64Array(0), exact: null};
}

/// The run of a counterexample that has no timeline, or of a search that found nothing.
function undrawn(): Run {
  const first = () => Uint32Array.of(0), row = () => new Uint16Array(0),
        whole = () => new Uint32Array(0);
  const times = () => new Float64Array(0);
  return {
    meta: {
      rows: [],
      names: [],
      colours: [],
      slices: 0,
      instants: 0,
      flows: 0,
      end: 1,
      thinned: 0,
      thinned_values: 0,
      places: []
    } as Partial<Meta>as Meta,
    slices: {
      first: first(),
      row: row(),
      begin: times(),
      end: times(),
      name: whole(),
      value: values(),
      open: new Uint8Array(0),
      place: whole(),
      busy: new Float64Array(1)
    },
    instants:
        {first: first(), row: row(), time: times(), name: whole(), value: values(), place: whole()},
    from: whole(),
    to: whole(),
    counters: []
  };
}

/// One run for each violation, or one without a violation.
export function explored(
    {exploration, config, defaults, scenario_file, scenario_text, drawn}: ExplorationMeta,
    runs: Run[]): Explored[] {
  const {violations, scenario, title, verdict, reasons} = exploration;
  const result = {scenario, title, verdict, reasons, waiting: [], expectations: []};
  const text: Partial<Meta> = {scenario_file, scenario_text};
  return (violations.length ? violations : [null]).map((violation, at) => {
    const run = runs[drawn.indexOf(at)] ?? undrawn();
    return {
      ...run,
      // Links into the scenario belong to the run's own text.
      meta: {...text, ...run.meta, result, config, defaults},
      exploration,
      found: violation && told(violation)
    };
  });
}
