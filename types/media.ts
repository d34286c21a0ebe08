/** Episode audio over the wire (contract: Media; Audio and image formats; Limits). Answers are flat. */
import { z } from "zod";
import { Id, wholeNumber } from "./envelope.ts";

/** 500 MB, the nominal limit of an audio file. The cap on an upload body is lower for now: a setting, and a 413. */
export const AUDIO_SIZE_LIMIT = 524_288_000;

export const AudioType = z.enum(["audio/mpeg", "audio/mp4", "audio/x-m4a", "audio/wav", "audio/x-wav"]);

/** POST /api/media/audio/presigned-url */
export const AudioPresign = z.object({
  podcastId: Id,
  episodeId: Id,
  contentType: AudioType,
  filename: z.string().min(1),
  fileSize: z.int().min(1).max(AUDIO_SIZE_LIMIT).describe("Bytes"),
});

/** Its answer. All but the limits is advisory: the upload makes its own key. */
export const AudioPresigned = z.strictObject({
  uploadId: Id,
  uploadPath: z.string(),
  finalPath: z.string(),
  publicUrl: z.url(),
  maxSize: z.literal(AUDIO_SIZE_LIMIT).describe("Bytes"),
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
