/** feed_invalidation: renders each podcast of a batch once, however many of its messages the batch has. */
import { z } from "zod";
import { renderFeed } from "../../feed_writer/render_feed.ts";
import { LeaseLostError, RequeueJob } from "../../runtime/job_run.ts";
import type { Job } from "../job.ts";
import { sanitizePodcastShowNotes } from "../../show_notes/sanitize_podcast.ts";

const schema = z.object({
  type: z.string(),
  podcast_id: z.guid(),
  podcast_slug: z.string(),
  episode_id: z.guid().nullish(),
  timestamp: z.string(),
});

const VISIBILITY_TIMEOUT_SECONDS = 60;

export const renderFeedJob: Job<z.infer<typeof schema>> = {
  queue: "feed_invalidation",
  schema,
  batchSize: 200,
  visibilityTimeoutSeconds: VISIBILITY_TIMEOUT_SECONDS,
  concurrency: 2,
  groupBy: ({ podcast_id }) => podcast_id,
  async run([{ podcast_id }], context) {
    const mayContinue = async () => {
      if (!await context.extend(VISIBILITY_TIMEOUT_SECONDS)) throw new LeaseLostError();
      return Date.now() < context.deadline;
    };
    await renderFeed(podcast_id, async () => {
      if (!await sanitizePodcastShowNotes(podcast_id, { forFeed: true, mayContinue })) throw new RequeueJob();
    });
  },
};
