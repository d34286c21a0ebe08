// Public reads while the database does not respond: copies for feeds, /v1 and pages, 503 for what has none. The test
// moves the clock of the functions in this process; another process has its own functions.
import assert from "node:assert/strict";
import { join } from "node:path";
import { gunzipSync } from "node:zlib";
import type postgres from "postgres";
import { startProcess } from "../../../local/functions/process.ts";
import { repository } from "../../../local/host/project.ts";
import { waitFor } from "../../wait_for.ts";
import { assertDocumented } from "../documented_responses.ts";
import { createFeedDatabase, makeEpisodes, makePodcast } from "../../feed_writer/feed_database.ts";
import { startProjectServer } from "../../project_cluster.ts";

const realNow = Date.now;
let ahead = 0;
Date.now = () => realNow() + ahead;
console.log = console.error = () => {}; // the request log of this process

interface Got {
  status: number;
  headers: Headers;
  bytes: Uint8Array;
  text: string;
}

const plain = { "accept-encoding": "identity" }, zipped = { "accept-encoding": "gzip" };
const feed = "/feeds/night-trains.xml", podcast = "/v1/podcasts/night-trains", episodes = `${podcast}/episodes`;
const other = "/v1/podcasts/day-trains", otherFeed = "/feeds/day-trains.xml", movedFeed = "/feeds/moved-trains.xml";
const pagedFeed = "/feeds/long-trains.xml";
const oembed = `/v1/oembed?url=${encodeURIComponent("https://api.example/functions/v1/public/listen/night-trains")}`;

const assertStale = ({ headers }: Got) => {
  assert.equal(headers.get("warning"), '110 - "Response is Stale"');
  assert.equal(headers.get("cache-control"), "private, no-store, no-transform");
  assert.match(headers.get("age")!, /^\d+$/);
};
const FRESH = "public, max-age=60, stale-if-error=600, no-transform";
const assertUnavailable = ({ status, headers, text }: Got) => {
  assert.equal(status, 503, text);
  assert.match(headers.get("retry-after")!, /^\d+$/);
  assert.deepEqual([headers.get("warning"), headers.get("age")], [null, null]);
};

/** Sends SIGSTOP to the server: it accepts connections but does not respond until it is resumed. */
async function freeze(postmaster: number, sql: postgres.Sql) {
  const others = await sql<{ pid: number }[]>`select pid from pg_stat_activity`;
  const all = [postmaster, ...others.map(({ pid }) => pid)];
  for (const pid of all) Deno.kill(pid, "SIGSTOP");
  return { resume: () => all.forEach((pid) => Deno.kill(pid, "SIGCONT")) };
}

// The driver's connections outlive a test
const sanitize = { sanitizeOps: false, sanitizeResources: false };

Deno.test("public reads are served while the database does not respond", sanitize, async (t) => {
  const server = await startProjectServer();
  await using scratch = await createFeedDatabase(undefined, {}, server);
  const { sql } = scratch;
  const id = await makePodcast(sql), otherId = await makePodcast(sql, { title: "Day Trains" });
  const movedId = await makePodcast(sql, { title: "Moved Trains" });
  const pagedId = await makePodcast(sql, { title: "Long Trains", feed_page_size: 50 });
  await makeEpisodes(sql, id, 2);
  await makeEpisodes(sql, otherId, 1);
  await makeEpisodes(sql, pagedId, 60);
  const { renderFeed } = await import("../../../functions/feed_writer/render_feed.ts");
  for (const each of [id, otherId, movedId, pagedId]) await renderFeed(each);

  const { default: functions } = await import("../../../functions/public/index.ts");
  const { default: api } = await import("../../../functions/api/index.ts");
  const of =
    (handler: { fetch(request: Request): Promise<Response> }, name: string) =>
    async (path: string, headers: Record<string, string> = plain, method = "GET"): Promise<Got> => {
      const response = await handler.fetch(new Request(`http://b/${name}${path}`, { method, headers }));
      const bytes = new Uint8Array(await response.arrayBuffer()), text = new TextDecoder().decode(bytes);
      assertDocumented({ method, path: `/${name}${path}`, response, text });
      return { status: response.status, headers: response.headers, bytes, text };
    };
  const b = of(functions, "public"), bApi = of(api, "api");
  const warm = async () => {
    for (const path of [feed, podcast, episodes]) {
      await waitFor(`${path} is read`, async () => (await b(path)).headers.get("cache-control") === FRESH);
    }
  };
  const [{ id: episodeId }] = await sql`select id from public.episodes where podcast_id = ${id} and slug = 'paris-0'`;
  await sql`insert into public.episode_chapters (episode_id, start_seconds, title) values (${episodeId}, 0, 'Departure')`;
  const pages = ["/listen/night-trains", "/listen/night-trains/paris-0", `/ep/${episodeId}`, "/latest/night-trains"];
  const unknown = (count: number, prefix = "nope") =>
    Promise.all(Array.from({ length: count }, (_, n) => b(`/v1/podcasts/${prefix}-${n}`)));

  await warm();
  const before = await b(feed), beforeV1 = await b(episodes), guestPage = await b("/guest");
  const [etag, etagV1] = [before, beforeV1].map(({ headers }) => headers.get("etag")!);

  await t.step("a frozen database: public reads return copies with the headers of a copy", async () => {
    const secondPage = await b(`${pagedFeed}?page=2`);
    assert.equal(secondPage.status, 200, secondPage.text);
    const beforePages = await Promise.all(pages.map((path) => b(path)));
    assert.match(beforePages[1].text, /Departure/);
    const beforeOembed = await b(`${oembed}&format=xml`);
    assert.equal(beforeOembed.status, 200, beforeOembed.text);
    const frozen = await freeze(server.pid, sql);
    try {
      const [whole, packed, head, same, same304, v1, v1304, one, second, embed, ...none] = await Promise.all([
        b(feed),
        b(feed, zipped),
        b(feed, plain, "HEAD"),
        b(feed, { ...plain, "if-none-match": '"another"' }),
        b(feed, { ...plain, "if-none-match": etag }),
        b(`${episodes}?utm=unknown-parameter`),
        b(episodes, { ...plain, "if-none-match": etagV1 }),
        b(podcast),
        b(`${pagedFeed}?page=2`),
        b(`${oembed}&format=xml`),
        b(pagedFeed), // only its second page was read
        b("/feeds/nope.xml"),
        b(`${episodes}?limit=1`), // was never read
        b("/listen/night-trains/paris-1"),
        b("/latest/moved-trains"),
        ...await unknown(30),
      ]);
      for (const response of [whole, packed, head, same, v1, one, second, embed]) {
        assert.equal(response.status, 200, response.text);
      }
      for (const response of [whole, packed, head, same, same304, v1, v1304, one, second, embed]) assertStale(response);
      assert.deepEqual([same304, v1304].map(({ status, text }) => [status, text]), [[304, ""], [304, ""]]);
      assert.deepEqual([same304, v1304].map(({ headers }) => headers.get("etag")), [etag, etagV1]);
      assert.equal(whole.text, before.text);
      assert.equal(second.text, secondPage.text);
      assert.equal(gunzipSync(packed.bytes).toString(), before.text);
      assert.equal(v1.text, beforeV1.text);
      assert.equal(embed.text, beforeOembed.text);
      assert.equal(head.headers.get("content-length"), String(before.bytes.length));
      for (const response of none) assertUnavailable(response);
      const [guest, ...rest] = await Promise.all(["/guest", ...pages].map((path) => b(path)));
      assert.equal(guest.text, guestPage.text);
      for (const [n, page] of rest.entries()) {
        assert.deepEqual([page.status, page.text], [200, beforePages[n].text]);
        assertStale(page);
        const known = { ...plain, "if-none-match": beforePages[n].headers.get("etag")! };
        assert.deepEqual((await b(pages[n], known)).status, 304, pages[n]);
      }
      for (let n = 0; n < 50; n++) { // would take minutes if each waited
        assertStale(await b(podcast));
        assertUnavailable(await b(`${episodes}?limit=1`));
      }
    } finally {
      frozen.resume();
    }
  });

  await t.step("a resumed database: public reads return fresh responses and all connections are free", async () => {
    await warm();
    await waitFor("30 reads are answered", async () => (await unknown(30)).every(({ status }) => status === 404));
    const { headers } = await b(feed);
    assert.deepEqual([headers.get("warning"), headers.get("age")], [null, null]);
  });

  await t.step("a slow database: public reads return copies, and the server ends the statements", async () => {
    const busy = () =>
      sql`select from pg_stat_activity where application_name = 'functions' and state = 'active'`.then((rows) =>
        rows.length
      );
    await sql.begin(async (sql) => {
      await sql`lock table public.podcasts in access exclusive mode`;
      const page = "/listen/other-trains", browser = { ...plain, accept: "text/html" };
      const [stale, stalePage, inBrowser, ...none] = await Promise.all(
        [b(episodes), b(pages[0]), b(page, browser), b(page), unknown(15)],
      ).then((all) => all.flat());
      [stale, stalePage].forEach(assertStale);
      [inBrowser, ...none].forEach(assertUnavailable);
      assert.match(inBrowser.text, /<h1>Back in a moment<[^]*<a class="button primary" href="">/);
      await waitFor("the statements have ended", async () => await busy() === 0);
    });
    await warm();
  });

  await t.step(
    "a transcript that alone cannot be looked up: its episode's page is sent as a copy, with a link",
    async () => {
      const path = pages[1], page = await b(path);
      await sql`
      insert into public.episode_transcripts (episode_id, type, url, bytes) values (${episodeId}, 'text/vtt',
        ${`https://api.example/storage/v1/object/public/media/podcasts/${id}/e/${episodeId}/transcripts/a.vtt`}, 9)`;
      const linked = await b(path); // its file cannot be read either
      assert.match(linked.text, /transcripts\/a\.vtt/);
      assert.notEqual(linked.text, page.text);
      await sql.unsafe(`
      create or replace function private.get_public_transcript(id uuid)
      returns table (path text, type text, url text, podcast_slug text) language sql stable
      as $$ select null, null, null, null from pg_sleep(60) $$`);
      const stale = await b(path);
      assert.deepEqual([stale.status, stale.text], [200, linked.text]);
      assertStale(stale);
    },
  );

  await t.step("301, 404 and 410 evict copies, and Age counts from the last confirmation", async () => {
    for (const path of [other, otherFeed, movedFeed]) assert.equal((await b(path)).status, 200);
    await sql`delete from public.podcasts where id = ${otherId}`;
    await sql`
      update public.podcasts set status = 'pending_deletion', deletion_requested_at = now(),
        deletion_scheduled_at = now() + interval '1 day', deletion_redirect_url = 'https://new-home.example/feed'
      where id = ${movedId}`;
    const statuses = await Promise.all([other, otherFeed, movedFeed].map(async (path) => (await b(path)).status));
    assert.deepEqual(statuses, [404, 410, 301]);
    ahead += 9 * 60_000;
    await warm(); // the feed by its state alone
    assert.equal((await b(feed, { ...plain, "if-none-match": etag })).status, 304);
  });

  await t.step("an episode unpublished in one process is served by another for at most ten minutes", async () => {
    const a = startProcess(
      [{ name: "public", entrypoint: join(repository, "functions/public/index.ts") }],
      scratch.env,
    );
    const port = await a.port;
    const fetchFromA = async (path: string) => await (await fetch(`http://127.0.0.1:${port}/public${path}`)).text();
    try {
      const shown = [feed, episodes, pages[0]];
      for (const path of shown) assert.match(await fetchFromA(path), /Paris 0/);
      await sql`update public.episodes set status = 'draft' where podcast_id = ${id} and slug = 'paris-0'`;
      await renderFeed(id);
      for (const path of shown) assert.doesNotMatch(await fetchFromA(path), /Paris 0/);
      Deno.kill(server.pid, "SIGQUIT");
      await waitFor("the database is unreachable", async () => (await b(other)).status === 503);

      for (const path of [other, otherFeed, movedFeed]) assertUnavailable(await b(path));
      assertUnavailable(await bApi("/health/ready"));
      for (const path of shown) {
        const response = await b(path);
        assert.match(response.text, /Paris 0/);
        assertStale(response);
        const fromA = await fetch(`http://127.0.0.1:${port}/public${path}`);
        assert.equal(fromA.headers.get("warning"), '110 - "Response is Stale"');
        assert.doesNotMatch(await fromA.text(), /Paris 0/);
      }
      ahead += 9 * 60_000;
      const late = await b(feed);
      assertStale(late);
      assert.ok(Number(late.headers.get("age")) >= 540, late.headers.get("age")!);
      ahead += 60_000;
      for (const path of [feed, podcast, episodes, ...pages]) assertUnavailable(await b(path));
      ahead -= 60 * 60_000; // no copy is served after the clock was set back
      for (const path of [feed, podcast, episodes]) assertUnavailable(await b(path));
    } finally {
      await a.stop();
    }
  });
});
