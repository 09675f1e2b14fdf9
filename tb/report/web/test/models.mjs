// The runs that the tests of the page show: small ones, made by hand, and a large one.

const kUs = 1e6;  // [ps]

/// One fence, two waits, an engine, a fault and a lost entry; 100 us.
export function small() {
  return {
    names: [
      ['signal app/F', 'signal'], ['wait app/F', 'wait'], ['DISPATCH', 'work'], ['ISR', 'isr'],
      ['released app/F', 'mark'], ['torn entry', 'suspect'], ['lost entries', 'lost'],
      ['C6', 'idle'], ['raise', 'pcie']
    ],
    rows: [
      {
        group: 'Queues',
        name: 'gpu0.compute0',
        kind: 'queue',
        slices: [[10 * kUs, 11 * kUs, 0, 42], [60 * kUs, 61 * kUs, 0, 43]]
      },
      {
        group: 'Engines',
        name: 'gpu0.compute',
        kind: 'engine',
        slices: [[0, 10 * kUs, 2], [20 * kUs, 60 * kUs, 2]],
        instants: [[15 * kUs, 5, 7]]
      },
      {group: 'Logs', name: 'log0', kind: 'log', slices: [[50 * kUs, 50 * kUs + 20, 6, 3]]},
      {
        group: 'Cores',
        name: 'core0',
        kind: 'core',
        slices: [[0, 12 * kUs, 7], [12 * kUs, 14 * kUs, 3], [14 * kUs, 100 * kUs, 7]],
        instants: Array.from({length: 300}, (_, i) => [70 * kUs + i * 1000, 8])
      },
      {
        group: 'Threads',
        name: 'app.main',
        kind: 'thread',
        slices: [[1 * kUs, 13 * kUs, 1, 42], [14 * kUs, 100 * kUs, 1, 44, true]],
        instants: [[13 * kUs, 4, 42]]
      },
      {
        group: 'Threads',
        name: 'app.other',
        kind: 'thread',
        slices: [[2 * kUs, 63 * kUs, 1, 43]],
        instants: [[63 * kUs, 4, 43]]
      },
    ],
    flows: [[0, 301], [1, 302]],
    counters: [
      {
        name: 'app/F CurrentValue',
        group: 'Fence values',
        unit: '',
        points: [[0, 41], [11 * kUs, 42], [61 * kUs, 43]]
      },
      {
        name: 'app/F MonitoredValue',
        group: 'Fence values',
        unit: '',
        points: [[0, -1], [2 * kUs, 42], [13 * kUs, 43], [63 * kUs, -1]]
      },
      {name: 'gpu0.vram', group: 'Memory', unit: 'bytes', points: [[0, 4096], [30 * kUs, 1048576]]},
    ],
    end: 100 * kUs,
    result: {
      scenario: 'small',
      title: 'One fence, two waits',
      verdict: 'hang',
      seed: 1,
      policy: 'cycle',
      reasons: ['app.main waits for ever'],
      waiting: [{who: 'app.main', what: 'app/F >= 44', why: 'no queue signals 44'}],
      expectations: [
        {expected: 'F is 43', found: '43', holds: true},
        {expected: 'app.main ends', found: 'it waits', holds: false}
      ],
    },
    latencies: {
      'signal to release': {count: 2, min: 2e6, p50: 2e6, p99: 3e6, max: 3e6},
      'doorbell': {count: 1, min: 5e5, p50: 5e5, p99: 5e5, max: 5e5}
    },
    counts: {
      interrupts: {value: 2, unit: '', meaning: 'raised'},
      packets: {value: 12345, unit: '', meaning: 'decoded'}
    },
    config: {
      gpu: {signal_barrier: 'before_raise', engines: [{name: 'compute', slots: 4}], empty: {}},
      seed: 1
    },
    defaults: {'/gpu/signal_barrier': 'before_check', '/gpu/engines/0/slots': null},
    scenario_text: '{\n  "name": "small",\n  "seed": 1\n}\n',
  };
}

/// The same with the story of a counterexample: its timeline, and what the search says of it.
function told() {
  const run = small(), steps = [
    'CurrentValue 42 enters the FIFO', 'the shadow is read', 'the interrupt is not raised'
  ];
  const first = run.names.length;
  steps.forEach((text, at) => run.names.push([`${at + 1} ${text}`, 'story']));
  run.rows.unshift({
    group: 'Counterexample',
    name: 'engine',
    kind: 'story',
    instants: steps.map((_, at) => [(20 + 20 * at) * kUs, first + at])
  });
  run.flows = run.flows.map(([from, to]) => [from, to + steps.length]);
  const found = {
    invariant: 'I01',
    name: 'no lost waiter',
    message: 'app.main waits for 44 for ever',
    why: ['nobody looks again'],
    prevented_by: ['gpu.signal_barrier=before_raise'],
    story: steps.map(
        (text, at) => ({step: at + 1, agent: 'engine', op: 'write', text, held: at === 1}))
  };
  return {run, found};
}

/// Two runs and their differences: in B a wait lasts longer, and a row and its span are new.
export function compared() {
  const a = small(), b = small();
  b.result.verdict = 'pass';
  b.end = 120 * kUs;
  b.rows[5].slices[0][1] = 73 * kUs;
  b.names.push(['COPY', 'packet']);
  b.rows.splice(1, 0, {
    group: 'Queues',
    name: 'extra',
    kind: 'queue',
    slices: [[80 * kUs, 100 * kUs, b.names.length - 1]]
  });
  const section = (title, ...differences) => ({title, differences});
  return {
    format: 2,
    kind: 'comparison',
    equal: false,
    folders: ['runs/a', 'runs/b'],
    runs: [a, b],
    sections: [
      section('verdict', ['verdict', 'hang', 'pass', null]), section('fences'),
      section('statistics', ['doorbells', '8', '4', 0.5], ['more', 'none', '1', null]),
      section('configuration', ['gpu/slots', '4', '2', null])
    ],
    changes: ['only in A', 'only in B', 'longer', 'shorter', 'in another order', 'at another time'],
    shifted: 5,
    // Places in A and in B among the spans of all rows, and among the events of all rows.
    differences: [[2, 1, 10, 11], [1, 1, -1, 2], [5, 0, 302, 302]],
  };
}

/// A search that found two violations, the first one drawn.
export function explored() {
  const {run, found: first} = told();
  first.story[2].text = first.story[0].text;  // a step that happens twice
  run.names[run.names.length - 1][0] = `3 ${first.story[0].text}`;
  const operation = (agent, op) => ({agent, op, nth: 1});
  const drawn = {
    ...first,
    message: 'waits since 4 ps',
    steps: 8,
    replays: 30,
    execution: 12,
    why: ['waits since step 4', 'nobody looks again'],
    holds: [{
      hold: operation('engine', 'issue'),
      until: operation('cmp', 'drain'),
      steps: {first: 1, second: 3}
    }],
    prevented_by_meanings: ['nothing overtakes'],
    mechanisms: ['gpu.signal_barrier=off: no order'],
    inevitable_after_step: 2,
    decided_by: {first: 2, second: 3},
    breaks_in_time: true,
    omitted_behind: '2 steps of T0',
    at_end: ['T0 has not ended: CurrentValue of F is 42']
  };
  drawn.story[2].omitted_before = '12 steps of cmp, T0';
  drawn.omitted_steps =
      [{step: 4, agent: 'T0', text: 'T0 takes a lock'}, {step: 5, agent: 'T0', text: 'T0 parks'}];
  const undrawn = {
    invariant: 'I07',
    name: 'data',
    message: 'a value is torn',
    not_prevented: '12 values were tried',
    breaks_in_time: false
  };
  return {
    format: 2,
    kind: 'exploration',
    exploration: search('VIOLATED', [drawn, undrawn]),
    config: {seed: 7},
    defaults: {'/seed': 1},
    scenario_file: 'small.json',
    scenario_text: '{\n  "name": "small"\n}\n',
    runs: [run],
    drawn: [0]
  };
}

/// A search that found nothing.
export function proved() {
  return {...explored(), exploration: search('PROVED', []), runs: [], drawn: []};
}

/// A search whose names break pages that are put together carelessly; one is very long.
export function hostileSearch() {
  const bad = [
    '</script><script>window.hurt = 1</script>', '"quotes" \'and\' &amp; <b>',
    '\u202Eright to left', '<img src=x onerror="window.hurt = 1">', '$& {{meta}}',
    'long'.repeat(200)
  ];
  const all = bad.join(' ');
  const step = (text, at) => ({
    step: at + 1,
    agent: text,
    op: text,
    text,
    held: true,
    omitted_before: `2 steps of ${text}`
  });
  const operation = {agent: all, op: all, nth: 1};
  const violation = {
    invariant: bad[0],
    name: all,
    message: all,
    holds: [{hold: operation, until: operation, steps: {first: 1, second: 2}}],
    why: bad,
    prevented_by: bad,
    prevented_by_meanings: bad,
    mechanisms: bad,
    not_prevented: all,
    inevitable_after_step: 3,
    decided_by: {first: 3, second: 4},
    story: bad.map(step),
    omitted_behind: all
  };
  const exploration = {
    ...search('VIOLATED', [violation, {...violation, story: []}]),
    scenario: all,
    title: all,
    why_incomplete: all,
    bounds: {[all]: 1},
    bounds_meanings: {[all]: all},
    races: [{first: all, second: all, first_won: 1, second_won: 0}],
    ways: [{op: all, does: all, offered: 1, taken: 1}, {op: all, does: all, offered: 0, taken: 0}],
    tested: [{invariant: all, name: all, runs: 1}, {invariant: bad[0], name: all, runs: 0}]
  };
  return {...explored(), exploration, runs: [hostile()], config: {[all]: all}};
}

/// A search that ended before it was complete.
export function givenUp() {
  const more = {complete: false, why_incomplete: 'the time is up'};
  return {...proved(), exploration: {...search('INCOMPLETE', []), ...more}};
}

function search(verdict, violations) {
  return {
    scenario: 'P01',
    title: 'A search',
    verdict,
    verdict_meaning: `The meaning of ${verdict}.`,
    as_expected: true,
    reasons: [],
    bounds: {signals: 1, waiters: 2, steps: 'all'},
    bounds_meanings: {signals: 'signals of queues', waiters: 'waits', steps: 'size of the steps'},
    complete: true,
    search: 'systematic',
    states: 283,
    executions: 569,
    executions_meanings: {
      finished: 'the run came to its end',
      reached_choices: 'reached a new choice',
      cut_asleep: 'every next step was taken before',
      cut_outdated: 'agents share more'
    },
    finished: 34,
    reached_choices: 319,
    cut_asleep: 216,
    cut_outdated: 0,
    outcomes: {completes: true, waits: false},
    longest_run: 64,
    most_choices: 27,
    random_priority_runs: 0,
    races: [
      {first: 'cmp read', second: 'engine drain', first_won: 3, second_won: 4},
      {first: 'cmp read', second: 'T0 lock', first_won: 2, second_won: 0}
    ],
    ways: [
      {op: 'drain', does: 'moves its oldest write on', offered: 1220, taken: 1180},
      {op: 'issue', does: 'puts a write into its FIFO', offered: 7, taken: 5},
      {op: 'park', does: 'parks the queue', offered: 0, taken: 0}
    ],
    tested: [
      {invariant: 'I01', name: 'NO_LOST_WAITER', runs: 30},
      {invariant: 'I02', name: 'NO_LOST_QUEUE', runs: 0}
    ],
    violations
  };
}

/// Values of 64 bits.
export function wide() {
  const model = small(), top = 2n ** 64n - 2n;
  model.wide = true;
  model.rows[0].slices[0][3] = top;
  model.rows[0].slices[1][3] = 2n ** 53n + 1n;
  model.counters[0].points = [[0, 0n], [11 * kUs, top], [61 * kUs, 1n]];
  model.counters[1].points = [[0, 2n ** 64n - 1n], [2 * kUs, 42n]];
  return model;
}

/// Names and titles that break pages which are put together carelessly.
export function hostile() {
  const model = small();
  const bad = [
    '</script><script>window.hurt = 1</script>', '{{columns}} {{meta}} {{title}}', '$& $1 $` $\'',
    '"quotes" \'and\' &amp;', '\u202Eright to left\u202C', '<!--<script>',
    '<img src=x onerror="window.hurt = 1">', '\u2028\u0000\\'
  ];
  bad.forEach((text, at) => {
    model.names[at][0] = text;
  });
  model.rows.forEach((row, at) => {
    row.name = bad[at];
    row.group = bad[at + 1];
  });
  model.counters.forEach((counter, at) => {
    counter.name = bad[at];
    counter.group = bad[at];
    counter.unit = bad[at];
  });
  const all = bad.join(' ');
  Object.assign(model.result, {
    scenario: all,
    title: all,
    reasons: bad,
    waiting: bad.map(text => ({who: text, what: text, why: text})),
    expectations: bad.map(text => ({expected: text, found: text, holds: false}))
  });
  model.latencies =
      Object.fromEntries(bad.map(text => [text, {count: 1, min: 1, p50: 1, p99: 1, max: 1}]));
  model.counts = Object.fromEntries(bad.map(text => [text, {value: 1, unit: text, meaning: text}]));
  model.config = {[all]: {[all]: all}};
  model.scenario_text = bad.join('\n');
  return model;
}

/// A run of `count` spans at times that no codec can guess; the same ones each time.
export function large(count) {
  const model = small(), rows = 40, each = Math.ceil(count / rows);
  let seed = 1;
  const random = most => {
    seed = Math.imul(seed, 1664525) + 1013904223 >>> 0;
    return 1 + Math.floor(seed / 2 ** 32 * most);
  };
  model.rows = Array.from({length: rows}, (_, row) => {
    const slices = [], instants = [];
    for (let i = 0, time = 0; i < each; ++i) {
      const begin = time + random(200000), end = begin + random(2000000), name = row % 4;
      slices.push([begin, end, name, name < 2 ? i : 0]);
      if (i % 2) instants.push([end, 4, i]);
      time = end;
    }
    return {group: `Group ${row >> 3}`, name: `row ${row}`, slices, instants};
  });
  model.end = Math.max(...model.rows.map(({slices}) => slices[slices.length - 1][1]));
  const points =
      Array.from({length: each}, (_, i) => [Math.floor(i * model.end / each), random(100)]);
  model.counters = [{name: 'load', group: 'Queue depth', unit: '', points}];
  model.flows = model.rows[0].slices.map((_, i) => [i, i >> 1]).slice(0, each - 2);
  return model;
}
