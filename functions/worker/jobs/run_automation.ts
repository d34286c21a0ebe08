/** automation_runs: runs the actions of executions, all of them in SQL. A second run is harmless. */
import { z } from "zod";
import { service } from "../../database/service.ts";
import type { Job } from "../job.ts";

const schema = z.object({ podcast_id: z.guid(), execution_id: z.guid() });

export const runAutomationJob: Job<z.infer<typeof schema>> = {
  queue: "automation_runs",
  schema,
  batchSize: 10,
  visibilityTimeoutSeconds: 60,
  concurrency: 20, // two batches: their statements may be long, and other jobs need connections, too
  groupBy: () => "", // a batch is one statement, because a transaction per execution costs more than the execution
  async run(messages) {
    const executionIds = messages.map(({ execution_id }) => execution_id);
    const errors: (string | null)[] | null = await service("run_automation_executions", { executionIds });
    return errors!.map((error) => error && new Error(error));
  },
};
