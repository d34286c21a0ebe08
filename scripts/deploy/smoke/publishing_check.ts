// Publishing, on staging only: slugs of podcasts never return, and hubs learn of the feed.
import { Failure } from "../failure.ts";
import type { Probe } from "./smoke_checks.ts";

const FEED_TIMEOUT_MS = 60_000;

/** Publishes an episode of a new podcast and waits for its feed. deleteProbes() deletes both. */
export async function checkPublishing({ functionsUrl, token, client }: Probe): Promise<void> {
  async function call<T>(name: string, args: Record<string, unknown>): Promise<T> {
    const { data, error } = await client.rpc(name, args);
    if (error) throw new Failure(`${name} fails: ${error.message}`);
    return data;
  }
  const podcast = await call<{ id: string; slug: string }>("create_podcast", { title: "Deployment probe" });
  const title = `Probe ${crypto.randomUUID()}`;
  const episode = await call<{ id: string }>("create_episode", { podcast_id: podcast.id, title });
  const query = new URLSearchParams({
    podcastId: podcast.id,
    episodeId: episode.id,
    filename: "probe.mp3",
    duration: "1",
  });
  const upload = await fetch(`${functionsUrl}/api/media/audio/upload/${crypto.randomUUID()}?${query}`, {
    method: "PUT",
    headers: { authorization: `Bearer ${token}`, "content-type": "audio/mpeg" },
    body: new Uint8Array(1000),
  });
  if (!upload.ok) throw new Failure(`The audio is not accepted: ${upload.status} ${await upload.text()}`);
  await upload.body?.cancel();
  await call("publish_episode", { episode_id: episode.id });

  const feed = `${functionsUrl}/public/feeds/${podcast.slug}.xml`;
  for (const end = Date.now() + FEED_TIMEOUT_MS;;) {
    const response = await fetch(feed);
    if ((await response.text()).includes(title)) return;
    if (Date.now() > end) throw new Failure(`${feed} does not list the published episode (${response.status}).`);
    await new Promise((resolve) => setTimeout(resolve, 1000));
  }
}
