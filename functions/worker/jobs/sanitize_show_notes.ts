/** show_notes: notes of a podcast changed, or the allow-list did. Each podcast of a batch is worked on once. */
import { z } from "zod";
import { Continue, type Job, LeaseLost } from "../job.ts";
import { sanitizePodcastShowNotes } from "../../show_notes/sanitize_podcast.ts";

const payload = z.object({ podcast_id: z.guid() });

const LEASE = 60;

export const sanitizeShowNotes: Job<z.infer<typeof payload>> = {
  queue: "show_notes",
  payload,
  batch: 200,
  lease: LEASE,
  concurrency: 1, // it is all CPU, of which an isolate has two seconds
  subject: ({ podcast_id }) => podcast_id,
  async run([{ podcast_id }], context) {
    const mayContinue = async () => {
      if (!await context.extend(LEASE)) throw new LeaseLost();
      return Date.now() < context.deadline;
    };
    if (!await sanitizePodcastShowNotes(podcast_id, { forFeed: false, mayContinue })) throw new Continue();
  },
};
