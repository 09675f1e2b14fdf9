// Pages of hand-made matrices, written as tb/app/cli/outputs/exploration_page.cpp does.
import {pack} from './encode.mjs';

const operation = (agent, op) => ({agent, op, nth: 1});

function violation(invariant, text) {
  return {
    invariant,
    name: 'NO_LOST_WAITER',
    message: `${invariant} breaks`,
    holds: [{
      hold: operation('cmp', 'drain'),
      until: operation('engine', 'issue'),
      steps: {first: 3, second: 4}
    }],
    why: [`${invariant} breaks at step 4`, 'It happens when one comes before another.'],
    breaks_in_time: false,
    story: [
      {step: 3, agent: 'engine', op: 'issue', text: 'the engine issues', held: true},
      {step: 4, agent: 'cmp', op: 'drain', text, held: false}
    ]
  };
}

/// A violation that is not explained.
function alone(invariant) {
  return {...violation(invariant, ''), holds: [], why: [], story: []};
}

export function matrixPage(matrix, found, more = {}) {
  const meta = {
    format: 2,
    kind: 'matrix',
    codec: 'deflate-raw',
    command: 'fenceline explore scenarios/P01.json',
    matrix,
    ...more
  };
  return {kind: 'matrix', title: matrix.scenario, meta, columns: pack(JSON.stringify(found))};
}

/// Two mechanisms, of which the first suffices.
export function backups() {
  const row = (on, verdict, violations, executions) => ({on, verdict, violations, executions});
  return {
    scenario: 'P01',
    title: 'Two mechanisms',
    mechanisms: [
      {name: 'cmp.recheck', on: true, off: false, on_means: 'it looks again', off_means: ''}, {
        name: 'os.resample',
        on: 'always',
        off: 'never again',
        on_means: '',
        off_means: 'it looks once'
      }
    ],
    sufficient: [['cmp.recheck']],
    backups: [['cmp.recheck']],
    not_exercised: [],
    bounds: {signals: 1, steps: 'all'},
    rows: [
      row([], 'VIOLATED', ['I1'], 1234), row(['cmp.recheck'], 'PROVED', [], 56),
      row(['os.resample'], 'VIOLATED', ['I7'], 78),
      row(['cmp.recheck', 'os.resample'], 'PROVED', [], 90)
    ]
  };
}

export function matrix() {
  return matrixPage(backups(), [alone('I1'), null, violation('I7', 'torn'), null]);
}

export function provedMatrix() {
  const all = backups();
  for (const row of all.rows) Object.assign(row, {verdict: 'PROVED', violations: []});
  return matrixPage({...all, sufficient: [[]], backups: []}, all.rows.map(() => null));
}

export function hostileMatrix() {
  const bad = '</script><script>window.hurt = 1</script><img src=x onerror="window.hurt = 1">';
  const all = backups();
  Object.assign(all, {scenario: bad, title: bad, not_exercised: [bad]});
  all.mechanisms[0] = {name: bad, on: bad, off: bad};
  all.rows[0].violations = [bad];
  return matrixPage(all, [violation(bad, bad), null, null, null], {command: bad});
}
