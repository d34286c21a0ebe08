/** /transcripts: stored transcripts of published episodes, in their own format or converted to others with times. */
import { JsonTranscript, TranscriptPathParams } from "../../types/public.ts";
import { publicReadRouter } from "../app/app.ts";
import { reserve } from "../app/body_memory.ts";
import { describeRoute } from "../app/describe_route.ts";
import { ApiError } from "../app/errors.ts";
import { type CacheableBody, cacheableReply, freshnessHeaders, toCacheableBody } from "../app/reply.ts";
import { createLruCache, createStaleCopies, STALE_COPY_DESCRIPTION } from "../app/stale_copies.ts";
import { podcastKeys } from "../app/surrogate_keys.ts";
import { valid } from "../app/validation.ts";
import type { PublicReads } from "../database/db.ts";
import { getObject } from "../media/storage.ts";
import { convertTranscript, hasTimes, type TranscriptType } from "../media/transcripts/formats.ts";

export const transcripts = publicReadRouter().get(
  "/:file",
  describeRoute({
    operationId: "getPublicTranscript",
    summary: "Get a stored transcript of a published episode as WebVTT, SubRip or JSON",
    description:
      `In its own format the response redirects to the file. HTML and plain text have no times: 404 in other formats. ${STALE_COPY_DESCRIPTION}`,
    status: [200, 302],
    response: JsonTranscript,
    responseType: ["text/vtt", "application/x-subrip", "application/json"],
    hasEtag: true,
    errors: [404, 500],
  }),
  valid("param", TranscriptPathParams),
  async (c) => {
    const [id, extension] = c.req.valid("param").file.toLowerCase().split("."), type = TYPES[extension];
    const found = await facts.read(id, () => queryTranscript(c.var.reads, id));
    if (!found) throw notFound();
    const { value: transcript, ...copy } = found, keys = podcastKeys(transcript.podcast_slug);
    if (transcript.type === type) {
      const headers = { ...freshnessHeaders(c, copy), ...keys, location: transcript.url };
      return new Response(null, { status: 302, headers });
    }
    if (!hasTimes(transcript.type) || !hasTimes(type)) throw notFound();
    const value = await convert(transcript, type, c.req.raw);
    return cacheableReply(c, { value, ...copy }, keys, type === "application/json" ? type : `${type}; charset=utf-8`);
  },
);

const TYPES: Record<string, TranscriptType> = {
  vtt: "text/vtt",
  srt: "application/x-subrip",
  json: "application/json",
  html: "text/html",
  txt: "text/plain",
};

/** What private.get_public_transcript returns. */
interface StoredTranscript {
  path: string;
  type: TranscriptType;
  url: string;
  podcast_slug: string;
}

const notFound = () => new ApiError(404, "Transcript not found in this format");

const facts = createStaleCopies<StoredTranscript>({ maxCount: 5000, maxBytes: 4 * 1024 * 1024 }, () => 600);

async function queryTranscript({ serviceSql }: PublicReads, id: string): Promise<StoredTranscript | undefined> {
  const [transcript] = await serviceSql<StoredTranscript[]>`
    select path, type, url, podcast_slug from private.get_public_transcript(${id})`;
  return transcript;
}

/** By path and type: the bytes of a path never change. */
const converted = createLruCache<CacheableBody>({ maxCount: 500, maxBytes: 16 * 1024 * 1024 });

/** While a file is parsed, its text, its cues and the result exist. */
const MEMORY_FACTOR = 4;

async function convert({ path, type: from }: StoredTranscript, to: TranscriptType, request: Request) {
  const key = `${path} ${to}`, known = converted.get(key);
  if (known) return known;
  const object = await getObject(path, new Request(request.url, { signal: request.signal })); // unconditional
  if (!object) throw notFound();
  try {
    reserve(request, MEMORY_FACTOR * Number(object.headers.get("content-length")));
  } catch (error) {
    await object.body?.cancel();
    throw error;
  }
  const body = toCacheableBody(convertTranscript(await object.text(), from, to));
  converted.set(key, body, body.bytes.length);
  return body;
}
