/** What a run of a job gets from the worker's loop, and the errors by which it tells the loop how the run ended. */

/** The context of a run besides its messages. */
export interface RunContext {
  /** Ids of the messages in the queue. */
  messageIds: string[];
  /** From 1; the highest of several messages. */
  attempt: number;
  /** When the process may have to end, as Date.now(). A longer run saves its state and throws RequeueJob. */
  deadline: number;
  /** As the job declares. */
  visibilityTimeoutSeconds: number;
  /** Extends the visibility timeout; false if another worker has the messages, or may have their places. */
  extend(): Promise<boolean>;
}

/** Thrown when retrying is pointless; the messages go to the dead-letter queue. */
export class PermanentError extends Error {}

/** Thrown to retry after at least so many seconds (a Retry-After, for example), within the queue's maximum. */
export class RetryAfterError extends Error {
  constructor(reason: string, readonly seconds: number, options?: ErrorOptions) {
    super(reason, options);
  }
}

/**
 * Thrown by a job that made progress but is not done; its messages are requeued. This is neither an attempt nor a
 * failure.
 */
export class RequeueJob extends Error {
  constructor(readonly delaySeconds = 0) {
    super("Job continues in another run");
  }
}

/** Throws RequeueJob if the process may have to end. */
export function requireTime({ deadline }: RunContext): void {
  if (Date.now() >= deadline) throw new RequeueJob();
}

/** Thrown when another worker has the messages; nothing is recorded for them. */
export class JobLostError extends Error {
  constructor() {
    super("Job lost to another worker");
  }
}
