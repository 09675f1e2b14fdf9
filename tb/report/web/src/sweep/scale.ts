import {Column, figure} from './data';

export interface Tick {
  at: number;  ///< share of the axis
  text: string;
}

const kRim = 0.04;  // of an axis, free at both ends

/// Where the values of columns are on an axis, as a share of its length.
export class Scale {
  readonly log: boolean;
  private readonly low: number;
  private readonly high: number;

  /// @param values that are shown
  constructor(private readonly column: Column, values: number[], wantsLog: boolean) {
    let low = Infinity, high = -Infinity;
    for (const value of values) {
      low = Math.min(low, value);
      high = Math.max(high, value);
    }
    if (low > high) [low, high] = [0, 1];
    this.log = wantsLog && low > 0 && !column.ranked;
    if (low === high) [low, high] = this.log ? [low / 2, high * 2] : [low - 1, high + 1];
    [this.low, this.high] = this.log ? [Math.log10(low), Math.log10(high)] : [low, high];
  }

  share(value: number): number {
    const place = this.log ? Math.log10(value) : value;
    return kRim + (1 - 2 * kRim) * (place - this.low) / (this.high - this.low);
  }

  /// At most about `most` places with their values.
  ticks(most: number): Tick[] {
    const {words, ranked, unit} = this.column;
    if (ranked) {
      const step = Math.ceil(words!.length / most);
      return words!.map((text, at) => ({at: this.share(at), text})).filter((_, at) => !(at % step));
    }
    const {low, high} = this, decades = this.log ? this.decades(most) : [];
    const values = decades.length > 1 ? decades :
        this.log                      ? steps(10 ** low, 10 ** high, most) :
                                        steps(low, high, most);
    return values.map(value => ({at: this.share(value), text: figure(value, unit)}));
  }

  private decades(most: number): number[] {
    const span = this.high - this.low, step = Math.ceil(span / most);
    const within = span < 1 ? [1, 1.5, 2, 3, 4, 5, 7] : span * 3 < most ? [1, 2, 5] : [1];
    const values = [];
    for (let n = Math.floor(this.low); n <= this.high; n += step) {
      values.push(...within.map(times => Number((times * 10 ** n).toPrecision(12))));
    }
    const shown = (value: number) =>
        Math.log10(value) >= this.low - 1e-9 && Math.log10(value) <= this.high + 1e-9;
    return values.filter(shown);
  }
}

/// Round numbers from low to high, about `most` of them.
function steps(low: number, high: number, most: number): number[] {
  const rough = (high - low) / most, size = 10 ** Math.floor(Math.log10(rough));
  const step = size * [1, 2, 5, 10].find(times => times * size >= rough)!, values = [];
  for (let n = Math.ceil(low / step - 1e-9); n * step <= high + step * 1e-9; ++n)
    values.push(Number((n * step).toPrecision(12)));
  return values;
}
