// Moving a show: what fits, which episodes, refreshes of existing ones, and the switch of the old address.
import assert from "node:assert/strict";
import { assertError, assertKeys, person, type Podcast, podcast, sendRequest, sql, waitFor } from "../harness.ts";
import { assertAccessMatrix } from "../access_matrix.ts";
import { RefreshField } from "../../../types/imports.ts";
import { redirect, source } from "./artwork.ts";
import { newUserName } from "./images.ts";
import { type As, BASE, done, episodes, feed, get, locked, post, served, serving, start, started } from "./imports.ts";

const confirm = (id: string, json: object) => post(id, "confirm", json);
const read = (id: string, what: string, as: As = "admin") =>
  sendRequest({ method: "GET", path: `${BASE}/${id}/${what}`, as });

const ended = (id: string, status = "completed") =>
  waitFor(`the import is ${status}`, async () => {
    await sql`update pgmq.q_import_items set vt = clock_timestamp()
      where message ->> 'import_id' = ${id} and vt > clock_timestamp() and read_ct = 0`;
    return done(await get(id)).status === status;
  }, 60);

/** Episodes of the podcast with the GUIDs of `episodes(count)`, which an import finds. */
async function existing({ id }: Podcast, count: number) {
  await sql`
    insert into public.episodes (podcast_id, guid, title, description, published_at, first_published_at, status, origin,
      audio_url, audio_file_size_bytes, audio_content_type)
    select ${id}, 'episode-' || n, 'Old ' || n, 'Old', '2019-01-01Z', '2019-01-01Z', 'published', 'import',
      'https://media.example/a.mp3', 1, 'audio/mpeg'
    from generate_series(1, ${count}::int) n`;
}

/** A completed import of a feed at this address, with the podcast's episodes. */
async function imported(feedUrl: string, count: number) {
  const show = await podcast("Moved", newUserName("moved"));
  await existing(show, count);
  const { importId: id } = done(await start(show, feedUrl));
  assert.equal(done(await confirm(id, { limit: 0 })).status, "completed");
  const [{ url }] = await sql`select private.feed_url(slug) as url from public.podcasts where id = ${show.id}`;
  return { id, show, newFeedUrl: url as string };
}

/** Lets the next request check again. */
const expire = (id: string) =>
  sql`update private.import_switch_checks set requested_at = requested_at - interval '2 minutes' where import_id = ${id}`;

Deno.test("GET import says what the pending items need, what is free, and how many of the newest fit", async () => {
  const { id } = await started(feed(episodes(3)));
  const { storage } = done(await get(id));
  assertKeys(storage, "neededBytes", "freeBytes", "itemsWithoutLength", "newestThatFit");
  assert.deepEqual([storage.neededBytes, storage.itemsWithoutLength, storage.newestThatFit], [3000, 0, 3]);
  assert.ok(storage.freeBytes > 0);
});

Deno.test("POST confirm imports the selected items only, and rejects others", async () => {
  const { id } = await started(feed(episodes(4)));
  const ids = done(await get(id)).items.map((item: { id: string }) => item.id);
  const other = crypto.randomUUID();
  const rejected = await confirm(id, { itemIds: [ids[0], other] });
  assertError(rejected, 400, { code: "INVALID_SELECTION" });
  assert.match(rejected.text, new RegExp(other));
  assertError(await confirm(id, { itemIds: ["first"] }), 400);
  const chosen = done(await confirm(id, { itemIds: ids.slice(1, 3), limit: 1, fitsStorage: true }));
  assert.deepEqual(chosen, { status: "running", selectedCount: 1, heldCount: 3, refreshCount: 0 });
  const { items } = done(await get(id));
  assert.deepEqual(items.map((item: { status: string }) => item.status === "skipped_user_limit"), [
    true,
    false,
    true,
    true,
  ]);
  done(await post(id, "cancel"));
});

Deno.test("POST confirm accepts the ids of 25,000 items in one body", async () => {
  const { id } = await started(feed(episodes(1)));
  const [{ id: itemId }] = done(await get(id)).items;
  const json = { itemIds: Array<string>(25_000).fill(itemId), refreshFields: ["title"] };
  assert.equal(done(await confirm(id, json)).selectedCount, 1);
  done(await post(id, "cancel"));
  assertError(await confirm(id, { itemIds: Array<string>(25_001).fill(itemId) }), 400);
});

Deno.test("a confirmed refresh gives existing episodes the fields that GET refresh shows", async () => {
  const show = await podcast("Refreshed", newUserName("refreshed"));
  await existing(show, 3);
  const items = episodes(3);
  for (const item of items) item.more = "<description>New</description>";
  const { id } = await started(feed(items), show);
  const { body } = await read(id, "refresh?limit=2");
  assertKeys(body, "success", "data", "pagination");
  assertKeys(body.data, "importId", "status", "fields", "items");
  assert.deepEqual(body.data.fields, ["title", "description", "publishedAt"].map((field) => ({ field, count: 3 })));
  assert.equal(body.pagination.hasMore, true);
  const [first, second] = body.data.items;
  assertKeys(first, "itemId", "episodeId", "guid", "title", "changes");
  assert.deepEqual([first.title, first.changes.slice(0, 2)], ["Old 3", [
    { field: "title", from: "Old 3", to: "Episode 3: On the line" },
    { field: "description", from: "Old", to: "New" },
  ]]);
  const next = (await read(id, `refresh?limit=2&cursor=${body.pagination.nextCursor}`)).body;
  assert.deepEqual([next.data.items.length, next.data.fields, next.pagination.hasMore], [1, null, false]);

  assertError(await confirm(id, { refreshFields: ["audioUrl"] }), 400);
  assertError(await confirm(id, { refreshItemIds: [first.itemId] }), 400, { code: "INVALID_SELECTION" });
  const refreshItemIds = [first.itemId, second.itemId];
  const confirmed = done(await confirm(id, { refreshFields: ["title", "publishedAt"], refreshItemIds }));
  assert.deepEqual(confirmed, { status: "running", selectedCount: 0, heldCount: 0, refreshCount: 2 });
  await ended(id);
  assert.equal(done(await get(id)).refreshed_count, 2);
  const made = await sql`
    select title, description, published_at::date::text as date, audio_url from public.episodes
    where podcast_id = ${show.id} order by guid desc`;
  assert.deepEqual(made.map(({ title, date }) => [title, date]), [
    ["Episode 3: On the line", "2020-01-04"],
    ["Episode 2: On the line", "2020-01-03"],
    ["Old 1", "2019-01-01"],
  ]);
  assert.ok(made.every((one) => one.description === "Old" && one.audio_url === "https://media.example/a.mp3"));
});

Deno.test("GET refresh and POST confirm name the same fields as the database", async () => {
  const [{ fields }] = await sql`select private.refresh_fields() as fields`;
  assert.deepEqual(RefreshField.options, fields);
});

Deno.test("POST podcast warns of a feed that has moved, unless it names itself", async () => {
  const tag = (url: string) => `<itunes:new-feed-url>${url}</itunes:new-feed-url>`;
  const { id } = await started(feed(episodes(1), tag("https://new.example/feed")));
  const { warnings } = done(await get(id));
  assert.deepEqual(
    warnings.find(({ code }: { code: string }) => code === "FEED_HAS_MOVED").url,
    "https://new.example/feed",
  );

  await using from = await serving("");
  from.setText(feed(episodes(1), tag(from.url)));
  const own = done(await start(await podcast("Own", newUserName("own")), from.url)).importId;
  assert.deepEqual(done(await get(own)).warnings, []);
});

Deno.test("GET switch says what is missing at the old host, and keeps the result for a minute", async () => {
  await using from = await serving(feed(episodes(3), locked()));
  from.setText(feed(episodes(2)));
  const { id, newFeedUrl } = await imported(from.url, 2);
  from.setText(feed(episodes(3), locked()));
  const data = done(await read(id, "switch"));
  assertKeys(data, "importId", "isChecking", "checkedAt", "result");
  assert.equal(data.isChecking, false);
  const { steps, ...result } = data.result;
  assert.deepEqual(result, {
    oldFeedUrl: from.url,
    newFeedUrl,
    isSwitched: false,
    redirect: null,
    oldFeed: {
      newFeedUrl: null,
      isLocked: true,
      itemCount: 3,
      importedCount: 2,
      heldCount: 0,
      addedCount: 1,
      newestAdded: { title: "Episode 3: On the line", publishedAt: "2020-01-04T00:00:00.000Z" },
    },
    error: null,
  });
  assert.deepEqual(steps.map(({ code, isDone }: { code: string; isDone: boolean }) => [code, isDone]), [
    ["IMPORT_NEW_EPISODES", false],
    ["UNLOCK_FEED", false],
    ["REDIRECT_FEED", false],
    ["SET_NEW_FEED_URL", false],
    ["KEEP_REDIRECT", false],
  ]);
  assert.match(steps[0].text, /^Import the feed again: 1 episode is only at the old host\.$/);

  from.setText(feed(episodes(2), `<itunes:new-feed-url>${newFeedUrl}</itunes:new-feed-url>`));
  assert.deepEqual(done(await read(id, "switch")), data, "a second call within a minute");
  await expire(id);
  const later = done(await read(id, "switch")).result;
  assert.deepEqual(
    later.steps.filter(({ isDone }: { isDone: boolean }) => !isDone).map(({ code }: { code: string }) => code),
    [
      "REDIRECT_FEED",
      "KEEP_REDIRECT",
    ],
  );
});

Deno.test("GET switch follows the old address to the new feed, and accepts permanent redirects only", async () => {
  let statuses: Record<string, [number, string]> = {};
  await using from = await source(({ request, send }) => {
    const path = /^GET (\/\S*)/.exec(request)![1];
    const [status, location] = statuses[path] ?? [];
    return send(status ? redirect(location, status) : served(feed(episodes(1))));
  });
  const { id, newFeedUrl } = await imported(`${from.url}old.xml`, 1);
  const check = async () => {
    await expire(id);
    return done(await read(id, "switch")).result;
  };
  statuses = { "/old.xml": [301, "/b.xml"], "/b.xml": [308, newFeedUrl] };
  const moved = await check();
  assert.deepEqual([moved.isSwitched, moved.redirect.hops.length, moved.oldFeed], [true, 2, null]);
  statuses = { "/old.xml": [302, newFeedUrl] };
  const temporary = await check();
  assert.deepEqual([temporary.isSwitched, temporary.redirect.reachesNewFeed], [false, true]);
  assert.match(temporary.steps[0].text, /permanent \(301\): it is temporary \(302\)/);
  statuses = { "/old.xml": [301, "/elsewhere.xml"] };
  const elsewhere = await check();
  assert.deepEqual([elsewhere.isSwitched, elsewhere.redirect.reachesNewFeed], [false, false]);
  assert.match(elsewhere.steps.find(({ code }: { code: string }) => code === "REDIRECT_FEED").text, /elsewhere/);
  statuses = { "/old.xml": [301, "http://169.254.169.254/"] };
  assert.equal((await check()).error.code, "BLOCKED_URL");
  statuses = { "/old.xml": [301, "/old.xml"] };
  assert.equal((await check()).error.code, "TOO_MANY_REDIRECTS");
});

Deno.test("get_import_switch leaves the check to the worker", async () => {
  await using from = await serving(feed(episodes(1)));
  const { id } = await imported(from.url, 1);
  const { client } = await person("admin");
  const { data, error } = await client.rpc("get_import_switch", { import_id: id });
  assert.deepEqual([error, data], [null, { importId: id, isChecking: true, checkedAt: null, result: null }]);
  await waitFor("the worker checks", async () => {
    const [check] = await sql`select result from private.import_switch_checks where import_id = ${id}`;
    return Boolean(check?.result);
  }, 60);
});

const known = (await started(feed(episodes(1)))).id;
for (const what of ["refresh", "switch"]) {
  const request = () => Promise.resolve({ path: `${BASE}/${known}/${what}` });
  assertAccessMatrix(`GET ${BASE}/:id/${what}`, request, { anon: 401, stranger: 403, member: 403 });
}

Deno.test("GET switch returns 409 before the import has completed", async () => {
  assertError(await read(known, "switch"), 409, { code: "INVALID_IMPORT_STATE" });
  assertError(await read(crypto.randomUUID(), "switch"), 404);
  assertError(await read(crypto.randomUUID(), "refresh"), 404);
  assertError(await read(known, "refresh?limit=201"), 400);
});
