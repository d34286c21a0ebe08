/** Reads the old feed and compares its items with the podcast's episodes. */
import { routeService } from "../../database/service.ts";
import { batchItems } from "../../feed_reader/parse.ts";
import { maskAddresses } from "../../feed_reader/mask_addresses.ts";
import { readFeed } from "../../feed_reader/pages.ts";
import { parseJson } from "../../runtime/json.ts";
import type { SafeFetchResponse } from "../../safe_fetch/safe_fetch.ts";
import { createImportPageFetcher, endReadingAfter, MAX_READING_MS } from "../fetch_feed.ts";
import type { SwitchResult } from "../../../types/imports.ts";

type OldFeed = NonNullable<SwitchResult["oldFeed"]>;
type Comparison = Omit<OldFeed, "newFeedUrl" | "isLocked">;

const MAX_TITLE_CHARS = 500;

/** Reads all pages, the first from `response`. Throws FetchError and FeedError. */
export async function readOldFeed(
  importId: string,
  response: SafeFetchResponse,
  maxMs = MAX_READING_MS,
): Promise<OldFeed> {
  const sum: Comparison = { itemCount: 0, importedCount: 0, heldCount: 0, addedCount: 0, newestAdded: null };
  const sink = batchItems(async (batch) => {
    const items = batch.map(({ guid, title, pubDate }) => ({
      guid,
      title: title && maskAddresses(title.slice(0, MAX_TITLE_CHARS).toWellFormed()),
      published_at: pubDate,
    }));
    const text = await routeService.text("compare_feed_items", { importId, items });
    add(sum, parseJson(text!) as Comparison);
  });
  const fetchPage = await createImportPageFetcher(importId);
  const { channel } = await readFeed(
    response.url,
    (url) => url === response.url ? Promise.resolve(response) : fetchPage(url),
    sink,
    { onChunk: endReadingAfter(maxMs) },
  );
  return { newFeedUrl: channel.newFeedUrl, isLocked: channel.locked ?? false, ...sum };
}

function add(sum: Comparison, { itemCount, importedCount, heldCount, addedCount, newestAdded }: Comparison) {
  sum.itemCount += itemCount;
  sum.importedCount += importedCount;
  sum.heldCount += heldCount;
  sum.addedCount += addedCount;
  const isNewer = newestAdded && (newestAdded.publishedAt ?? "") >= (sum.newestAdded?.publishedAt ?? "");
  if (isNewer) sum.newestAdded = newestAdded;
}
