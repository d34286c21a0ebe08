/**
 * /sitemap.xml, /sitemap/{slug}.xml and /robots.txt: what search engines read on the pages' domain. The rules are in
 * sql/95_public/operations/list_public_sitemaps.sql.
 */
import { z } from "zod";
import { integerParam } from "../../../types/envelope.ts";
import { FeedPathParams } from "../../../types/public.ts";
import { publicReadRouter } from "../../app/app.ts";
import { describeRoute } from "../../app/describe_route.ts";
import { cacheableReply } from "../../app/reply.ts";
import { STALE_COPY_DESCRIPTION } from "../../app/stale_copies.ts";
import { podcastKeys } from "../../app/surrogate_keys.ts";
import { valid } from "../../app/validation.ts";
import { escapeXml } from "../../text/xml_text.ts";
import { readThroughCopies } from "../v1/copied_reads.ts";

const SitemapQuery = z.object({
  page: integerParam(1, 1_000_000).default(1).meta({ default: 1 }).describe("1 has the oldest"),
});

const description = STALE_COPY_DESCRIPTION, responseType = "application/xml";
const CONTENT_TYPE = "application/xml; charset=utf-8";

export const sitemapIndex = publicReadRouter().get(
  "/",
  describeRoute({
    operationId: "listPublicSitemaps",
    summary: "Get the index of the sitemaps of 1,000 podcasts",
    ...{ description, responseType, hasEtag: true, errors: [404] },
  }),
  valid("query", SitemapQuery),
  async (c) => {
    const found = await readThroughCopies(c, "list_public_sitemaps", c.req.valid("query"), toXml("sitemapindex"));
    return cacheableReply(c, found, undefined, CONTENT_TYPE);
  },
);

export const sitemap = publicReadRouter().get(
  "/:slug{[^/]+\\.xml}",
  describeRoute({
    operationId: "listPublicSitemapUrls",
    summary: "Get the sitemap of a podcast: its page, and those of 1,000 episodes",
    ...{ description, responseType, hasEtag: true, errors: [404] },
  }),
  valid("param", FeedPathParams),
  valid("query", SitemapQuery),
  async (c) => {
    const args = { ...c.req.valid("param"), ...c.req.valid("query") };
    const found = await readThroughCopies(c, "list_public_sitemap_urls", args, toXml("urlset"));
    return cacheableReply(c, found, podcastKeys(args.slug), CONTENT_TYPE);
  },
);

export const robots = publicReadRouter().get(
  "/",
  describeRoute({
    operationId: "countPublicSitemaps",
    summary: "Get the addresses of the indexes of sitemaps, for search engines",
    ...{ description, responseType: "text/plain", hasEtag: true },
  }),
  async (c) => {
    const found = await readThroughCopies(c, "count_public_sitemaps", {}, toRobots);
    return cacheableReply(c, found, undefined, "text/plain; charset=utf-8");
  },
);

interface Entry {
  url: string;
  lastModified: string | null;
}

/** https://www.sitemaps.org/protocol.html */
const toXml = (root: "sitemapindex" | "urlset") => (text: string): string => {
  const { data } = JSON.parse(text) as { data: Entry[] }, tag = root === "urlset" ? "url" : "sitemap";
  const entries = data.map(({ url, lastModified }) =>
    `<${tag}><loc>${escapeXml(url)}</loc>${lastModified ? `<lastmod>${lastModified}</lastmod>` : ""}</${tag}>\n`
  );
  return `<?xml version="1.0" encoding="UTF-8"?>
<${root} xmlns="http://www.sitemaps.org/schemas/sitemap/0.9">
${entries.join("")}</${root}>
`;
};

/** Everything may be read. An index has 1,000 podcasts, so that a large installation has several. */
function toRobots(text: string): string {
  const { pagesUrl, indexes } = JSON.parse(text) as { pagesUrl: string; indexes: number };
  const lines = Array.from(
    { length: pagesUrl ? indexes : 0 },
    (_, n) => `Sitemap: ${pagesUrl}/sitemap.xml${n > 0 ? `?page=${n + 1}` : ""}\n`,
  );
  return `User-agent: *\nDisallow:\n${lines.length ? "\n" : ""}${lines.join("")}`;
}
