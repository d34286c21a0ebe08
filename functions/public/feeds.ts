/**
 * /feeds/:slug.xml: a podcast's feed, as the worker rendered it. The database is asked for the ETag first; the bytes,
 * compressed already, come from memory while that ETag stands. When the database does not answer, both are copies.
 */
import type { Context } from "hono";
import { FeedPathParams } from "../../types/public.ts";
import { prefersGzip } from "../app/accept.ts";
import { type AppEnv, publicReadRouter } from "../app/app.ts";
import { describeRoute } from "../app/describe_route.ts";
import { type FeedState, readFeedBytes, readFeedState } from "../feed_writer/document_store.ts";
import { ApiError } from "../app/errors.ts";
import { etagMatches, freshnessHeaders } from "../app/reply.ts";
import { STALE_COPY_DESCRIPTION } from "../app/stale_copies.ts";
import { valid } from "../app/validation.ts";

export const feeds = publicReadRouter().get(
  "/:slug{[^/]+\\.xml}",
  describeRoute({
    operationId: "getFeed",
    summary: "Get a podcast's feed",
    description: STALE_COPY_DESCRIPTION,
    responseType: "application/rss+xml",
    hasEtag: true,
    errors: [404, 503],
  }),
  valid("param", FeedPathParams),
  async (c) => {
    const found = await readFeedState(c.var.reads, c.req.valid("param").slug);
    if (!found) throw notFound();

    const { value: state } = found;
    const zipped = prefersGzip(c.req.header("accept-encoding"));
    if (unchanged(c, state)) return c.body(null, 304, { ...validators(state, zipped), ...freshnessHeaders(c, found) });
    if (c.req.method === "HEAD") {
      return c.body(null, 200, { ...described(state, zipped), ...freshnessHeaders(c, found) });
    }
    const feed = await readFeedBytes(c.var.reads, found);
    if (!feed) throw notFound();
    const body = streamed(feed.gzip);
    return c.body(zipped ? body : body.pipeThrough(new DecompressionStream("gzip")), 200, {
      ...described(feed, zipped),
      ...freshnessHeaders(c, found),
    });
  },
);

const notFound = () => new ApiError(404, "Feed not found");

/**
 * Gzip and plain are two representations, and a strong ETag names bytes: each has its own. A client that holds one of
 * them holds the content, so either answers If-None-Match; which comes before If-Modified-Since (RFC 9110, 13.2.2).
 */
function unchanged(c: Context<AppEnv>, { etag, last_modified }: FeedState): boolean {
  const known = c.req.header("if-none-match");
  if (known !== undefined) return etagMatches(known, strong(etag, true)) || etagMatches(known, strong(etag, false));
  return httpDate(c.req.header("if-modified-since")) >= last_modified.getTime();
}

/** The time that an IMF-fixdate (RFC 9110, 5.6.7) tells; NaN for everything else, and so for dates that do not exist. */
function httpDate(text = ""): number {
  const time = Date.parse(text);
  return new Date(time).toUTCString() === text ? time : NaN;
}

const strong = (etag: string, zipped: boolean) => zipped ? `"${etag}-gzip"` : `"${etag}"`;

function validators({ etag, last_modified }: FeedState, zipped: boolean) {
  return {
    etag: strong(etag, zipped),
    "last-modified": last_modified.toUTCString(),
    vary: "accept-encoding",
  };
}

function described(state: FeedState, zipped: boolean) {
  return {
    ...validators(state, zipped),
    "content-length": String(zipped ? state.gzip_bytes : state.uncompressed_bytes),
    "content-type": "application/rss+xml; charset=utf-8",
    ...zipped && { "content-encoding": "gzip" },
  };
}

/** The runtime copies bytes that it is given as a body, but not those that it reads from a stream: twice as fast. */
function streamed(bytes: Uint8Array): ReadableStream<Uint8Array> {
  return new ReadableStream({
    start(controller) {
      controller.enqueue(bytes);
      controller.close();
    },
  });
}
