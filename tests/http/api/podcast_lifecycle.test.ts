// /api/podcast-lifecycle: the owner pauses and deletes podcasts, and changes their mind.
import assert from "node:assert/strict";
import { assertAccessMatrix } from "../access_matrix.ts";
import {
  assertError,
  assertKeys,
  callRpc,
  person,
  type Podcast,
  podcast,
  type RequestOptions,
  sendRequest,
  sql,
} from "../harness.ts";

const BASE = "/api/podcast-lifecycle";
const paying = await person("paying-owner");
await sql`update public.billing_accounts set plan_code = 'pro' where user_id = ${paying.id}`;

/** Calls a lifecycle route, as the owner with a paid plan. */
const post = ({ id }: { id: string }, action: string, json?: unknown, as: RequestOptions["as"] = paying) =>
  sendRequest({ method: "POST", path: `${BASE}/${id}/${action}`, as, json });
const put = ({ id }: { id: string }, json: unknown) =>
  sendRequest({ method: "PUT", path: `${BASE}/${id}/deletion-redirect`, as: paying, json });
const get = ({ id }: { id: string }, as: RequestOptions["as"] = paying) =>
  sendRequest({ method: "GET", path: `${BASE}/${id}`, as });
const unknown = { id: "aaaaaaaa-aaaa-4aaa-8aaa-aaaaaaaaaaaa" };

const TIME = /^\d{4}-\d\d-\d\dT\d\d:\d\d:\d\d\.\d{3}Z$/;
const DAY_MS = 86_400_000;
const RESOURCE = [
  "status",
  "hosting_type",
  "paused_at",
  "pause_expires_at",
  "last_pause_ended_at",
  "can_pause",
  "is_paid_plan",
  "next_pause_available_at",
  "deletion_requested_at",
  "deletion_redirect_url",
  "deletion_scheduled_at",
  "feed_redirect_url",
  "redirect_starts_at",
  "redirect_check",
];
const days = (from: string, to: string) => (Date.parse(to) - Date.parse(from)) / DAY_MS;

// Each request succeeds for the owner
const show = await podcast("Access");
const routes: Record<string, RequestOptions["json"]> = {
  "GET /:podcastId": undefined,
  "POST /:podcastId/pause": undefined,
  "POST /:podcastId/unpause": undefined,
  "POST /:podcastId/delete": { confirm_name: "Access" },
  "PUT /:podcastId/feed-redirect": { redirect_url: null },
  "PUT /:podcastId/deletion-redirect": { redirect_url: null },
  "POST /:podcastId/cancel-deletion": undefined,
};
for (const [route, json] of Object.entries(routes)) {
  const [method, path] = route.split(" ");
  const request = () => Promise.resolve({ path: BASE + path.replace(":podcastId", show.id), json });
  assertAccessMatrix(`${method} ${BASE}${path}`, request, { anon: 401, stranger: 403, member: 403, admin: 403 });

  Deno.test(`${method} ${BASE}${path} returns 404 for an unknown podcast and 400 for an invalid id`, async () => {
    const to = (id: string) => sendRequest({ method, path: BASE + path.replace(":podcastId", id), as: "owner", json });
    assertError(await to(unknown.id), 404, { error: "Podcast not found" });
    assertError(await to("none"), 400, { details: /^podcastId: / });
  });
}

Deno.test("GET /api/podcast-lifecycle returns the lifecycle of an active podcast", async () => {
  const { status, body } = await get(await podcast("Read"), "owner");
  assert.equal(status, 200);
  assertKeys(body, "success", "data");
  assertKeys(body.data, ...RESOURCE);
  const { status: state, hosting_type, can_pause, is_paid_plan, ...times } = body.data;
  assert.deepEqual([body.success, state, hosting_type, can_pause, is_paid_plan], [
    true,
    "active",
    "native",
    false,
    false,
  ]);
  assert.deepEqual(Object.values(times), Array(10).fill(null));
});

Deno.test("POST delete schedules the deletion, and the owner changes the redirect and cancels", async () => {
  const show = await podcast("Leaving", "paying-owner");
  const redirect_url = "https://new.example/feed.xml";
  const deleted = await post(show, "delete", { confirm_name: " LEAVING ", redirect_url });
  assert.equal(deleted.status, 200, deleted.text);
  assertKeys(deleted.body, "success", "data");
  const { deletion_requested_at, deletion_scheduled_at, ...rest } = deleted.body.data;
  assert.deepEqual(rest, { status: "pending_deletion", deletion_redirect_url: redirect_url });
  assert.match(deletion_requested_at, TIME);
  assert.equal(days(deletion_requested_at, deletion_scheduled_at), 90);

  const changed = await put(show, { redirect_url: "https://newer.example/feed.xml" });
  assert.equal(changed.status, 200, changed.text);
  assertKeys(changed.body.data, ...RESOURCE);
  assert.deepEqual(changed.body, (await get(show)).body);
  assert.equal(changed.body.data.deletion_redirect_url, "https://newer.example/feed.xml");
  assertError(await put(show, {}), 400, { details: /^redirect_url: / });
  assertError(await put(show, { redirect_url: "ftp://new.example/feed" }), 400, { code: "INVALID_REDIRECT_URL" });

  const canceled = await post(show, "cancel-deletion");
  assert.equal(canceled.status, 200, canceled.text);
  assertKeys(canceled.body.data, ...RESOURCE);
  assert.deepEqual(canceled.body, (await get(show)).body);
  assert.deepEqual([canceled.body.data.status, canceled.body.data.deletion_scheduled_at], ["active", null]);
  assertError(await post(show, "cancel-deletion"), 409, {
    error: "The podcast is active; it is not scheduled for deletion",
    code: "INVALID_PODCAST_STATUS",
  });
});

Deno.test("PUT feed-redirect redirects the feed of a podcast that stays, and a deletion carries it over", async () => {
  const show = await podcast("Moved away", "paying-owner"), redirect_url = "https://new.example/feed.xml";
  const set = (json: unknown) =>
    sendRequest({ method: "PUT", path: `${BASE}/${show.id}/feed-redirect`, as: paying, json });
  const { status, body } = await set({ redirect_url });
  assert.equal(status, 200);
  assertKeys(body.data, ...RESOURCE);
  assert.deepEqual([body.data.status, body.data.feed_redirect_url], ["active", redirect_url]);
  assert.match(body.data.redirect_starts_at, TIME);
  assertError(await set({}), 400, { details: /^redirect_url: / });
  assertError(await set({ redirect_url: "https://10.0.0.1/" }), 400, { code: "INVALID_REDIRECT_URL" });
  const { deletion_redirect_url, is_redirect_carried_over } =
    (await post(show, "delete", { confirm_name: "Moved away" })).body.data;
  assert.deepEqual([deletion_redirect_url, is_redirect_carried_over], [redirect_url, true]);
  assertError(await set({ redirect_url }), 409, { code: "PODCAST_PENDING_DELETION" });
});

const former = await podcast("Former", "paying-owner");
await sql`update public.podcasts set feed_redirect_url = 'https://old.example/feed' where id = ${former.id}`;
await sql`delete from public.podcasts where id = ${former.id}`;
const correct = (json: unknown, as: RequestOptions["as"] = paying) =>
  sendRequest({ method: "PUT", path: `${BASE}/${former.id}/deleted-redirect`, as, json });
assertAccessMatrix(
  `PUT ${BASE}/:podcastId/deleted-redirect`,
  () => Promise.resolve({ path: `${BASE}/${former.id}/deleted-redirect`, json: { redirect_url: null } }),
  { anon: 401, stranger: 404, member: 404, admin: 404, owner: 404 },
);

Deno.test("PUT deleted-redirect corrects the redirect of a deleted podcast, for its former owner alone", async () => {
  const { status, body } = await correct({ redirect_url: "https://new.example/feed" });
  assert.equal(status, 200);
  assertKeys(body.data, "deleted_at", "correctable_until", "redirect_url", "redirect_starts_at", "redirect_check");
  assert.equal(body.data.redirect_url, "https://new.example/feed");
  assert.match(body.data.correctable_until, TIME);
  assertError(await correct({}), 400, { details: /^redirect_url: / });
  assertError(await correct({ redirect_url: "ftp://new.example" }), 400, { code: "INVALID_REDIRECT_URL" });
  assertError(await correct({ redirect_url: null }, "stranger"), 404);
});

Deno.test("POST delete deletes an external podcast at once", async () => {
  const show = await callRpc<Podcast>(paying, "create_podcast", { title: "Elsewhere", hosting_type: "external" });
  const { status, body } = await post(show, "delete", { confirm_name: "elsewhere", redirect_days: 30 });
  assert.equal(status, 200);
  const { deletion_requested_at, ...rest } = body.data;
  assert.match(deletion_requested_at, TIME);
  assert.deepEqual([body.success, rest], [true, {
    status: "deleted",
    deletion_scheduled_at: null,
    deletion_redirect_url: null,
    immediate: true,
  }]);
  assertError(await get(show), 404);
  assertError(await post(show, "delete", { confirm_name: "elsewhere" }), 404);
});

Deno.test("POST pause and unpause return what they changed, and 409 with the time of the next pause", async () => {
  const show = await podcast("Paused", "paying-owner");
  const paused = await post(show, "pause");
  assert.equal(paused.status, 200, paused.text);
  const { paused_at, pause_expires_at, ...rest } = paused.body.data;
  assert.deepEqual(rest, { status: "paused" });
  assert.match(paused_at, TIME);
  assert.equal(days(paused_at, pause_expires_at), 90);
  const unpaused = await post(show, "unpause", {});
  assert.deepEqual([unpaused.status, unpaused.body], [200, { success: true, data: { status: "active" } }]);
  assertError(await post(show, "pause"), 409, {
    error: "A podcast can be paused again 12 months after its last pause ended; try again then",
    code: "PAUSE_TOO_SOON",
    next_pause_available_at: TIME,
  });
});

Deno.test("redirect_days are whole days, for the route and through RPC", async () => {
  const { id } = await podcast("Halved", "paying-owner"), { client } = await person("paying-owner");
  const details = "redirect_days: must be a whole number of days from 0 to 90";
  for (const redirect_days of [0.5, 91, -1]) {
    const args = { confirm_name: "Halved", redirect_days };
    assertError(await post({ id }, "delete", args), 400, { error: "Invalid request", details });
    const { status, error } = await client.rpc("delete_podcast", { podcast_id: id, ...args });
    assert.deepEqual([status, error?.code, error?.message, error?.details], [400, "PT400", "Invalid request", details]);
  }
});

Deno.test("an RPC call of update_deletion_redirect without redirect_url changes nothing", async () => {
  const { id } = await podcast("Led", "paying-owner"), { client } = await person("paying-owner");
  const redirect_url = "https://new.example/feed.xml";
  assert.equal((await post({ id }, "delete", { confirm_name: "Led", redirect_url })).status, 200);
  const { status, error } = await client.rpc("update_deletion_redirect", { podcast_id: id });
  assert.deepEqual([status, error?.code], [404, "PGRST202"]);
  const [podcastRow] = await sql`select deletion_redirect_url from public.podcasts where id = ${id}`;
  assert.equal(podcastRow.deletion_redirect_url, redirect_url);
});

Deno.test("POST delete returns 400 that names an invalid field", async () => {
  const show = await podcast("Kept", "paying-owner"), confirm_name = "Kept";
  const invalid: [body: object, details: RegExp][] = [
    [{}, /^confirm_name: /],
    [{ confirm_name: 1 }, /^confirm_name: /],
    ...[0.5, 1e15, null, "90", 91].map((redirect_days): [object, RegExp] => [
      { confirm_name, redirect_days },
      /^redirect_days: /,
    ]),
    [{ confirm_name, redirect_url: 1 }, /^redirect_url: /],
  ];
  for (const [body, details] of invalid) {
    assertError(await post(show, "delete", body), 400, { error: "Invalid request", details });
  }
  assertError(await post(show, "delete", { confirm_name: "Other" }), 400, { code: "NAME_MISMATCH" });
});
