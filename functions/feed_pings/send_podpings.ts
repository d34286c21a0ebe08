/** Announces changed feeds by podping (https://github.com/Podcastindex-org/podping), many in one request. */
import { getAllowedHosts } from "../app/allowed_hosts.ts";
import { env } from "../app/env.ts";
import { getFeedPings } from "./get_feed_pings.ts";
import { groupFeeds } from "./group_feeds.ts";
import { postPing } from "./post_ping.ts";

/**
 * Sends the feeds of these podcasts, those of deleted and blocked ones excepted. Returns the error of each podcast
 * whose request was not accepted, at its place.
 */
export async function sendPodpings(podcastIds: string[]): Promise<unknown[]> {
  const { url, feeds } = await getFeedPings("podping", [...new Set(podcastIds)]);
  const allowedHosts = feeds.length > 0 ? await getAllowedHosts() : [];
  const errors = new Map<string, unknown>();
  await Promise.all(
    groupFeeds(feeds).map(async (group) => {
      const [{ reason, medium }] = group;
      const headers: Record<string, string> = { "content-type": "application/json" };
      if (env.podpingAuthorization) headers.authorization = env.podpingAuthorization;
      const body = JSON.stringify({ urls: group.map(({ feed_url }) => feed_url), reason, medium });
      try {
        await postPing("The podping endpoint", { url, headers, body }, { allowedHosts });
      } catch (error) {
        for (const { podcast_id } of group) errors.set(podcast_id, error);
      }
    }),
  );
  return podcastIds.map((id) => errors.get(id));
}
