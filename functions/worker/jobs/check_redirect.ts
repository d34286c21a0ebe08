/**
 * redirect_checks: checks where the redirect of a feed leads, and stores what it finds. What may succeed later is tried
 * again; what the last attempt finds counts.
 */
import { z } from "zod";
import { checkRedirect } from "../../imports/switch/redirect_check.ts";
import type { Job } from "../job.ts";

const schema = z.object({ podcast_id: z.guid() });

export const checkRedirectJob: Job<z.infer<typeof schema>> = {
  queue: "redirect_checks",
  schema,
  batchSize: 1, // a slow host delays no other message
  visibilityTimeoutSeconds: 120, // a reading takes at most 60 s, and waits for servers at most 20 s
  concurrency: 4,
  groupBy: ({ podcast_id }) => podcast_id,
  run: ([{ podcast_id: podcastId }], { attempt }) => checkRedirect(podcastId, attempt),
};
