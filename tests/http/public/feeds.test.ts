// A podcast's feed, as podcast apps read it from the running stack.
import assert from "node:assert/strict";
import { gunzipSync } from "node:zlib";
import { childrenNamed, parseXml } from "../../feed_writer/fixture.ts";
import { makeEpisodes } from "../../feed_writer/feed_database.ts";
import { violations } from "../../feed_writer/conformance.ts";
import { put } from "../api/audio.ts";
import { newUserName } from "../api/images.ts";
import { done, importsOf, start } from "../api/imports.ts";
import { fetchDocumented } from "../documented_responses.ts";
import {
  type ApiResponse,
  assertError,
  callRpc,
  episode,
  person,
  type Podcast,
  podcast,
  sendRequest,
  sql,
  stackInfo,
  waitFor,
} from "../harness.ts";
import { assertThroughout } from "../../wait_for.ts";
import { sendRaw } from "../raw_response.ts";

const owner = await person("owner");
const path = (show: Podcast) => `/public/feeds/${show.slug}.xml`;
const get = (show: Podcast, headers: Record<string, string> = {}, method = "GET", query = "") =>
  sendRequest({ method, path: path(show) + query, headers: { "accept-encoding": "identity", ...headers } });
const titles = ({ text }: ApiResponse) =>
  childrenNamed(parseXml(text).children[0], "item").map((item) => childrenNamed(item, "title")[0].text);
const validators = ({ headers }: ApiResponse) => [headers.get("etag"), headers.get("last-modified")];

/** Waits until the worker has processed all changes. */
const rendered = (show: Podcast) =>
  waitFor("the worker renders", async () => {
    const [{ done }] = await sql`
      select not exists (select from pgmq.q_feed_invalidation where message ->> 'podcast_id' = ${show.id})
        and exists (select from private.feed_documents where podcast_id = ${show.id}) as done`;
    return done;
  });

/** A show with a published episode, rendered. */
async function published(title: string, episodeTitle = "Pilot") {
  const show = await podcast(title);
  const made = await episode(show, episodeTitle);
  await put(show, made, { query: { duration: "125" } });
  await callRpc(owner, "publish_episode", { episode_id: made.id });
  await rendered(show);
  return { show, made };
}

const edit = async (id: string, changes: Record<string, unknown>) => {
  const { error } = await owner.client.from("episodes").update(changes).eq("id", id);
  assert.equal(error, null);
};

Deno.test("a new podcast has an RSS feed at once", async () => {
  const response = await get(await podcast("Just made"));
  assert.equal(response.status, 200, response.text);
  assert.equal(response.headers.get("content-type"), "application/rss+xml; charset=utf-8");
  assert.equal(response.headers.get("cache-control"), "public, max-age=60, stale-if-error=600, no-transform");
  assert.deepEqual(titles(response), []);
});

Deno.test("the demo feed follows every rule of docs/feed-rules.md", async () => {
  const xml = await waitFor("its episode", async () => {
    const { text } = await get({ id: "", slug: "demo" });
    return text.includes("<item>") ? text : "";
  });
  assert.deepEqual(violations(xml), []);
});

Deno.test("the feed contains a published episode with its measured audio", async () => {
  const { show, made } = await published("Measured");
  const [item] = childrenNamed(parseXml((await get(show)).text).children[0], "item");
  const [row] = await sql`select * from public.episodes where id = ${made.id}`;
  assert.deepEqual(childrenNamed(item, "enclosure")[0].attributes, {
    url: row.audio_url,
    length: String("some audio".length),
    type: "audio/mpeg",
  });
  assert.equal(childrenNamed(item, "guid")[0].text, row.guid);
  assert.equal(childrenNamed(item, "itunes:duration")[0].text, "125");
  const audio = await fetch(row.audio_url);
  assert.equal(await audio.text(), "some audio");
});

Deno.test("editing, unpublishing and republishing an episode update the feed", async () => {
  const { show, made } = await published("Edited");
  const first = await get(show);
  await edit(made.id, { title: "Paris & <Berlin>" });
  await waitFor("the edit is served", async () => titles(await get(show)).join() === "Paris & <Berlin>");
  assert.notDeepEqual(validators(await get(show)), validators(first));
  await callRpc(owner, "unpublish_episode", { episode_id: made.id });
  await waitFor("the feed omits the episode", async () => titles(await get(show)).length === 0);
  await callRpc(owner, "publish_episode", { episode_id: made.id });
  await waitFor("it is back", async () => titles(await get(show)).length === 1);
});

Deno.test("changes without an effect on the content keep ETag and Last-Modified", async () => {
  const { show, made } = await published("Steady");
  const first = await get(show);
  await edit(made.id, { title: "Pilot" });
  await rendered(show);
  assert.deepEqual(validators(await get(show)), validators(first));
  assert.equal((await get(show)).text, first.text);
});

Deno.test("quick edits lead to one ETag and one Last-Modified, which is the feed's date and not in the future", async () => {
  const { show, made } = await published("Hasty");
  for (let n = 1; n <= 15; n++) await edit(made.id, { title: `Draft ${n}` });
  await rendered(show);
  const seen = new Set<string>();
  await assertThroughout(2, async () => {
    const response = await get(show);
    const [etag, date] = validators(response) as string[];
    const [{ text: built }] = childrenNamed(parseXml(response.text).children[0], "lastBuildDate");
    assert.deepEqual(titles(response), ["Draft 15"]);
    assert.equal(Date.parse(built), Date.parse(date));
    assert.ok(Date.parse(date) <= Date.now(), date);
    seen.add(`${etag} ${date}`);
    assert.equal(seen.size, 1, [...seen].join("\n"));
  });
});

for (const [script, title] of [["Latin", "One name"], ["any", "夜行列車 für alle"]]) {
  Deno.test(`a feed and its pages have one URL each with a title in ${script} script`, async () => {
    const { show } = await published(title, title);
    const v1 = await sendRequest({ method: "GET", path: `/public/v1/podcasts/${show.slug}` });
    const { body: { data: [{ listenUrl }] } } = await sendRequest({
      method: "GET",
      path: `/public/v1/podcasts/${show.slug}/episodes`,
    });
    const { feedUrl } = v1.body.data;
    for (const address of [feedUrl, listenUrl]) assert.match(address, /^[A-Za-z0-9._~:\/%-]+$/, "a URI");
    const served = await fetchDocumented(feedUrl);
    const [channel] = parseXml(await served.text()).children;
    assert.equal(childrenNamed(channel, "atom:link")[0].attributes.href, feedUrl);
    assert.equal(feedUrl, new URL(stackInfo.functionsUrl + path(show)).href);
    const [item] = childrenNamed(channel, "item");
    assert.equal(childrenNamed(item, "link")[0].text, listenUrl);
    for (const page of [listenUrl, childrenNamed(channel, "link")[0].text]) {
      const response = await fetchDocumented(page);
      assert.equal(response.status, 200, page);
      assert.ok((await response.text()).includes(title));
    }
  });
}

Deno.test("the feed returns 304 by ETag, or by date without one", async () => {
  const { show } = await published("Held");
  const response = await get(show);
  const [etag, date] = validators(response) as string[];
  const before = new Date(Date.parse(date) - 1000).toUTCString();
  const zipped = etag.replace(/"$/, '-gzip"');
  const cases: [Record<string, string>, number][] = [
    [{ "if-none-match": etag }, 304],
    [{ "if-none-match": `W/${etag}` }, 304],
    [{ "if-none-match": `"other", ${zipped}` }, 304],
    [{ "if-none-match": "*" }, 304],
    [{ "if-none-match": '"other"' }, 200],
    [{ "if-modified-since": date }, 304],
    [{ "if-modified-since": before }, 200],
    [{ "if-modified-since": rfc850(date) }, 304],
    [{ "if-modified-since": rfc850(before) }, 200],
    [{ "if-modified-since": asctime(date) }, 304],
    [{ "if-modified-since": asctime(before) }, 200],
    [{ "if-match": etag }, 200],
    [{ "if-match": `"other", ${zipped}` }, 200],
    [{ "if-match": "*" }, 200],
    [{ "if-match": '"other"' }, 412],
    [{ "if-match": `W/${etag}` }, 412],
    [{ "if-match": etag, "if-none-match": etag }, 304],
    [{ "if-match": '"other"', "if-none-match": etag }, 412],
    [{ "if-match": etag, "if-unmodified-since": before }, 200],
    [{ "if-unmodified-since": date }, 200],
    [{ "if-unmodified-since": before }, 412],
    [{ "if-unmodified-since": rfc850(before) }, 412],
    [{ "if-unmodified-since": "not a date" }, 200],
    [{ "if-modified-since": "not a date" }, 200],
    [{ "if-modified-since": "2099" }, 200],
    [{ "if-modified-since": "Tomorrow, 1 Jan 2099 00:00:00" }, 200],
    [{ "if-modified-since": new Date(Date.parse(date) + 5000).toISOString() }, 200],
    [{ "if-modified-since": new Date(Date.parse(date) + 5000).toUTCString() }, 304],
    [{ "if-none-match": '"other"', "if-modified-since": date }, 200],
    [{ "if-none-match": etag, "if-modified-since": before }, 304],
  ];
  for (const [headers, status] of cases) {
    const answered = await get(show, headers);
    assert.equal(answered.status, status, JSON.stringify(headers));
    if (status === 412) {
      assertError(answered, 412);
      continue;
    }
    assert.deepEqual(validators(answered), [etag, date]);
    assert.equal(answered.headers.get("vary")?.toLowerCase(), "accept-encoding");
    if (status === 304) assert.equal(answered.text, "");
  }
});

Deno.test("the feed is gzip for clients that accept it, and HEAD returns the headers of GET", async () => {
  const { show } = await published("Zipped", "Zug ".repeat(50));
  const plain = await raw("GET", show, "identity");
  assert.equal(plain.headers.get("content-encoding"), null);
  assert.equal(Number(plain.headers.get("content-length") ?? plain.body.length), plain.body.length);
  for (
    const [accepts, isZipped] of [
      ["gzip", true],
      ["gzip;q=0, identity", false],
      ["br, gzip;q=0.5", true],
      ["*", true],
      ["identity;q=0, gzip;q=0.1", true],
      ["*;q=0", false],
      ["gzip;q=0, *", false],
      ["br", false],
      ["gzip;q=0.2, identity;q=0.9", false],
      ["", false],
    ] as [string, boolean][]
  ) {
    const response = await raw("GET", show, accepts);
    assert.equal(response.status, 200);
    assert.equal(response.headers.get("content-encoding"), isZipped ? "gzip" : null, accepts);
    assert.deepEqual(isZipped ? gunzipSync(response.body) : response.body, plain.body);
    const head = await raw("HEAD", show, accepts);
    assert.equal(head.status, 200);
    assert.equal(head.body.length, 0);
    for (const name of ["etag", "last-modified", "content-type", "content-encoding", "vary"]) {
      assert.equal(head.headers.get(name), response.headers.get(name), name);
    }
    assert.match(response.headers.get("etag")!, /^"/, "no host weakens the ETag");
    assert.equal(head.headers.get("content-length"), String(response.body.length));
  }
  const etags = await Promise.all(
    ["gzip", "identity"].map(async (each) => (await raw("GET", show, each)).headers.get("etag")),
  );
  assert.notEqual(etags[0], etags[1]);
});

Deno.test("the feed returns 404 for unknown and external podcasts and other paths", async () => {
  assertError(await get({ id: "", slug: "unknown-slug" }), 404);
  const external = await callRpc<Podcast>(owner, "create_podcast", { title: "Elsewhere", hosting_type: "external" });
  assertError(await get(external), 404);
  assertError(await sendRequest({ method: "GET", path: "/public/feeds/night-trains" }), 404);
});

Deno.test("a feed has pages of the podcast's feed_page_size, each with links, ETag and both encodings", async (t) => {
  const show = await podcast("Long running"), at = (page: number) => `?page=${page}`;
  await makeEpisodes(sql, show.id, 120);
  const { error } = await owner.client.from("podcasts").update({ feed_page_size: 50 }).eq("id", show.id);
  assert.equal(error, null);
  await rendered(show);
  await waitFor("the feed has pages", async () => (await get(show, {}, "GET", at(3))).status === 200);
  const pages = await Promise.all([1, 2, 3].map((page) => get(show, {}, "GET", at(page))));
  const feedUrl = new URL(stackInfo.functionsUrl + path(show)).href;

  await t.step("a page names its URL and those of the other pages", () => {
    assert.deepEqual(pages.map((page) => titles(page).length), [50, 50, 20]);
    const linked = pages.map(({ text }) =>
      Object.fromEntries(
        childrenNamed(parseXml(text).children[0], "atom:link").map(({ attributes: { rel, href } }) => [
          rel,
          href.replace(feedUrl, ""),
        ]),
      )
    );
    assert.deepEqual(linked, [
      { self: "", first: "", next: at(2), last: at(3) },
      { self: at(2), first: "", previous: "", next: at(3), last: at(3) },
      { self: at(3), first: "", previous: at(2), last: at(3) },
    ]);
  });

  await t.step("a page's Link header names its URL", () => {
    assert.deepEqual(
      pages.map(({ headers }) => headers.get("link")),
      ["", at(2), at(3)].map((query) => `<${feedUrl}${query}>; rel="self"`),
    );
  });

  await t.step("page 1 is the feed's URL", async () => {
    const feed = await get(show);
    assert.equal(feed.text, pages[0].text);
    assert.deepEqual(validators(feed), validators(pages[0]));
  });

  await t.step("a page returns 304 by its own ETag only", async () => {
    const etags = pages.map(({ headers }) => headers.get("etag")!);
    assert.equal(new Set(etags).size, 3);
    for (const [n, etag] of etags.entries()) {
      const statuses = await Promise.all(
        [1, 2, 3].map(async (page) => (await get(show, { "if-none-match": etag }, "GET", at(page))).status),
      );
      assert.deepEqual(statuses, [200, 200, 200].with(n, 304));
    }
    const since = { "if-modified-since": pages[1].headers.get("last-modified")! };
    assert.equal((await get(show, since, "GET", at(2))).status, 304);
  });

  await t.step("a page is gzip for clients that accept it, and HEAD returns the headers of GET", async () => {
    for (const accepts of ["gzip", "identity"]) {
      const found = await raw("GET", show, accepts, at(2)), head = await raw("HEAD", show, accepts, at(2));
      assert.equal((accepts === "gzip" ? gunzipSync(found.body) : found.body).toString(), pages[1].text);
      assert.deepEqual([head.status, head.body.length], [200, 0]);
      assert.equal(head.headers.get("content-length"), String(found.body.length));
      assert.equal(head.headers.get("etag"), found.headers.get("etag"));
    }
  });

  await t.step("a page after the last is 404, and a malformed one 400", async () => {
    const beyond = await get(show, {}, "GET", at(4));
    assertError(beyond, 404);
    assert.deepEqual(beyond.body, {
      error: "The feed has no page 4",
      details: "Follow the links of its first page",
    });
    for (
      const query of ["?page=0", "?page=", "?page=-1", "?page=1.5", "?page=two", "?page=1000001", "?page=1&page=2"]
    ) {
      assertError(await get(show, {}, "GET", query), 400);
    }
    assert.equal((await get(show, {}, "GET", "?utm=other")).text, pages[0].text);
    assertError(await get({ id: "", slug: "unknown-slug" }, {}, "GET", at(2)), 404);
  });

  await t.step("an import of the feed reads all pages", async () => {
    const into = await podcast("Copied", newUserName("imports"));
    done(await start(into, feedUrl));
    assert.deepEqual((await importsOf(into)).map(({ total_items }) => total_items), [120]);
  });

  await t.step("a feed that fits on its first page has no other", async () => {
    await owner.client.from("podcasts").update({ feed_page_size: 200 }).eq("id", show.id);
    await rendered(show);
    const whole = await get(show);
    assert.equal(titles(whole).length, 120);
    assert.doesNotMatch(whole.text, /rel="(?:first|next|previous|last)"/);
    assertError(await get(show, {}, "GET", at(2)), 404);
  });
});

Deno.test("each page of a podcast that moves redirects with its document", async () => {
  const show = await podcast("Long moving");
  await makeEpisodes(sql, show.id, 60);
  await owner.client.from("podcasts").update({ feed_page_size: 50 }).eq("id", show.id);
  await rendered(show);
  const redirect_url = "https://new-home.example/feed";
  await callRpc(owner, "delete_podcast", { podcast_id: show.id, confirm_name: "Long moving", redirect_url });
  await rendered(show);
  for (const [query, count] of [["", 50], ["?page=2", 10]] as const) {
    const response = await fetchDocumented(stackInfo.functionsUrl + path(show) + query, { redirect: "manual" });
    assert.deepEqual([response.status, response.headers.get("location")], [301, redirect_url]);
    assert.equal(response.headers.get("link"), null);
    const [channel] = parseXml(await response.text()).children;
    assert.equal(childrenNamed(channel, "item").length, count);
    assert.equal(childrenNamed(channel, "itunes:new-feed-url")[0].text, redirect_url);
  }
});

const rfc850 = (imf: string) => {
  const [, day, month, year, time] = /(\d\d) (\w{3}) \d\d(\d\d) (\S+)/.exec(imf)!;
  const weekday = new Date(imf).toLocaleDateString("en", { weekday: "long", timeZone: "UTC" });
  return `${weekday}, ${day}-${month}-${year} ${time} GMT`;
};
const asctime = (imf: string) =>
  imf.replace(
    /^(\w{3}), (\d\d) (\w{3}) (\d{4}) (\S+) GMT$/,
    (_, weekday, day, month, year, time) => `${weekday} ${month} ${day.replace(/^0/, " ")} ${time} ${year}`,
  );

const raw = (method: string, show: Podcast, accepts: string, query = "") =>
  sendRaw(method, path(show) + query, { "accept-encoding": accepts });
