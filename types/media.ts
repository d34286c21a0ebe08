/** Audio and images over the wire (contract: Media; Audio and image formats; Limits). Answers are flat. */
import { z } from "zod";
import { Id, integerParam, Timestamp } from "./envelope.ts";

export const AudioType = z.enum(["audio/mpeg", "audio/mp4", "audio/x-m4a", "audio/wav", "audio/x-wav"]);
export const ImageFormat = z.enum(["image/jpeg", "image/png", "image/webp"]);

/** What is uploaded; `ArtworkType` is what is imported, moved and deleted. sql/35_media/11_image_types.sql has their rules. */
export const ImageType = z.enum(["cover", "header", "banner", "episode_cover"]);
export const ArtworkType = z.enum(["cover", "header", "profile", "banner"]);

const Success = z.literal(true);
const NominalLimit = z.literal(524_288_000);

/** POST /api/media/audio/presigned-url, and …/direct-upload. The database decides on type and size, and has codes for its refusals. */
export const PresignAudioRequest = z.strictObject({
  podcastId: Id,
  episodeId: Id,
  contentType: z.string().meta({ enum: AudioType.options }),
  filename: z.string().min(1),
  fileSize: z.int().describe("Bytes, above 0"),
});

/** The answer of the first. All but the limits is advisory: the upload makes its own key. */
export const PresignAudioResponse = z.strictObject({
  uploadId: Id,
  uploadPath: z.string(),
  finalPath: z.string(),
  publicUrl: z.url(),
  maxSize: NominalLimit.describe("Bytes: the nominal limit. The cap on an upload is lower for now"),
  acceptedTypes: z.array(AudioType),
  uploadEndpoint: z.string(),
});

/** The path of both uploads … */
export const UploadPathParams = z.object({ uploadId: Id });

/** … and the query of PUT /api/media/audio/upload/{uploadId}. The body is the file. */
export const UploadAudioQuery = z.object({
  podcastId: Id,
  episodeId: Id,
  filename: z.string().min(1),
  duration: integerParam(0, 2_147_483_647).optional().describe("Seconds"),
});

/** Its answer: where the audio really is, and what was measured. */
export const UploadAudioResponse = z.strictObject({
  success: Success,
  path: z.string(),
  publicUrl: z.url(),
  fileSize: z.int().describe("Bytes, measured from the stored object"),
  contentType: AudioType,
  durationSeconds: z.int().nullable(),
});

/** The answer of POST /api/media/audio/direct-upload: where the client puts the bytes, by one way or the other. */
export const DirectUploadResponse = z.strictObject({
  uploadId: Id.describe("For …/direct-upload/complete"),
  uploadUrl: z.url().describe("PUT the file here, or hand uploadPath and token to supabase-js' uploadToSignedUrl"),
  uploadPath: z.string().describe("In the bucket staging"),
  token: z.string(),
  resumableUrl: z.url().describe(
    "TUS endpoint: bucketName staging, objectName uploadPath, header x-signature with the token",
  ),
  finalPath: z.string(),
  publicUrl: z.url().describe("Answers once the upload is completed"),
  contentType: AudioType,
  maxSize: NominalLimit.describe("Bytes"),
  expiresAt: Timestamp.describe("Until when the token is good"),
  completeEndpoint: z.string(),
});

/** POST /api/media/audio/direct-upload/complete. Answers as an upload does. */
export const CompleteDirectUploadRequest = z.strictObject({
  uploadId: Id,
  duration: z.int().min(0).max(2_147_483_647).optional().describe("Seconds"),
});

const requireEpisodeForCover = <T extends z.ZodType<{ imageType: string; episodeId?: string }>>(schema: T) =>
  schema.refine(({ imageType, episodeId }) => imageType !== "episode_cover" || !!episodeId, {
    path: ["episodeId"],
    message: "required for an episode_cover",
  });

/** POST /api/media/presigned-url. */
export const PresignImageRequest = requireEpisodeForCover(z.strictObject({
  podcastId: Id,
  imageType: ImageType,
  episodeId: Id.optional().describe("Required for an episode_cover"),
  contentType: z.string().meta({ enum: ImageFormat.options }),
  filename: z.string().min(1),
}));

/** Its answer. All but the limits is advisory: the upload makes its own key. */
export const PresignImageResponse = z.strictObject({
  uploadId: Id,
  uploadPath: z.string(),
  finalPath: z.string(),
  publicUrl: z.url(),
  maxSize: z.int().describe("Bytes"),
  dimensions: z.strictObject({ width: z.int(), height: z.int(), minWidth: z.int(), minHeight: z.int() })
    .describe("Pixels: recommended, and the least"),
  uploadEndpoint: z.string(),
});

/** The query of PUT /api/media/upload/{uploadId}. The body is the image. */
export const UploadImageQuery = requireEpisodeForCover(z.object({
  podcastId: Id,
  imageType: ImageType,
  episodeId: Id.optional().describe("Required for an episode_cover"),
}));

/** Its answer: where the image really is. */
export const UploadImageResponse = z.strictObject({
  success: Success,
  path: z.string(),
  publicUrl: z.url().describe("With ?v=<epoch milliseconds>"),
});

/** The path of DELETE /api/media/image/{podcastId}/{imageType}. */
export const PodcastImagePathParams = z.object({ podcastId: Id, imageType: ArtworkType });

/** Its answer. */
export const DeleteImageResponse = z.strictObject({
  success: Success,
  deletedCount: z.int().describe("Objects, replaced ones that were still stored included"),
});

/** The path of GET /api/media/episode-cover/{episodeId}/download. */
export const EpisodeCoverPathParams = z.object({ episodeId: Id });

/** POST /api/media/import-artwork. */
export const ImportArtworkRequest = z.strictObject({
  url: z.string().min(1).max(2048).describe("http or https"),
  podcastId: Id.nullish().describe("Without one the artwork is temporary, until move-artwork"),
  imageType: ArtworkType.default("cover"),
});

/** Its answer. */
export const ImportArtworkResponse = z.strictObject({
  success: Success,
  path: z.string(),
  publicUrl: z.url(),
  dimensions: z.strictObject({ width: z.int(), height: z.int() }).describe("Pixels"),
  isTemporary: z.boolean(),
});

/** POST /api/media/move-artwork. */
export const MoveArtworkRequest = z.strictObject({
  sourcePath: z.string().min(1).max(1024).describe("The path that import-artwork answered"),
  podcastId: Id,
  imageType: ArtworkType,
});
