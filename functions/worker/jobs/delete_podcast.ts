/** podcast_deletions: deletes a podcast whose deletion is due. storage_gc deletes its objects afterwards. */
import { z } from "zod";
import { longServiceSql, withRetry } from "../../database/db.ts";
import { logInfo } from "../../runtime/log.ts";
import type { Job } from "../job.ts";

const schema = z.object({ podcast_id: z.guid() });

export const deletePodcastJob: Job<z.infer<typeof schema>> = {
  queue: "podcast_deletions",
  schema,
  batchSize: 1, // a large podcast takes seconds
  visibilityTimeoutSeconds: 120,
  concurrency: 1,
  async run([{ podcast_id }]) {
    const [{ is_deleted }] = await withRetry(() =>
      longServiceSql<{ is_deleted: boolean }[]>`select private.delete_due_podcast(${podcast_id}) as is_deleted`
    );
    if (is_deleted) logInfo({ message: "podcast deleted", podcast_id });
  },
};
