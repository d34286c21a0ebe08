/** The loop of the worker: claims messages, runs their jobs, and finishes or fails them. */
import { z } from "zod";
import { serviceSql, withRetry } from "../database/db.ts";
import { parseJson } from "../app/json.ts";
import { describeError } from "./describe_error.ts";
import { excerpt } from "../app/errors.ts";
import { type Job, LeaseLostError, PermanentError, RequeueJob, RetryAfterError, type RunContext } from "./job.ts";

interface Claimed {
  msg_id: string;
  attempt: number;
  /** JSON; cut off when it is longer than any job's. */
  message: string;
}

const MAX_MESSAGE_CHARS = 2 ** 20;

/** How this process drains a queue. */
interface DrainState {
  /** Each claims a batch, does it, and claims the next. */
  consumers: number;
  /** Someone asked meanwhile. */
  rerunRequested: boolean;
  /** A lane ended because its time was up. */
  hasBacklog: boolean;
}

const draining = new Map<string, DrainState>();

/** How long a process works on queues. */
export interface RunLimits {
  mayClaim(): boolean;
  /** When a run that begins now may have to end; as Date.now(). */
  deadline(): number;
}

/** What runs get beyond the time in which batches are claimed: with it, an invocation is well below its 150 s. */
const GRACE_MS = 45_000;

/** An invocation's: claims for so long, and lets runs end. */
export function invocationLimits(milliseconds: number): RunLimits {
  const end = Date.now() + milliseconds;
  return { mayClaim: () => Date.now() < end, deadline: () => end + GRACE_MS };
}

/**
 * Empties a job's queue, as long as its term allows (a budget in milliseconds, or another). When work is left then, the
 * worker wakes itself anew: on the platform an invocation has a limited life. A call while the queue is being drained
 * starts the lanes that found nothing again, or makes a busy one look once more.
 */
export async function drain(job: Job, allowed: number | RunLimits): Promise<void> {
  const limits = typeof allowed === "number" ? invocationLimits(allowed) : allowed;
  const state = draining.get(job.queue) ?? { consumers: 0, rerunRequested: false, hasBacklog: false };
  draining.set(job.queue, state);
  state.rerunRequested = true;
  const missing = Math.max(1, Math.floor(job.concurrency / job.batchSize)) - state.consumers;
  const consumers = await Promise.allSettled(Array.from({ length: missing }, () => consume(job, state, limits)));
  for (const one of consumers) if (one.status === "rejected") throw one.reason;
}

async function consume(job: Job, state: DrainState, limits: RunLimits): Promise<void> {
  state.consumers++;
  let isEmpty = false;
  try {
    do {
      state.rerunRequested = false;
      isEmpty = await processBatch(job, limits.deadline());
    } while ((!isEmpty || state.rerunRequested) && limits.mayClaim());
  } finally {
    state.consumers--;
    state.hasBacklog ||= !isEmpty || state.rerunRequested;
    if (state.consumers === 0) draining.delete(job.queue);
  }
  if (state.consumers === 0 && state.hasBacklog) await serviceSql`select private.wake_worker(${job.queue})`;
}

/**
 * Does one batch; true when the queue gave no more than that: it held no more, or others have all its leases. What comes
 * later comes with a wake-up of its own, and cron's is the net below it.
 */
async function processBatch(job: Job, deadline: number): Promise<boolean> {
  const claimed = await serviceSql<Claimed[]>`
    select msg_id, attempt, left(message::text, ${MAX_MESSAGE_CHARS + 1}) as message
    from private.claim_jobs(${job.queue}, ${job.batchSize}, ${job.visibilityTimeoutSeconds})`;

  const { runs, invalid } = groupMessages(job, claimed);
  const done: Messages = { ids: [], attempts: [] };
  const storageErrors: unknown[] = []; // what runs threw could not be stored; their leases end
  const onStorageError = (failure: unknown) => void storageErrors.push(failure);
  for (const { reason, ...message } of invalid) {
    await fail(job.queue, message, reason, { isPermanent: true }).catch(onStorageError);
  }

  const next = runs.values();
  await Promise.all(Array.from({ length: Math.min(job.concurrency, job.batchSize) }, async () => {
    for (const run of next) {
      try {
        await job.run(run.payloads, createContext(job, run, deadline));
        done.ids.push(...run.ids);
        done.attempts.push(...run.attempts);
      } catch (error) {
        await handleRunError(job, run, error).catch(onStorageError);
      }
    }
  }));
  if (done.ids.length > 0) {
    await withRetry(() =>
      serviceSql`select private.acknowledge_jobs(${job.queue}, ${done.ids}::bigint[], ${
        done.attempts.map(String)
      }::bigint[]::int[])`
    );
  }
  if (storageErrors.length > 0) throw storageErrors[0];
  return claimed.length < job.batchSize;
}

/** Which messages, and which attempt at each: the queue forgets what is said of one that another worker has by now. */
interface Messages {
  ids: string[];
  attempts: number[];
}

interface Run extends Messages {
  payloads: unknown[];
}

/** Messages into runs by their subject; those of the wrong shape aside. */
function groupMessages(job: Job, claimed: Claimed[]) {
  const runs = new Map<string, Run>();
  const invalid: (Messages & { reason: string })[] = [];
  for (const { msg_id: id, attempt, message } of claimed) {
    let data;
    try {
      data = job.schema.parse(readMessage(message));
    } catch (error) {
      invalid.push({ ids: [id], attempts: [attempt], reason: `Invalid payload: ${describeInvalid(error)}` });
      continue;
    }
    const key = job.groupBy?.(data) ?? id;
    const run = runs.get(key) ?? { ids: [], attempts: [], payloads: [] };
    run.ids.push(id);
    run.attempts.push(attempt);
    run.payloads.push(data);
    runs.set(key, run);
  }
  return { runs, invalid };
}

function readMessage(text: string): unknown {
  if (text.length > MAX_MESSAGE_CHARS) throw new Error(`longer than ${MAX_MESSAGE_CHARS} characters`);
  return parseJson(text);
}

function describeInvalid(error: unknown): string {
  if (!(error instanceof z.ZodError)) return describeError(error);
  const [{ path, message }] = error.issues;
  return excerpt([path.join("."), message].filter(Boolean).join(": "));
}

function createContext({ queue }: Job, { ids, attempts }: Run, deadline: number): RunContext {
  return {
    messageIds: ids,
    attempt: Math.max(...attempts),
    deadline,
    async extend(seconds) {
      const [{ kept }] = await serviceSql<{ kept: boolean }[]>`
        select bool_and(private.extend_job_visibility(${queue}, id, ${seconds}, attempt)) as kept
        from unnest(${ids}::bigint[], ${attempts.map(String)}::bigint[]::int[]) own (id, attempt)`;
      return kept;
    },
  };
}

/** What becomes of the messages of a run that threw. */
async function handleRunError({ queue }: Job, { ids, attempts }: Run, error: unknown): Promise<void> {
  if (error instanceof LeaseLostError) return logFailure(queue, ids, { error: describeError(error) });
  if (error instanceof RequeueJob) {
    await withRetry(() =>
      serviceSql`
        select private.requeue_job(${queue}, id, ${error.delaySeconds}, attempt)
        from unnest(${ids}::bigint[], ${attempts.map(String)}::bigint[]::int[]) own (id, attempt)`
    );
    return;
  }
  const retryAfterSeconds = error instanceof RetryAfterError ? Math.ceil(error.seconds) : null;
  await fail(queue, { ids, attempts }, describeError(error), {
    isPermanent: error instanceof PermanentError,
    retryAfterSeconds,
  });
}

interface FailOptions {
  isPermanent: boolean;
  /** Seconds. */
  retryAfterSeconds?: number | null;
}

async function fail(
  queue: string,
  { ids, attempts }: Messages,
  reason: string,
  { isPermanent, retryAfterSeconds = null }: FailOptions,
) {
  logFailure(queue, ids, { is_permanent: isPermanent, error: reason });
  await withRetry(() =>
    serviceSql`
      select private.fail_job(${queue}, id, ${reason}, ${isPermanent}, ${retryAfterSeconds}::int, attempt)
      from unnest(${ids}::bigint[], ${attempts.map(String)}::bigint[]::int[]) own (id, attempt)`
  );
}

function logFailure(queue: string, messageIds: string[], details: Record<string, unknown>) {
  console.error(JSON.stringify({ function: "worker", queue, message_ids: messageIds, ...details }));
}
