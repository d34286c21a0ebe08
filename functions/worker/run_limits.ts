/** Limits of the work on queues. */
export interface RunLimits {
  mayClaim(): boolean;
  /** When a run that begins now may have to end, as Date.now(). */
  deadline(): number;
}

/** Extra time for runs after the last claim; the total stays well below an invocation's 150 s. */
const GRACE_MS = 45_000;

/** Limits of an invocation: claims for so many milliseconds from now, then lets runs finish. */
export function timeBudget(milliseconds: number): RunLimits {
  const end = Date.now() + milliseconds;
  return { mayClaim: () => Date.now() < end, deadline: () => end + GRACE_MS };
}

/** Each consumer claims once; a message that is left wakes the next run. */
export const oneBatch = ({ deadline }: RunLimits): RunLimits => ({ mayClaim: () => false, deadline });
