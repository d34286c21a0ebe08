/** Uploads of transcripts and chapters in tests. */
import assert from "node:assert/strict";
import { type ApiResponse, type Episode, type Podcast, type RequestOptions, sendRequest, sql } from "../harness.ts";

export const CAP = 5_242_880;
export const VTT = "WEBVTT\n\n00:00.000 --> 00:01.500\n<v Ana>Hello ü\n\n00:02.000 --> 00:03.000\nBye\n";

/** A valid file of each type, with the extension of its object. */
export const SAMPLES: Record<string, [body: string, extension: string]> = {
  "text/vtt": [VTT, "vtt"],
  "application/x-subrip": ["1\n00:00:00,000 --> 00:00:01,000\nHello\n", "srt"],
  "application/json": ['{"version": "1.0.0", "segments": [{"startTime": 0, "endTime": 1, "body": "Hello"}]}', "json"],
  "text/html": ["<cite>Ana:</cite><time>0:00</time><p>Hello</p>", "html"],
  "text/plain": ["Hello", "txt"],
};

export interface TranscriptUpload extends Partial<RequestOptions> {
  query?: Record<string, string | undefined>;
  type?: string;
}

/** The request; `query` adds, replaces or (undefined) omits parameters. */
export function upload(
  podcast: Podcast,
  episode: Episode,
  { query, type = "text/vtt", ...rest }: TranscriptUpload = {},
): RequestOptions {
  const params = { podcastId: podcast.id, episodeId: episode.id, ...query };
  const search = new URLSearchParams(
    Object.entries(params).filter((entry): entry is [string, string] => entry[1] !== undefined),
  );
  return {
    method: "PUT",
    path: `/api/media/transcript/upload/${crypto.randomUUID()}?${search}`,
    as: "owner",
    body: SAMPLES[type]?.[0] ?? "{}",
    ...rest,
    headers: { "content-type": type, ...rest.headers },
  };
}

export const put = (podcast: Podcast, episode: Episode, options?: TranscriptUpload) =>
  sendRequest(upload(podcast, episode, options));

/** Uploads and asserts success. */
export async function uploaded(...args: Parameters<typeof put>): Promise<ApiResponse["body"]> {
  const { status, body, text } = await put(...args);
  assert.equal(status, 200, text);
  return body;
}

/** The rows of an episode's transcripts, in their order. */
export async function transcriptsOf(episode: Episode) {
  return (await sql`
    select id, type, language, rel, url, bytes::int as bytes from public.episode_transcripts
    where episode_id = ${episode.id} order by display_order`).map((row) => ({ ...row }));
}

/** The storage that a user's account is charged for. */
export async function usedBytes({ id }: { id: string }): Promise<number> {
  const [{ used }] = await sql`
    select storage_bytes_used::int as used from public.billing_accounts where user_id = ${id}`;
  return used;
}
