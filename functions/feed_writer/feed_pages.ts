/**
 * Splits a feed into pages (RFC 5005, 3): `/feeds/{slug}.xml` is the first and has the newest items, `?page=2` follows.
 * A page is the head and the items that all pages share, with links and a tail of its own.
 */
import { Buffer } from "node:buffer";
import { createHash } from "node:crypto";
import { FEED_TYPE, feedLinks } from "./channel_tags.ts";
import {
  type Checksum,
  combineChecksums,
  type CompressedPart,
  compressPart,
  GZIP_HEADER,
  gzipTrailer,
} from "./gzip.ts";
import { TAIL } from "./render.ts";
import type { FeedPodcast } from "./feed_rows.ts";
import { renderTags, spec } from "./tag.ts";
import type { Value } from "./xml.ts";

/** Splits a list; a list of at most `pageSize` items, or without a page size, is one page. */
export function splitIntoPages<T>(items: T[], pageSize: number | null): T[][] {
  const size = pageSize ?? Infinity;
  if (items.length <= size) return [items];
  return Array.from({ length: Math.ceil(items.length / size) }, (_, n) => items.slice(n * size, (n + 1) * size));
}

type Linked = Pick<FeedPodcast, "feed_url" | "hub_url">;

/**
 * Renders the links of one of several pages. Only the first names the hub, because nothing announces changes of the
 * other pages' URLs.
 */
export function renderPageLinks(podcast: Linked, page: number, pageCount: number): string {
  const href = (of: number) => of === 1 ? podcast.feed_url : `${podcast.feed_url}?page=${of}`;
  const link = (rel: string, of: number): Value => ({ attributes: { href: href(of), rel, type: FEED_TYPE } });
  const links: Value[] = [
    ...page === 1 ? feedLinks(podcast) : [link("self", page)],
    link("first", 1),
    page > 1 ? link("previous", page - 1) : undefined,
    page < pageCount ? link("next", page + 1) : undefined,
    link("last", pageCount),
  ];
  return renderTags([{ name: "atom:link", spec: spec.paging, value: () => links }], undefined);
}

/**
 * Builds what store_feed_document takes: the first page's start and end, and as JSON its links and the later pages. The
 * version differs between two documents; it makes the ETags.
 */
export function buildPages(
  pages: (Checksum & { gzipBytes: number })[][],
  renderedHead: string,
  renderedLinks: string[],
  version: string,
) {
  const head = compressPart(renderedHead), tail = compressPart(TAIL);
  const begin = Buffer.concat([GZIP_HEADER, head.deflated]);
  const [first, ...later] = pages.map((items, n) => {
    const links = renderedLinks[n] ? compressPart(renderedLinks[n]) : NO_PART;
    const whole = combineChecksums([head, links, ...items, tail]);
    const end = Buffer.concat([tail.deflated, gzipTrailer(whole)]);
    const ownBytes = begin.length + links.deflated.length + end.length;
    return {
      end,
      page: n + 1,
      etag: etagOf(n === 0 ? version : `${version} ${n + 1}`),
      uncompressed_bytes: whole.bytes,
      gzip_bytes: items.reduce((sum, { gzipBytes }) => sum + gzipBytes, ownBytes),
      links: links.deflated.toString("base64"),
    };
  });
  return { begin, ...first, pages: later.map(({ end, ...page }) => ({ ...page, tail: end.toString("base64") })) };
}

const NO_PART: CompressedPart = { deflated: Buffer.alloc(0), crc32: 0, bytes: 0 };

const etagOf = (version: string) => createHash("sha256").update(version).digest("base64url").slice(0, 27);
