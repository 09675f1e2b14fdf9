// Writes pages for the tests from plain objects, as tb/report/writers/html.cpp does from a run.
//
// A model: {names: [[text, class]], rows: [{group, name, depth, kind, slices: [[begin, end, name,
// value, open, place]], instants: [[time, name, value, place]]}], flows: [[slice, instant]],
// counters: [{name, group, unit, points: [[time, value]]}], and further members of the page's meta
// data}. Values are numbers, or bigints if `wide`. `damage` changes the meta data that is written.
import {deflateRawSync} from 'node:zlib';

/// Collects bytes, and numbers in LEB128.
export class Bytes {
  #chunk = Buffer.alloc(1 << 16);
  #used = 0;
  #full = [];

  number(value) {
    for (; value >= 128; value = Math.floor(value / 128)) this.byte(value % 128 + 128);
    this.byte(value);
  }
  signed(value) {
    this.number(zigzag(value));
  }
  floats(values) {
    const bytes = Buffer.alloc(4 * values.length);
    values.forEach((value, at) => bytes.writeFloatLE(value, 4 * at));
    for (const byte of bytes) this.byte(byte);
  }
  get all() {
    return Buffer.concat([...this.#full, this.#chunk.subarray(0, this.#used)]);
  }
  byte(byte) {
    if (this.#used === this.#chunk.length) {
      this.#full.push(this.#chunk);
      [this.#chunk, this.#used] = [Buffer.alloc(1 << 16), 0];
    }
    this.#chunk[this.#used++] = byte;
  }
}

const zigzag = value => typeof value === 'bigint' ?
    BigInt.asUintN(64, value << 1n ^ BigInt.asIntN(64, value) >> 63n) :
    value < 0 ? -2 * value - 1 :
                2 * value;

/// A column: the bytes that its largest number needs, then a byte of all numbers after the other.
function column(bytes, numbers) {
  const shift = number => typeof number === 'bigint' ? number >> 8n : Math.floor(number / 256);
  let width = 0;
  for (let rest = numbers; rest.some(Boolean); rest = rest.map(shift)) ++width;
  bytes.byte(width);
  for (let rest = numbers; width > 0; --width, rest = rest.map(shift))
    for (const number of rest)
      bytes.byte(typeof number === 'bigint' ? Number(number & 255n) : number % 256);
}

/// Values as differences to the last one of the same key.
function values(bytes, wide, pairs) {
  const last = new Map();
  column(bytes, pairs.map(([key, value]) => {
    const now = wide ? BigInt(value) : value, before = last.get(key) ?? (wide ? 0n : 0);
    last.set(key, now);
    return zigzag(now - before);
  }));
}

function steps(list) {
  return list.map(([time], i) => time - (i ? list[i - 1][0] : 0));
}

/// Of instants: the begins and ends of slices that each is behind, and the time since.
function behind(rows) {
  const counts = [], since = [];
  for (const {slices = [], instants = []} of rows) {
    const edges = slices.flatMap(([begin, end]) => [begin, end]);
    let edge = 0, last = 0;
    for (const [time] of instants) {
      const from = edge;
      for (; edge < edges.length && edges[edge] <= time; ++edge) last = edges[edge];
      counts.push(edge - from);
      since.push(time - last);
      last = time;
    }
  }
  return [counts, since];
}

function indices(bytes, list) {
  column(bytes, list.map((index, i) => zigzag(index - (i ? list[i - 1] : 0))));
}

export function columns({rows, flows, counters, wide}) {
  const bytes = new Bytes(), write = numbers => column(bytes, numbers);
  const slices = rows.flatMap(row => row.slices ?? []),
        instants = rows.flatMap(row => row.instants ?? []);
  write(rows.map(row => row.slices?.length ?? 0));
  write(rows.map(row => row.instants?.length ?? 0));
  write(rows.flatMap(row => steps(row.slices ?? [])));
  write(slices.map(([begin, end]) => end - begin));
  write(slices.map(([, , name]) => name));
  values(bytes, wide, slices.map(([, , name, value]) => [name, value ?? 0]));
  write(slices.map(([, , , , open]) => open ? 1 : 0));
  write(slices.map(([, , , , , place]) => place ?? 0));
  behind(rows).forEach(write);
  write(instants.map(([, name]) => name));
  values(bytes, wide, instants.map(([, name, value]) => [name, value ?? 0]));
  write(instants.map(([, , , place]) => place ?? 0));
  indices(bytes, flows.map(([from]) => from));
  indices(bytes, flows.map(([, to]) => to));
  for (const {points} of counters) {
    write(steps(points));
    values(bytes, wide, points.map(([, value]) => [0, value]));
  }
  return bytes.all;
}

export function meta(model, codec) {
  const {names, rows, flows, counters, damage = all => all, ...others} = model;
  const count = key => rows.reduce((sum, row) => sum + (row[key]?.length ?? 0), 0);
  return damage({
    format: 2,
    kind: 'run',
    codec,
    wide: false,
    thinned: 0,
    thinned_values: 0,
    latencies: {},
    counts: {},
    config: {},
    scenario_file: '',
    scenario_text: '',
    places: [],
    ...others,
    names: names.map(([text]) => text),
    colours: names.map(([, colour]) => colour),
    rows: rows.map(
        ({group, name, depth, kind}) => ({group, name, depth: depth ?? 0, kind: kind ?? ''})),
    slices: count('slices'),
    instants: count('instants'),
    flows: flows.length,
    counters:
        counters.map(({name, group, unit, points}) => ({name, group, unit, points: points.length})),
  });
}

/// Bytes, or a text, as a page holds them.
export function pack(bytes) {
  return deflateRawSync(bytes, {level: 6}).toString('base64');
}

function packed(model, codec) {
  const bytes = columns(model);
  return codec === 'none' ? bytes.toString('base64') : pack(bytes);
}

/// The page of a model, or of a model whose `runs` are models: two to compare, or counterexamples.
/// A model with `meta` has its own parts of the page.
export function page(shell, model, codec = 'deflate-raw') {
  if (model.meta) return filled(shell, model);
  const runs = model.runs ?? [model], all = runs.map(run => meta(run, codec));
  return filled(shell, {
    title: model.exploration?.scenario ?? runs[0].result.scenario,
    meta: model.runs ? {...model, runs: all} : all[0],
    columns: runs.map(run => packed(run, codec)).join('\n')
  });
}

/// The shell is cut once; data is never searched for marks.
function filled(shell, {title, meta, columns}) {
  const parts = {
    title: title.replace(/[&<]/g, sign => sign === '&' ? '&amp;' : '&lt;'),
    meta: pack(JSON.stringify(meta)),
    columns
  };
  return shell.split(/\{\{(title|meta|columns)\}\}/)
      .map((part, at) => at % 2 ? parts[part] : part)
      .join('');
}
