/** cdn_purge: makes the CDN drop its copies of changed podcasts, those of a batch together. A second run is harmless. */
import { z } from "zod";
import { MAX_KEYS_PER_PURGE, purgeKeys } from "../../feed_pings/purge_keys.ts";
import type { Job } from "../job.ts";

const schema = z.object({ key: z.string().regex(/^[\x21-\x2b\x2d-\x7e]{1,128}$/) }); // without spaces and commas

export const purgeCdnJob: Job<z.infer<typeof schema>> = {
  queue: "cdn_purge",
  schema,
  batchSize: MAX_KEYS_PER_PURGE,
  visibilityTimeoutSeconds: 60, // a request of ten seconds, and the statements
  concurrency: 1,
  groupBy: () => "all",
  run: (payloads) => purgeKeys([...new Set(payloads.map(({ key }) => key))]),
};
