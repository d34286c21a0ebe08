/** feed_invalidation: what a feed shows has changed. Each podcast of a batch is rendered once, whatever its messages. */
import { z } from "zod";
import { renderFeed as render } from "../../_shared/feed/document.ts";
import type { Job } from "../job.ts";

const payload = z.object({
  type: z.string(),
  podcast_id: z.guid(),
  podcast_slug: z.string(),
  episode_id: z.guid().nullish(),
  timestamp: z.string(),
});

export const renderFeed: Job<z.infer<typeof payload>> = {
  queue: "feed_invalidation",
  payload,
  batch: 200,
  lease: 60,
  concurrency: 2,
  subject: ({ podcast_id }) => podcast_id,
  run: ([{ podcast_id }]) => render(podcast_id),
};
