/** Audio uploads of tests, and the objects that storage has afterwards. */
import {
  callRpc,
  type Episode,
  episode,
  person,
  type Podcast,
  type RequestOptions,
  sendRequest,
  sql,
} from "../harness.ts";

export const CAP = 5_242_880;
export const TYPES = {
  "audio/mpeg": "mp3",
  "audio/mp4": "m4a",
  "audio/x-m4a": "m4a",
  "audio/wav": "wav",
  "audio/x-wav": "wav",
};

export interface Upload extends Partial<RequestOptions> {
  query?: Record<string, string | undefined>;
  type?: string;
}

/** The request; `query` adds, replaces or (undefined) omits parameters. */
export function upload(
  podcast: Podcast,
  episode: Episode,
  { query, type = "audio/mpeg", ...rest }: Upload = {},
): RequestOptions {
  const params = { podcastId: podcast.id, episodeId: episode.id, filename: "pilot.mp3", ...query };
  const search = new URLSearchParams(
    Object.entries(params).filter((entry): entry is [string, string] => entry[1] !== undefined),
  );
  return {
    method: "PUT",
    path: `/api/media/audio/upload/${crypto.randomUUID()}?${search}`,
    as: "owner",
    body: "some audio",
    ...rest,
    headers: { "content-type": type, ...rest.headers },
  };
}

export const put = (podcast: Podcast, episode: Episode, options?: Upload) =>
  sendRequest(upload(podcast, episode, options));

/** Creates an episode with 90 seconds of audio and publishes it. */
export async function publishedEpisode(podcast: Podcast, title?: string): Promise<Episode> {
  const made = await episode(podcast, title);
  await put(podcast, made, { query: { duration: "90" } });
  await callRpc(await person("owner"), "publish_episode", { episode_id: made.id });
  return made;
}

/** Every object stored under the episode. */
export async function objectsOf(episode: Episode): Promise<string[]> {
  const rows = await sql<{ name: string }[]>`
    select name from storage.objects where bucket_id = 'media' and name like ${`%/e/${episode.id}/%`} order by created_at`;
  return rows.map(({ name }) => name);
}

/** The episode's audio columns. */
export async function audioOf(episode: Episode) {
  const [row] = await sql`select audio_url as url, audio_file_size_bytes::int as bytes, audio_content_type as type,
    audio_duration_seconds as seconds from public.episodes where id = ${episode.id}`;
  return { ...row } as { url: string | null; bytes: number | null; type: string | null; seconds: number | null };
}
