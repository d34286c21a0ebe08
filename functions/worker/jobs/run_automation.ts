/** automation_runs: runs the actions of executions, all of them in SQL. A second run is harmless. */
import { z } from "zod";
import { serviceSql } from "../../database/db.ts";
import type { Job } from "../job.ts";

const schema = z.object({ podcast_id: z.guid(), execution_id: z.guid() });

export const runAutomationJob: Job<z.infer<typeof schema>> = {
  queue: "automation_runs",
  schema,
  batchSize: 10,
  visibilityTimeoutSeconds: 60,
  concurrency: 40,
  groupBy: () => "all",
  async run(messages) {
    const ids = messages.map(({ execution_id }) => execution_id);
    const [{ errors }] = await serviceSql<{ errors: (string | null)[] }[]>`
      select to_jsonb(private.run_automation_executions(${ids}::text[]::uuid[])) as errors`;
    return errors.map((error) => error && new Error(error));
  },
};
