import {readRuns} from '../data';
import type {ExplorationMeta} from '../meta';
import {view} from '../viewer';

import {explored, Explored} from './explored';
import {aboutSearch, searched, searchFacts, violations} from './panels';
import {Story} from './story';

view<Explored>({
  async load() {
    const {meta, runs} = await readRuns<ExplorationMeta>(all => all.runs);
    return explored(meta, runs);
  },
  facts: ({exploration}) => searchFacts(exploration),
  middle({exploration, found}, scene, selection) {
    if (!found) return {panel: searched(exploration)};
    const story = new Story(found, scene, selection);
    return {panel: story.panel, steps: story};
  },
  tabs({exploration, meta}, scenario) {
    return [...aboutSearch(exploration, meta), scenario];
  },
  chooser: violations
});
