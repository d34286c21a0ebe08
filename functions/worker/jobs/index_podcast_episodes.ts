/** episode_search: writes the words that searches find, after the language of a podcast changed. */
import { z } from "zod";
import { service } from "../../database/service.ts";
import { JobLostError, requireTime } from "../../runtime/job_run.ts";
import type { Job } from "../job.ts";

const schema = z.object({ podcast_id: z.guid() });

export const indexPodcastEpisodesJob: Job<z.infer<typeof schema>> = {
  queue: "episode_search",
  schema,
  batchSize: 20,
  visibilityTimeoutSeconds: 60,
  concurrency: 1,
  groupBy: ({ podcast_id }) => podcast_id,
  async run([{ podcast_id: podcastId }], run) {
    let cursor: string | null = null;
    while ((cursor = await service("index_podcast_episodes", { podcastId, cursor })) !== null) {
      if (!await run.extend()) throw new JobLostError();
      requireTime(run);
    }
  },
};
