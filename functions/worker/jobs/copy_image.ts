/**
 * image_derivatives, large_images: makes a smaller copy of a stored image. A second run finds the copy, or
 * replaces it with an equal one.
 */
import { z } from "zod";
import { service } from "../../database/service.ts";
import { deleteObjects, putObject, readRange } from "../../media/storage/storage.ts";
import { PermanentError } from "../../runtime/job_run.ts";
import { startHeartbeat } from "../heartbeat.ts";
import type { Job } from "../job.ts";

const schema = z.object({
  podcast_id: z.guid(),
  path: z.string().min(1).max(1000),
  size: z.int().min(1).max(4096),
  content_type: z.enum(["image/webp", "image/jpeg"]),
});

/** More than the largest image that uploads and imports accept. */
const MAX_BYTES = 8 * 1024 * 1024;
/** Of the decoded image, which takes 4 bytes a pixel, twice: 3000 × 3000 in an edge function, 64 megapixels elsewhere. */
const MAX_PIXELS = 9_000_000, MAX_LARGE_PIXELS = 64_000_000;

const copyImages = (queue: string, maxPixels: number): Job<z.infer<typeof schema>> => ({
  queue,
  schema,
  batchSize: 1,
  visibilityTimeoutSeconds: 120,
  concurrency: 1, // the memory of one image
  async run([{ path, size, content_type: contentType }], context) {
    const copyPath = await service("begin_image_copy", { path, size, contentType });
    if (copyPath === null) return; // made by another run, or the image was deleted
    const { makeImageCopy, UndecodableImageError } = await import("../../media/copies/make_image_copy.ts");
    await using heartbeat = startHeartbeat(context);
    const original = await readRange(path, { from: 0, length: MAX_BYTES, signal: heartbeat.signal });
    try {
      if (original.size > MAX_BYTES) throw new UndecodableImageError(`${original.size} bytes`);
      const { bytes, width, height } = await makeImageCopy(original.bytes, { size, contentType }, maxPixels);
      await putObject(copyPath, bytes, contentType, { mayReplace: true });
      const isKept = await service("finish_image_copy", { path, copyPath, contentType, width, height });
      if (!isKept) await deleteObjects("media", [copyPath]);
    } catch (error) {
      if (!(error instanceof UndecodableImageError)) throw error;
      await service("reject_image_copies", { path });
      throw new PermanentError(`${path} cannot be decoded: ${error.message}`);
    }
  },
});

export const copyImageJob: Job<z.infer<typeof schema>> = {
  ...copyImages("image_derivatives", MAX_PIXELS),
  endsRun: true,
};

export const copyLargeImageJob: Job<z.infer<typeof schema>> = {
  ...copyImages("large_images", MAX_LARGE_PIXELS),
  isStandalone: true,
};
