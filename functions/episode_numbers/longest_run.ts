/** Finds the longest non-decreasing run of values. */

/**
 * Returns positions in `values`. Patience sorting: each value goes onto the leftmost pile whose top is greater, found
 * by binary search, so 20,000 values take 20,000 searches.
 */
export function longestRun(values: readonly number[]): number[] {
  const tops: number[] = [], before = new Int32Array(values.length).fill(-1);
  for (let i = 0; i < values.length; i++) {
    let low = 0, high = tops.length;
    while (low < high) {
      const middle = (low + high) >> 1;
      if (values[tops[middle]] > values[i]) high = middle;
      else low = middle + 1;
    }
    if (low > 0) before[i] = tops[low - 1];
    tops[low] = i;
  }
  const run: number[] = [];
  for (let i = tops.at(-1) ?? -1; i >= 0; i = before[i]) run.push(i);
  return run.reverse();
}
