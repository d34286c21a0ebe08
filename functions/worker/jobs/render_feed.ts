/** feed_invalidation: renders each podcast of a batch once, however many of its messages the batch has. */
import { z } from "zod";
import { renderFeed } from "../../feed_writer/render_feed.ts";
import type { Job } from "../job.ts";
import { sanitizePodcastShowNotes } from "../../show_notes/sanitize_podcast.ts";

const schema = z.object({
  type: z.string(),
  podcast_id: z.guid(),
  podcast_slug: z.string(),
  episode_id: z.guid().nullish(),
  timestamp: z.string(),
});

export const renderFeedJob: Job<z.infer<typeof schema>> = {
  queue: "feed_invalidation",
  schema,
  batchSize: 200,
  visibilityTimeoutSeconds: 60,
  concurrency: 2,
  groupBy: ({ podcast_id }) => podcast_id,
  run: ([{ podcast_id }], context) =>
    renderFeed(podcast_id, () => sanitizePodcastShowNotes(podcast_id, context, { forFeed: true })),
};
