/** Episode audio over the wire (contract: Media; Audio and image formats; Limits). Answers are flat. */
import { z } from "zod";
import { Id, wholeNumber } from "./envelope.ts";

export const AudioType = z.enum(["audio/mpeg", "audio/mp4", "audio/x-m4a", "audio/wav", "audio/x-wav"]);

/** POST /api/media/audio/presigned-url. The database decides on type and size, and has codes for its refusals. */
export const AudioPresign = z.object({
  podcastId: Id,
  episodeId: Id,
  contentType: z.string().meta({ enum: AudioType.options }),
  filename: z.string().min(1),
  fileSize: z.int().describe("Bytes, above 0"),
});

/** Its answer. All but the limits is advisory: the upload makes its own key. */
export const AudioPresigned = z.strictObject({
  uploadId: Id,
  uploadPath: z.string(),
  finalPath: z.string(),
  publicUrl: z.url(),
  maxSize: z.literal(524_288_000).describe("Bytes: the nominal limit. The cap on an upload is lower for now"),
  acceptedTypes: z.array(AudioType),
  uploadEndpoint: z.string(),
});

/** PUT /api/media/audio/upload/{uploadId}: the path … */
export const UploadId = z.object({ uploadId: Id });

/** … and the query. The body is the file. */
export const AudioUpload = z.object({
  podcastId: Id,
  episodeId: Id,
  filename: z.string().min(1),
  duration: wholeNumber(0, 2_147_483_647).optional().describe("Seconds"),
});

/** Its answer: where the audio really is, and what was measured. */
export const AudioUploaded = z.strictObject({
  success: z.literal(true),
  path: z.string(),
  publicUrl: z.url(),
  fileSize: z.int().describe("Bytes, measured from the stored object"),
  contentType: AudioType,
  durationSeconds: z.int().nullable(),
});
