// Feeds in several documents (RFC 5005): pages are read in sequence, without loops.
import assert from "node:assert/strict";
import { FetchError } from "../../functions/safe_fetch/fetch_error.ts";
import { readFeed } from "../../functions/feed_reader/pages.ts";
import { batchItems } from "../../functions/feed_reader/parse.ts";
import { assertFeedError, inChunks, item, rss, toBytes } from "./reading.ts";

const FIRST = "https://show.example/feed.xml";

const page = (title: string, next?: string, rel = "next") =>
  rss((next === undefined ? "" : `<atom:link rel="${rel}" href="${next}"/>`) + item(title))
    .replace("<title>Show", `<title>Show of ${title}`);

/** Reads a site and records every requested URL. */
async function walk(respond: (url: string) => string | Error, options: { maxBytes?: number } = {}) {
  const requested: string[] = [];
  const titles: string[] = [];
  const fetchPage = (url: string) => {
    requested.push(url);
    const body = respond(url);
    if (body instanceof Error) return Promise.reject(body);
    return Promise.resolve({
      url,
      headers: new Headers({ "content-type": "text/xml", ...(body ? {} : { "content-encoding": "br" }) }),
      body: inChunks(toBytes(body)),
    });
  };
  const sink = batchItems((items) => Promise.resolve(void titles.push(...items.map(({ title }) => title!))));
  const feed = await readFeed(FIRST, fetchPage, sink, options);
  return {
    requested,
    titles,
    items: feed.itemCount,
    title: feed.channel.title,
    losses: feed.channel.losses.map(({ path, reason, excerpt }) => `${path} ${reason} ${excerpt}`),
    codes: feed.warnings.map(({ code }) => code),
  };
}

const site = (pages: Record<string, string | Error>) => (url: string) => pages[url] ?? new Error(`no ${url}`);

Deno.test("readFeed reads a feed of one page with one request", async () => {
  assert.deepEqual(await walk(site({ [FIRST]: page("One") })), {
    requested: [FIRST],
    titles: ["One"],
    items: 1,
    title: "Show of One",
    losses: [],
    codes: [],
  });
});

Deno.test("readFeed follows pages and archives to the end and takes the channel from the first", async () => {
  const found = await walk(site({
    [FIRST]: page("One", "?page=2&amp;order=x"),
    [`${FIRST}?page=2&order=x`]: page("Two", "https://archive.example/3", "prev-archive"),
    "https://archive.example/3": page("Three"),
  }));
  assert.deepEqual(found.titles, ["One", "Two", "Three"]);
  assert.deepEqual([found.items, found.title, found.requested.length], [3, "Show of One", 3]);
  assert.deepEqual(found.codes, ["URL_RELATIVE"]);
});

Deno.test("readFeed passes a GUID of two pages on once, and again if the later item is newer", async () => {
  const newer = page("One").replace("Wed, 01 May", "Thu, 02 May").replace("<title>One<", "<title>One, newer<");
  for (const [second, titles] of [[page("One"), ["One"]], [newer, ["One", "One, newer"]]] as const) {
    const both = second.replace("</channel>", `${item("Two")}</channel>`);
    const found = await walk(site({ [FIRST]: page("One", "/2"), "https://show.example/2": both }));
    assert.deepEqual(found.titles, [...titles, "Two"]);
    assert.deepEqual([found.items, found.codes], [2, ["URL_RELATIVE", "GUID_DUPLICATE"]]);
  }
});

Deno.test("readFeed reads each page of a loop once", async () => {
  const found = await walk(site({
    [FIRST]: page("One", "https://show.example/2"),
    "https://show.example/2": page("Two", `${FIRST}#again`),
  }));
  assert.deepEqual([found.titles, found.requested.length, found.codes], [["One", "Two"], 2, ["PAGINATION_LOOP"]]);
});

Deno.test("readFeed follows a page that only repeats known items, as archives do", async () => {
  const archive = page("One", "https://show.example/3", "prev-archive");
  const found = await walk(site({
    [FIRST]: page("One", "https://show.example/2", "prev-archive"),
    "https://show.example/2": archive,
    "https://show.example/3": page("Two"),
  }));
  assert.deepEqual([found.titles, found.items, found.codes], [["One", "Two"], 2, ["GUID_DUPLICATE"]]);
});

Deno.test("readFeed stops after two pages without new items with a warning", async () => {
  let pages = 0;
  const found = await walk(() => page("Always", `https://show.example/${++pages}`));
  assert.deepEqual([found.titles, found.requested.length], [["Always"], 3]);
  assert.deepEqual(found.codes, ["GUID_DUPLICATE", "PAGINATION_LOOP"]);
});

Deno.test("readFeed reports the duplicate items of all pages, 200 one by one", async () => {
  const archive = (rel: string, next: string) =>
    page("One", next, rel).replace("</channel>", `${item("One").repeat(120)}</channel>`);
  const found = await walk(site({
    [FIRST]: archive("prev-archive", "https://show.example/2"),
    "https://show.example/2": archive("prev-archive", "https://show.example/3"),
    "https://show.example/3": page("Two"),
  }));
  const { losses } = found;
  assert.deepEqual([losses.length, losses[1], losses[199]], [201, "item DUPLICATE One", "item DUPLICATE One"]);
  assert.equal(losses[200], "* LIMIT 42 more");
});

Deno.test("readFeed stops after 200 pages", async () => {
  let pages = 0;
  const found = await walk(() => page(`Page ${++pages}`, `https://show.example/${pages}`));
  assert.deepEqual([found.items, found.requested.length, found.codes], [200, 200, ["PAGINATION_LOOP"]]);
});

Deno.test("readFeed ends the feed with a warning at an unreadable page", async () => {
  const failures = [
    new FetchError("HTTP_ERROR", "The server responded with status 500", { status: 500 }),
    new FetchError("BLOCKED_URL", "No"),
    "<html><body>Gone</body></html>",
  ];
  for (const failure of failures) {
    const found = await walk(
      site({ [FIRST]: page("One", "https://show.example/2"), "https://show.example/2": failure }),
    );
    assert.deepEqual([found.titles, found.codes], [["One"], ["PAGE_FETCH_FAILED"]]);
  }
});

Deno.test("readFeed ends the feed with a warning at the page that exceeds the limit of all pages", async () => {
  const pages = {
    [FIRST]: page("One", "https://show.example/2"),
    "https://show.example/2": page("Two", "https://show.example/3"),
    "https://show.example/3": page("Three"),
  };
  const total = Object.values(pages).join("").length;
  assert.deepEqual((await walk(site(pages), { maxBytes: total })).codes, []);
  const found = await walk(site(pages), { maxBytes: total - 1 });
  assert.deepEqual([found.titles.slice(0, 2), found.codes], [["One", "Two"], ["PAGE_FETCH_FAILED"]]);
  await assertFeedError("TOO_LARGE", walk(site(pages), { maxBytes: pages[FIRST].length - 1 }));
});

Deno.test("readFeed ends the feed without a warning at an empty page", async () => {
  for (const empty of ["", rss("")]) {
    const found = await walk(
      site({ [FIRST]: page("One", "https://show.example/2"), "https://show.example/2": empty }),
    );
    assert.deepEqual([found.titles, found.codes], [["One"], []]);
  }
});

Deno.test("readFeed throws errors of the first page, and a TIMEOUT of any page", async () => {
  await assertFeedError("NOT_XML", walk(site({ [FIRST]: "no feed" })));
  const late = new FetchError("TIMEOUT", "It took too long");
  const pages = site({ [FIRST]: page("One", "https://show.example/2"), "https://show.example/2": late });
  await assert.rejects(walk(pages), late);
});
