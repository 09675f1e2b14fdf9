/// Times are whole picoseconds.
const kUnits: [number, string][] = [[1e12, 's'], [1e9, 'ms'], [1e6, 'us'], [1e3, 'ns'], [1, 'ps']];

/// A span of time, rounded: "3.064 ms".
export function duration(ps: number, digits = 4): string {
  const [size, unit] = kUnits.find(([k]) => Math.abs(ps) >= k) ?? [1, 'ps'];
  return `${Number((ps / size).toPrecision(digits))} ${unit}`;
}

/// A point in time, exact: "1 234 567 ps".
export function exactTime(ps: number): string {
  return `${grouped(ps)} ps`;
}

/// A whole number, or its digits, in groups of three.
export function grouped(value: number|bigint|string): string {
  return String(value).replace(/\B(?=(\d{3})+$)/g, '\u202f');
}

/// A number of things: "1 seed", "2 seeds".
export function counted(count: number, word: string): string {
  return `${grouped(count)} ${word}${count === 1 ? '' : 's'}`;
}

/// A time in the unit that fits `largest`, with the digits that tell steps of `step` apart.
export function clock(ps: number, step: number, largest: number): string {
  const [size, unit] = kUnits.find(([k]) => largest >= k) ?? [1, 'ps'];
  const digits = Math.max(0, Math.ceil(-Math.log10(step / size) - 1e-9));
  return `${(ps / size).toFixed(digits)} ${unit}`;
}

/// A number with its unit, bytes in a unit that fits: "64 KiB".
export function size(text: string, unit: string): string {
  if (unit !== 'bytes') return text;
  const number = Number(text), power = number ? Math.floor(Math.log2(number) / 10) : 0;
  return `${Number((number / 1024 ** power).toPrecision(4))} ${
          ['B', 'KiB', 'MiB', 'GiB', 'TiB'][power]}`;
}
