// A worker in a process of its own, for a test to kill: it drains the feed pings of the database in its environment.
import type { Job } from "../../functions/worker/job.ts";
import { sendFeedPingsJob } from "../../functions/worker/jobs/send_feed_pings.ts";
import { drain } from "../../functions/worker/loop.ts";
import { timeBudget } from "../../functions/worker/run_limits.ts";

await drain(sendFeedPingsJob as Job, timeBudget(60_000));
Deno.exit(0);
