/** The worker's loop: claims messages, runs their jobs, and completes or fails the messages. */
import { z } from "zod";
import { serviceSql, withRetry } from "../database/db.ts";
import { service } from "../database/service.ts";
import { parseJson } from "../runtime/json.ts";
import { logError, logInfo, logWarning, withLogContext } from "../runtime/log.ts";
import { describeError } from "../runtime/describe_error.ts";
import { excerpt } from "../runtime/api_error.ts";
import { JobLostError, PermanentError, RequeueJob, RetryAfterError, type RunContext } from "../runtime/job_run.ts";
import { type ClaimedMessage, type Job, MAX_MESSAGE_CHARS, type Messages } from "./job.ts";
import type { RunLimits } from "./run_limits.ts";

/** State of draining a queue in this process. */
interface DrainState {
  /** Concurrent consumers: each claims a batch, processes it, and claims the next. */
  consumers: number;
  /** Another wake-up arrived meanwhile. */
  rerunRequested: boolean;
  /** A consumer ended because its time was up. */
  hasBacklog: boolean;
  /** One of its consumers waits for the next message. */
  isWaiting?: boolean;
}

const { performance } = globalThis; // see runtime/start_time_limit.ts

const draining = new Map<string, DrainState>();

/**
 * Drains a job's queue within the limits. If messages remain, the worker wakes itself, because an invocation on the
 * platform is short. A call while the queue is being drained restarts idle consumers, or makes a busy one check once
 * more.
 */
export async function drain(job: Job, limits: RunLimits): Promise<void> {
  const state = draining.get(job.queue) ?? { consumers: 0, rerunRequested: false, hasBacklog: false };
  draining.set(job.queue, state);
  state.rerunRequested = true;
  await startConsumers(job, state, limits);
}

/** Runs as many consumers as are missing. */
async function startConsumers(job: Job, state: DrainState, limits: RunLimits): Promise<void> {
  const missing = Math.max(1, Math.floor(job.concurrency / job.batchSize)) - state.consumers;
  const consumers = await Promise.allSettled(Array.from({ length: missing }, () => consume(job, state, limits)));
  for (const one of consumers) if (one.status === "rejected") throw one.reason;
}

async function consume(job: Job, state: DrainState, limits: RunLimits): Promise<void> {
  state.consumers++;
  let mayHaveMore = true;
  const restarted: Promise<void>[] = [];
  const done: Messages = { ids: [], attempts: [] };
  try {
    try {
      do {
        state.rerunRequested = false;
        mayHaveMore = true; // also if the batch throws
        mayHaveMore = await processBatch(job, done, limits.deadline());
        if (!mayHaveMore && !state.rerunRequested && await nextIsVisible(job, state)) {
          mayHaveMore = true;
          restarted.push(startConsumers(job, state, limits));
        }
      } while ((mayHaveMore || state.rerunRequested) && limits.mayClaim());
    } finally {
      await acknowledge(job, done);
    }
  } finally {
    state.consumers--;
    state.hasBacklog ||= mayHaveMore || state.rerunRequested;
    if (state.consumers === 0) draining.delete(job.queue);
  }
  if (state.consumers === 0 && state.hasBacklog) await service("wake_worker", { queue: job.queue });
  await Promise.all(restarted);
}

/** As long as cron would take. */
const MAX_WAIT_SECONDS = 5;

/** Waits for the next message of a paced queue; false if none comes soon. */
async function nextIsVisible({ queue, isPaced }: Job, state: DrainState): Promise<boolean> {
  if (!isPaced || state.isWaiting) return false;
  state.isWaiting = true;
  try {
    const seconds = await service("seconds_to_next_job", { queue, maxSeconds: MAX_WAIT_SECONDS }) as number | null;
    if (seconds === null) return false;
    await new Promise((resolve) => setTimeout(resolve, Math.ceil(seconds * 1000)));
    return true;
  } finally {
    state.isWaiting = false;
  }
}

/**
 * Processes one batch. The claim acknowledges `done`, which then holds what this batch completed. False if the claim did
 * nothing: later messages have their own wake-up, with cron as a fallback. After a claim that acknowledged, another one
 * may get messages, because claims at the same time counted what it acknowledged as in process.
 */
async function processBatch(job: Job, done: Messages, deadline: number): Promise<boolean> {
  const claimed = await withRetry(() => claimMessages(job, done));
  const mayHaveMore = claimed.length > 0 || done.ids.length > 0;
  done.ids = [];
  done.attempts = [];

  const { runs, invalid } = groupMessages(job, claimed);
  const resultErrors: unknown[] = []; // results that could not be stored; their messages become visible again
  const end = (messages: Messages, error: unknown, startedAt: number) =>
    endFailedRun(job.queue, messages, error, startedAt).catch((failure) => void resultErrors.push(failure));
  for (const run of invalid) {
    await inContext(job, run, () => end(run, new PermanentError(run.reason), performance.now()));
  }

  const next = runs.values();
  await Promise.all(Array.from({ length: Math.min(job.concurrency, job.batchSize) }, async () => {
    for (const run of next) {
      await inContext(job, run, async () => {
        const startedAt = performance.now();
        try {
          const errors = await job.run(run.payloads, createContext(job, run, deadline)) ?? [];
          for (const [error, messages] of groupByError(run, errors)) {
            if (error) await end(messages, error, startedAt);
            else append(done, messages);
            if (!error) logInfo(runLine("completed", messages.ids, startedAt));
          }
        } catch (error) {
          await end(run, error, startedAt);
        }
      });
    }
  }));
  if (resultErrors.length > 0) throw resultErrors[0];
  return mayHaveMore;
}

function claimMessages({ queue, batchSize, visibilityTimeoutSeconds }: Job, { ids, attempts }: Messages) {
  return serviceSql<ClaimedMessage[]>`
    select msg_id, attempt, request_id, left(message::text, ${MAX_MESSAGE_CHARS + 1}) as message
    from private.claim_jobs(_queue => ${queue}, max_jobs => ${batchSize},
      visibility_timeout_seconds => ${visibilityTimeoutSeconds},
      completed_ids => ${ids}::bigint[], completed_attempts => ${attempts.map(String)}::bigint[]::int[])
    order by msg_id`;
}

async function acknowledge({ queue }: Job, { ids, attempts }: Messages): Promise<void> {
  if (ids.length === 0) return;
  await service("acknowledge_jobs", { queue, msgIds: ids, attempts });
}

interface Run extends Messages {
  payloads: unknown[];
  /** The request that caused its first message. */
  requestId?: string;
}

/** Log lines of the run, and the messages that it enqueues, name the request. */
const inContext = <T>({ queue }: Job, { ids, attempts, requestId }: Omit<Run, "payloads">, work: () => T): T =>
  withLogContext({ queue, message_ids: ids, attempt: Math.max(...attempts), request_id: requestId }, work);

/** What the log says of the end of a run, or of some of its messages. */
const runLine = (outcome: string, ids: string[], startedAt: number) => ({
  message_ids: ids,
  outcome,
  ms: Math.round(performance.now() - startedAt),
});

function append(to: Messages, { ids, attempts }: Messages) {
  to.ids.push(...ids);
  to.attempts.push(...attempts);
}

/** The messages of a run by their error, which several may share; those without an error by undefined. */
function groupByError({ ids, attempts }: Run, errors: unknown[]): Map<unknown, Messages> {
  const groups = new Map<unknown, Messages>();
  for (const [n, id] of ids.entries()) {
    const group = groups.get(errors[n]) ?? { ids: [], attempts: [] };
    append(group, { ids: [id], attempts: [attempts[n]] });
    groups.set(errors[n], group);
  }
  return groups;
}

/** Groups messages into runs; messages that fail the schema are separate. */
function groupMessages(job: Job, claimed: ClaimedMessage[]) {
  const runs = new Map<string, Run>();
  const invalid: (Messages & { requestId?: string; reason: string })[] = [];
  for (const { msg_id: id, attempt, message, request_id } of claimed) {
    const requestId = request_id ?? undefined;
    let data;
    try {
      data = job.schema.parse(readMessage(message));
    } catch (error) {
      const reason = `Invalid payload: ${describeInvalid(error)}`;
      invalid.push({ ids: [id], attempts: [attempt], requestId, reason });
      continue;
    }
    const key = job.groupBy?.(data) ?? id;
    const run: Run = runs.get(key) ?? { ids: [], attempts: [], payloads: [], requestId };
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
  return excerpt([z.core.toDotPath(path), message].filter(Boolean).join(": "));
}

function createContext({ queue, visibilityTimeoutSeconds }: Job, { ids, attempts }: Run, deadline: number): RunContext {
  return {
    messageIds: ids,
    attempt: Math.max(...attempts),
    deadline,
    visibilityTimeoutSeconds,
    async extend() {
      const [{ is_extended }] = await serviceSql<{ is_extended: boolean }[]>`
        select bool_and(private.extend_job_visibility(_queue => ${queue}, _msg_id => id,
          seconds => ${visibilityTimeoutSeconds}, _attempt => attempt)) as is_extended
        from unnest(${ids}::bigint[], ${attempts.map(String)}::bigint[]::int[]) own (id, attempt)`;
      return is_extended;
    },
  };
}

/** Records how a run failed, or some of its messages, and logs it: one line for each outcome. */
async function endFailedRun(queue: string, messages: Messages, error: unknown, startedAt: number): Promise<void> {
  if (error instanceof JobLostError) {
    return logWarning({ ...runLine("lost", messages.ids, startedAt), error: describeError(error) });
  }
  if (error instanceof RequeueJob) {
    await requeue(queue, messages, error);
    return logInfo(runLine("requeued", messages.ids, startedAt));
  }
  const reason = describeError(error);
  const outcomes = await fail(queue, messages, error, reason).catch((failure) => {
    logWarning({ ...runLine("unrecorded", messages.ids, startedAt), error: reason });
    throw failure;
  });
  for (const { outcome, ids } of outcomes) {
    const line = { ...runLine(outcome, ids, startedAt), error: reason };
    if (outcome === "dead_lettered") logError(line);
    else logWarning(line);
  }
}

async function requeue(queue: string, { ids, attempts }: Messages, { delaySeconds }: RequeueJob): Promise<void> {
  await withRetry(() =>
    serviceSql`
      select private.requeue_job(_queue => ${queue}, _msg_id => id, delay_seconds => ${delaySeconds},
        _attempt => attempt)
      from unnest(${ids}::bigint[], ${attempts.map(String)}::bigint[]::int[]) own (id, attempt)`
  );
}

/** What became of the messages: retry_scheduled, dead_lettered, or not_found. */
function fail(queue: string, { ids, attempts }: Messages, error: unknown, reason: string) {
  const isPermanent = error instanceof PermanentError;
  const retryAfterSeconds = error instanceof RetryAfterError ? Math.ceil(error.seconds) : null;
  return withRetry(() =>
    serviceSql<{ outcome: string; ids: string[] }[]>`
      select outcome, json_agg(id::text) as ids
      from (
        select id, private.fail_job(_queue => ${queue}, _msg_id => id, _error => ${reason},
          _is_permanent => ${isPermanent}, _retry_after_seconds => ${retryAfterSeconds}::int,
          _attempt => attempt) as outcome
        from unnest(${ids}::bigint[], ${attempts.map(String)}::bigint[]::int[]) own (id, attempt)
        offset 0) f  -- each message fails once
      group by outcome`
  );
}
