// The pages of a feed (RFC 5005, 3): their items and links, and what a change writes.
import assert from "node:assert/strict";
import { gunzipSync } from "node:zlib";
import { renderPageLinks, splitIntoPages } from "../../functions/feed_writer/feed_pages.ts";
import { aloneInFeed } from "../../functions/feed_writer/render.ts";
import { readFeed } from "../../functions/feed_reader/pages.ts";
import { batchItems } from "../../functions/feed_reader/parse.ts";
import { violations } from "./conformance.ts";
import { makePodcast } from "./feed_database.ts";
import { childrenNamed, parseXml } from "./fixture.ts";
import { createRenderings } from "./rendering.ts";

const FEED = "https://api.example/feeds/night-trains.xml";

/** Relation and URL of each link: without the feed's URL, the first page's is empty. */
const links = (channelXml: string) =>
  Object.fromEntries(
    childrenNamed(parseXml(aloneInFeed(channelXml)).children[0], "atom:link").map(({ attributes: { rel, href } }) => [
      rel,
      href.replace(FEED, ""),
    ]),
  );
const linksOf = (page: number, pageCount: number, hub_url: string | null = null) =>
  links(renderPageLinks({ feed_url: FEED, hub_url }, page, pageCount));

Deno.test("a list is split into pages of the page size", () => {
  const sizes = (count: number, size: number | null) =>
    splitIntoPages(Array.from({ length: count }, (_, n) => n), size).map(({ length }) => length);
  assert.deepEqual(sizes(0, null), [0]);
  assert.deepEqual(sizes(0, 50), [0]);
  assert.deepEqual(sizes(1000, null), [1000]);
  assert.deepEqual(sizes(50, 50), [50]);
  assert.deepEqual(sizes(51, 50), [50, 1]);
  assert.deepEqual(sizes(100, 50), [50, 50]);
  assert.deepEqual(sizes(101, 50), [50, 50, 1]);
  assert.deepEqual(splitIntoPages([1, 2, 3, 4, 5], 2), [[1, 2], [3, 4], [5]]);
});

Deno.test("the first page of a feed has the feed's URL, a next page and no previous one", () => {
  assert.deepEqual(linksOf(1, 3), { self: "", first: "", next: "?page=2", last: "?page=3" });
});

Deno.test("a middle page of a feed names itself, its neighbors and both ends", () => {
  assert.deepEqual(linksOf(2, 3), { self: "?page=2", first: "", previous: "", next: "?page=3", last: "?page=3" });
  assert.equal(linksOf(3, 4).previous, "?page=2");
});

Deno.test("the last page of a feed has no next page", () => {
  assert.deepEqual(linksOf(3, 3), { self: "?page=3", first: "", previous: "?page=2", last: "?page=3" });
});

Deno.test("only the first page of a feed names the WebSub hub", () => {
  assert.equal(linksOf(1, 2, "https://hub.example/").hub, "https://hub.example/");
  assert.equal(linksOf(2, 2, "https://hub.example/").hub, undefined);
});

Deno.test({ name: "a feed with pages", sanitizeOps: false, sanitizeResources: false }, async (t) => {
  await using feeds = await createRenderings();
  const { sql, renderFeed, stored, items, show } = feeds;

  const setPageSize = (id: string, size: number | null) =>
    sql`update public.podcasts set feed_page_size = ${size} where id = ${id}`;
  /** The stored pages, checked: sizes are those of the bytes, ETags differ, the date is one, the rules are followed. */
  async function pagesOf(id: string) {
    await renderFeed(id);
    const found = [];
    for (let page = 1, one; (one = await stored(id, page)); page++) found.push(one);
    assert.equal(new Set(found.map(({ etag }) => etag)).size, found.length);
    assert.equal(new Set(found.map(({ last_modified }) => last_modified.getTime())).size, 1);
    return found.map(({ etag, last_modified, gzip, uncompressed_bytes, gzip_bytes }) => {
      const bytes = gunzipSync(gzip), xml = bytes.toString(), [channel] = parseXml(xml).children;
      assert.deepEqual([Number(uncompressed_bytes), Number(gzip_bytes)], [bytes.length, gzip.length]);
      assert.deepEqual(violations(xml), []);
      const text = (name: string) => childrenNamed(channel, name)[0].text;
      return {
        ...{ etag, last_modified, xml, title: text("title"), pubDate: text("pubDate") },
        guids: childrenNamed(channel, "item").map((item) => childrenNamed(item, "guid")[0].text),
        relations: childrenNamed(channel, "atom:link").map(({ attributes }) => attributes.rel),
        self: childrenNamed(channel, "atom:link")[0].attributes.href,
      };
    });
  }
  const guids = (from: number, to: number) => Array.from({ length: to - from }, (_, n) => `guid-${from + n}`);

  await t.step("lists each item once, newest first, with the same channel on each page", async () => {
    const id = await show(120);
    await setPageSize(id, 50);
    const pages = await pagesOf(id);
    assert.deepEqual(pages.map((page) => page.guids), [guids(0, 50), guids(50, 100), guids(100, 120)]);
    assert.deepEqual(pages.map(({ relations }) => relations.join(" ")), [
      "self first next last",
      "self first previous next last",
      "self first previous last",
    ]);
    const [{ url }] = await sql`select private.feed_url(slug) as url from public.podcasts where id = ${id}`;
    assert.deepEqual(pages.map(({ self }) => self), [url, `${url}?page=2`, `${url}?page=3`]);
    assert.deepEqual(new Set(pages.map(({ title, pubDate }) => `${title} ${pubDate}`)).size, 1);
  });

  await t.step("of as many episodes as the page size is the feed without pages", async () => {
    const id = await show(50);
    const [whole] = await pagesOf(id);
    await setPageSize(id, 50);
    assert.deepEqual(await pagesOf(id), [whole]);
    assert.deepEqual(whole.relations, ["self"]);
  });

  await t.step("without episodes has one page", async () => {
    const id = await makePodcast(sql, { feed_page_size: 50 });
    await renderFeed(id);
    assert.equal(await stored(id, 2), undefined);
    assert.match(gunzipSync((await stored(id)).gzip).toString(), /rel="self"/);
  });

  await t.step("of a multiple of the page size ends with a full page", async () => {
    const id = await show(100);
    await setPageSize(id, 50);
    assert.deepEqual((await pagesOf(id)).map((page) => page.guids.length), [50, 50]);
  });

  await t.step("re-renders no item when the page size changes, and every page is new", async () => {
    const id = await show(120);
    const [whole] = await pagesOf(id), before = await items(id);
    await setPageSize(id, 50);
    const small = await pagesOf(id);
    await setPageSize(id, 55); // as many pages with the same items
    const larger = await pagesOf(id);
    await setPageSize(id, null);
    const again = await pagesOf(id);
    assert.deepEqual([small, larger, again].map((pages) => pages.map((page) => page.guids.length)), [
      [50, 50, 20],
      [55, 55, 10],
      [120],
    ]);
    assert.equal(new Set([whole, ...small, ...larger, ...again].map(({ etag }) => etag)).size, 8);
    assert.deepEqual(await items(id), before);
    assert.deepEqual(again[0].relations, ["self"]);
  });

  await t.step("re-renders only a changed episode, and changes the date of all pages", async () => {
    const id = await show(120);
    await setPageSize(id, 50);
    const first = await pagesOf(id), before = await items(id);
    await sql`update public.episodes set title = 'Lyon' where podcast_id = ${id} and slug = 'paris-110'`;
    const second = await pagesOf(id), { "Lyon": _, ...kept } = await items(id);
    const { "Paris 110": __, ...unchanged } = before;
    assert.deepEqual(kept, unchanged);
    assert.match(second[2].xml, /<title>Lyon<\/title>/);
    for (const [n, page] of second.entries()) {
      assert.notEqual(page.etag, first[n].etag);
      assert.ok(page.last_modified > first[n].last_modified);
    }
  });

  await t.step("moves items to the next page for a new episode", async () => {
    const id = await show(100);
    await setPageSize(id, 50);
    await pagesOf(id);
    await sql`update public.episodes set published_at = now() + interval '1 minute' where podcast_id = ${id}
      and slug = 'paris-99'`;
    assert.deepEqual((await pagesOf(id)).map((page) => page.guids), [["guid-99", ...guids(0, 49)], guids(49, 99)]);
  });

  await t.step("keeps ETags and dates when it is rendered without a change", async () => {
    const id = await show(60);
    await setPageSize(id, 50);
    assert.deepEqual(await pagesOf(id), await pagesOf(id));
  });

  await t.step("loses the pages of deleted episodes", async () => {
    const id = await show(60);
    await setPageSize(id, 50);
    assert.equal((await pagesOf(id)).length, 2);
    await sql`delete from public.episodes where podcast_id = ${id} and slug > 'paris-3'`;
    assert.equal((await pagesOf(id)).length, 1);
  });

  await t.step("has no findings about its links", async () => {
    const id = await show(60);
    await setPageSize(id, 50);
    await renderFeed(id);
    const [{ findings }] = await sql`select findings from private.feed_documents where podcast_id = ${id}`;
    assert.deepEqual(findings.filter(({ tag }: { tag: string }) => tag === "atom:link"), []);
  });

  await t.step("is read completely by the importer's reader", async () => {
    const id = await show(230);
    await setPageSize(id, 100);
    await renderFeed(id);
    const [{ url }] = await sql`select private.feed_url(slug) as url from public.podcasts where id = ${id}`;
    const fetched: string[] = [];
    const read: string[] = [];
    const feed = await readFeed(url, async (pageUrl) => {
      fetched.push(pageUrl);
      const { gzip } = await stored(id, Number(new URL(pageUrl).searchParams.get("page") ?? 1));
      const body = new Response(gunzipSync(gzip)).body!;
      return { url: pageUrl, headers: new Headers({ "content-type": "application/rss+xml" }), body };
    }, batchItems((batch) => Promise.resolve(void read.push(...batch.map(({ guid }) => guid!)))));
    assert.deepEqual(fetched, [url, `${url}?page=2`, `${url}?page=3`]);
    assert.deepEqual([feed.itemCount, feed.warnings], [230, []]);
    assert.deepEqual(read, guids(0, 230));
  });
});
