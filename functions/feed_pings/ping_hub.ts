/** Tells the WebSub hub of a changed feed (https://www.w3.org/TR/websub/#publishing), which it then fetches. */
import { getAllowedHosts } from "../app/allowed_hosts.ts";
import { getFeedPings } from "./get_feed_pings.ts";
import { postPing } from "./post_ping.ts";

/** Does nothing if the hub is turned off, or the podcast deleted. Throws if the hub did not accept the ping. */
export async function pingHub(podcastId: string): Promise<void> {
  const { url, feeds: [feed] } = await getFeedPings("websub", [podcastId]);
  if (!feed) return;
  await postPing("The WebSub hub", {
    url,
    headers: { "content-type": "application/x-www-form-urlencoded" },
    body: new URLSearchParams({ "hub.mode": "publish", "hub.url": feed.feed_url }).toString(),
  }, { allowedHosts: await getAllowedHosts() });
}
