/** show_notes: sanitizes a podcast's notes after they or the allow-list changed, once per podcast of a batch. */
import { z } from "zod";
import { LeaseLostError, RequeueJob } from "../../app/job_run.ts";
import type { Job } from "../job.ts";
import { sanitizePodcastShowNotes } from "../../show_notes/sanitize_podcast.ts";

const schema = z.object({ podcast_id: z.guid() });

const LEASE = 60;

export const sanitizeShowNotes: Job<z.infer<typeof schema>> = {
  queue: "show_notes",
  schema,
  batchSize: 200,
  visibilityTimeoutSeconds: LEASE,
  concurrency: 1, // CPU-bound, and an isolate has two seconds of CPU
  groupBy: ({ podcast_id }) => podcast_id,
  async run([{ podcast_id }], context) {
    const mayContinue = async () => {
      if (!await context.extend(LEASE)) throw new LeaseLostError();
      return Date.now() < context.deadline;
    };
    if (!await sanitizePodcastShowNotes(podcast_id, { forFeed: false, mayContinue })) throw new RequeueJob();
  },
};
