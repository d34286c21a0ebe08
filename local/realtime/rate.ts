/** Rates of events, as an average of the last minute, so that a short burst is allowed. */

const WINDOW_SECONDS = 60;

export function createRate(maxPerSecond: number) {
  const counts = new Map<number, number>();
  const average = () => {
    const first = Math.floor(Date.now() / 1000) - WINDOW_SECONDS;
    let sum = 0;
    for (const [second, count] of counts) {
      if (second <= first) counts.delete(second);
      else sum += count;
    }
    return sum / WINDOW_SECONDS;
  };
  return {
    maxPerSecond,
    add(count = 1) {
      const second = Math.floor(Date.now() / 1000);
      counts.set(second, (counts.get(second) ?? 0) + count);
    },
    average,
    isExceeded: () => average() > maxPerSecond,
  };
}
