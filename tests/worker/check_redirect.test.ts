// The worker's job that checks where redirects lead: every shape of an answer, and which of them it tries again.
import assert from "node:assert/strict";
import { Buffer } from "node:buffer";
import { gzipSync } from "node:zlib";
import { timeBudget } from "../../functions/worker/run_limits.ts";
import { createFeedDatabase, makeEpisodes, makePodcast } from "../feed_writer/feed_database.ts";
import { type Behavior, startSource } from "./source.ts";

const EPISODES = 3, OTHER_GUID = "917393e3-1b1e-5cef-ace4-edaa54e1f810";

const item = (guid: string) =>
  `<item><guid>${guid}</guid><title>T</title><enclosure url="https://m.example/${guid}.mp3"/></item>`;

function rss(guids: string[], channel = "", encoding = "UTF-8"): string {
  const ns = 'xmlns:podcast="https://podcastindex.org/namespace/1.0" xmlns:atom="http://www.w3.org/2005/Atom"';
  return `<?xml version="1.0" encoding="${encoding}"?><rss version="2.0" ${ns}><channel><title>Café</title>${channel}${
    guids.map(item).join("")
  }</channel></rss>`;
}
const atom = (guids: string[]) =>
  `<feed xmlns="http://www.w3.org/2005/Atom"><title>T</title>${
    guids.map((guid) =>
      `<entry><id>${guid}</id><title>T</title><link rel="enclosure" href="https://m.example/${guid}.mp3"/></entry>`
    ).join("")
  }</feed>`;
const podcastGuid = (guid: string) => `<podcast:guid>${guid}</podcast:guid>`;
const xml = (text: string | Uint8Array, headers: Record<string, string> = {}): Behavior => ({
  body: Buffer.from(text as string),
  headers: { "content-type": "application/rss+xml", ...headers },
});

/** What each address responds, by the GUID of our podcast, and what the check finds: code, is_same_podcast, matching. */
type Found = [code: string | null, isSame: boolean | null, matching: number | null];
const ALL = ["guid-0", "guid-1", "guid-2"];
const GZIP = { "content-encoding": "gzip" };
/** Longer than what a check reads. */
const LONG_ELEMENT = `<x>${"x".repeat(21_000_000)}</x>`;
const longRss = (guid: string) =>
  rss(["guid-0"], podcastGuid(guid)).replace("</channel>", `${LONG_ELEMENT}${item("guid-1")}</channel>`);
/** One of many pages. A check reads ten: one with an episode of ours, and not the next one with another. */
const pageOf = (n: number, url: string) =>
  xml(rss([n >= 10 ? `guid-${n - 10}` : `new-${n}`], `<atom:link rel="next" href="${url}page-${n + 1}"/>`));
const SHAPES: Record<string, { behave: (guid: string, url: string) => Behavior; found: Found }> = {
  "same": { behave: (guid) => xml(rss(ALL, podcastGuid(guid))), found: [null, true, 3] },
  "same-in-upper-case": { behave: (guid) => xml(rss(ALL, podcastGuid(guid.toUpperCase()))), found: [null, true, 3] },
  "same-but-empty-of-ours": { behave: (guid) => xml(rss(["new"], podcastGuid(guid))), found: [null, true, 0] },
  "without-guid": { behave: () => xml(rss(["guid-2", "new", "guid-2"])), found: [null, null, 1] },
  "other-guid": { behave: () => xml(rss(ALL, podcastGuid(OTHER_GUID))), found: [null, false, 3] },
  "other-podcast": { behave: () => xml(rss(["a", "b"], podcastGuid(OTHER_GUID))), found: ["OTHER_PODCAST", false, 0] },
  "unknown-podcast": { behave: () => xml(rss(["a"])), found: ["OTHER_PODCAST", null, 0] },
  "latin-1": {
    behave: (guid) => xml(Buffer.from(rss(ALL, podcastGuid(guid), "ISO-8859-1"), "latin1")),
    found: [null, true, 3],
  },
  "utf-16": {
    behave: (guid) => xml(Buffer.from(`\ufeff${rss(ALL, podcastGuid(guid), "UTF-16")}`, "utf16le")),
    found: [null, true, 3],
  },
  "gzip": {
    behave: (guid) => xml(gzipSync(rss(ALL, podcastGuid(guid))), GZIP),
    found: [null, true, 3],
  },
  "atom": { behave: () => xml(atom(ALL), { "content-type": "application/atom+xml" }), found: [null, null, 3] },
  "pages": {
    behave: (_, url) => xml(rss(["guid-0"], `<atom:link rel="next" href="${url}second"/>`)),
    found: [null, null, 2],
  },
  "second": { behave: () => xml(rss(["guid-0", "guid-1"])), found: [null, null, 2] },
  "moved": { behave: () => ({ status: 301, headers: { location: "/moved-again" } }), found: [null, true, 3] },
  "moved-again": { behave: () => ({ status: 302, headers: { location: "/same" } }), found: [null, true, 3] },
  "circle": {
    behave: () => ({ status: 301, headers: { location: "/circle" } }),
    found: ["TOO_MANY_REDIRECTS", null, null],
  },
  "page": {
    behave: () => xml("<!doctype html><html><body>Hello</body></html>", { "content-type": "text/html" }),
    found: ["NOT_XML", null, null],
  },
  "text": { behave: () => xml("Hello", { "content-type": "text/plain" }), found: ["NOT_XML", null, null] },
  "sitemap": {
    behave: () => xml('<urlset xmlns="http://www.sitemaps.org/schemas/sitemap/0.9"><url/></urlset>'),
    found: ["NOT_RSS", null, null],
  },
  "empty": { behave: () => xml(rss([])), found: ["EMPTY_FEED", null, null] },
  "many-items": {
    behave: (guid) => xml(rss([...ALL, ...Array.from({ length: 25_001 }, (_, n) => String(n))], podcastGuid(guid))),
    found: [null, true, 3],
  },
  "many-bytes": { behave: (guid) => xml(longRss(guid)), found: [null, true, 1] },
  "many-bytes-compressed": { behave: (guid) => xml(gzipSync(longRss(guid)), GZIP), found: [null, true, 1] },
  "only-bytes": { behave: () => xml(rss([], LONG_ELEMENT)), found: ["TOO_LARGE", null, null] },
  "many-pages": { behave: (_, url) => pageOf(1, url), found: [null, null, 1] },
  "missing": { behave: () => ({ status: 404 }), found: ["HTTP_ERROR", null, null] },
  "gone": { behave: () => ({ status: 410 }), found: ["HTTP_ERROR", null, null] },
};

Deno.test({
  name: "the worker checks where redirects lead",
  sanitizeOps: false,
  sanitizeResources: false,
}, async (t) => {
  await using database = await createFeedDatabase();
  const { sql } = database;
  const podcasts: Record<string, { id: string; guid: string }> = {};
  await using source = startSource(({ path, before }) => {
    const name = path.slice(1);
    if (name in SHAPES) return SHAPES[name].behave(podcasts.same.guid, source.url);
    if (name.startsWith("page-")) return pageOf(Number(name.slice(5)), source.url);
    if (name === "recovers") return before ? xml(rss(ALL)) : { status: 503 };
    return { status: name === "forbidden" ? 403 : 503 };
  });
  await sql`select private.set_setting('fetch_allowed_hosts', ${source.host})`;
  const { checkRedirectJob } = await import("../../functions/worker/jobs/check_redirect.ts");
  const { drain } = await import("../../functions/worker/loop.ts");
  const redirectTo = async (name: string) => {
    const id = await makePodcast(sql);
    await makeEpisodes(sql, id, EPISODES);
    const [{ guid }] = await sql`select podcast_guid as guid from public.podcasts where id = ${id}`;
    podcasts[name] = { id, guid };
    await sql`update public.podcasts set feed_redirect_url = ${`${source.url}${name}`} where id = ${id}`;
  };
  const run = async () => {
    await sql`update pgmq.q_redirect_checks set vt = clock_timestamp()`; // each retry now
    await drain(checkRedirectJob as Parameters<typeof drain>[0], timeBudget(60_000));
  };
  const checkOf = async (name: string) => {
    const [row] = await sql`
      select checked_at is not null as is_checked, check_code, check_message, is_same_podcast, matching_episodes, episodes
      from private.feed_redirects where podcast_id = ${podcasts[name].id}`;
    return row;
  };
  const left = async () => (await sql`select from pgmq.q_redirect_checks`).length;

  await t.step("it finds feeds in every shape, and why others are none", async () => {
    // they compare with the GUID of one podcast
    await redirectTo("same");
    const { id, guid } = podcasts.same;
    for (const [name, { found }] of Object.entries(SHAPES)) {
      await sql`update public.podcasts set feed_redirect_url = ${`${source.url}${name}`} where id = ${id}`;
      podcasts[name] = { id, guid };
      await run();
      const { is_checked, check_code, is_same_podcast, matching_episodes, episodes } = await checkOf(name);
      assert.deepEqual([name, check_code, is_same_podcast, matching_episodes], [name, ...found]);
      assert.deepEqual([is_checked, episodes], [true, EPISODES], name);
    }
    assert.equal(await left(), 0);
  });

  await t.step("it tries a server that fails for a while again, and stores nothing before", async () => {
    for (const name of ["recovers", "down", "forbidden"]) await redirectTo(name);
    await run();
    for (const name of ["recovers", "down", "forbidden"]) assert.equal((await checkOf(name)).is_checked, false, name);
    await run();
    assert.deepEqual([(await checkOf("recovers")).check_code, (await checkOf("forbidden")).check_message], [
      null,
      "The server responded with status 403",
    ]);
    for (const _attempt of [3, 4]) await run();
    assert.equal((await checkOf("down")).is_checked, false);
    await run();
    const { check_code, check_message } = await checkOf("down");
    assert.deepEqual([check_code, check_message], ["HTTP_ERROR", "The server responded with status 503"]);
    assert.equal(await left(), 0);
    assert.equal((await sql`select from pgmq.q_redirect_checks_dlq`).length, 0);
  });

  await t.step("it ends a reading that takes too long, and tries it no more", async () => {
    await redirectTo("same");
    const { id } = podcasts.same;
    const { checkRedirect } = await import("../../functions/imports/switch/redirect_check.ts");
    await checkRedirect(id, 1, 0);
    const { check_code, check_message } = await checkOf("same");
    assert.deepEqual([check_code, check_message], ["TOO_LARGE", "The feed is too long to be read within a minute"]);
    await run();
    assert.equal((await checkOf("same")).check_code, null);
  });

  await t.step("it drops what it finds at an address that was changed meanwhile", async () => {
    await redirectTo("same");
    const { id } = podcasts.same, url = `${source.url}same`;
    await run();
    await sql`update public.podcasts set feed_redirect_url = 'https://new.example/feed' where id = ${id}`;
    const [{ is_stored }] = await sql`
      select private.finish_redirect_check(${id}, ${url}, ${sql.json({ code: "NOT_XML", message: "x" })}) as is_stored`;
    assert.deepEqual([is_stored, (await checkOf("same")).is_checked], [false, false]);
    await sql`update public.podcasts set feed_redirect_url = null where id = ${id}`;
    await run();
    assert.equal(await left(), 0);
  });

  await t.step("it checks the redirect of a deleted podcast with what the podcast had", async () => {
    await redirectTo("same");
    await sql`delete from public.podcasts where id = ${podcasts.same.id}`;
    await sql`select private.enqueue('redirect_checks', ${sql.json({ podcast_id: podcasts.same.id })})`;
    await run();
    assert.deepEqual({ ...await checkOf("same") }, {
      is_checked: true,
      check_code: null,
      check_message: null,
      is_same_podcast: true,
      matching_episodes: EPISODES,
      episodes: EPISODES,
    });
  });
});
