/**
 * Reads a feed into a previewable import: items go to the database in batches while the next ones are read; only the
 * input of detection is kept. The caller holds the import's message in the queue import_feeds: the route that started
 * it, or the worker.
 */
import type { Service } from "../database/service.ts";
import { detectEpisodeNumbers } from "../episode_numbers/detect.ts";
import { readFeed } from "../feed_reader/pages.ts";
import { batchJson, type Sink } from "../feed_reader/parse.ts";
import { createDetectionBuffer } from "./detection_buffer.ts";
import { createImportPageFetcher } from "./fetch_feed.ts";

/** A feed to read, with the message and attempt that permit it; statements of other readers are rejected. */
interface FeedReading {
  importId: string;
  feedUrl: string;
  msgId: string;
  attempt: number;
  /** The route's or the job's. */
  service: Service;
  /** Ends the reading. */
  signal?: AbortSignal;
  /** Whether another reader must start over, after so many staged items. */
  isTooLong?: (items: number) => boolean;
}

/** Thrown when isTooLong. */
export class FeedTooLongError extends Error {}

/** Reads and stages the whole feed. Returns the response of POST /api/imports/podcast as JSON. */
export async function stageFeed(reading: FeedReading): Promise<string> {
  const { importId, feedUrl, msgId, attempt, service, signal, isTooLong } = reading;
  const detectionBuffer = createDetectionBuffer();
  let storing: Promise<unknown> = Promise.resolve();
  let itemCount = 0;
  const check = () => {
    signal?.throwIfAborted();
    if (isTooLong?.(itemCount)) throw new FeedTooLongError();
  };
  const batches = batchJson(async (items, count) => {
    await storing;
    check();
    itemCount += count;
    storing = service("stage_import_items", { importId, items, msgId, attempt });
    storing.catch(() => {}); // awaited by the next batch or at the end
  });
  const sink: Sink = {
    take(item) {
      detectionBuffer.add(item);
      return batches.take(item);
    },
    flush: batches.flush,
  };
  const fetchPage = await createImportPageFetcher(importId);
  // also with each chunk, because a feed can be long without items
  const { channel, warnings } = await readFeed(feedUrl, fetchPage, sink, { onChunk: check }).finally(() => storing);
  const detection = detectEpisodeNumbers(detectionBuffer.list());
  return (await service.text("finish_staging", { importId, channel, detection, warnings, msgId, attempt }))!;
}
