/// First index in [lo, hi) whose number is at least `least`; hi if there is none.
export function lowerBound(sorted: Float64Array, least: number, lo: number, hi: number): number {
  while (lo < hi) {
    const middle = (lo + hi) >>> 1;
    if (sorted[middle] < least)
      lo = middle + 1;
    else
      hi = middle;
  }
  return lo;
}

/// The same, fast when the answer is near lo.
export function gallop(sorted: Float64Array, least: number, lo: number, hi: number): number {
  let step = 1;
  while (lo + step < hi && sorted[lo + step] < least) {
    lo += step;
    step *= 2;
  }
  return lowerBound(sorted, least, lo, Math.min(hi, lo + step + 1));
}
