/** What the loop expects of a job. jobs/ has one file per job; `jobs/index.ts` lists them. */
import type { z } from "zod";
import type { RunContext } from "../runtime/job_run.ts";

/** Messages with the attempt of each; the queue ignores results of an outdated attempt. */
export interface Messages {
  ids: string[];
  attempts: number[];
}

export interface ClaimedMessage {
  msg_id: string;
  attempt: number;
  /** The request that caused it. */
  request_id: string | null;
  /** JSON, of which more than MAX_MESSAGE_CHARS characters need not be read. */
  message: string;
}

/** A longer message is invalid. */
export const MAX_MESSAGE_CHARS = 2 ** 20;

export interface Job<Payload = unknown> {
  queue: string;
  /** Schema of a message; others go to the dead-letter queue with the reason. */
  schema: z.ZodType<Payload>;
  /** Messages claimed at once. */
  batchSize: number;
  /** Seconds until another worker may claim the messages if this one dies. */
  visibilityTimeoutSeconds: number;
  /** Concurrent runs. If it exceeds the batch size, several batches are claimed. */
  concurrency: number;
  /** A batch may use up the CPU of an isolate: the edge function's run ends after it, and wakes the next one. */
  endsRun?: true;
  /** Only a standalone worker runs it; the queue's column is_standalone says the same to the database. */
  isStandalone?: true;
  /** Its messages are paced: the worker waits for the next one instead of for cron. */
  isPaced?: true;
  /** One run handles all messages of a batch with the same key. Without it each message has its own run. */
  groupBy?: (payload: Payload) => string;
  /**
   * Does the work. A second run must be harmless. An error fails the run's messages; the queue's policy retries them.
   * A run of several messages may return the errors of some instead, at the places of their payloads.
   */
  run: (payloads: Payload[], context: RunContext) => Promise<void | unknown[]>;
}
