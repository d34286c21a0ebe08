/**
 * /feeds/{slug}.xml: a podcast's feed, or a page of it, as the worker rendered it. The route reads the ETag from the
 * database, and the compressed bytes from memory if they have this ETag. While the database is unavailable, both are
 * copies.
 */
import type { Context } from "hono";
import { FeedPathParams, FeedQuery } from "../../../types/public.ts";
import { prefersGzip } from "../../app/accept.ts";
import { type AppEnv, publicReadRouter } from "../../app/app.ts";
import { toStream } from "../../runtime/byte_stream.ts";
import { describeRoute } from "../../app/describe_route.ts";
import { type FeedState, readFeedBytes, readFeedState } from "./document_store.ts";
import { ApiError } from "../../runtime/api_error.ts";
import { parseHttpDate } from "../../app/http_date.ts";
import { etagMatches, freshnessHeaders, gzipEtag, strongEtagMatches } from "../../app/reply.ts";
import { STALE_COPY_DESCRIPTION } from "../../app/stale_copies.ts";
import { podcastKeys } from "../../app/surrogate_keys.ts";
import { toUri } from "../../text/uri.ts";
import { valid } from "../../app/validation.ts";

export const feeds = publicReadRouter().get(
  "/:slug{[^/]+\\.xml}",
  describeRoute({
    operationId: "getFeed",
    summary: "Get a podcast's feed, or one of its pages",
    description:
      `A feed has several pages if the podcast has feed_page_size and more episodes than that. Each page links ` +
      `to the first, last, next and previous one (RFC 5005, 3). ${STALE_COPY_DESCRIPTION}`,
    responseType: "application/rss+xml",
    hasEtag: true,
    isRedirect: true,
    errors: [400, 404, 410, 412],
  }),
  valid("param", FeedPathParams),
  valid("query", FeedQuery),
  async (c) => {
    const { slug } = c.req.valid("param"), { page } = c.req.valid("query");
    const found = await readFeedState(c.var.reads, slug, page);
    if (!found) throw notFound();

    const { value: state } = found, keys = podcastKeys(slug);
    const isGzip = prefersGzip(c.req.header("accept-encoding"));
    // precedes conditional requests, so that a client with the current document learns that the podcast moves
    const { redirect_url: location } = state;
    if (!location && hasChanged(c, state)) throw new ApiError(412, "The feed has changed");
    if (!location && isNotModified(c, state)) {
      return c.body(null, 304, { ...validatorHeaders(state, isGzip), ...freshnessHeaders(c, found), ...keys });
    }
    const status = location ? 301 : 200;
    const headers = {
      ...freshnessHeaders(c, found),
      ...keys,
      ...location ? { location } : { link: linkHeader(state, page) },
    };
    if (c.req.method === "HEAD") {
      return c.body(null, status, { ...representationHeaders(state, isGzip), ...headers });
    }
    const feed = await readFeedBytes(c.var.reads, found, page);
    if (!feed) {
      await readFeedState(c.var.reads, slug, page); // throws if the podcast or the page was deleted meanwhile
      throw notFound();
    }
    const body = toStream(feed.gzip);
    return c.body(isGzip ? body : body.pipeThrough(new DecompressionStream("gzip")), status, {
      ...representationHeaders(feed, isGzip),
      ...headers,
    });
  },
);

const notFound = () => new ApiError(404, "Feed not found");

/**
 * A strong ETag identifies bytes, so the gzip and the plain representation have one each. Both mean the same content,
 * so If-None-Match accepts either. It takes precedence over If-Modified-Since (RFC 9110, 13.2.2).
 */
function isNotModified(c: Context<AppEnv>, { etag, last_modified }: Validators): boolean {
  const known = c.req.header("if-none-match");
  if (known !== undefined) {
    return etagMatches(known, strongEtag(etag, true)) || etagMatches(known, strongEtag(etag, false));
  }
  return parseHttpDate(c.req.header("if-modified-since")) >= last_modified.getTime();
}

/** If-Match takes precedence over If-Unmodified-Since, and both over the other conditions (RFC 9110, 13.2.2). */
function hasChanged(c: Context<AppEnv>, { etag, last_modified }: Validators): boolean {
  const known = c.req.header("if-match");
  if (known !== undefined) {
    return !strongEtagMatches(known, strongEtag(etag, true)) && !strongEtagMatches(known, strongEtag(etag, false));
  }
  return last_modified.getTime() > parseHttpDate(c.req.header("if-unmodified-since")); // NaN: no condition
}

/** How subscribers find the hub (https://www.w3.org/TR/websub/#discovery). Only the first page has one. */
function linkHeader({ feed_url, hub_url }: FeedState, page: number): string {
  const self = `<${page === 1 ? feed_url : `${feed_url}?page=${page}`}>; rel="self"`;
  return hub_url && page === 1 ? `<${toUri(hub_url)}>; rel="hub", ${self}` : self;
}

const strongEtag = (etag: string, isGzip: boolean) => isGzip ? gzipEtag(`"${etag}"`) : `"${etag}"`;

type StoredSizes = Omit<FeedState, "redirect_url" | "feed_url" | "hub_url">;
type Validators = Pick<FeedState, "etag" | "last_modified">;

function validatorHeaders({ etag, last_modified }: Validators, isGzip: boolean) {
  return {
    etag: strongEtag(etag, isGzip),
    "last-modified": last_modified.toUTCString(),
    vary: "accept-encoding",
  };
}

function representationHeaders(state: StoredSizes, isGzip: boolean) {
  return {
    ...validatorHeaders(state, isGzip),
    "content-length": String(isGzip ? state.gzip_bytes : state.uncompressed_bytes),
    "content-type": "application/rss+xml; charset=utf-8",
    ...isGzip && { "content-encoding": "gzip" },
  };
}
