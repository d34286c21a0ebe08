/** What a job is. One file each in jobs/; `jobs/index.ts` lists them. */
import type { z } from "zod";

export interface Job<Payload = unknown> {
  queue: string;
  /** A message of another shape goes to the dead-letter queue with the reason. */
  schema: z.ZodType<Payload>;
  /** How many messages are claimed at once. */
  batchSize: number;
  /** Seconds until the queue gives claimed messages to someone else, should the worker die with them. */
  visibilityTimeoutSeconds: number;
  /** How many runs go side by side; when that is more than a batch has, so many batches are claimed. */
  concurrency: number;
  /** What a run is about: the messages of a batch with the same subject are done by one run. Without it: one run each. */
  groupBy?: (payload: Payload) => string;
  /** Does it; running twice must be harmless. Throwing fails the run's messages: they come back by the queue's policy. */
  run: (payloads: Payload[], context: RunContext) => Promise<void>;
}

/** What a run is told besides its messages. */
export interface RunContext {
  /** Their ids in the queue. */
  messageIds: string[];
  /** The first is 1. Of several messages, the most. */
  attempt: number;
  /** When this process may have to end (milliseconds, as Date.now()): what takes longer saves its state and throws RequeueJob. */
  deadline: number;
  /** Keeps the messages for so many seconds from now; false when the queue has given them to someone else. */
  extend(seconds: number): Promise<boolean>;
}

/** Thrown by a job that no further attempt would do: its messages go to the dead-letter queue at once. */
export class PermanentError extends Error {}

/** Thrown by a job that failed, and was told when to come back: not before so many seconds, as far as the queue waits at all. */
export class RetryAfterError extends Error {
  constructor(reason: string, readonly seconds: number, options?: ErrorOptions) {
    super(reason, options);
  }
}

/** Thrown by a job that has come on and is not done: its messages are sent anew. That is neither an attempt nor a failure. */
export class RequeueJob extends Error {
  constructor(readonly delaySeconds = 0) {
    super("It goes on in another run");
  }
}

/** Thrown by a job whose messages have become someone else's: nothing is said of them. */
export class LeaseLostError extends Error {
  constructor() {
    super("The messages were given to another worker");
  }
}
