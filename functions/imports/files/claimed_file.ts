/** A file that a message of import_files copies, as the database stores it (sql/75_imports). */
import { z } from "zod";
import { splitHosts } from "../../database/allowed_hosts.ts";
import { parseJson } from "../../runtime/json.ts";
import { serviceSql, withRetry } from "../../database/db.ts";
import type { Chapter } from "../../media/transcripts/chapters_file.ts";
import type { CheckedTranscript } from "../../media/transcripts/formats.ts";
import type { TranscriptWarning } from "../../media/transcripts/repairs.ts";
import type { StoredImage } from "../transfer/store_image.ts";

const common = { type: z.literal("import_file"), podcast_id: z.guid() };

export const FileMessage = z.discriminatedUnion("kind", [
  z.object({ ...common, kind: z.literal("transcript"), import_item_id: z.guid(), transcript_id: z.guid() }),
  z.object({ ...common, kind: z.literal("chapters"), import_item_id: z.guid() }),
  z.object({ ...common, kind: z.literal("cover"), import_id: z.guid() }),
]);
export type FileMessage = z.infer<typeof FileMessage>;

export interface ClaimedFile {
  podcastId: string;
  /** Address in the feed. */
  url: string;
  /** MIME type of a transcript, as in the feed. */
  type: string | null;
  maxBytes: number;
  /** Where this run stores a transcript, by its type. */
  paths: Record<string, string> | null;
  /** Hosts that may be fetched even if they are private. */
  allowedHosts: string[];
}

/** The file to copy; undefined if there is nothing left to do. */
export async function beginFile(message: FileMessage): Promise<ClaimedFile | undefined> {
  const [{ text }] = await withRetry(() =>
    serviceSql<{ text: string | null }[]>`
      select private.begin_import_file(${JSON.stringify(message)}::text::jsonb)::text as text`
  );
  if (text === null) return;
  const file = parseJson(text) as Omit<ClaimedFile, "allowedHosts"> & { allowedHosts: string };
  return { ...file, allowedHosts: splitHosts(file.allowedHosts) };
}

/** The results are false if the file is no longer needed. */
export const finishTranscript = async (message: FileMessage, path: string, file: CheckedTranscript, type: string) => {
  const [{ isKept }] = await withRetry(() =>
    serviceSql<{ isKept: boolean }[]>`
      select private.finish_import_transcript(${JSON.stringify(message)}::text::jsonb, ${path}, ${file.bytes.length},
        ${type}, ${summarize(file.warnings)}) as "isKept"`
  );
  return isKept;
};

/** The repairs of a transcript for the report of its import; null if there are none. */
const summarize = (warnings: TranscriptWarning[]) =>
  warnings.length === 0
    ? null
    : warnings.map(({ message, count, lines }) =>
      `${message} (${count === 1 ? `line ${lines[0]}` : `${count} times, first in line ${lines[0]}`})`
    ).join("; ");

export const finishCover = async (message: FileMessage, { path, bytes, contentType, width, height }: StoredImage) => {
  const [{ isKept }] = await withRetry(() =>
    serviceSql<{ isKept: boolean }[]>`
      select private.finish_import_cover(${JSON.stringify(message)}::text::jsonb, ${path}, ${bytes}, ${contentType},
        ${JSON.stringify({ width, height })}::text::jsonb) as "isKept"`
  );
  return isKept;
};

export async function finishChapters(message: FileMessage, chapters: Chapter[]): Promise<void> {
  await withRetry(() =>
    serviceSql`
      select private.finish_import_chapters(${JSON.stringify(message)}::text::jsonb,
        ${JSON.stringify(chapters)}::text::jsonb)`
  );
}

/** Reports that the file keeps its address. */
export async function failFile(message: FileMessage, reason: string): Promise<void> {
  await withRetry(() =>
    serviceSql`select private.fail_import_file(${JSON.stringify(message)}::text::jsonb, ${reason})`
  );
}
