/** podcast_deletions: deletes a podcast whose deletion is due. storage_gc deletes its objects afterwards. */
import { z } from "zod";
import { service } from "../../database/service.ts";
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
    const isDeleted = await service("delete_due_podcast", { podcastId: podcast_id });
    if (isDeleted) logInfo({ message: "podcast deleted", podcast_id });
  },
};
