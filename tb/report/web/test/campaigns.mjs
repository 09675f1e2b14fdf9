// Pages of hand-made campaigns, written as tb/campaign/page.cpp does.
import {pack} from './encode.mjs';

const kCoverage = {
  runs: 200,
  groups: [
    {
      name: 'step',
      meaning: 'steps of threads',
      hit: 2,
      all: 3,
      points: [['wait', 120], ['poll', 0], ['submit', 200]]
    },
    {name: 'order', meaning: 'orders of events', hit: 0, all: 0, points: []}
  ],
  features: [{name: 'packet_begin', with: [3, 0]}, {name: 'step poll', with: [0, 0]}]
};

function failure(cause, runs, more = {}) {
  return {
    cause,
    reason: `queue q0 breaks ${cause}`,
    rule: '',
    runs,
    seeds: [35, 173],
    scenario: `failure-${cause}.json`,
    shrink_runs: 189,
    ...more
  };
}

/// Four runs: one hangs, and one has died.
const kRuns = {
  all: 4,
  causes: ['', 'hang', 'crash'],
  failure: [0, 1, 0, 2],
  seed: [7, 8, 9, 10],
  time: [5e6, 9e6, 2e7, null],
  events: [120, 900, 300, null],
  features: [{name: 'step poll', runs: '0110'}]
};

export function campaignPage(campaign, findings, coverage, runs = kRuns) {
  const command = 'fenceline campaign --preset small --runs 1';
  const meta = {format: 2, kind: 'campaign', codec: 'deflate-raw', campaign, command, findings};
  return {
    kind: 'campaign',
    title: campaign.constraints,
    meta,
    columns: `${pack(JSON.stringify(coverage))}\n${pack(JSON.stringify(runs))}`
  };
}

function result(failures) {
  return {
    constraints: 'small',
    policy: 'timing',
    kmd: '',
    set: [],
    first_seed: 1,
    runs: 200,
    complete: true,
    failed: failures.reduce((sum, {runs}) => sum + runs, 0),
    reference: {
      statements: {'final values': {fixed: 90, sets: 4, open: 1}},
      silent: [{reason: 'a switch removes a mechanism', runs: 7}]
    },
    failures
  };
}

export function failing() {
  const failures =
      [failure('I2', 2), failure('difference order', 5, {rule: 'in order', shrink_runs: 0})];
  const findings = failures.map(({cause, scenario}) => ({
                                  command: `fenceline run out/${scenario}`,
                                  document: `{\n  "name": "${cause}"\n}\n`,
                                  counterexample: cause === 'I2' ? 'hold: q0 waits' : ''
                                }));
  return campaignPage(result(failures), findings, kCoverage);
}

export function passing() {
  return campaignPage(result([]), [], null);
}

export function hostileCampaign() {
  const bad = '</script><script>window.hurt = 1</script><img src=x onerror="window.hurt = 1">';
  const coverage = {
    runs: 1,
    groups: [{name: bad, meaning: bad, hit: 0, all: 1, points: [[bad, 0]]}],
    features: [{name: bad, with: [0]}]
  };
  const finding = {command: bad, document: bad, counterexample: bad};
  return campaignPage(
      {...result([failure(bad, 1)]), constraints: bad, policy: bad}, [finding], coverage,
      {...kRuns, causes: ['', bad, bad], features: [{name: bad, runs: '0110'}]});
}
