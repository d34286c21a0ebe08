/** What the receivers of feed pings are told, as private.get_feed_pings returns it. */
import { serviceSql } from "../database/db.ts";

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
  const [{ pings }] = await serviceSql<{ pings: { url: string; feeds: ChangedFeed[] } }[]>`
    select private.get_feed_pings(${receiver}, ${podcastIds}::text[]::uuid[]) as pings`;
  return pings;
}
