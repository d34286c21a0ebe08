/** show_notes: sanitizes a podcast's notes after they or the allow-list changed, once per podcast of a batch. */
import { z } from "zod";
import { LeaseLostError, RequeueJob } from "../../runtime/job_run.ts";
import type { Job } from "../job.ts";
import { sanitizePodcastShowNotes } from "../../show_notes/sanitize_podcast.ts";

const schema = z.object({ podcast_id: z.guid() });

const VISIBILITY_TIMEOUT_SECONDS = 60;

export const sanitizeShowNotesJob: Job<z.infer<typeof schema>> = {
  queue: "show_notes",
  schema,
  batchSize: 200,
  visibilityTimeoutSeconds: VISIBILITY_TIMEOUT_SECONDS,
  concurrency: 1, // CPU-bound, and an isolate has two seconds of CPU
  groupBy: ({ podcast_id }) => podcast_id,
  async run([{ podcast_id }], context) {
    const mayContinue = async () => {
      if (!await context.extend(VISIBILITY_TIMEOUT_SECONDS)) throw new LeaseLostError();
      return Date.now() < context.deadline;
    };
    if (!await sanitizePodcastShowNotes(podcast_id, { forFeed: false, mayContinue })) throw new RequeueJob();
  },
};
