/** What the receivers of feed pings are told, as private.get_feed_pings returns it. */
import { service } from "../database/service.ts";

export type Receiver = "websub" | "podping";

export interface ChangedFeed {
  podcast_id: string;
  feed_url: string;
  medium: string;
}

/** No feeds while the receiver is turned off. */
export async function getFeedPings(
  receiver: Receiver,
  podcastIds: string[],
): Promise<{ url: string; feeds: ChangedFeed[] }> {
  return await service("get_feed_pings", { type: receiver, podcastIds }) as { url: string; feeds: ChangedFeed[] };
}
