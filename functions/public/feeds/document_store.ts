/** Reads stored feed documents for the routes that serve them. */
import { Buffer } from "node:buffer";
import { type CopiedRead, createStaleCopies } from "../../app/stale_copies.ts";
import { onlyRow, type PublicReads } from "../../database/db.ts";
import { ApiError } from "../../runtime/api_error.ts";
import { createLruCache } from "../../runtime/lru_cache.ts";
import { podcastKeys } from "../../app/surrogate_keys.ts";
import { toRedirect } from "../../text/uri.ts";
import { renderFeed } from "../../feed_writer/render_feed.ts";

export interface FeedState {
  podcast_id: string;
  etag: string;
  last_modified: Date;
  /** Sizes: uncompressed and compressed. */
  uncompressed_bytes: number;
  gzip_bytes: number;
  /** URLs of the feed's first page and of the installation's WebSub hub, if it has one. */
  feed_url: string;
  hub_url: string | null;
  /** Where the feed leads: a URI. */
  redirect_url: string | null;
}

interface StoredFeed extends Omit<FeedState, "redirect_url" | "feed_url" | "hub_url"> {
  gzip: Uint8Array;
}

// A state takes about 500 bytes; documents are cached separately. A redirect is not cached: the owner may end it.
const stateCache = createStaleCopies<FeedState>(
  { maxCount: 5000, maxBytes: 4 * 1024 * 1024 },
  ({ redirect_url }) => redirect_url ? Infinity : 500,
);
/** Documents by ETag, in a quarter of a function's memory. */
const documentCache = createLruCache<StoredFeed>({ maxCount: 5000, maxBytes: 64 * 1024 * 1024 });

/**
 * A page of the feed of a slug; undefined if no podcast serves one there. A feed without a document is rendered first;
 * if that fails and the feed redirects, throws 301. The feed of a deleted podcast throws 301 or 410; a page that the
 * feed does not have throws 404.
 */
export function readFeedState(reads: PublicReads, slug: string, page = 1): Promise<CopiedRead<FeedState> | undefined> {
  return stateCache.read(`${page}/${slug}`, async () => {
    const state = await queryState(reads, slug, page);
    if (!state.podcast_id || state.etag) return stateOrNone(state);
    const { podcast_id, redirect_url } = state;
    try {
      // continues if this read times out
      await reads.withinLimit(shareInFlight(`render ${podcast_id}`, () => renderFeed(podcast_id)));
    } catch (cause) {
      throw redirect_url ? movedError(slug, redirect_url, 60, cause) : cause;
    }
    return stateOrNone(await queryState(reads, slug, page));
  });
}

function movedError(slug: string, location: string, maxAgeSeconds: number, cause?: unknown): ApiError {
  const headers = { "cache-control": `public, max-age=${maxAgeSeconds}`, ...podcastKeys(slug), location };
  return new ApiError(301, "The podcast moved", { headers, cause });
}

/** Slugs are never reused. The former owner rarely corrects the redirect, which also purges the CDN. */
function deletedError(slug: string, { redirect_url }: Partial<FeedState>): ApiError {
  if (redirect_url) return movedError(slug, redirect_url, 86400);
  const headers = { "cache-control": "public, max-age=86400", ...podcastKeys(slug) };
  return new ApiError(410, "The podcast was deleted", { code: "PODCAST_DELETED", headers });
}

const stateOrNone = (row: Partial<FeedState>) => row.etag ? row as FeedState : undefined;

async function queryState(reads: PublicReads, slug: string, page: number) {
  // sizes as double precision: exact up to 2^53, and a number in JavaScript
  const { is_deleted, address, ...state } = onlyRow(
    await reads.serviceSql<(Partial<FeedState> & { is_deleted: boolean; address: string | null })[]>`
    select p.id as podcast_id, d.etag, d.last_modified, d.uncompressed_bytes::float8 as uncompressed_bytes,
      d.gzip_bytes::float8 as gzip_bytes, private.feed_url(slug => p.slug) as feed_url,
      nullif(private.get_setting(_key => 'websub_hub_url'), '') as hub_url, t.slug is not null as is_deleted,
      private.redirect_in_effect(redirect => r) as address
    from (select) as one_row
    left join public.podcasts p on p.slug = ${slug} and p.hosting_type = 'native'
    left join private.feed_documents d on d.podcast_id = p.id
    left join private.podcast_tombstones t on t.slug = ${slug} and t.hosting_type = 'native'
    left join private.feed_redirects r on r.podcast_id = coalesce(p.id, t.podcast_id)`,
  );
  state.redirect_url = toRedirect(address);
  if (is_deleted) throw deletedError(slug, state);
  return page === 1 || !state.etag ? state : { ...state, ...await queryLaterPage(reads, state.podcast_id!, page) };
}

/** A statement of its own, so that feeds without pages do not pay for it. */
async function queryLaterPage({ serviceSql }: PublicReads, podcastId: string, page: number) {
  const found = onlyRow(
    await serviceSql<Partial<FeedState>[]>`
    select g.etag, d.last_modified, g.uncompressed_bytes::float8 as uncompressed_bytes,
      g.gzip_bytes::float8 as gzip_bytes
    from (select) as one_row
    left join private.feed_pages g on g.podcast_id = ${podcastId} and g.page = ${page}
    left join private.feed_documents d on d.podcast_id = g.podcast_id`,
  );
  if (found.etag) return found;
  throw new ApiError(404, `The feed has no page ${page}`, { details: "Follow the links of its first page" });
}

/** The newest bytes of a page, possibly of a later ETag than `state`; undefined if the feed was deleted meanwhile. */
export async function readFeedBytes(
  reads: PublicReads,
  { value: state, cause }: CopiedRead<FeedState>,
  page = 1,
): Promise<StoredFeed | undefined> {
  const known = documentCache.get(state.etag);
  if (known) return known;
  if (cause) throw cause; // the state is a stale copy: the database is not responding
  return await shareInFlight(`bytes ${state.podcast_id} ${page}`, async () => {
    // base64 is ten times faster than the driver's bytea format
    const { base64, ...found } = onlyRow(
      await reads.serviceSql<(Omit<StoredFeed, "gzip"> & { base64: string | null })[]>`
      select ${state.podcast_id} as podcast_id, f.etag, f.last_modified,
        f.uncompressed_bytes::float8 as uncompressed_bytes, f.gzip_bytes::float8 as gzip_bytes,
        encode(f.gzip, 'base64') as base64
      from (select) as one_row
      left join private.get_feed_gzip(_podcast_id => ${state.podcast_id}, _page => ${page}) f on true`,
    );
    if (base64 === null) return;
    const feed = { ...found, gzip: Buffer.from(base64, "base64") };
    documentCache.set(feed.etag, feed, feed.gzip_bytes);
    return feed;
  });
}

/** Concurrent requests for the same key share one query. */
function shareInFlight<T>(key: string, query: () => Promise<T>): Promise<T> {
  const pending = inFlight.get(key) ?? query().finally(() => inFlight.delete(key));
  inFlight.set(key, pending);
  return pending as Promise<T>;
}
const inFlight = new Map<string, Promise<unknown>>();
