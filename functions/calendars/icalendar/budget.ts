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

/** What an exception costs that is caught, as for a line that cannot be read. */
export const EXCEPTION_STEPS = 100;

export function createBudget(
  { maxCpuMs = MAX_CPU_MS, cpu, now = () => performance.now() }: BudgetOptions = {},
): Budget {
  let stepsLeft = maxCpuMs * STEPS_PER_MS;
  let stepsOfSlice = 0, stepsSinceLook = 0;
  let measured = 0; // in earlier slices
  let startedAt: number | undefined;
  let isSliceOver = false;

  function charge(ms: number) {
    measured += ms;
    if (cpu) cpu.leftMs -= ms;
  }

  const sliceMs = () => startedAt === undefined ? 0 : now() - startedAt;

  function look() {
    stepsSinceLook = 0;
    const ms = sliceMs();
    if (measured + ms > maxCpuMs) throw new CalendarCostError();
    if (cpu && cpu.leftMs - ms < cpu.floorMs && (cpu.last ??= look) !== look) throw new SharedCostError();
    if (ms >= SLICE_MS) isSliceOver = true;
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
      [startedAt, stepsOfSlice, isSliceOver] = [now(), 0, false];
      look();
    },
    stop() {
      charge(sliceMs());
      startedAt = undefined;
    },
    charge,
    cpuMs: () => measured + sliceMs(),
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
