import {readRuns, Run} from '../data';
import {isBlocked, isGood, Meta} from '../meta';
import {configuration} from '../panels/configuration';
import {faultAt} from '../pick';
import {counted, duration} from '../units';
import {view} from '../viewer';

import {findings} from './findings';
import {numbers} from './numbers';

function factsOf({result, ...meta}: Meta): string[] {
  const parts = [
    // Random orders have steps and no time.
    result.policy === 'random' ? `${counted(meta.end, 'step')}, shown as ps` :
                                 `${duration(meta.end, 6)} simulated`,
    counted(meta.slices, 'span'), counted(meta.instants, 'event'),
    `${counted(meta.flows, 'signal')} that release${meta.flows === 1 ? 's' : ''} a wait`
  ];
  if (isBlocked(result) && isGood(result)) parts.push('ends blocked, as expected');
  return result.seed === undefined ? parts : [...parts, `seed ${result.seed}`];
}

view<Run>({
  async load() {
    return (await readRuns<Meta>(meta => [meta])).runs;
  },
  facts: ({meta}) => factsOf(meta).join(', '),
  middle: (run, _scene, selection) => ({
    panel: findings(
        run.meta,
        ({time_ps}) => {
          const mark = faultAt(run, time_ps);
          if (mark) selection.goTo(mark);
        })
  }),
  tabs: ({meta}, scenario) =>
      [{title: 'Numbers', panel: numbers(meta)},
       {title: 'Configuration', panel: configuration(meta.config, meta.defaults)}, scenario]
});
