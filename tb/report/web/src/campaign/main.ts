import {element} from '../dom';
import {Tabs} from '../panels/tabs';
import {present} from '../ready';
import {counted, grouped} from '../units';

import {coverageOf, featuresOf, judgedBy} from './coverage';
import {Campaign, loadCampaign} from './data';
import {Failures} from './failures';
import {RunsChart} from './runs';

function header({result}: Campaign): HTMLElement {
  const {runs, failed, constraints, policy, first_seed: seed, complete} = result,
                                                              groups = result.failures.length;
  const parts = [
    `${grouped(runs)} runs from seed ${seed}`, `policy ${policy}`,
    `${counted(groups, 'group')} of failures`
  ];
  const made = element(
      'header', {},
      element(
          'span', {class: `badge ${failed ? 'bad' : 'good'}`},
          failed ? `${grouped(failed)} failed` : 'pass'),
      element('h1', {}, `Campaign of ${constraints}`),
      element('div', {class: 'facts'}, parts.join(', ')));
  if (!complete)
    made.append(element('div', {class: 'notice'}, 'The campaign ended before all its runs.'));
  return made;
}

async function start(): Promise<void> {
  const campaign = await loadCampaign(), failures = new Failures(campaign), {coverage} = campaign;
  const tabs = [
    ...coverage ?
        [
          {title: 'Coverage', panel: coverageOf(coverage)},
          {title: 'Features', panel: featuresOf(coverage)}
        ] :
        [],
    {title: 'Reference', panel: judgedBy(campaign)}
  ];
  const chart = new RunsChart(campaign.runs, campaign.command, campaign.result.policy === 'timing');
  tabs.splice(-1, 0, {title: 'Runs', panel: chart.panel});
  document.getElementById('app')!.replaceChildren(
      header(campaign),
      element(
          'main', {class: 'lists'}, failures.list, failures.detail, new Tabs(tabs, 'More').root));
  const {plot} = chart, go = (at: number) => failures.go(at);
  Object.assign(
      handle, {campaign, go, plot, at: (mark: number) => plot.at(plot.picture.marks[mark])});
}

const handle: {ready?: Promise<void>} = {};
present(handle, start);
