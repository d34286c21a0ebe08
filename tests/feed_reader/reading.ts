// Builds feeds for the tests and reads them.
import assert from "node:assert/strict";
import {
  batchItems,
  type DocumentInfo,
  FeedError,
  parseFeed,
  type ParseOptions,
} from "../../functions/feed_reader/parse.ts";
import type { Feed, FeedItem } from "../../functions/feed_reader/feed.ts";

export interface Reading extends Feed {
  /** The final items by GUID; a later one replaces an earlier one. */
  read: FeedItem[];
  batches: FeedItem[][];
  codes: string[];
}

export const toBytes = (text: string) => new TextEncoder().encode(text);

/** Yields chunks of this size, each in its own memory; an error replaces the end. */
export async function* inChunks(bytes: Uint8Array, size = 1000, error?: Error): AsyncGenerator<Uint8Array> {
  for (let at = 0; at < bytes.length; at += size) yield bytes.slice(at, at + size);
  if (error) throw error;
}

/** `error` ends the body. */
type Options = Partial<DocumentInfo> & ParseOptions & { maxBatchItems?: number; piece?: number; error?: Error };

export async function readFeedText(feed: string | Uint8Array, options: Options = {}): Promise<Reading> {
  const { maxBatchItems, piece, error, maxBytes, guidIndex, ...about } = options;
  const batches: FeedItem[][] = [];
  const sink = batchItems((items) => Promise.resolve(void batches.push(items)), maxBatchItems);
  const body = inChunks(typeof feed === "string" ? toBytes(feed) : feed, piece, error);
  const found = await parseFeed(body, { url: "https://show.example/feed.xml", ...about }, sink, {
    maxBytes,
    guidIndex,
  });
  const read = new Map(batches.flat().map((item) => [item.guid, item]));
  return { ...found, batches, read: [...read.values()], codes: found.warnings.map(({ code }) => code) };
}

/** The item of a feed with this content. */
export async function readItem(inside: string, options: Options & { attributes?: string } = {}): Promise<FeedItem> {
  const { read } = await readFeedText(rss(`<item><guid>only</guid>${inside}</item>`, options.attributes), options);
  assert.equal(read.length, 1);
  return read[0];
}

export const warningCodes = ({ warnings }: { warnings: { code: string }[] }): string[] =>
  warnings.map(({ code }) => code);

/** Content that leaves no element missing. */
export const COMPLETE_ITEM =
  '<pubDate>Wed, 01 May 2024 10:00:00 GMT</pubDate><enclosure url="https://a.example/1.mp3" length="5" type="audio/mpeg"/>';
const NAMESPACES = [
  'xmlns:itunes="http://www.itunes.com/dtds/podcast-1.0.dtd"',
  'xmlns:podcast="https://podcastindex.org/namespace/1.0"',
  'xmlns:content="http://purl.org/rss/1.0/modules/content/"',
  'xmlns:atom="http://www.w3.org/2005/Atom"',
  'xmlns:media="http://search.yahoo.com/mrss/"',
].join(" ");

/** A channel with this content in a document with these namespaces. */
export const rss = (inside: string, attributes = NAMESPACES) =>
  `<?xml version="1.0"?>\n<rss version="2.0" ${attributes}><channel><title>Show</title>${inside}</channel></rss>`;

export const item = (title: string, more = "") =>
  `<item><title>${title}</title><guid>${title}</guid>${COMPLETE_ITEM}${more}</item>`;

export async function assertFeedError(code: string, feed: Promise<unknown>): Promise<FeedError> {
  const error = await feed.then(() => undefined, (error: unknown) => error);
  assert.ok(error instanceof FeedError, `expected ${code}, got ${error}`);
  assert.equal(error.code, code, error.message);
  assert.ok(error.message.isWellFormed());
  assert.match(error.message, /^[A-Z][^\n]{10,150}$/);
  return error;
}
