/** The loop of the worker: claims messages, runs their jobs, and finishes or fails them. */
import { z } from "zod";
import { serviceSql, withRetry } from "../database/db.ts";
import { parseJson } from "../app/json.ts";
import { excerpt } from "../app/errors.ts";
import { Continue, FinalFailure, type Job, LeaseLost, RetryLater, type RunContext } from "./job.ts";

interface Claimed {
  msg_id: string;
  attempt: number;
  /** JSON; cut off when it is longer than any job's. */
  message: string;
}

const MAX_MESSAGE_CHARS = 2 ** 20;

/** How this process drains a queue. */
interface Draining {
  /** Each claims a batch, does it, and claims the next. */
  lanes: number;
  /** Someone asked meanwhile. */
  again: boolean;
  /** A lane ended because its time was up. */
  isUnfinished: boolean;
}

const draining = new Map<string, Draining>();

/** How long a process works on queues. */
export interface Term {
  mayClaim(): boolean;
  /** When a run that begins now may have to end; as Date.now(). */
  deadline(): number;
}

/** What runs get beyond the time in which batches are claimed: with it, an invocation is well below its 150 s. */
const GRACE_MS = 45_000;

/** An invocation's: claims for so long, and lets runs end. */
export function budget(milliseconds: number): Term {
  const end = Date.now() + milliseconds;
  return { mayClaim: () => Date.now() < end, deadline: () => end + GRACE_MS };
}

/**
 * Empties a job's queue, as long as its term allows (a budget in milliseconds, or another). When work is left then, the
 * worker wakes itself anew: on the platform an invocation has a limited life. A call while the queue is being drained
 * starts the lanes that found nothing again, or makes a busy one look once more.
 */
export async function drain(job: Job, allowed: number | Term): Promise<void> {
  const term = typeof allowed === "number" ? budget(allowed) : allowed;
  const state = draining.get(job.queue) ?? { lanes: 0, again: false, isUnfinished: false };
  draining.set(job.queue, state);
  state.again = true;
  const missing = Math.max(1, Math.floor(job.concurrency / job.batch)) - state.lanes;
  const lanes = await Promise.allSettled(Array.from({ length: missing }, () => lane(job, state, term)));
  for (const one of lanes) if (one.status === "rejected") throw one.reason;
}

async function lane(job: Job, state: Draining, term: Term): Promise<void> {
  state.lanes++;
  let isEmpty = false;
  try {
    do {
      state.again = false;
      isEmpty = await workBatch(job, term.deadline());
    } while ((!isEmpty || state.again) && term.mayClaim());
  } finally {
    state.lanes--;
    state.isUnfinished ||= !isEmpty || state.again;
    if (state.lanes === 0) draining.delete(job.queue);
  }
  if (state.lanes === 0 && state.isUnfinished) await serviceSql`select private.wake_worker(${job.queue})`;
}

/**
 * Does one batch; true when the queue gave no more than that: it held no more, or others have all its leases. What comes
 * later comes with a wake-up of its own, and cron's is the net below it.
 */
async function workBatch(job: Job, deadline: number): Promise<boolean> {
  const claimed = await serviceSql<Claimed[]>`
    select msg_id, attempt, left(message::text, ${MAX_MESSAGE_CHARS + 1}) as message
    from private.claim_jobs(${job.queue}, ${job.batch}, ${job.lease})`;

  const { runs, invalid } = sort(job, claimed);
  const done: Messages = { ids: [], attempts: [] };
  const unsettled: unknown[] = []; // what runs threw could not be stored; their leases end
  const notSettled = (failure: unknown) => void unsettled.push(failure);
  for (const { reason, ...message } of invalid) {
    await fail(job.queue, message, reason, { final: true }).catch(notSettled);
  }

  const next = runs.values();
  await Promise.all(Array.from({ length: Math.min(job.concurrency, job.batch) }, async () => {
    for (const run of next) {
      try {
        await job.run(run.payloads, contextOf(job, run, deadline));
        done.ids.push(...run.ids);
        done.attempts.push(...run.attempts);
      } catch (error) {
        await settle(job, run, error).catch(notSettled);
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
  if (unsettled.length > 0) throw unsettled[0];
  return claimed.length < job.batch;
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
function sort(job: Job, claimed: Claimed[]) {
  const runs = new Map<string, Run>();
  const invalid: (Messages & { reason: string })[] = [];
  for (const { msg_id: id, attempt, message } of claimed) {
    let data;
    try {
      data = job.payload.parse(readMessage(message));
    } catch (error) {
      invalid.push({ ids: [id], attempts: [attempt], reason: `Invalid payload: ${complaintOf(error)}` });
      continue;
    }
    const subject = job.subject?.(data) ?? id;
    const run = runs.get(subject) ?? { ids: [], attempts: [], payloads: [] };
    run.ids.push(id);
    run.attempts.push(attempt);
    run.payloads.push(data);
    runs.set(subject, run);
  }
  return { runs, invalid };
}

function readMessage(text: string): unknown {
  if (text.length > MAX_MESSAGE_CHARS) throw new Error(`longer than ${MAX_MESSAGE_CHARS} characters`);
  return parseJson(text);
}

function complaintOf(error: unknown): string {
  if (!(error instanceof z.ZodError)) return reasonOf(error);
  const [{ path, message }] = error.issues;
  return excerpt([path.join("."), message].filter(Boolean).join(": "));
}

function contextOf({ queue }: Job, { ids, attempts }: Run, deadline: number): RunContext {
  return {
    messages: ids,
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
async function settle({ queue }: Job, { ids, attempts }: Run, error: unknown): Promise<void> {
  if (error instanceof LeaseLost) return complain(queue, ids, { failure: reasonOf(error) });
  if (error instanceof Continue) {
    await withRetry(() =>
      serviceSql`
        select private.requeue_job(${queue}, id, ${error.delaySeconds}, attempt)
        from unnest(${ids}::bigint[], ${attempts.map(String)}::bigint[]::int[]) own (id, attempt)`
    );
    return;
  }
  const retryAfter = error instanceof RetryLater ? Math.ceil(error.seconds) : null;
  await fail(queue, { ids, attempts }, reasonOf(error), { final: error instanceof FinalFailure, retryAfter });
}

interface Manner {
  final: boolean;
  /** Seconds. */
  retryAfter?: number | null;
}

async function fail(queue: string, { ids, attempts }: Messages, reason: string, { final, retryAfter = null }: Manner) {
  complain(queue, ids, { final, failure: reason });
  await withRetry(() =>
    serviceSql`
      select private.fail_job(${queue}, id, ${reason}, ${final}, ${retryAfter}::int, attempt)
      from unnest(${ids}::bigint[], ${attempts.map(String)}::bigint[]::int[]) own (id, attempt)`
  );
}

function complain(queue: string, messages: string[], about: Record<string, unknown>) {
  console.error(JSON.stringify({ function: "worker", queue, messages, ...about }));
}

function reasonOf(error: unknown): string {
  if (!(error instanceof Error)) return String(error);
  return error.cause ? `${error.message} (${reasonOf(error.cause)})` : error.message;
}
