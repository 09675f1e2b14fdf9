import {readRuns} from '../data';
import type {ComparisonMeta} from '../meta';
import {view} from '../viewer';

import type {Compared} from './compared';
import {markDifferences} from './marks';
import {merge} from './merge';
import {comparisonFacts, Differences, sections} from './panels';

view<Compared>({
  async load() {
    const {meta, runs: [a, b]} = await readRuns<ComparisonMeta>(({runs}) => runs);
    return [merge(meta, a, b)];
  },
  facts: ({comparison}) => comparisonFacts(comparison),
  middle(run, scene, selection) {
    markDifferences(scene, run);
    const differences = new Differences(run, scene, selection);
    return {panel: differences.panel, steps: differences};
  },
  tabs: ({comparison}) => sections(comparison)
});
