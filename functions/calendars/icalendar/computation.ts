/** The computations of calendars in this process: one at a time, in slices, with other requests in between. */
import { setImmediate } from "node:timers/promises";
import { createBudget, type SharedCpu, type Spend } from "./budget.ts";

/** A computation that pauses at each `yield`. */
export type Steps<T> = Generator<void, T, void>;

export interface Computation {
  spend: Spend;
  /**
   * Waits for a turn. From then on the clock runs, until `endSlice` or the next `startSlice`: what happens in between
   * must not wait for anything else. Throws the signal's reason, and CalendarCostError.
   */
  startSlice(): Promise<void>;
  endSlice(): void;
  /** Adds time that no slice takes, such as that of receiving a body. */
  charge(ms: number): void;
  /** Runs steps in as many slices as they need. */
  run<T>(steps: Steps<T>): Promise<T>;
  /** What its slices have taken, and what was added. */
  cpuMs(): number;
}

export interface ComputationOptions {
  /** The computing time, above which CalendarCostError is thrown; a second by default. */
  maxCpuMs?: number;
  /** What it shares with other computations, beyond which SharedCostError is thrown. */
  cpu?: SharedCpu;
  /** Ends the computation before its next slice. */
  signal?: AbortSignal;
}

let lastTurn: Promise<unknown> = Promise.resolve();

/** Computations that wait get their slices in turn, so that a cheap one does not wait for the end of costly ones. */
export function createComputation({ maxCpuMs, cpu, signal }: ComputationOptions = {}): Computation {
  const { spend, start, stop, charge, cpuMs } = createBudget({ maxCpuMs, cpu });

  async function startSlice() {
    stop();
    const turn = lastTurn.then(() => setImmediate());
    lastTurn = turn;
    await turn;
    signal?.throwIfAborted();
    start();
  }

  return {
    spend,
    startSlice,
    endSlice: stop,
    charge,
    async run(steps) {
      try {
        for (;;) {
          await startSlice();
          const { done, value } = steps.next();
          if (done) return value;
        }
      } finally {
        stop();
      }
    },
    cpuMs,
  };
}
