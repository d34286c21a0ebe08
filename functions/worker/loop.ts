/** The loop of the worker: claims messages, runs their jobs, and finishes or fails them. */
import { service } from "../_shared/db.ts";
import { FinalFailure, type Job } from "./job.ts";

interface Claimed {
  msg_id: string;
  attempt: number;
  message: unknown;
}

/** Queues that are being drained by this process; `again` when someone asked meanwhile. */
const draining = new Map<string, { again: boolean }>();

/**
 * Empties a job's queue, for `budgetMs` at most. When work is left then, the worker wakes itself anew: on the platform
 * an invocation has a limited life. A call while the queue is being drained makes that draining look once more.
 */
export async function drain(job: Job, budgetMs: number): Promise<void> {
  const present = draining.get(job.queue);
  if (present) {
    present.again = true;
    return;
  }
  const own = { again: false };
  draining.set(job.queue, own);
  const deadline = Date.now() + budgetMs;
  let empty = false;
  try {
    do {
      own.again = false;
      empty = await workBatch(job);
    } while ((!empty || own.again) && Date.now() < deadline);
  } finally {
    draining.delete(job.queue);
  }
  if (!empty || own.again) await service`select private.wake_worker(${job.queue})`;
}

/** Does one batch; true when the queue held no more than that. What comes later comes with a wake-up of its own. */
async function workBatch(job: Job): Promise<boolean> {
  const claimed = await service<Claimed[]>`
    select msg_id, attempt, message from private.claim_jobs(${job.queue}, ${job.batch}, ${job.lease})`;

  const { runs, invalid } = sort(job, claimed);
  for (const { id, reason } of invalid) await fail(job.queue, [id], reason, true);

  const done: string[] = [];
  const next = runs.values();
  await Promise.all(Array.from({ length: job.concurrency }, async () => {
    for (const run of next) {
      try {
        await job.run(run.payloads);
        done.push(...run.ids);
      } catch (error) {
        await fail(job.queue, run.ids, reasonOf(error), error instanceof FinalFailure);
      }
    }
  }));
  if (done.length > 0) await service`select private.finish_jobs(${job.queue}, ${done}::bigint[])`;
  return claimed.length < job.batch;
}

interface Run {
  ids: string[];
  payloads: unknown[];
}

/** Messages into runs by their subject; those of the wrong shape aside. */
function sort(job: Job, claimed: Claimed[]) {
  const runs = new Map<string, Run>();
  const invalid: { id: string; reason: string }[] = [];
  for (const { msg_id: id, message } of claimed) {
    const { data, error, success } = job.payload.safeParse(message);
    if (!success) {
      const [{ path, message }] = error.issues;
      invalid.push({ id, reason: `Invalid payload: ${[path.join("."), message].filter(Boolean).join(": ")}` });
      continue;
    }
    const subject = job.subject?.(data) ?? id;
    const run = runs.get(subject) ?? { ids: [], payloads: [] };
    run.ids.push(id);
    run.payloads.push(data);
    runs.set(subject, run);
  }
  return { runs, invalid };
}

async function fail(queue: string, ids: string[], reason: string, final: boolean) {
  console.error(JSON.stringify({ function: "worker", queue, messages: ids, final, failure: reason }));
  await service`select private.fail_job(${queue}, id, ${reason}, ${final}) from unnest(${ids}::bigint[]) id`;
}

function reasonOf(error: unknown): string {
  if (!(error instanceof Error)) return String(error);
  return error.cause ? `${error.message} (${reasonOf(error.cause)})` : error.message;
}
