// A worker that drains its queues once, within the milliseconds of its argument.
import { importItemJob } from "../../functions/worker/jobs/import_item.ts";
import type { Job } from "../../functions/worker/job.ts";
import { drain } from "../../functions/worker/loop.ts";

const deadline = Date.now() + Number(Deno.args[0]);
await drain(importItemJob as Job, { mayClaim: () => false, deadline: () => deadline });
Deno.exit();
