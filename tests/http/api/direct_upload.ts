/** Begins, fills and completes direct uploads. */
import assert from "node:assert/strict";
import { type ApiResponse, type Episode, type Podcast, type RequestOptions, sendRequest, sql } from "../harness.ts";

export const path = "/api/media/audio/direct-upload";

export interface Opened {
  uploadId: string;
  uploadUrl: string;
  uploadPath: string;
  token: string;
  resumableUrl: string;
  finalPath: string;
  publicUrl: string;
}

export const beginBody = (podcast: Podcast, episode: Episode) => ({
  podcastId: podcast.id,
  episodeId: episode.id,
  contentType: "audio/mpeg",
  filename: "pilot.mp3",
  fileSize: 1000,
});

/** Begins a direct upload; `changes` adds, replaces or (undefined) omits members of the body. */
export const begin = (
  podcast: Podcast,
  episode: Episode,
  changes: Record<string, unknown> = {},
  as: RequestOptions["as"] = "admin",
) => sendRequest({ method: "POST", path, as, json: { ...beginBody(podcast, episode), ...changes } });

export async function opened(podcast: Podcast, episode: Episode, changes?: Record<string, unknown>): Promise<Opened> {
  const { status, body, text } = await begin(podcast, episode, changes);
  assert.equal(status, 200, text);
  return body;
}

/** Uploads bytes to the signed URL. */
export async function fill(
  { uploadUrl }: Opened,
  body: BodyInit = "some audio",
  headers: Record<string, string> = { "content-type": "audio/mpeg" },
): Promise<number> {
  const response = await fetch(uploadUrl, { method: "PUT", headers, body });
  await response.body?.cancel();
  return response.status;
}

/** Begins a direct upload and uploads its bytes. */
export async function filled(podcast: Podcast, episode: Episode, body?: BodyInit): Promise<Opened> {
  const fileSize = Math.max(1000, body instanceof Uint8Array ? body.length : 0);
  const upload = await opened(podcast, episode, { fileSize });
  assert.equal(await fill(upload, body), 200);
  return upload;
}

export const complete = (
  uploadId: string,
  { as = "admin", ...rest }: { as?: RequestOptions["as"]; duration?: unknown } = {},
): Promise<ApiResponse> => sendRequest({ method: "POST", path: `${path}/complete`, as, json: { uploadId, ...rest } });

/** The staged objects of this podcast's episodes. */
export async function stagedOf(podcast: Podcast): Promise<string[]> {
  const rows = await sql<{ name: string }[]>`
    select name from storage.objects where bucket_id = 'staging' and name like ${`uploads/${podcast.id}/%`} order by name`;
  return rows.map(({ name }) => name);
}
