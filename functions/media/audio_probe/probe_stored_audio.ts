/** Probes a stored object within limits of bytes, requests and time. */
import { readRange } from "../storage/storage.ts";
import { type ByteSource, type ObjectRange, openObject } from "./byte_source.ts";
import type { Probe } from "./probe.ts";
import { readAudioHeaders } from "./read_audio_headers.ts";
import { skipId3Tags } from "./id3_frames.ts";
import { hasSeekTable } from "./mp3.ts";

/** A chapter with a picture costs a block of 16 KB, of which a file may have 500. */
const LIMITS = { maxBytes: 8 * 1024 * 1024, maxRequests: 512 };
/** Of the pictures of chapters, beyond what the probe reads. */
const PICTURE_LIMITS = { maxBytes: 32 * 1024 * 1024, maxRequests: 256 };

interface StoredProbe extends Probe {
  /** Opens the file again, for pictures of its chapters. */
  openFile: (signal: AbortSignal) => Promise<ByteSource>;
}

/** Errors of storage are thrown; those of the file are in the result. */
export async function probeStoredAudio(path: string, signal: AbortSignal): Promise<StoredProbe> {
  let storageError: unknown;
  const fetchRange = async (from: number, length: number): Promise<ObjectRange> => {
    try {
      return await readRange(path, { from, length, signal });
    } catch (error) {
      throw storageError = error;
    }
  };
  const openFile = (signal: AbortSignal) =>
    openObject((from, length) => readRange(path, { from, length, signal }), PICTURE_LIMITS);
  try {
    return { ...await readAudioHeaders(await openObject(fetchRange, LIMITS)), openFile };
  } catch (error) {
    if (storageError) throw error;
    return { chapters: [], problem: error instanceof Error ? error.message : String(error), openFile };
  }
}

/** What apps cannot do well with a stored MP3; undefined if there is nothing to say, or if it cannot be read. */
export async function findAudioWarning(path: string, signal: AbortSignal): Promise<string | undefined> {
  const source = await openObject((from, length) => readRange(path, { from, length, signal }), CHECK_LIMITS);
  return await hasSeekTable(source, await skipId3Tags(source)) === false ? NO_SEEK_TABLE : undefined;
}

/** While the client waits: the first frame, and a few others. */
const CHECK_LIMITS = { maxBytes: 1024 * 1024, maxRequests: 16 };
const NO_SEEK_TABLE = "The file has a variable bitrate and no seek table: apps seek inexactly and may show a wrong " +
  "duration. Export it again with a constant bitrate, or with a Xing header.";
