/**
 * The worker as a process of its own, which lives on: `npm run worker`, or on any machine with the functions'
 * environment. It needs nobody to wake it, has no limit of CPU or time, and may run beside the edge function and beside
 * others of its kind: the leases of a queue hold for all of them. Its arguments are the queues that it works on; without
 * any, all of them.
 */
import { jobs as all } from "./jobs/index.ts";
import { drain, type RunLimits } from "./loop.ts";

/** How often it looks for work that nobody told it of. */
const POLL_MS = 1000;
/** What a single run may take; a file that takes longer goes on in the next. */
const MAX_RUN_MS = 30 * 60_000;
/** How long runs may still take when it is asked to end; whatever they had begun is another worker's then. */
const SHUTDOWN_TIMEOUT_MS = 20_000;

const unknown = Deno.args.filter((queue) => !all.some((job) => job.queue === queue));
if (unknown.length) {
  throw new Error(`No job works on ${unknown.join(", ")}: ${all.map(({ queue }) => queue).join(", ")}`);
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

console.log(JSON.stringify({ function: "worker", message: "worker started" }));
while (!isShuttingDown) {
  for (const job of jobs) {
    const work = drain(job, limits).catch((error) =>
      console.error(JSON.stringify({ function: "worker", queue: job.queue, error: error?.stack ?? String(error) }))
    );
    inFlight.add(work);
    work.finally(() => inFlight.delete(work));
  }
  await Promise.race([sleep(POLL_MS), shutdown.promise]);
}
await Promise.race([Promise.all(inFlight), sleep(SHUTDOWN_TIMEOUT_MS)]);
Deno.exit(0);
