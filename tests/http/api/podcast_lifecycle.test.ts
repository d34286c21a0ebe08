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
const owner = await person("owner"), paying = await person("paying-owner");
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
];
const days = (from: string, to: string) => (Date.parse(to) - Date.parse(from)) / DAY_MS;

// Each request succeeds for the owner
const show = await podcast("Access");
const routes: Record<string, RequestOptions["json"]> = {
  "GET /:podcastId": undefined,
  "POST /:podcastId/pause": undefined,
  "POST /:podcastId/unpause": undefined,
  "POST /:podcastId/delete": { confirm_name: "Access" },
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
  assert.deepEqual(Object.values(times), Array(7).fill(null));
});

Deno.test("POST pause and unpause return what they changed, and GET shows it", async () => {
  const show = await podcast("Paused", "paying-owner");
  assert.equal((await get(show)).body.data.can_pause, true);
  const paused = await post(show, "pause");
  assert.equal(paused.status, 200, paused.text);
  assertKeys(paused.body, "success", "data");
  assertKeys(paused.body.data, "status", "paused_at", "pause_expires_at");
  const { status, paused_at, pause_expires_at } = paused.body.data;
  assert.equal(status, "paused");
  assert.match(paused_at, TIME);
  assert.equal(days(paused_at, pause_expires_at), 90);
  const { data } = (await get(show)).body;
  assert.deepEqual([data.status, data.paused_at, data.pause_expires_at], ["paused", paused_at, pause_expires_at]);
  assert.deepEqual([data.can_pause, data.is_paid_plan, data.next_pause_available_at], [false, true, null]);

  const again = await post(show, "pause");
  assertError(again, 409, {
    error: "The podcast is paused; only an active podcast can be paused",
    code: "INVALID_PODCAST_STATUS",
  });
  const unpaused = await post(show, "unpause", {});
  assert.deepEqual([unpaused.status, unpaused.body], [200, { success: true, data: { status: "active" } }]);
  assertError(await post(show, "unpause"), 409, {
    error: "The podcast is active; only a paused podcast can be unpaused",
    code: "INVALID_PODCAST_STATUS",
  });
  const { data: after } = (await get(show)).body;
  assert.match(after.last_pause_ended_at, TIME);
  assert.match(after.next_pause_available_at, TIME);
  assert.deepEqual([after.status, after.paused_at, after.pause_expires_at, after.can_pause], [
    "active",
    null,
    null,
    false,
  ]);
  assertError(await post(show, "pause"), 409, {
    error: "A podcast can be paused again 12 months after its last pause ended; try again then",
    code: "PAUSE_TOO_SOON",
    next_pause_available_at: after.next_pause_available_at,
  });
});

Deno.test("POST pause returns 403 PAID_PLAN_REQUIRED on a free plan", async () => {
  assertError(await post(await podcast("Free"), "pause", undefined, "owner"), 403, {
    error: "Pausing requires a paid plan; upgrade first",
    code: "PAID_PLAN_REQUIRED",
  });
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
  assertError(await post(show, "delete", { confirm_name: "Leaving" }), 409, {
    error: "The podcast is scheduled for deletion",
    code: "PODCAST_PENDING_DELETION",
  });
  assertError(await post(show, "pause"), 409, {
    error: "The podcast is pending_deletion; only an active podcast can be paused",
    code: "INVALID_PODCAST_STATUS",
  });

  const changed = await put(show, { redirect_url: "https://newer.example/feed.xml" });
  assert.equal(changed.status, 200, changed.text);
  assertKeys(changed.body.data, ...RESOURCE);
  assert.deepEqual(changed.body, (await get(show)).body);
  assert.equal(changed.body.data.deletion_redirect_url, "https://newer.example/feed.xml");
  assert.equal((await put(show, { redirect_url: null })).body.data.deletion_redirect_url, null);
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
  assertError(await put(show, { redirect_url: null }), 409, {
    error: "The podcast is active; it has no deletion redirect",
    code: "INVALID_PODCAST_STATUS",
  });
});

Deno.test("POST delete with redirect_days 0 schedules the deletion for now, without a redirect", async () => {
  const show = await podcast("At once", "paying-owner");
  const { body } = await post(show, "delete", {
    confirm_name: "At once",
    redirect_url: "https://new.example/feed.xml",
    redirect_days: 0,
  });
  assert.equal(body.data.deletion_redirect_url, null);
  assert.equal(body.data.deletion_scheduled_at, body.data.deletion_requested_at);
  assertError(await put(show, { redirect_url: "https://new.example/feed.xml" }), 409, { code: "NO_REDIRECT_WINDOW" });
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

Deno.test("POST delete returns 400 for each invalid field and names it", async () => {
  const show = await podcast("Kept", "paying-owner");
  const confirm_name = "Kept";
  const invalid: [body: object, details: RegExp][] = [
    [{}, /^confirm_name: /],
    [{ confirm_name: null }, /^confirm_name: /],
    [{ confirm_name: 1 }, /^confirm_name: /],
    ...[0.5, 1e15, null, "90", true, [90]].map((redirect_days): [object, RegExp] => [
      { confirm_name, redirect_days },
      /^redirect_days: /,
    ]),
    ...[-1, 91, 1e9].map((redirect_days): [object, RegExp] => [
      { confirm_name, redirect_days },
      /^redirect_days: must be an integer from 0 to 90$/,
    ]),
    [{ confirm_name, redirect_url: 1 }, /^redirect_url: /],
  ];
  for (const [body, details] of invalid) {
    assertError(await post(show, "delete", body), 400, { error: "Invalid request", details });
  }
  for (const name of ["", "Other", "Kept ".repeat(2000)]) {
    assertError(await post(show, "delete", { confirm_name: name }), 400, {
      error: "confirm_name does not match the title of the podcast; enter the title to confirm its deletion",
      code: "NAME_MISMATCH",
    });
  }
  for (const redirect_url of ["", "javascript:alert(1)", "https://user:secret@new.example/feed", "feed.xml"]) {
    assertError(await post(show, "delete", { confirm_name, redirect_url }), 400, {
      error:
        "redirect_url must be an http or https URL of at most 2,048 characters, without a user name or password; " +
        "write an international host name in punycode (xn--…)",
      code: "INVALID_REDIRECT_URL",
    });
  }
  const [{ feed }] = await sql`select private.feed_url(${show.slug}) as feed`;
  assertError(
    await post(show, "delete", {
      confirm_name,
      redirect_url: feed.toUpperCase().replace("/FUNCTIONS/V1/PUBLIC/FEEDS", "/functions/v1/public/feeds"),
    }),
    400,
    {
      error: "redirect_url must not be a feed of this service; enter the URL of the new feed elsewhere",
      code: "INVALID_REDIRECT_URL",
    },
  );
  assert.equal((await get(show)).body.data.status, "active");
});

Deno.test("POST delete returns 429 with rate_limit_reset_at after 20 deletions in an hour", async () => {
  const busy = await person("busy-deleter");
  const show = await podcast("Busy", "busy-deleter");
  await sql`
    insert into private.rate_limits (key, window_started_at, expires_at, request_count)
    values (${`podcast_deletions:${busy.id}`}, now(), now() + interval '1 day', 20)`;
  const response = await post(show, "delete", { confirm_name: "Busy" }, busy);
  assertError(response, 429, { code: "RATE_LIMITED", rate_limit_reset_at: TIME });
});

Deno.test("supabase-js pauses, deletes and keeps a podcast by rpc", async () => {
  const show = await podcast("By rpc", "paying-owner");
  const args = { podcast_id: show.id };
  const rpc = async (name: string, more: object = {}) => {
    const { status, data, error } = await paying.client.rpc(name, { ...args, ...more });
    return error ? [status, error.code, error.hint] : [status, data.status];
  };
  assert.deepEqual(await rpc("get_podcast_lifecycle"), [200, "active"]);
  assert.deepEqual(await rpc("pause_podcast"), [200, "paused"]);
  assert.deepEqual(await rpc("unpause_podcast"), [200, "active"]);
  assert.deepEqual(await rpc("pause_podcast"), [409, "PT409", "PAUSE_TOO_SOON"]);
  const confirm_name = "By rpc";
  for (const redirect_days of [-1, 91]) {
    const { status, error } = await paying.client.rpc("delete_podcast", { ...args, confirm_name, redirect_days });
    assert.deepEqual([status, error?.code, error?.details], [
      400,
      "PT400",
      "redirect_days: must be an integer from 0 to 90",
    ]);
  }
  assert.deepEqual((await rpc("delete_podcast", { confirm_name, redirect_days: 0.5 })).slice(0, 2), [400, "22P02"]);
  assert.deepEqual((await rpc("delete_podcast", { confirm_name, redirect_days: null })).slice(0, 2), [400, "PT400"]);
  assert.deepEqual((await rpc("delete_podcast")).slice(0, 2), [404, "PGRST202"]);
  assert.deepEqual(await rpc("delete_podcast", { confirm_name: "Other" }), [400, "PT400", "NAME_MISMATCH"]);
  assert.deepEqual(await rpc("delete_podcast", { confirm_name, redirect_days: "90" }), [200, "pending_deletion"]);
  assert.deepEqual(await rpc("update_deletion_redirect", { redirect_url: "https://new.example/feed" }), [
    200,
    "pending_deletion",
  ]);
  assert.deepEqual(await rpc("cancel_deletion"), [200, "active"]);
  const reading = await paying.client.rpc("get_podcast_lifecycle", args, { get: true });
  assert.deepEqual([reading.status, reading.data.status], [200, "active"]);
});

Deno.test("supabase-js cannot write the lifecycle columns of a podcast", async () => {
  const show = await podcast("Columns");
  for (
    const column of ["status", "paused_at", "last_pause_ended_at", "deletion_redirect_url", "deletion_scheduled_at"]
  ) {
    const { error } = await owner.client.from("podcasts").update({ [column]: null }).eq("id", show.id);
    assert.equal(error?.code, "42501", column);
  }
  const { error } = await owner.client.from("podcasts").delete().eq("id", show.id);
  assert.equal(error?.code, "42501");
});
