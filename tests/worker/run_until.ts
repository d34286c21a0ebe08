// The context of a run without a queue.
import type { RunContext } from "../../functions/runtime/job_run.ts";

export const runUntil = (deadline: number): RunContext => ({
  messageIds: ["1"],
  attempt: 1,
  deadline,
  visibilityTimeoutSeconds: 60,
  extend: () => Promise.resolve(true),
});
