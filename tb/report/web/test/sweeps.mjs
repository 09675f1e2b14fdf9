// Pages of hand-made sweeps, written as tb/app/sweep does.
import {Bytes, pack} from './encode.mjs';

/// A column: {name, unit, cells, words, numbers, means}. A cell is a number, a place of `words`, or
/// null for none; `means` has [mean, half] of each point.
function columnBytes({cells, words}, bytes) {
  let last = 0;
  for (const cell of cells) {
    if (cell === null || words) {
      bytes.number(cell === null ? 0 : cell + 1);
      continue;
    }
    const step = cell - last;
    bytes.number((step < 0 ? -2 * step - 1 : 2 * step) + 1);
    last = cell;
  }
}

export function sweepPage(columns, settings, more = {}) {
  const bytes = new Bytes(), means = columns.filter(column => column.means);
  for (const column of columns) columnBytes(column, bytes);
  for (const column of means)
    for (const at of [0, 1]) bytes.floats(column.means.map(pair => pair[at]));
  const rows = columns[0].cells.length;
  const meta = {
    format: 2,
    kind: 'sweep',
    codec: 'deflate-raw',
    scenario: 'compositor',
    points: settings.length,
    runs: rows,
    failed: 1,
    verdicts: {invalid: 1, pass: rows - 1},
    rows,
    groups: settings.length,
    command: 'fenceline run scenarios/compositor.json',
    varied: ['/programs/0/duration', '/platform/host/cores'],
    columns: columns.map(
        ({name, unit = 'count', meaning = '', words, numbers, means}) =>
            ({name, unit, meaning, words, numbers, means: means !== undefined})),
    same: [['ddi.calls', '12', 'calls of the driver']],
    ...more
  };
  const lines = settings.map(line => line + '\n').join('');
  return {kind: 'sweep', title: meta.scenario, meta, columns: `${pack(bytes.all)}\n${pack(lines)}`};
}

/// Six points of a duration and a number of cores; the last run is invalid, with a latency of 500
/// ps.
export function grid(seeds = 2) {
  const point = Array.from({length: 6 * seeds}, (_, row) => Math.floor(row / seeds));
  const latency = (of, share) =>
      of.map((at, row) => row === of.length - 1 ? 500 : at * 1000 * share + row % seeds * 10);
  const pairs = share => Array.from({length: 6}, (_, at) => [at * 1000 * share + 5, 64]);
  const means = share => seeds > 1 ? {means: pairs(share)} : {};
  return [
    {name: 'point', unit: 'number', cells: point},
    {name: 'seed', unit: 'number', cells: point.map((_, row) => row % seeds + 1)}, {
      name: '/programs/0/duration',
      unit: 'ps',
      words: ['1us', '2us', '4us'],
      numbers: [1e6, 2e6, 4e6],
      cells: point.map(at => at % 3)
    },
    {name: '/platform/host/cores', unit: 'value', cells: point.map(at => at < 3 ? 2 : 4)}, {
      name: 'verdict',
      unit: 'word',
      words: ['pass', 'invalid'],
      cells: point.map((_, row) => row === 6 * seeds - 1 ? 1 : 0)
    },
    {name: 'reason', unit: 'text', cells: point.map(() => null)},
    {name: 'gpu_wait.p50', unit: 'ps', cells: latency(point, 2), ...means(2)},
    {name: 'gpu_wait.p99', unit: 'ps', cells: latency(point, 3), ...means(3)},
    {name: 'raised', cells: point.map((at, row) => row === 0 ? null : 20 - at)}
  ];
}

export function settings() {
  return Array.from(
      {length: 6},
      (_, at) => ` --set '/programs/0/duration="${
              [1, 2, 4][at % 3]}us"' --set /platform/host/cores=${at < 3 ? 2 : 4}`);
}
