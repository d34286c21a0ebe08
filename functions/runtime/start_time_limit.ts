// Deno 2.1 walks the stack at each use of these globals, which costs a tenth of a small request
const { setTimeout, clearTimeout } = globalThis;

/** Calls `onEnd` after `ms`, unless the returned function is called before. */
export function startTimeLimit(ms: number, onEnd: () => void): () => void {
  const timer = setTimeout(onEnd, ms);
  return () => clearTimeout(timer);
}
