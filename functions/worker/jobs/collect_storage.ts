/** storage_gc: objects that were let go. Those that no row refers to now are deleted, then forgotten. */
import { z } from "zod";
import { service } from "../../_shared/db.ts";
import { discard } from "../../_shared/storage.ts";
import type { Job } from "../job.ts";

const payload = z.object({
  bucket: z.literal("media"), // the only bucket that the product writes to
  paths: z.array(z.string().min(1)).min(1).max(1000),
});

export const collectStorage: Job<z.infer<typeof payload>> = {
  queue: "storage_gc",
  payload,
  batch: 10,
  lease: 60,
  concurrency: 2,
  async run([{ paths }]) {
    const [{ free }] = await service<
      { free: string[] }[]
    >`select to_jsonb(private.collectable(${paths}::text[])) as free`;
    if (free.length === 0) return;
    await discard(free);
    await service`select private.forget_objects(${free}::text[])`;
  },
};
