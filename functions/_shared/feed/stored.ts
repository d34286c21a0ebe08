/** The stored documents, for those who serve them: what stands, and its bytes. */
import { Buffer } from "node:buffer";
import { service } from "../db.ts";
import { renderFeed } from "./document.ts";

export interface FeedState {
  podcast_id: string;
  etag: string;
  last_modified: Date;
  /** Unpacked, and packed. */
  bytes: number;
  zipped: number;
}

export interface Feed extends FeedState {
  gzip: Uint8Array;
}

/** The feed at this slug; undefined when no podcast has one there. One that was never rendered is rendered now. */
export async function feedState(slug: string): Promise<FeedState | undefined> {
  const state = await once(`state ${slug}`, () => readState(slug));
  if (!state || state.etag) return state as FeedState | undefined;
  await once(`render ${state.podcast_id}`, () => renderFeed(state.podcast_id));
  return await readState(slug) as FeedState | undefined;
}

async function readState(slug: string) {
  // sizes as double precision: exact up to 2^53, and a number in JavaScript
  const [state] = await service<(Partial<FeedState> & { podcast_id: string })[]>`
    select p.id as podcast_id, d.etag, d.last_modified, d.bytes::float8 as bytes, d.zipped::float8 as zipped
    from public.podcasts p left join private.feed_documents d on d.podcast_id = p.id
    where p.slug = ${slug} and p.hosting_type = 'native' and p.status <> 'deleted'`;
  return state;
}

/** The newest bytes, which may be of a later ETag than the state that was asked for; undefined when they went since. */
export async function feedBytes(state: FeedState): Promise<Feed | undefined> {
  return recall(state.etag) ?? await once(`bytes ${state.podcast_id}`, async () => {
    // base64 travels and decodes ten times faster than the driver's own form of bytea
    const [row] = await service<(FeedState & { base64: string })[]>`
      select ${state.podcast_id} as podcast_id, etag, last_modified, bytes::float8, zipped::float8,
        encode(gzip, 'base64') as base64
      from private.read_feed(${state.podcast_id})`;
    if (!row) return;
    const { base64, ...rest } = row;
    const feed = { ...rest, gzip: Buffer.from(base64, "base64") };
    remember(feed);
    return feed;
  });
}

/** Requests that come while the same question is on its way share its answer: a crowd costs the database one query. */
function once<T>(question: string, ask: () => Promise<T>): Promise<T> {
  const asked = asking.get(question) ?? ask().finally(() => asking.delete(question));
  asking.set(question, asked);
  return asked as Promise<T>;
}
const asking = new Map<string, Promise<unknown>>();

// Bytes by ETag, the least recently used first; a quarter of what the platform gives a function.
const MOST_KEPT = 64 * 1024 * 1024;
const kept = new Map<string, Feed>();
let keptBytes = 0;

function recall(etag: string): Feed | undefined {
  const feed = kept.get(etag);
  if (feed) {
    kept.delete(etag);
    kept.set(etag, feed);
  }
  return feed;
}

function remember(feed: Feed) {
  if (feed.zipped > MOST_KEPT || kept.has(feed.etag)) return;
  kept.set(feed.etag, feed);
  keptBytes += feed.zipped;
  for (const [etag, { zipped }] of kept) {
    if (keptBytes <= MOST_KEPT) break;
    kept.delete(etag);
    keptBytes -= zipped;
  }
}
