/**
 * The worker as a standalone process: `npm run worker`, or on any machine with the functions' environment. It polls,
 * has no limit of CPU or time, and can run beside the edge function and other standalone workers, because a claimed
 * message is hidden from them. Arguments select queues; the default is all queues.
 */
import { logError, logInfo, withLogContext } from "../runtime/log.ts";
import { jobs as all } from "./jobs/index.ts";
import { drain } from "./loop.ts";
import type { RunLimits } from "./run_limits.ts";

/** Interval between polls. */
const POLL_MS = 1000;
/** Limit of a single run; a longer transfer continues in the next one. */
const MAX_RUN_MS = 30 * 60_000;
/** How long running jobs may finish after a signal; other workers continue the rest. */
const SHUTDOWN_TIMEOUT_MS = 20_000;
const LOG_FIELDS = { function: "worker" };

const unknown = Deno.args.filter((queue) => !all.some((job) => job.queue === queue));
if (unknown.length) {
  console.error(`Unknown queue: ${unknown.join(", ")}. Available: ${all.map(({ queue }) => queue).join(", ")}`);
  Deno.exit(1);
}
const jobs = all.filter(({ queue }) => !Deno.args.length || Deno.args.includes(queue));

const shutdown = Promise.withResolvers<void>();
let isShuttingDown = false;
for (const signal of ["SIGINT", "SIGTERM"] as const) {
  Deno.addSignalListener(signal, () => {
    isShuttingDown = true;
    shutdown.resolve();
  });
}

const limits: RunLimits = { mayClaim: () => !isShuttingDown, deadline: () => Date.now() + MAX_RUN_MS };
const inFlight = new Set<Promise<void>>();
const sleep = (milliseconds: number) => new Promise((resolve) => setTimeout(resolve, milliseconds));

logInfo({ ...LOG_FIELDS, message: "worker started" });
while (!isShuttingDown) {
  for (const job of jobs) {
    const work = withLogContext(
      LOG_FIELDS,
      () => drain(job, limits).catch((error) => logError({ queue: job.queue, error })),
    );
    inFlight.add(work);
    work.finally(() => inFlight.delete(work));
  }
  await Promise.race([sleep(POLL_MS), shutdown.promise]);
}
await Promise.race([Promise.all(inFlight), sleep(SHUTDOWN_TIMEOUT_MS)]);
Deno.exit(0);
