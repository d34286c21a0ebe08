/** Tells a receiver of changed feeds, which it then reads. */
import { getFetchSettings } from "../database/fetch_settings.ts";
import { env } from "../runtime/env.ts";
import { service } from "../database/service.ts";
import type { Message } from "../safe_fetch/post_message.ts";
import { type ChangedFeed, groupFeeds } from "./group_feeds.ts";
import { NoResponseError, postPing } from "./post_ping.ts";

type Receiver = "websub" | "podping";

/** The result of get_feed_pings; no feeds while the receiver is turned off. */
interface FeedPings {
  url: string;
  feeds: ChangedFeed[];
}

/** A request, and the feeds that it announces. */
interface Ping extends Omit<Message, "url"> {
  feeds: ChangedFeed[];
}

const RECEIVERS: Record<Receiver, { name: string; pings: (feeds: ChangedFeed[]) => Ping[] }> = {
  // https://www.w3.org/TR/websub/#publishing: one request per feed
  websub: {
    name: "The WebSub hub",
    pings: (feeds) =>
      feeds.map((feed) => ({
        feeds: [feed],
        headers: { "content-type": "application/x-www-form-urlencoded" },
        body: new URLSearchParams({ "hub.mode": "publish", "hub.url": feed.feed_url }).toString(),
      })),
  },
  // https://github.com/Podcastindex-org/podping: many feeds in one request
  podping: {
    name: "The podping endpoint",
    pings: (feeds) =>
      groupFeeds(feeds).map((group) => ({
        feeds: group,
        headers: {
          "content-type": "application/json",
          ...env.PODPING_AUTHORIZATION && { authorization: env.PODPING_AUTHORIZATION },
        },
        body: JSON.stringify({
          urls: group.map(({ feed_url }) => feed_url),
          reason: "update",
          medium: group[0].medium,
        }),
      })),
  },
};

const MAX_CONCURRENT_PINGS = 64;

/**
 * Sends the feeds of these podcasts, those excepted that get_feed_pings leaves out. Returns the error of each podcast
 * whose ping was not accepted, at its place. After a ping without a response no further one begins, and the rest have
 * its error: one receiver that hangs would delay the pings of the other.
 */
export async function sendPings(receiver: Receiver, podcastIds: string[]): Promise<unknown[]> {
  const { url, feeds } = await service("get_feed_pings", {
    type: receiver,
    podcastIds: [...new Set(podcastIds)],
  }) as FeedPings;
  if (feeds.length === 0) return podcastIds.map(() => undefined);
  const settings = await getFetchSettings();
  const { name, pings } = RECEIVERS[receiver], next = pings(feeds).values();
  const errors = new Map<string, unknown>();
  let noResponse: NoResponseError | undefined;
  await Promise.all(Array.from({ length: MAX_CONCURRENT_PINGS }, async () => {
    for (const { feeds, ...message } of next) {
      try {
        if (noResponse) throw noResponse;
        await postPing(name, { url, ...message }, settings);
      } catch (error) {
        if (error instanceof NoResponseError) noResponse = error;
        for (const { podcast_id } of feeds) errors.set(podcast_id, error);
      }
    }
  }));
  return podcastIds.map((id) => errors.get(id));
}
