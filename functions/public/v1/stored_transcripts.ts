/** Stored transcripts of published episodes: their facts from the database, their text from storage. */
import { reserve } from "../../app/body_memory.ts";
import { ApiError } from "../../runtime/api_error.ts";
import { createLruCache } from "../../runtime/lru_cache.ts";
import { type CacheableBody, toCacheableBody } from "../../app/reply.ts";
import { createStaleCopies } from "../../app/stale_copies.ts";
import type { PublicReads } from "../../database/db.ts";
import { serviceWith } from "../../database/service.ts";
import { getObject } from "../../media/storage/storage.ts";
import { convertTranscript, type TranscriptType } from "../../media/transcripts/formats.ts";

/** What private.get_public_transcript returns. */
interface StoredTranscript {
  path: string;
  type: TranscriptType;
  url: string;
  podcast_slug: string;
}

export const transcriptNotFound = () => new ApiError(404, "Transcript not found in this format");

const facts = createStaleCopies<StoredTranscript>({ maxCount: 5000, maxBytes: 4 * 1024 * 1024 }, () => 600);

export const findTranscript = (reads: PublicReads, id: string) => facts.read(id, () => queryTranscript(reads, id));

async function queryTranscript({ serviceSql }: PublicReads, id: string): Promise<StoredTranscript | undefined> {
  const [transcript] = await serviceWith(serviceSql)("get_public_transcript", { id });
  return transcript as StoredTranscript | undefined;
}

/** By path and type: the bytes of a path never change. */
const bodies = createLruCache<CacheableBody>({ maxCount: 500, maxBytes: 16 * 1024 * 1024 });

/** While a file is parsed, its text, its cues and the result exist. */
const MEMORY_FACTOR = 4;

/** The transcript in a type that canConvert allows, or in its own. */
export async function readTranscript({ path, type: from }: StoredTranscript, to: TranscriptType, request: Request) {
  const key = `${path} ${to}`, known = bodies.get(key);
  if (known) return known;
  const object = await getObject(path, new Request(request.url, { signal: request.signal })); // unconditional
  if (!object) throw transcriptNotFound();
  try {
    reserve(request, MEMORY_FACTOR * Number(object.headers.get("content-length")));
  } catch (error) {
    await object.body?.cancel();
    throw error;
  }
  const text = await object.text();
  const body = toCacheableBody(from === to ? text : convertTranscript(text, from, to));
  bodies.set(key, body, body.bytes.length);
  return body;
}
