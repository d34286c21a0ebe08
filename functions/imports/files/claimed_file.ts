/** A file that a message of import_files copies, as the database stores it (sql/75_imports). */
import { z } from "zod";
import { parseJson } from "../../runtime/json.ts";
import { service } from "../../database/service.ts";
import type { Chapter } from "../../media/transcripts/chapters_file.ts";
import type { CheckedTranscript } from "../../media/transcripts/formats.ts";
import type { TranscriptWarning } from "../../media/transcripts/repairs.ts";
import type { Login } from "../feed_login.ts";
import type { StoredImage } from "../transfer/store_image.ts";

const common = { type: z.literal("import_file"), podcast_id: z.guid() };

export const FileMessage = z.discriminatedUnion("kind", [
  z.object({ ...common, kind: z.literal("transcript"), import_item_id: z.guid(), transcript_id: z.guid() }),
  z.object({ ...common, kind: z.literal("chapters"), import_item_id: z.guid() }),
  z.object({ ...common, kind: z.literal("image"), import_item_id: z.guid() }),
  z.object({ ...common, kind: z.literal("cover"), import_id: z.guid() }),
]);
export type FileMessage = z.infer<typeof FileMessage>;

export interface ClaimedFile {
  podcastId: string;
  /** Null for a file of the channel. */
  episodeId: string | null;
  /** Address in the feed. */
  url: string;
  /** MIME type of a transcript, as in the feed. */
  type: string | null;
  maxBytes: number;
  login: Login | null;
  /** Where this run stores a transcript, by its type. */
  paths: Record<string, string> | null;
}

/** The file to copy; undefined if there is nothing left to do. */
export async function beginFile(message: FileMessage): Promise<ClaimedFile | undefined> {
  const text = await service.text("begin_import_file", { message });
  return text === null ? undefined : parseJson(text) as ClaimedFile;
}

/** The results are false if the file is no longer needed. */
export const finishTranscript = (message: FileMessage, path: string, file: CheckedTranscript, contentType: string) =>
  service("finish_import_transcript", {
    message,
    path,
    bytes: file.bytes.length,
    contentType,
    repairs: summarize(file.warnings),
  });

/** The repairs of a transcript for the report of its import; null if there are none. */
const summarize = (warnings: TranscriptWarning[]) =>
  warnings.length === 0
    ? null
    : warnings.map(({ message, count, lines }) =>
      `${message} (${count === 1 ? `line ${lines[0]}` : `${count} times, first in line ${lines[0]}`})`
    ).join("; ");

export const finishImage = (message: FileMessage, { width, height, ...stored }: StoredImage) =>
  service("finish_import_image", { message, ...stored, image: { width, height } });

export async function finishChapters(message: FileMessage, chapters: Chapter[]): Promise<void> {
  await service("finish_import_chapters", { message, chapters });
}

/** Reports that the file keeps its address. */
export async function failFile(message: FileMessage, reason: string): Promise<void> {
  await service("fail_import_file", { message, why: reason });
}
