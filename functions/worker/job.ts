/** What a job is. One file each in jobs/; `jobs/index.ts` lists them. */
import type { z } from "zod";

export interface Job<Payload = unknown> {
  queue: string;
  /** A message of another shape goes to the dead-letter queue with the reason. */
  payload: z.ZodType<Payload>;
  /** How many messages are claimed at once. */
  batch: number;
  /** Seconds until the queue gives claimed messages to someone else, should the worker die with them. */
  lease: number;
  /** How many runs go side by side. */
  concurrency: number;
  /** What a run is about: the messages of a batch with the same subject are done by one run. Without it: one run each. */
  subject?: (payload: Payload) => string;
  /** Does it; running twice must be harmless. Throwing fails the run's messages: they come back by the queue's policy. */
  run: (payloads: Payload[]) => Promise<void>;
}

/** Thrown by a job that no further attempt would do: its messages go to the dead-letter queue at once. */
export class FinalFailure extends Error {}
