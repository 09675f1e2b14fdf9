// Writes pages for the tests from plain objects, as tb/report/writers/html.cpp does from a run.
//
// A model: {names: [[text, class]], rows: [{group, name, depth, kind, slices: [[begin, end, name,
// value, open, place]], instants: [[time, name, value, place]]}], flows: [[slice, instant]],
// counters: [{name, group, unit, points: [[time, value]]}], and further members of the page's meta
// data}. Values are numbers, or bigints if `wide`. `damage` changes the meta data that is written.
import {deflateRawSync} from 'node:zlib';

/// Collects LEB128 numbers.
export class Bytes {
  #chunk = Buffer.alloc(1 << 16);
  #used = 0;
  #full = [];

  number(value) {
    for (; value >= 128; value = Math.floor(value / 128)) this.#byte(value % 128 + 128);
    this.#byte(value);
  }
  signed(value) {
    this.number(value < 0 ? -2 * value - 1 : 2 * value);
  }
  /// A difference modulo 2^64.
  wide(value) {
    const near = BigInt.asIntN(64, value);
    let rest = BigInt.asUintN(64, near << 1n ^ near >> 63n);
    for (; rest >= 128n; rest >>= 7n) this.#byte(Number(rest & 127n) + 128);
    this.#byte(Number(rest));
  }
  floats(values) {
    const bytes = Buffer.alloc(4 * values.length);
    values.forEach((value, at) => bytes.writeFloatLE(value, 4 * at));
    for (const byte of bytes) this.#byte(byte);
  }
  get all() {
    return Buffer.concat([...this.#full, this.#chunk.subarray(0, this.#used)]);
  }
  #byte(byte) {
    if (this.#used === this.#chunk.length) {
      this.#full.push(this.#chunk);
      [this.#chunk, this.#used] = [Buffer.alloc(1 << 16), 0];
    }
    this.#chunk[this.#used++] = byte;
  }
}

/// Values as differences to the last one of the same key.
function values(bytes, wide, pairs) {
  const last = new Map();
  for (const [key, value] of pairs) {
    const before = last.get(key) ?? (wide ? 0n : 0);
    if (wide)
      bytes.wide(BigInt(value) - before);
    else
      bytes.signed(value - before);
    last.set(key, wide ? BigInt(value) : value);
  }
}

function times(bytes, lists) {
  for (const list of lists) {
    let last = 0;
    for (const [time] of list) {
      bytes.number(time - last);
      last = time;
    }
  }
}

function indices(bytes, list) {
  let last = 0;
  for (const index of list) {
    bytes.signed(index - last);
    last = index;
  }
}

export function columns({rows, flows, counters, wide}) {
  const bytes = new Bytes();
  const slices = rows.flatMap(row => row.slices ?? []),
        instants = rows.flatMap(row => row.instants ?? []);
  for (const row of rows) bytes.number(row.slices?.length ?? 0);
  for (const row of rows) bytes.number(row.instants?.length ?? 0);
  times(bytes, rows.map(row => row.slices ?? []));
  for (const [begin, end] of slices) bytes.number(end - begin);
  for (const [, , name] of slices) bytes.number(name);
  values(bytes, wide, slices.map(([, , name, value]) => [name, value ?? 0]));
  for (const [, , , , open] of slices) bytes.number(open ? 1 : 0);
  for (const [, , , , , place] of slices) bytes.number(place ?? 0);
  times(bytes, rows.map(row => row.instants ?? []));
  for (const [, name] of instants) bytes.number(name);
  values(bytes, wide, instants.map(([, name, value]) => [name, value ?? 0]));
  for (const [, , , place] of instants) bytes.number(place ?? 0);
  indices(bytes, flows.map(([from]) => from));
  indices(bytes, flows.map(([, to]) => to));
  for (const {points} of counters) {
    times(bytes, [points]);
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
    latencies: {},
    counts: {},
    config: {},
    scenario_path: '',
    scenario_text: '',
    places: [],
    story: [],
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
/// A model with `shell` has its own parts of the page.
export function page(shell, model, codec = 'deflate-raw') {
  if (model.shell) return filled(shell, model);
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
