/** Which feeds a podping announces together. */

export interface ChangedFeed {
  podcast_id: string;
  feed_url: string;
  medium: string;
}

export const MAX_URLS_PER_PODPING = 100;
/** safe_fetch sends up to 64 KB; a slug in another script makes a URL of more than 1 KB. */
const MAX_URL_BYTES_PER_PODPING = 50_000;

/** Groups feeds by medium, each group within the limits of a request. */
export function groupFeeds(feeds: ChangedFeed[]): ChangedFeed[][] {
  const groups: ChangedFeed[][] = [];
  const open = new Map<string, { group: ChangedFeed[]; bytes: number }>();
  for (const feed of feeds) {
    const bytes = feed.feed_url.length; // a URI is ASCII
    let last = open.get(feed.medium);
    if (!last || last.group.length === MAX_URLS_PER_PODPING || last.bytes + bytes > MAX_URL_BYTES_PER_PODPING) {
      last = { group: [], bytes: 0 };
      groups.push(last.group);
      open.set(feed.medium, last);
    }
    last.group.push(feed);
    last.bytes += bytes;
  }
  return groups;
}
