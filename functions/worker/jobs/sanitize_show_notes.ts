/** show_notes: sanitizes a podcast's notes after they or the allow-list changed, once per podcast of a batch. */
import { z } from "zod";
import type { Job } from "../job.ts";
import { sanitizePodcastShowNotes } from "../../show_notes/sanitize_podcast.ts";

const schema = z.object({ podcast_id: z.guid() });

export const sanitizeShowNotesJob: Job<z.infer<typeof schema>> = {
  queue: "show_notes",
  schema,
  batchSize: 200,
  visibilityTimeoutSeconds: 60,
  concurrency: 1, // CPU-bound, and an isolate has two seconds of CPU
  groupBy: ({ podcast_id }) => podcast_id,
  run: ([{ podcast_id }], context) => sanitizePodcastShowNotes(podcast_id, context, { forFeed: false }),
};
