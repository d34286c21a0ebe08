/** storage_gc: deletes objects that nothing references any longer. */
import { z } from "zod";
import { collectGarbage } from "../../media/storage/uploads.ts";
import type { Job } from "../job.ts";

const schema = z.object({
  bucket: z.enum(["media", "staging"]),
  paths: z.array(z.string().min(1)).min(1).max(1000),
});

export const collectGarbageJob: Job<z.infer<typeof schema>> = {
  queue: "storage_gc",
  schema,
  batchSize: 10,
  visibilityTimeoutSeconds: 60,
  concurrency: 2,
  run: ([{ bucket, paths }]) => collectGarbage(bucket, paths),
};
