/**
 * Time limits that share one timer: under load, setting and clearing a timer for each costs a tenth of a small request.
 */

// Deno looks at the stack for each use of these globals, which costs as much
const { performance, setTimeout, clearTimeout } = globalThis;

interface TimeLimit {
  endsAt: number;
  onEnd: () => void;
}

const limits = new Set<TimeLimit>();
let timer: number | undefined;
/** The timer ends at the earliest limit, or at an earlier one that was cleared meanwhile. */
let timerEndsAt = Infinity;

/** Calls `onEnd` after `ms`, unless the returned function is called before. */
export function startTimeLimit(ms: number, onEnd: () => void): () => void {
  const limit = { endsAt: performance.now() + ms, onEnd };
  limits.add(limit);
  if (limit.endsAt < timerEndsAt) setTimer(limit.endsAt);
  return () => {
    limits.delete(limit);
    if (limits.size === 0) setTimer(Infinity);
  };
}

function setTimer(endsAt: number) {
  if (timerEndsAt < Infinity) clearTimeout(timer);
  timerEndsAt = endsAt;
  if (endsAt < Infinity) timer = setTimeout(endLimits, endsAt - performance.now());
}

function endLimits() {
  timerEndsAt = Infinity;
  const now = performance.now();
  let earliest = Infinity;
  const due: TimeLimit[] = [];
  for (const limit of limits) {
    if (limit.endsAt <= now) due.push(limit);
    else earliest = Math.min(earliest, limit.endsAt);
  }
  setTimer(earliest);
  for (const limit of due.sort((a, b) => a.endsAt - b.endsAt)) {
    // in a microtask each, so that an error of one does not stop the others; one may clear another
    queueMicrotask(() => limits.delete(limit) && limit.onEnd());
  }
}
