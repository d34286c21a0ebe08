/** The computing time that a reading of calendars has. */
import { CalendarCostError, SharedCostError } from "../calendar_error.ts";

/** Takes this many steps. True if the computation should pause. Throws CalendarCostError when a bound is reached. */
export type Spend = (steps: number) => boolean;

export interface Budget {
  spend: Spend;
  /** Starts the clock, and a slice. */
  start(): void;
  /** Stops the clock. */
  stop(): void;
  /** Adds time that the clock does not see. */
  charge(ms: number): void;
  /** What the clock has measured, and what was added. */
  cpuMs(): number;
}

/** Computing time of all calendars of a user that are read together. */
export interface SharedCpu {
  /** Readings reduce it. */
  leftMs: number;
  /** When no more than this is left, one calendar continues to the end of its own time, and the others stop. */
  floorMs: number;
  /** The budget of the one that continues. */
  last?: unknown;
}

interface BudgetOptions {
  maxCpuMs?: number;
  cpu?: SharedCpu;
  /** In milliseconds. */
  now?(): number;
}

/** What the worker spends on a calendar: half of what the platform allows an isolate for all its requests. */
export const MAX_CPU_MS = 1000;
/** Some 100 ns each. Steps make a bound that does not depend on the machine, the clock one that does not err. */
const STEPS_PER_MS = 10_000;
/** After this time or so many steps, other requests get a turn. */
const SLICE_MS = 10, SLICE_STEPS = SLICE_MS * STEPS_PER_MS;
/** Between looks at the clock. */
const LOOK_STEPS = 2000;

/**
 * What the clock counts between two looks. The work in between takes less; more is a pause of the process, for which a
 * calendar must not fail.
 */
const MAX_GAP_MS = 25;

/** What an exception costs that is caught, as for a line that cannot be read. */
export const EXCEPTION_STEPS = 100;

export function createBudget(
  { maxCpuMs = MAX_CPU_MS, cpu, now = () => performance.now() }: BudgetOptions = {},
): Budget {
  let stepsLeft = maxCpuMs * STEPS_PER_MS;
  let stepsOfSlice = 0, stepsSinceLook = 0;
  let measured = 0; // in earlier slices
  let lookedAt: number | undefined, sliceMs = 0;
  let isSliceOver = false;

  function charge(ms: number) {
    measured += ms;
    if (cpu) cpu.leftMs -= ms;
  }

  function measure() {
    if (lookedAt === undefined) return;
    const at = now();
    sliceMs += Math.min(at - lookedAt, MAX_GAP_MS);
    lookedAt = at;
  }

  function look() {
    stepsSinceLook = 0;
    measure();
    if (measured + sliceMs > maxCpuMs) throw new CalendarCostError();
    if (cpu && cpu.leftMs - sliceMs < cpu.floorMs && (cpu.last ??= look) !== look) throw new SharedCostError();
    if (sliceMs >= SLICE_MS) isSliceOver = true;
  }

  return {
    spend(steps) {
      stepsLeft -= steps;
      if (!(stepsLeft >= 0)) throw new CalendarCostError();
      if ((stepsOfSlice += steps) >= SLICE_STEPS) isSliceOver = true;
      if ((stepsSinceLook += steps) >= LOOK_STEPS) look();
      return isSliceOver;
    },
    start() {
      [lookedAt, sliceMs, stepsOfSlice, isSliceOver] = [now(), 0, 0, false];
      look();
    },
    stop() {
      measure();
      charge(sliceMs);
      [lookedAt, sliceMs] = [undefined, 0];
    },
    charge,
    cpuMs() {
      measure();
      return measured + sliceMs;
    },
  };
}

/** The same budget for a part that cannot pause: over `maxSteps`, the reading is too costly. */
export function limitSteps(spend: Spend, maxSteps: number): Spend {
  let left = maxSteps;
  return (steps) => {
    if ((left -= steps) < 0) throw new CalendarCostError();
    return spend(steps);
  };
}
