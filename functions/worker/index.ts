/** The edge function `worker`: the database wakes it, and it drains the queues in the background. */
import { edgeFunction } from "../app/app.ts";
import { logError } from "../runtime/log.ts";
import { jobs as all } from "./jobs/index.ts";
import { drain } from "./loop.ts";
import { oneBatch, timeBudget } from "./run_limits.ts";
import { wakeRouter } from "./wake.ts";

/** Well under the platform's limit per invocation (150 s of wall clock). Remaining messages wake the worker again. */
const BUDGET_MS = 60_000;

const jobs = all.filter(({ isStandalone }) => !isStandalone);

declare const EdgeRuntime: { waitUntil(work: Promise<unknown>): void } | undefined;

/** Drains one queue, or all of them if the queue is absent or unknown. */
function wake(queue?: string | null) {
  const requested = jobs.filter((job) => job.queue === queue);
  const limits = timeBudget(BUDGET_MS);
  const work = Promise.all((requested.length ? requested : jobs).map((job) =>
    // unfinished messages stay in the queue, and cron wakes the worker
    drain(job, job.endsRun ? oneBatch(limits) : limits).catch((error) => logError({ queue: job.queue, error }))
  ));
  if (typeof EdgeRuntime !== "undefined") EdgeRuntime.waitUntil(work);
}

export default edgeFunction("worker", [["", wakeRouter(wake)]]);
