/** Numbers from 0 to 1 that a seed decides, so that a failure can be met again. */
export function random(seed: number): () => number {
  return () => (seed = (seed * 48271) % 2147483647) / 2147483647;
}
