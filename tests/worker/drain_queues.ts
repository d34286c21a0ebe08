// A worker in a process of its own: it drains the queues of its arguments once, in its environment, and ends.
import { jobs } from "../../functions/worker/jobs/index.ts";
import { drain } from "../../functions/worker/loop.ts";
import { timeBudget } from "../../functions/worker/run_limits.ts";

for (const job of jobs.filter(({ queue }) => Deno.args.includes(queue))) await drain(job, timeBudget(60_000));
Deno.exit(0);
