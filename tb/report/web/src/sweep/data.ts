import {Reader, unpack, unpackText} from '../bytes';
import {takeData} from '../ready';
import {duration, grouped} from '../units';

/// What the element "meta" of the page holds. The columns follow: see
/// tb/app/sweep/page_table.h.
export interface SweepMeta {
  format: number;
  codec: string;
  scenario: string;
  points: number;
  runs: number;
  failed: number;
  verdicts: Record<string, number>;
  rows: number;     ///< runs that the page shows
  groups: number;   ///< points of these runs
  command: string;  ///< of a run, without its varied values and its seed
  varied: string[];
  columns: {
    name: string; unit: string; meaning: string;
    words?: string[];
    numbers?: number[]; means: boolean
  }[];
  same: [string, string, string][];  ///< name, value and meaning of columns with one value
}

/// A column of the table.
export interface Column {
  name: string;
  label: string;  ///< the same, or so much of a JSON pointer as tells it from the others
  unit: string;
  meaning: string;
  words?: string[];
  ranked: boolean;      ///< its words have no numbers: their places are ranks
  code: Float64Array;   ///< of each run: the word, or the number; NaN if it has none
  place: Float64Array;  ///< of each run, on an axis
  mean?: Float32Array;  ///< of each point
  half?: Float32Array;  ///< of each point: half of the 95 % interval of the mean
}

export interface Sweep {
  meta: SweepMeta;
  columns: Column[];
  group: Uint32Array;  ///< of each run, its point: a place in `settings`
  first: Uint32Array;  ///< of each point, its first run; one more at the end
  settings: string[];  ///< of each point, the options with its values
  column(name: string): Column;
}

/// The end of a JSON pointer, with so many words that no other varied one ends so.
function labelOf(name: string, varied: string[]): string {
  if (!varied.includes(name)) return name;
  const words = name.split('/').slice(1);
  for (let count = 1; count < words.length; ++count) {
    const end = words.slice(-count).join('/');
    const alone = varied.every(other => other === name || !other.endsWith(`/${end}`));
    if (alone && !/^\d+$/.test(words[words.length - count])) return end;
  }
  return name;
}

function readColumn(
    meta: SweepMeta['columns'][number], label: string, rows: number, reader: Reader): Column {
  const {name, unit, meaning, words, numbers} = meta, code = new Float64Array(rows);
  for (let row = 0, last = 0; row < rows; ++row) {
    const cell = reader.number(), step = cell - 1;
    if (!cell)
      code[row] = NaN;
    else
      code[row] = words ? step : last += step % 2 ? -(step + 1) / 2 : step / 2;
  }
  const place = numbers ? code.map(word => numbers[word] ?? NaN) : code;
  return {name, label, unit, meaning, words, ranked: words !== undefined && !numbers, code, place};
}

function readMeans({meta, columns}: {meta: SweepMeta; columns: Column[]}, reader: Reader): void {
  meta.columns.forEach(({means}, at) => {
    if (!means) return;
    columns[at].mean = reader.floats(meta.groups);
    columns[at].half = reader.floats(meta.groups);
  });
}

/// Reads the sweep out of the page. Throws if the data is cut off.
export async function loadSweep(): Promise<Sweep> {
  const {meta, columns: texts} = await takeData<SweepMeta>();
  const reader = new Reader(await unpack(texts[0], meta.codec));
  const settings = (await unpackText(texts[1], meta.codec)).split('\n');
  const columns =
      meta.columns.map(one => readColumn(one, labelOf(one.name, meta.varied), meta.rows, reader));
  readMeans({meta, columns}, reader);
  reader.finish();
  const column = (name: string) => columns.find(one => one.name === name)!;
  const {code} = column('point'), group = new Uint32Array(meta.rows), first = [0];
  for (let row = 1; row < meta.rows; ++row) {
    if (code[row] !== code[row - 1]) first.push(row);
    group[row] = first.length - 1;
  }
  first.push(meta.rows);
  return {meta, columns, group, first: Uint32Array.from(first), settings, column};
}

/// The command that repeats a run.
export function commandOf(sweep: Sweep, row: number): string {
  const seed = sweep.column('seed');
  return `${sweep.meta.command}${sweep.settings[sweep.group[row]]} --seed ${cellText(seed, row)}`;
}

export function failed(sweep: Sweep, row: number): boolean {
  const {words, code} = sweep.column('verdict');
  return words![code[row]] !== 'pass';
}

/// A figure with its unit: "3.064 ms", "12 345 bytes".
export function figure(value: number, unit: string): string {
  if (unit === 'ps') return duration(value);
  const whole = Number.isInteger(value), text = whole ? grouped(value) : value.toPrecision(4);
  return unit === 'bytes' || unit === 'MB/s' || unit === 'Hz' ? `${text} ${unit}` : text;
}

export function cellText({words, code, unit}: Column, row: number): string {
  if (Number.isNaN(code[row])) return '';
  if (words) return words[code[row]];
  return unit === 'number' ? String(code[row]) : figure(code[row], unit);
}
