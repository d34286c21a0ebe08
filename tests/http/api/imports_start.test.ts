// POST /api/imports/podcast: a feed becomes an import that can be looked at, and GET shows it.
import assert from "node:assert/strict";
import { assertError, assertKeys, callRpc, person, podcast, scheduleDeletion, sendRequest, sql } from "../harness.ts";
import { assertAccessMatrix } from "../access_matrix.ts";
import { source } from "./artwork.ts";
import { newUserName } from "./images.ts";
import {
  BASE,
  done,
  emailedCode,
  episodes,
  feed,
  get,
  importsOf,
  locked,
  newAddress,
  ownerEmail,
  post,
  served,
  serving,
  standing,
  start,
  started,
} from "./imports.ts";

const TIME = /^\d{4}-\d\d-\d\dT\d\d:\d\d:\d\d\.\d{3}Z$/;
const show = await podcast("Catalog", newUserName("catalog"));
const closed = { podcast_id: show.id, feed_url: "https://does-not-exist.invalid/" };
const { id: known } = await started(feed(episodes(2)));

const starting = () => Promise.resolve({ path: `${BASE}/podcast`, json: closed });
assertAccessMatrix(`POST ${BASE}/podcast`, starting, { anon: 401, stranger: 403, member: 403 });
const STEPS: [path: string, json?: unknown][] = [
  ["verify-ownership", { code: "000000" }],
  ["recheck-feed"],
  ["resend-code"],
  ["confirm", { applyDetectedEpisodeNumbers: false, limit: null }],
  ["cancel"],
  ["retry-failed"],
  [`items/${crypto.randomUUID()}/retry`],
  ["resume"],
];
for (const [path, json] of STEPS) {
  const stepping = () => Promise.resolve({ path: `${BASE}/${known}/${path}`, json });
  const route = path.replace(/items\/[^/]+/, "items/:itemId");
  assertAccessMatrix(`POST ${BASE}/:id/${route}`, stepping, { anon: 401, stranger: 403, member: 403 });
}
assertAccessMatrix(`GET ${BASE}/:id`, () => Promise.resolve({ path: `${BASE}/${known}` }), {
  anon: 401,
  stranger: 403,
  member: 403,
});

Deno.test("POST podcast returns the preview of an unlocked feed with the detected numbers", async () => {
  for (const as of ["admin", "owner"] as const) {
    await using from = await serving(feed(episodes(5)));
    const show = await podcast("Unlocked");
    const data = done(await start(show, from.url, as));
    assertKeys(data, "importId", "status", "totalItems", "detection");
    assert.deepEqual([data.status, data.totalItems], ["preview", 5]);
    assertKeys(data.detection, "pattern", "confidence", "numbers", "conflicts");
    assert.deepEqual(data.detection.numbers, Object.fromEntries([1, 2, 3, 4, 5].map((n) => [`episode-${n}`, n])));
    assert.equal(data.detection.pattern, "Episode {n}");
    assert.ok(data.detection.confidence > 0.5 && data.detection.confidence <= 1);
    assert.equal(from.source.requests.length, 1, "the feed is fetched once");
    assert.match(from.source.requests[0], /^GET \/feed\.xml\?show=1 HTTP\/1\.1\r\n/);
  }
});

Deno.test("GET import returns the feed, the counters and every item", async () => {
  const items = episodes(3);
  items[1].more =
    '<itunes:season>2</itunes:season><itunes:episode>7</itunes:episode><podcast:chapters url="https://a.example/2.json"/>' +
    "<itunes:episodeType>full</itunes:episodeType><itunes:duration>61</itunes:duration>";
  const { id, show, url } = await started(feed(items, "<language>de</language>"));
  const { items: its, ...parent } = done(await get(id));
  assertKeys(
    parent,
    "id",
    "podcast_id",
    "created_by",
    "status",
    "feed_url",
    "is_locked_source",
    "verification_method",
    "verification_token",
    "locked_owner_email",
    "started_at",
    "finished_at",
    "total_items",
    "completed_count",
    "failed_count",
    "skipped_count",
    "is_hosting_migration",
    "detection",
    "feed_podcast_guid",
    "staged_at",
    "channel_explicit",
    "warnings",
    "apply_detected_episode_numbers",
    "channel",
    "error_message",
    "error_code",
    "created_at",
    "updated_at",
  );
  assert.deepEqual(
    [parent.id, parent.podcast_id, parent.created_by, parent.status, parent.feed_url],
    [id, show.id, (await person("admin")).id, "preview", url],
  );
  assert.deepEqual(
    [parent.is_locked_source, parent.verification_method, parent.started_at, parent.finished_at, parent.total_items],
    [false, null, null, null, 3],
  );
  assert.deepEqual([parent.completed_count, parent.failed_count, parent.skipped_count], [0, 0, 0]);
  for (const time of [parent.created_at, parent.updated_at]) assert.match(time, TIME);
  assert.equal(its.length, 3);
  assert.deepEqual(its.map(({ guid }: { guid: string }) => guid), ["episode-3", "episode-2", "episode-1"]);
  const [, item] = its;
  assert.deepEqual(
    [item.import_id, item.position, item.status, item.title, item.published_at, item.episode_id, item.error_message],
    [id, 1, "pending", "Episode 2: On the line", "2020-01-03T00:00:00.000Z", null, null],
  );
  const { parsed_payload: payload } = item;
  assert.deepEqual(payload, {
    episodeNumber: 7,
    seasonNumber: 2,
    episodeType: "full",
    durationSeconds: 61,
    enclosure: { url: "https://media.invalid/a.mp3", length: 1000, type: "audio/mpeg" },
  }, "what a list shows, for 20,000 of them have to fit into one answer");
  assert.equal(its[0].parsed_payload.episodeNumber ?? null, null, "a number of the title is only proposed");
});

Deno.test("the preview dates an undated episode between its neighbors and adds a warning", async () => {
  const text = feed(episodes(3)).replace(/<pubDate>Fri, 03 Jan 2020[^<]*<\/pubDate>/, "");
  const { id } = await started(text);
  const { items: its, warnings, status } = done(await get(id));
  assert.equal(status, "preview");
  assert.deepEqual(its.map((item: { published_at: string }) => item.published_at.slice(0, 10)), [
    "2020-01-04",
    "2020-01-03",
    "2020-01-02",
  ]);
  const estimated = (list: { code: string }[]) => list.filter(({ code }) => code === "DATE_ESTIMATED").length;
  assert.deepEqual(its.map((item: { warnings: { code: string }[] }) => estimated(item.warnings)), [0, 1, 0]);
  assert.equal(warnings.find(({ code }: { code: string }) => code === "DATE_ESTIMATED")?.count, 1);
});

Deno.test("a duplicate GUID becomes one item, the newest, with a warning", async () => {
  const [third, second, first] = episodes(3);
  const again = { ...first, title: "Episode 1: Once more", day: 30 };
  const { id, data } = await started(feed([third, second, first, again]));
  assert.equal(data.totalItems, 3);
  const { items, warnings } = done(await get(id));
  assert.equal(items.find(({ guid }: { guid: string }) => guid === first.guid).title, again.title);
  const warning = warnings.find(({ code }: { code: string }) => code === "GUID_DUPLICATE");
  assert.equal(warning.count, 1);
  assert.match(warning.message, /newest/);
});

Deno.test("the newest episode of a GUID wins across batches", async () => {
  const many = episodes(450), again = { ...many[449], title: "Episode 1, remastered", day: 900 };
  const { id, data } = await started(feed([...many, again]));
  assert.equal(data.totalItems, 450);
  const { items } = done(await get(id));
  assert.equal(items.length, 450);
  assert.equal(items.find(({ guid }: { guid: string }) => guid === "episode-1").title, again.title);
});

Deno.test("episodes whose GUID the podcast has are skipped as duplicates", async () => {
  const show = await podcast("Has one", newUserName("has-one"));
  const { id: mine } = await callRpc<{ id: string }>(await person("admin"), "create_episode", {
    podcast_id: show.id,
    title: "Here already",
  });
  const [{ guid }] = await sql`select guid from public.episodes where id = ${mine}`;
  const items = episodes(3);
  items[2].guid = guid;
  const { id } = await started(feed(items), show);
  assert.deepEqual(await standing(id), { pending: 2, skipped_duplicate: 1 });
  assert.equal(done(await get(id)).skipped_count, 1);
});

Deno.test("POST podcast reads all pages of a paginated feed", async () => {
  const all = episodes(6);
  const page = (n: number) =>
    feed(all.slice(2 * n, 2 * n + 2), n < 2 ? `<atom:link rel="next" href="/${n + 1}"/>` : "");
  await using from = await source(({ request, send }) => send(served(page(Number(request.match(/^GET \/(\d*)/)![1])))));
  const data = done(await start(await podcast("Paged", newUserName("paged")), from.url));
  assert.equal(data.totalItems, 6);
  assert.deepEqual(Object.keys(data.detection.numbers).length, 6, "the numbers are those of all pages");
  assert.equal(from.requests.length, 3);
});

Deno.test("a locked feed with an owner email requires the emailed code and shows the masked address", async () => {
  const email = newAddress();
  for (const channel of [locked(email), locked("not an address") + ownerEmail(email), locked() + ownerEmail(email)]) {
    const { id, data } = await started(feed(episodes(2), channel));
    assertKeys(data, "importId", "status", "method", "totalItems", "ownerEmail");
    const { ownerEmail: masked, importId: _, ...rest } = data;
    assert.deepEqual(rest, { status: "verification_required", method: "email_code", totalItems: 2 });
    assert.equal(masked, "o***@f***.test");
    const shown = await get(id);
    const { status, is_locked_source, verification_method, locked_owner_email } = done(shown);
    assert.deepEqual(
      [status, is_locked_source, verification_method, locked_owner_email],
      ["verification_required", true, "email_code", masked],
    );
    assert.ok(!shown.text.includes(email));
  }
  assert.match(await emailedCode(email), /^\d{6}$/);
});

Deno.test("a locked feed without a deliverable owner email gets a verification token", async () => {
  for (const channel of [locked(), locked("nobody"), locked("") + ownerEmail("none")]) {
    const { id, data } = await started(feed(episodes(2), channel));
    assertKeys(data, "importId", "status", "method", "totalItems", "verificationToken");
    assert.deepEqual([data.status, data.method, data.totalItems], ["verification_required", "feed_recheck", 2]);
    assert.match(data.verificationToken, /^castbase-verify-[0-9a-f]{8}(-[0-9a-f]{4}){3}-[0-9a-f]{12}$/);
    assert.equal(done(await get(id)).verification_token, data.verificationToken);
  }
});

Deno.test("POST podcast returns 409 with importId until the import in flight has finished", async () => {
  const { show, id } = await started(feed(episodes(2)));
  assertError(await start(show, "https://feeds.example/"), 409, { importId: id, code: "IMPORT_IN_FLIGHT" });
  assert.equal((await importsOf(show)).length, 1);
  assert.equal(done(await post(id, "cancel")).status, "canceled");
  const { id: another } = await started(feed(episodes(1)), show);
  assert.notEqual(another, id);
});

Deno.test("one of two concurrent starts gets 409 with the importId of the other", async () => {
  await using from = await serving(feed(episodes(2)));
  const show = await podcast("Twice", newUserName("twice"));
  const responses = await Promise.all([start(show, from.url), start(show, from.url)]);
  const [won, lost] = responses.toSorted((a, b) => a.status - b.status);
  assertError(lost, 409, { importId: done(won).importId, code: "IMPORT_IN_FLIGHT" });
  assert.equal((await importsOf(show)).length, 1);
});

Deno.test("a hosting migration counts as an import in flight", async () => {
  const show = await podcast("Migrates", newUserName("migrates"));
  const [{ id }] = await sql`
    insert into public.podcast_imports (podcast_id, status, feed_url, staged_at, started_at, is_hosting_migration)
    values (${show.id}, 'running', 'https://old.example/feed.xml', now(), now(), true) returning id`;
  await using from = await serving(feed(episodes(2)));
  assertError(await start(show, from.url), 409, { importId: id, code: "IMPORT_IN_FLIGHT" });
  assert.deepEqual(from.source.requests, [], "and nothing is fetched");
});

Deno.test("POST podcast copies verify texts and the AI disclosure of the feed to the podcast", async () => {
  const { show } = await started(feed(
    episodes(1),
    "<itunes:applepodcastsverify>11111111-2222-3333-4444-555555555555</itunes:applepodcastsverify>" +
      '<podcast:txt purpose="ai-content">true</podcast:txt><podcast:txt purpose="verify">S6lpp-7ZCn8-dZfGc</podcast:txt>' +
      "<podcast:txt>plain</podcast:txt>",
  ));
  const [kept] = await sql`
    select apple_verify_token, ai_disclosure, verify_texts from public.podcasts where id = ${show.id}`;
  assert.equal(kept.apple_verify_token, "11111111-2222-3333-4444-555555555555");
  assert.match(String(kept.ai_disclosure), /true/);
  assert.match(JSON.stringify(kept.verify_texts), /S6lpp-7ZCn8-dZfGc.*plain/);
});

Deno.test("POST podcast returns 400 for a malformed body and creates nothing", async () => {
  const show = await podcast("Malformed", newUserName("malformed"));
  for (
    const changed of [
      { podcast_id: undefined },
      { podcast_id: "show" },
      { feed_url: undefined },
      { feed_url: null },
      { feed_url: 5 },
      { feed_url: ["https://a.example/"] },
    ]
  ) {
    const json = { podcast_id: show.id, feed_url: "https://a.example/feed.xml", ...changed };
    assertError(await sendRequest({ method: "POST", path: `${BASE}/podcast`, as: "admin", json }), 400);
  }
  assertError(await sendRequest({ method: "POST", path: `${BASE}/podcast`, as: "admin", body: "{" }), 400);
  assert.deepEqual([...await importsOf(show)], []);
});

Deno.test("POST podcast rejects an unknown podcast and one pending deletion", async () => {
  await using from = await serving(feed(episodes(1)));
  assertError(await start({ id: crypto.randomUUID(), slug: "" }, from.url), 404);
  const show = await podcast("Going", newUserName("going"));
  await scheduleDeletion(show);
  assertError(await start(show, from.url), 409, { code: "PODCAST_PENDING_DELETION" });
  assert.deepEqual(from.source.requests, []);
});

Deno.test("every import route returns 404 for an unknown id and 400 for a malformed one", async () => {
  for (const [path, json] of STEPS) {
    assertError(await post(crypto.randomUUID(), path, json), 404);
    assertError(await post("first", path, json), 400, { details: /^id: / });
  }
  assertError(await get(crypto.randomUUID()), 404);
  assertError(await get("first"), 400, { details: /^id: / });
});
