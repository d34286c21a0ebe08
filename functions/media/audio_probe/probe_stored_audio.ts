/** Probes a stored object within limits of bytes, requests and time. */
import { readRange } from "../storage/storage.ts";
import { type ByteSource, type ObjectRange, openObject } from "./byte_source.ts";
import type { Probe } from "./probe.ts";
import { readAudioHeaders } from "./read_audio_headers.ts";

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
