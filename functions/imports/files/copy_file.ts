/**
 * Copies a file of an imported feed to our storage: a transcript or chapters, with the checks of an upload, or an image
 * of any dimensions.
 */
import postgres from "postgres";
import { ApiError } from "../../runtime/api_error.ts";
import { CHAPTERS_TYPE, parseChapters } from "../../media/transcripts/chapters_file.ts";
import {
  checkTranscript,
  declaredType,
  openTranscript,
  storedTranscriptType,
} from "../../media/transcripts/formats.ts";
import { putObject } from "../../media/storage/storage.ts";
import { deleteUnfinishedUpload } from "../../media/storage/uploads.ts";
import { fetchFile } from "../../safe_fetch/fetch_file.ts";
import { authorizationFor } from "../feed_login.ts";
import { PermanentImportError } from "../import_errors.ts";
import { getFetchSettings } from "../../database/fetch_settings.ts";
import { checkImage, IMAGE_TYPES, storeImage } from "../transfer/store_image.ts";
import { type ClaimedFile, type FileMessage, finishChapters, finishImage, finishTranscript } from "./claimed_file.ts";

/** Timeouts of the fetch, and of a source that stops sending. */
const FETCH_TIMEOUT_MS = 30_000, IDLE_MS = 20_000;

const ACCEPTED = {
  transcript: "text/vtt, application/x-subrip, application/json, text/html, text/plain, */*;q=0.1",
  chapters: `${CHAPTERS_TYPE}, application/json, */*;q=0.1`,
  image: IMAGE_TYPES,
  cover: IMAGE_TYPES,
};

const CHECK_VIOLATION = "23514";

interface CopyLimits {
  signal: AbortSignal;
  /** As Date.now(). */
  deadline: number;
}

/** Throws the errors of fetchFile, and PermanentImportError for a file that can never be copied. */
export async function copyFile(message: FileMessage, file: ClaimedFile, { signal, deadline }: CopyLimits) {
  const { bytes } = await fetchFile(file.url, {
    maxBytes: file.maxBytes,
    timeoutMs: Math.max(1, Math.min(FETCH_TIMEOUT_MS, deadline - Date.now())),
    idleMs: IDLE_MS,
    signal,
    ...await getFetchSettings(),
    accept: ACCEPTED[message.kind],
    headers: authorizationFor(file.url, file.login),
  });
  if (message.kind === "transcript") return await copyTranscript(message, file, bytes);
  if (message.kind !== "chapters") return await copyImage(message, file, bytes);
  await orPermanent(async () => finishChapters(message, await parseChapters(bytes)));
}

async function copyTranscript(message: FileMessage, { type: declared, paths }: ClaimedFile, bytes: Uint8Array) {
  const { type, file } = await orPermanent(async () => {
    const opened = await openTranscript(declaredType(declared!), bytes), { type } = opened;
    if (!(type in paths!)) throw new PermanentImportError("INVALID_CONTENT_TYPE", `Transcripts cannot be ${type}`);
    return { type, file: await checkTranscript(opened) };
  });
  const path = paths![type];
  await keepOrDelete(path, async () => {
    await putObject(path, file.bytes, storedTranscriptType(type));
    return await finishTranscript(message, path, file, type);
  });
}

async function copyImage(message: FileMessage, { podcastId, episodeId }: ClaimedFile, bytes: Uint8Array) {
  const image = await storeImage({ podcastId, episodeId }, bytes, checkImage(bytes));
  await keepOrDelete(image.path, () => finishImage(message, image));
}

/** Deletes the object if it is not needed, or if `finish` throws. */
async function keepOrDelete(path: string, finish: () => Promise<boolean>): Promise<void> {
  let isKept = false;
  try {
    isKept = await finish();
  } finally {
    if (!isKept) await deleteUnfinishedUpload(path);
  }
}

/** An invalid file stays invalid. */
async function orPermanent<T>(check: () => Promise<T>): Promise<T> {
  try {
    return await check();
  } catch (error) {
    if (error instanceof postgres.PostgresError && error.code === CHECK_VIOLATION) {
      throw new PermanentImportError("REJECTED", "The file has a value that is not allowed here");
    }
    if (!(error instanceof ApiError && error.status === 400)) throw error;
    const { code, details } = error.extras;
    throw new PermanentImportError(code ?? "REJECTED", details ? `${error.message}: ${details}` : error.message);
  }
}
