/** Stores the pictures of a file's chapters as images of ours. What cannot be stored is left out. */
import postgres from "postgres";
import { service } from "../database/service.ts";
import { type ByteSource, ProbeLimitError } from "./audio_probe/byte_source.ts";
import type { FileChapter, FilePicture } from "./audio_probe/probe.ts";
import { parseImageHeader } from "./headers/image_header.ts";
import { putObject } from "./storage/storage.ts";
import { storeAndFinish } from "./storage/uploads.ts";

/** Of one file. */
const MAX_PICTURES = 100;
/** Of one picture with what the file has around it: more than the largest image of a chapter. */
const MAX_PICTURE_BYTES = 2_200_000;

interface StoredPictures {
  /** The URLs of pictures that are stored. */
  urls: Map<FilePicture, string>;
  paths: string[];
  /** What was left out, for the log. */
  problem?: string;
}

interface PictureSource {
  openFile: () => Promise<ByteSource>;
  /** Pictures that are not stored when it aborts are left out. */
  signal: AbortSignal;
}

/** Stores each picture of the chapters once. One at a time is in memory. */
export async function storeChapterPictures(
  { episodeId, audioPath }: { episodeId: string; audioPath: string },
  chapters: FileChapter[],
  { openFile, signal }: PictureSource,
): Promise<StoredPictures> {
  const pictures = new Set(chapters.flatMap(({ picture }) => picture ? [picture] : []));
  const stored: StoredPictures = { urls: new Map(), paths: [] };
  if (pictures.size === 0) return stored;
  const urlsByHash = new Map<string, string | undefined>(); // a file may repeat a picture in each chapter
  let reason = "";
  try {
    const file = await openFile();
    for (const picture of [...pictures].slice(0, MAX_PICTURES)) {
      signal.throwIfAborted();
      if (picture.bytes > MAX_PICTURE_BYTES) continue;
      const content = await picture.read(file);
      const hash = new Uint8Array(await crypto.subtle.digest("SHA-256", content as BufferSource)).toString();
      if (!urlsByHash.has(hash)) urlsByHash.set(hash, await storePicture(episodeId, audioPath, content, stored.paths));
      const url = urlsByHash.get(hash);
      if (url) stored.urls.set(picture, url);
    }
  } catch (error) {
    const isOverLimit = error instanceof ProbeLimitError || signal.aborted ||
      error instanceof postgres.PostgresError && error.code === "PT409"; // over the allowance meanwhile
    if (!isOverLimit) {
      await releasePictures(stored);
      throw error;
    }
    reason = `: ${(error as Error).message}`;
  }
  const missing = pictures.size - stored.urls.size;
  return missing > 0 ? { ...stored, problem: `${missing} pictures of chapters were left out${reason}` } : stored;
}

async function storePicture(episodeId: string, audioPath: string, content: Uint8Array, paths: string[]) {
  const info = parseImageHeader(content);
  if (!info) return;
  const image = { bytes: content.length, image: info };
  const path = await service("begin_chapter_picture", { episodeId, audioPath, ...image });
  if (path === null) return;
  const { text } = await storeAndFinish(
    path,
    () => putObject(path, content, info.type),
    () => service("finish_chapter_picture", { episodeId, path, ...image }),
  );
  paths.push(path);
  return text;
}

/** After the end of a probe, or its failure: pictures that no chapter has are deleted. */
export async function releasePictures({ paths }: StoredPictures): Promise<void> {
  if (paths.length) await service("release_chapter_pictures", { paths });
}
