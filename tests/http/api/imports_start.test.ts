// POST /api/imports/podcast: a feed becomes an import that can be looked at, and GET shows it.
import assert from "node:assert/strict";
import { assertError, assertKeys, person, podcast, sendRequest } from "../harness.ts";
import { assertAccessMatrix } from "../access_matrix.ts";
import { source } from "./artwork.ts";
import { newUserName } from "./images.ts";
import {
  BASE,
  done,
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
  ["retry-files"],
  [`items/${crypto.randomUUID()}/retry`],
  ["resume"],
];
for (const [path, json] of STEPS) {
  const stepping = () => Promise.resolve({ path: `${BASE}/${known}/${path}`, json });
  const route = path.replace(/items\/[^/]+/, "items/:itemId");
  assertAccessMatrix(`POST ${BASE}/:id/${route}`, stepping, { anon: 401, stranger: 403, member: 403 });
  Deno.test(`POST ${BASE}/:id/${route} returns 404 for an unknown id and 400 for a malformed one`, async () => {
    assertError(await post(crypto.randomUUID(), path, json), 404);
    assertError(await post("first", path, json), 400, { details: /^id: / });
  });
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
    "storage",
    "future_items",
    "refreshed_count",
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

Deno.test("POST podcast returns how the owner of a locked feed consents, by a code or by a token", async () => {
  const email = newAddress();
  for (
    const [channel, method, name, value] of [
      [locked(email), "email_code", "ownerEmail", /^o\*\*\*@f\*\*\*\.test$/],
      [locked("not an address") + ownerEmail(email), "email_code", "ownerEmail", /^o\*\*\*@f\*\*\*\.test$/],
      [locked(), "feed_recheck", "verificationToken", /^castbase-verify-[0-9a-f-]{36}$/],
    ] as const
  ) {
    const { id, data: { importId: _, [name]: shown, ...rest } } = await started(feed(episodes(2), channel));
    assert.deepEqual(rest, { status: "verification_required", method, totalItems: 2 });
    assert.match(shown, value);
    const { text, body: { data } } = await get(id);
    const { status, is_locked_source, verification_method, locked_owner_email, verification_token } = data;
    assert.deepEqual([status, is_locked_source, verification_method], ["verification_required", true, method]);
    assert.equal(locked_owner_email ?? verification_token, shown);
    assert.ok(!text.includes(email));
  }
});

Deno.test("POST podcast fetches no feed for an unknown podcast and while an import is in flight", async () => {
  const { show, id } = await started(feed(episodes(2)));
  await using from = await serving(feed(episodes(2)));
  assertError(await start({ id: crypto.randomUUID(), slug: "" }, from.url), 404);
  assertError(await start(show, from.url), 409, { importId: id, code: "IMPORT_IN_FLIGHT" });
  assert.deepEqual(from.source.requests, []);
});

Deno.test("GET import returns 404 for an unknown id and 400 for a malformed one", async () => {
  assertError(await get(crypto.randomUUID()), 404);
  assertError(await get("first"), 400, { details: /^id: / });
});
