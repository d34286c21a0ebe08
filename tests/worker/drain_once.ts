// A worker that drains its queues once. Its time is up when its stdin ends.
import { importItemJob } from "../../functions/worker/jobs/import_item.ts";
import type { Job } from "../../functions/worker/job.ts";
import { drain } from "../../functions/worker/loop.ts";
import { stoppedClock } from "../safe_fetch/stopped_clock.ts";

const TIME_MS = 60_000;
const clock = stoppedClock(), deadline = Date.now() + TIME_MS;
Deno.stdin.readable.pipeTo(new WritableStream()).then(() => clock.advance(TIME_MS));
await drain(importItemJob as Job, { mayClaim: () => false, deadline: () => deadline });
Deno.exit();
