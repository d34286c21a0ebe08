// Requests of strangers to storage: lists, the bucket staging, and paths that follow from ids.
import type { StackInfo } from "../stack.ts";
import { reach, type Reached, type Stranger } from "./strangers.ts";
import type { World } from "./world.ts";

export interface StorageRead extends Reached {
  sent: string;
  /** A list may be empty; a file must not be readable. */
  isList: boolean;
}

/** Stores a file in the bucket staging, as an upload of the first podcast, whose content is a mark. */
export async function stageFile(stack: StackInfo, { podcasts: [podcast], mark }: World): Promise<void> {
  const response = await fetch(`${stack.url}/storage/v1/object/staging/${podcast.stagedPath}`, {
    method: "POST",
    headers: {
      apikey: stack.secretKey,
      authorization: `Bearer ${stack.secretKey}`,
      "content-type": "audio/mpeg",
      "x-upsert": "true",
    },
    body: mark("content of a staged file"),
  });
  if (!response.ok) throw new Error(`The file is not staged: ${await response.text()}`);
  await response.body?.cancel();
}

export async function reachStorage(stack: StackInfo, world: World, stranger: Stranger): Promise<StorageRead[]> {
  const base = `${stack.url}/storage/v1`, apikey = stack.publishableKey;

  async function read(path: string, init: RequestInit = {}, isList = false): Promise<StorageRead> {
    const sent = `${path} ${init.body ?? ""}`;
    const headers = { apikey, "content-type": "application/json", accept: "*/*" };
    return { ...await reach(base + path, stranger, { ...init, headers }), sent, isList };
  }

  const list = (bucket: string, prefix: string) =>
    read(`/object/list/${bucket}`, { method: "POST", body: JSON.stringify({ prefix, limit: 1000 }) }, true);

  return await Promise.all([
    read("/bucket", {}, true),
    ...world.podcasts.flatMap(({ row, episodes, stagedPath }) => {
      const folders = ["", "podcasts", `podcasts/${row.id}`, `podcasts/${row.id}/e`];
      const inEpisodes = episodes.map(({ row: episode }) => `podcasts/${row.id}/e/${episode.id}/audio`);
      return [
        ...[...folders, ...inEpisodes].flatMap((folder) => [list("media", folder), list("staging", folder)]),
        ...["public/", "authenticated/", "", "info/", "info/public/", "info/authenticated/"].map((kind) =>
          read(`/object/${kind}staging/${stagedPath}`)
        ),
        read(`/object/sign/staging/${stagedPath}`, { method: "POST", body: '{"expiresIn":60}' }),
        ...episodes.flatMap(({ row: episode }) =>
          [`${episode.id}.mp3`, "audio.mp3", "../cover.jpg", ""].map((name) =>
            read(`/object/public/media/podcasts/${row.id}/e/${episode.id}/audio/${name}`)
          )
        ),
      ];
    }),
  ]);
}
