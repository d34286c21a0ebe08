/** Pseudorandom numbers from 0 to 1 (mulberry32); a seed reproduces a failure. */
export function randomNumbers(seed: number): () => number {
  return () => {
    seed = (seed + 0x6d2b79f5) | 0;
    let t = Math.imul(seed ^ (seed >>> 15), 1 | seed);
    t = (t + Math.imul(t ^ (t >>> 7), 61 | t)) ^ t;
    return ((t ^ (t >>> 14)) >>> 0) / 2 ** 32;
  };
}

/** Random choices from a seed. */
export function seededRandom(seed: number) {
  const next = randomNumbers(seed);
  const below = (n: number) => Math.floor(next() * n);
  return {
    next,
    below,
    chance: (p: number) => next() < p,
    one: <T>(list: readonly T[]): T => list[below(list.length)],
  };
}

export type SeededRandom = ReturnType<typeof seededRandom>;
