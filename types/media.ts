/** Audio, images and transcripts over the wire. Responses are flat. */
import { z } from "zod";
import { codeOf, Id, idParam, integerParam, LanguageTag, requiredWith, Timestamp } from "./envelope.ts";
import { TRANSCRIPT_WARNING_CODES } from "./error_codes.ts";

export const AudioType = z.enum(["audio/mpeg", "audio/mp4", "audio/x-m4a", "audio/wav", "audio/x-wav"]);
export const ImageFormat = z.enum(["image/jpeg", "image/png", "image/webp"]);

/** Uploads use ImageType; import, move and delete use ArtworkType. Their rules are in sql/35_media/tables/11_image_types.sql. */
export const ImageType = z.enum(["cover", "header", "banner", "episode_cover", "chapter"]);
export const ArtworkType = z.enum(["cover", "header", "profile", "banner"]);

const Success = z.literal(true);
const NominalLimit = z.literal(524_288_000);

/** POST /api/media/audio/presigned-url, and …/direct-upload. The database checks type and size, and returns codes. */
export const PresignAudioRequest = z.strictObject({
  podcastId: Id,
  episodeId: Id,
  contentType: z.string().meta({ enum: AudioType.options }),
  filename: z.string().min(1),
  fileSize: z.int().describe("Bytes, greater than 0"),
});

/** Response of presigned-url. Only the limits are binding: the upload creates its own key. */
export const PresignAudioResponse = z.strictObject({
  uploadId: Id,
  uploadPath: z.string(),
  finalPath: z.string(),
  publicUrl: z.url(),
  maxSize: NominalLimit.describe("Nominal limit in bytes; the current upload cap is lower"),
  acceptedTypes: z.array(AudioType),
  uploadEndpoint: z.string(),
});

/** The path of PUT …/upload/{uploadId}, for audio, images and transcripts. */
export const UploadPathParams = z.object({ uploadId: idParam("upload") });

/** The query of PUT /api/media/audio/upload/{uploadId}. The body is the file. */
export const UploadAudioQuery = z.object({
  podcastId: idParam("podcast"),
  episodeId: idParam("episode"),
  filename: z.string().min(1).describe("Of the file on the user's device"),
  duration: integerParam(0, 2_147_483_647).optional().describe("Seconds; measured from the audio if absent"),
});

/** Response of an audio upload: the final path, and what the service measured. */
export const UploadAudioResponse = z.strictObject({
  success: Success,
  path: z.string(),
  publicUrl: z.url(),
  fileSize: z.int().describe("Bytes, measured from the stored object"),
  contentType: AudioType,
  durationSeconds: z.int().nullable().describe("As the request named it; a measured duration follows in the episode"),
  warning: z.string().optional().describe("What apps cannot do well with the file, such as to seek exactly"),
});

/** Response of POST /api/media/audio/direct-upload: two ways to upload the bytes. */
export const DirectUploadResponse = z.strictObject({
  uploadId: Id.describe("For …/direct-upload/complete"),
  uploadUrl: z.url().describe("PUT the file here, or pass uploadPath and token to uploadToSignedUrl of supabase-js"),
  uploadPath: z.string().describe("Path in the bucket staging"),
  token: z.string(),
  resumableUrl: z.url().describe(
    "TUS endpoint: bucketName staging, objectName uploadPath, header x-signature with the token",
  ),
  finalPath: z.string(),
  publicUrl: z.url().describe("Available after completion"),
  contentType: AudioType,
  maxSize: NominalLimit.describe("Bytes"),
  expiresAt: Timestamp.describe("Token expiry"),
  completeEndpoint: z.string(),
});

/** POST /api/media/audio/direct-upload/complete. The response is that of an upload. */
export const CompleteDirectUploadRequest = z.strictObject({
  uploadId: Id,
  duration: z.int().min(0).max(2_147_483_647).optional().describe("Seconds; measured from the audio if absent"),
});

/** Whether images of this type belong to an episode, as private.is_image_of_episode. */
export const isImageOfEpisode = (imageType: string) => imageType === "episode_cover" || imageType === "chapter";

const requireEpisode = <T extends z.ZodType<{ imageType: string; episodeId?: string }>>(schema: T) =>
  schema.refine(({ imageType, episodeId }) => !isImageOfEpisode(imageType) || !!episodeId, {
    path: ["episodeId"],
    message: "required for an episode_cover or chapter",
  }).meta(requiredWith("imageType", ImageType.options.filter(isImageOfEpisode), "episodeId"));

/** POST /api/media/presigned-url. */
export const PresignImageRequest = requireEpisode(z.strictObject({
  podcastId: Id,
  imageType: ImageType,
  episodeId: Id.optional().describe("Required for an episode_cover or chapter"),
  contentType: z.string().meta({ enum: ImageFormat.options }),
  filename: z.string().min(1),
}));

/** Response of presigned-url. Only the limits are binding: the upload creates its own key. */
export const PresignImageResponse = z.strictObject({
  uploadId: Id,
  uploadPath: z.string(),
  finalPath: z.string(),
  publicUrl: z.url(),
  maxSize: z.int().describe("Bytes"),
  dimensions: z.strictObject({ width: z.int(), height: z.int(), minWidth: z.int(), minHeight: z.int() })
    .describe("Pixels: recommended and minimum"),
  uploadEndpoint: z.string(),
});

/** The query of PUT /api/media/upload/{uploadId}. The body is the image. */
export const UploadImageQuery = requireEpisode(z.object({
  podcastId: idParam("podcast"),
  imageType: ImageType.describe("What the image is for"),
  episodeId: Id.optional().describe("Required for an episode_cover or chapter"),
}));

/** Response of an image upload and of move-artwork: the final path. */
export const UploadImageResponse = z.strictObject({
  success: Success,
  path: z.string(),
  publicUrl: z.url().describe("With ?v=<epoch milliseconds>"),
});

/** The path of DELETE /api/media/image/{podcastId}/{imageType}. */
export const PodcastImagePathParams = z.object({
  podcastId: idParam("podcast"),
  imageType: ArtworkType.describe("Which image of the podcast"),
});

/** Its response. */
export const DeleteImageResponse = z.strictObject({
  success: Success,
  deletedCount: z.int().describe("Objects deleted, including replaced ones"),
});

/** The path of GET /api/media/episode-cover/{episodeId}/download. */
export const EpisodeCoverPathParams = z.object({ episodeId: idParam("episode") });

/** POST /api/media/import-artwork. */
export const ImportArtworkRequest = z.strictObject({
  url: z.string().min(1).max(2048).meta({ format: "uri" }).describe("http or https"),
  podcastId: Id.nullish().describe("If omitted, the artwork is temporary until moved"),
  imageType: ArtworkType.default("cover"),
});

/** Its response. */
export const ImportArtworkResponse = z.strictObject({
  success: Success,
  path: z.string(),
  publicUrl: z.url(),
  dimensions: z.strictObject({ width: z.int(), height: z.int() }).describe("Pixels"),
  isTemporary: z.boolean(),
});

/** POST /api/media/move-artwork. */
export const MoveArtworkRequest = z.strictObject({
  sourcePath: z.string().min(1).max(1024).describe("path returned by import-artwork"),
  podcastId: Id,
  imageType: ArtworkType,
});

/** Types of files that are stored. application/srt and text/srt are accepted, too, as application/x-subrip. */
export const TranscriptType = z.enum([
  "text/vtt",
  "application/x-subrip",
  "application/json",
  "text/html",
  "text/plain",
]);

/** What an upload takes: a transcript, or chapters, which become rows of episode_chapters. */
export const TranscriptUploadType = z.enum([...TranscriptType.options, "application/json+chapters"]);

/** The type of a file that the client does not know, such as SBV. */
export const UNKNOWN_TRANSCRIPT_TYPE = "application/octet-stream";

/** POST /api/media/transcript/presigned-url. The database checks type and size, and returns codes. */
export const PresignTranscriptRequest = z.strictObject({
  podcastId: Id,
  episodeId: Id,
  contentType: z.string().meta({ enum: [...TranscriptUploadType.options, UNKNOWN_TRANSCRIPT_TYPE] }),
  filename: z.string().min(1),
  fileSize: z.int().describe("Bytes, greater than 0"),
});

/** Its response. Only the limits are binding: the upload creates its own key. */
export const PresignTranscriptResponse = z.strictObject({
  uploadId: Id,
  uploadPath: z.string().nullable().describe("null for chapters, which are not stored as a file"),
  finalPath: z.string().nullable(),
  publicUrl: z.url(),
  maxSize: z.int().describe("Bytes"),
  acceptedTypes: z.array(TranscriptUploadType),
  uploadEndpoint: z.string(),
});

/** The query of PUT /api/media/transcript/upload/{uploadId}. The body is the file. */
export const UploadTranscriptQuery = z.object({
  podcastId: idParam("podcast"),
  episodeId: idParam("episode"),
  language: LanguageTag.min(1).optional().describe("BCP 47; without it, the podcast's language"),
  rel: z.literal("captions").optional().describe("The transcript is meant as captions of the audio"),
});

const TranscriptWarning = z.strictObject({
  code: codeOf(TRANSCRIPT_WARNING_CODES),
  message: z.string(),
  count: z.int().describe("How often"),
  lines: z.array(z.int()).describe("Lines of the uploaded file, from 1; at most the first 20"),
});

/** Response of the upload of a transcript. */
export const UploadTranscriptResponse = z.strictObject({
  success: Success,
  transcriptId: Id.describe("Row of episode_transcripts; a replaced transcript keeps its id"),
  path: z.string(),
  publicUrl: z.url(),
  fileSize: z.int().describe("Bytes of the stored object; repairs and sanitizing change it"),
  contentType: TranscriptType.describe("By the bytes, which may be of another type than declared"),
  language: LanguageTag.nullable(),
  rel: z.literal("captions").nullable(),
  warnings: z.array(TranscriptWarning).describe("What was repaired; empty for a file that was stored as it is"),
});

/** Response of the upload of chapters. */
export const UploadChaptersResponse = z.strictObject({
  success: Success,
  chapterCount: z.int(),
  chaptersUrl: z.url().describe("The document of a published episode's chapters"),
});
