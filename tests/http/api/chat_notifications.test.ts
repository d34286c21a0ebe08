// Notifications about an episode's chat: of a message, by its sender, and that a guest has read them.
import assert from "node:assert/strict";
import { assertAccessMatrix } from "../access_matrix.ts";
import {
  assertError,
  assertKeys,
  type Episode,
  episode,
  person,
  podcast,
  type RequestOptions,
  scheduleDeletion,
  sendRequest,
  sql,
  stackInfo,
} from "../harness.ts";
import { byToken, invite } from "./guest_email.ts";

const [owner, admin, member] = await Promise.all(["owner", "admin", "member"].map(person));

const notify = (json: object, options: Partial<RequestOptions> = {}) =>
  sendRequest({ method: "POST", path: "/api/notifications/events/chat", json, ...options });
const markRead = (json: object) => sendRequest({ method: "POST", path: "/api/notifications/guest-read", json });

/** A message that a member posts by supabase-js. */
async function post(by: typeof owner, { id: episode_id }: Episode, body = "Hello"): Promise<string> {
  const { data, error } = await by.client.from("episode_messages").insert({ episode_id, body }).select("id").single();
  if (error) throw error;
  return data.id;
}

/** An episode with an active guest. */
async function chat(title: string) {
  const show = await podcast(title), pilot = await episode(show);
  const guest = await invite(pilot, { displayName: "Gus Guest" });
  await byToken("/accept", guest.token);
  return { show, pilot, guest };
}

/** Who was notified of a message, with the type. */
async function notified(messageId: string): Promise<string[]> {
  const names = new Map([[owner.id, "owner"], [admin.id, "admin"], [member.id, "member"]]);
  const rows = await sql`select user_id, type from public.notifications where metadata ->> 'message_id' = ${messageId}`;
  return rows.map(({ user_id, type }) => `${names.get(user_id) ?? "guest"} ${type}`).sort();
}

Deno.test("POST /events/chat notifies the team and the guests of a member's message, once", async () => {
  const { pilot, guest } = await chat("Notified");
  const messageId = await post(member, pilot, "What does @gus  GUEST think?");
  const json = { episodeId: pilot.id, messageId };
  const first = await notify(json, { as: "member" });
  assert.equal(first.status, 200, first.text);
  assertKeys(first.body, "success", "data");
  assert.deepEqual(first.body, { success: true, data: { notifiedCount: 3, dedupedCount: 0 } });
  assert.deepEqual(await notified(messageId), ["admin chat.message", "guest chat.mention", "owner chat.message"]);
  const again = await notify(json, { as: "member" });
  assert.deepEqual(again.body.data, { notifiedCount: 0, dedupedCount: 3 });

  const { data } = await owner.client.from("notifications").select("title, body, category, priority, link, group_key")
    .eq("metadata->>message_id", messageId);
  assert.deepEqual(data, [{
    title: data![0].title,
    body: "What does @gus GUEST think?",
    category: "collaboration",
    priority: "normal",
    link: data![0].link,
    group_key: `episode:${pilot.id}:chat`,
  }]);
  assert.match(data![0].title, / wrote about “Pilot”$/);
  const [{ read_at }] = await sql`select read_at from public.notifications
    where episode_guest_id = ${guest.episodeGuestId}`;
  assert.equal(read_at, null);
});

Deno.test("POST /events/chat leaves out users and guests who have the chat open", async () => {
  const { pilot, guest } = await chat("Open");
  const messageId = await post(member, pilot);
  const { body } = await notify({
    episodeId: pilot.id,
    messageId,
    activeUserIds: [owner.id, crypto.randomUUID()],
    activeGuestIds: [guest.episodeGuestId],
  }, { as: "member" });
  assert.deepEqual(body.data, { notifiedCount: 1, dedupedCount: 0 });
  assert.deepEqual(await notified(messageId), ["admin chat.message"]);
});

Deno.test("POST /events/chat accepts a guest's access token, also with a publishable key or a user's token", async () => {
  const { pilot, guest } = await chat("By guests");
  for (const as of ["anon", "admin", { token: stackInfo.publishableKey }] as const) {
    const { body: { data: message } } = await byToken("/messages", guest.token, { body: "Hi" });
    const { status, body } = await notify(
      { episodeId: pilot.id, messageId: message.id, accessToken: guest.token },
      { as },
    );
    assert.deepEqual([status, body.data], [200, { notifiedCount: 3, dedupedCount: 0 }]);
    assert.deepEqual(await notified(message.id), ["admin chat.message", "member chat.message", "owner chat.message"]);
  }
  const { data } = await owner.client.from("notifications").select("title").eq("metadata->>episode_id", pilot.id)
    .like("type", "chat.%");
  assert.deepEqual(data, Array(3).fill({ title: "Gus Guest wrote about “Pilot”" }));
});

Deno.test("POST /events/chat returns 401 for an invalid Authorization header even with an access token", async () => {
  const { pilot, guest } = await chat("Invalid header");
  const { body: { data: message } } = await byToken("/messages", guest.token, { body: "Hi" });
  const json = { episodeId: pilot.id, messageId: message.id, accessToken: guest.token };
  for (const authorization of ["Bearer junk", `Bearer ${stackInfo.secretKey}`, "Basic YTpi", "Bearer "]) {
    assertError(await notify(json, { headers: { authorization } }), 401);
  }
  assert.deepEqual(await notified(message.id), []);
});

Deno.test("POST /events/chat returns 401 with a code for an invalid or expired access token", async () => {
  const { pilot, guest } = await chat("Tokens");
  const { body: { data: message } } = await byToken("/messages", guest.token, { body: "Hi" });
  const json = { episodeId: pilot.id, messageId: message.id };
  for (const as of ["anon", "owner"] as const) {
    assertError(await notify({ ...json, accessToken: `${guest.token}x` }, { as }), 401, { code: "INVALID" });
  }
  await sql`update private.access_tokens set expires_at = now() where subject_id = ${guest.episodeGuestId}`;
  assertError(await notify({ ...json, accessToken: guest.token }), 401, { code: "EXPIRED" });
  assertError(await markRead({ episodeId: pilot.id, accessToken: guest.token }), 401, { code: "EXPIRED" });
});

Deno.test("POST /events/chat returns 403 to other senders, other episodes' guests and guests who declined", async () => {
  const { show, pilot, guest } = await chat("Forbidden");
  const messageId = await post(member, pilot), json = { episodeId: pilot.id, messageId };
  const error = "Only the sender can notify others of this message";
  assertError(await notify(json, { as: "admin" }), 403, { error });
  assertError(await notify({ ...json, accessToken: guest.token }), 403, { error });
  assertError(await notify({ ...json, accessToken: guest.token }, { as: "member" }), 403, { error });
  const second = await episode(show, "Second"), other = { episodeId: second.id, accessToken: guest.token };
  const elsewhere = "The access token belongs to another episode";
  assertError(await notify({ ...other, messageId: await post(member, second) }), 403, { error: elsewhere });
  assertError(await markRead(other), 403, { error: elsewhere });
  const { body: { data: message } } = await byToken("/messages", guest.token, { body: "Hi" });
  await byToken("/decline", guest.token);
  assertError(await notify({ ...json, messageId: message.id, accessToken: guest.token }), 403, {
    code: "GUEST_INVITATION_DECLINED",
  });
});

Deno.test("POST /events/chat returns 404 for unknown, foreign and deleted messages and unknown episodes", async () => {
  const { show, pilot } = await chat("Missing");
  const second = await episode(show, "Second");
  const messageId = await post(member, pilot), error = "Message not found";
  const send = (episodeId: string, messageId: string) => notify({ episodeId, messageId }, { as: "member" });
  assertError(await send(second.id, messageId), 404, { error });
  for (const unknown of [crypto.randomUUID(), "", "m1", "x".repeat(1000)]) {
    assertError(await send(pilot.id, unknown), 404, { error });
  }
  assertError(await send(crypto.randomUUID(), messageId), 404, { error: "Episode not found" });
  assert.equal((await send(pilot.id, messageId)).status, 200);
  await member.client.rpc("delete_episode_message", { message_id: messageId });
  assertError(await send(pilot.id, messageId), 404, { error });
  assert.deepEqual(await notified(messageId), []);
});

Deno.test("POST /events/chat returns 409 while the podcast is pending deletion", async () => {
  const { show, pilot } = await chat("Ending");
  const messageId = await post(member, pilot);
  await scheduleDeletion(show);
  assertError(await notify({ episodeId: pilot.id, messageId }, { as: "member" }), 409, {
    code: "PODCAST_PENDING_DELETION",
  });
});

Deno.test("POST /events/chat returns 429 with the reset time for call 61 of a sender in a minute", async () => {
  const { pilot, guest } = await chat("Limited");
  await sql`insert into private.rate_limits (key, window_started_at, expires_at, request_count)
    values (${`chat_notifications:${guest.episodeGuestId}`}, now(), now() + interval '1 day', 59)`;
  const { body: { data: message } } = await byToken("/messages", guest.token, { body: "Hi" });
  const json = { episodeId: pilot.id, messageId: message.id, accessToken: guest.token };
  assert.equal((await notify(json)).status, 200);
  assertError(await notify(json), 429, { code: "RATE_LIMITED", rate_limit_reset_at: /^\d{4}-.*Z$/ });
});

Deno.test("POST /events/chat and /guest-read return 400 that names an invalid field", async () => {
  const id = crypto.randomUUID(), ids = (n: number) => Array.from({ length: n }, () => crypto.randomUUID());
  const json = { episodeId: id, messageId: id };
  for (
    const [field, ...values] of [
      ["episodeId", undefined, null, "junk", 7],
      ["messageId", undefined, null, 7, [id]],
      ["accessToken", "123456789", 7],
      ["activeUserIds", id, ["junk"], [null], [7], ids(501)],
      ["activeGuestIds", id, ["junk"], [null], [7], ids(501)],
    ] as const
  ) {
    for (const value of values) {
      const response = await notify({ ...json, [field]: value }, { as: "member" });
      assertError(response, 400, { error: "Invalid request", details: new RegExp(`^${field}`) });
    }
  }
  const full = { ...json, activeUserIds: ids(500), activeGuestIds: ids(500) };
  const empty = { ...json, accessToken: null, activeUserIds: null, activeGuestIds: null };
  for (const valid of [full, empty]) {
    assertError(await notify(valid, { as: "member" }), 404, { error: "Episode not found" });
  }
  assertError(await markRead({ episodeId: "junk", accessToken: "x" }), 400, { details: /^episodeId/ });
  assertError(await markRead({ accessToken: "x" }), 400, { details: /^episodeId/ });
  assertError(await markRead({ episodeId: id }), 400, { details: /^accessToken/ });
  assertError(await markRead({ episodeId: id, accessToken: 7 }), 400, { details: /^accessToken/ });
});

Deno.test("POST /guest-read marks the guest's notifications of the episode as read", async () => {
  const { pilot, guest } = await chat("Read");
  const other = await invite(pilot);
  await byToken("/accept", other.token);
  await notify({ episodeId: pilot.id, messageId: await post(member, pilot) }, { as: "member" });
  const unread = async () =>
    (await sql`select episode_guest_id as id from public.notifications
      where metadata ->> 'episode_id' = ${pilot.id} and episode_guest_id is not null and read_at is null`)
      .map(({ id }) => id);
  assert.deepEqual((await unread()).sort(), [guest.episodeGuestId, other.episodeGuestId].sort());
  const { status, body } = await markRead({ episodeId: pilot.id, accessToken: guest.token });
  assert.deepEqual([status, body], [200, { success: true }]);
  assert.deepEqual(await unread(), [other.episodeGuestId]);
  const [{ email }] = await sql`select status as email from public.notification_deliveries
    where episode_guest_id = ${guest.episodeGuestId}`;
  assert.equal(email, "canceled");
  assertError(await markRead({ episodeId: pilot.id, accessToken: "junk" }), 401, { code: "INVALID" });
});

Deno.test("supabase-js clients notify of chat messages and mark them as read by the RPC functions", async () => {
  const { pilot, guest } = await chat("By RPC");
  const message_id = await post(member, pilot);
  const { data, error } = await member.client.rpc("notify_chat_message", { episode_id: pilot.id, message_id });
  assert.deepEqual([data, error], [{ notifiedCount: 3, dedupedCount: 0 }, null]);
  const call = async (name: string, args: object) => {
    const response = await fetch(`${stackInfo.url}/rest/v1/rpc/${name}`, {
      method: "POST",
      headers: { apikey: stackInfo.publishableKey, "content-type": "application/json" },
      body: JSON.stringify({ episode_id: pilot.id, ...args }),
    });
    const text = await response.text();
    return [response.status, text && JSON.parse(text)];
  };
  const { body: { data: message } } = await byToken("/messages", guest.token, { body: "Hi" });
  const access_token = guest.token;
  assert.deepEqual(
    await call("notify_chat_message", { message_id: message.id, access_token, active_user_ids: [owner.id] }),
    [200, { notifiedCount: 2, dedupedCount: 0 }],
  );
  assert.deepEqual(await call("mark_guest_notifications_read", { access_token }), [204, ""]);
  const [status, { hint }] = await call("mark_guest_notifications_read", { access_token: "junk" });
  assert.deepEqual([status, hint], [401, "INVALID"]);
  const [withoutLogin] = await call("notify_chat_message", { message_id });
  assert.equal(withoutLogin, 401);
});

const message = async () => {
  const pilot = await episode(await podcast("Matrix"));
  const json = { episodeId: pilot.id, messageId: await post(owner, pilot) };
  return { path: "/api/notifications/events/chat", json };
};
assertAccessMatrix("POST /api/notifications/events/chat", message, { anon: 401, stranger: 403, member: 403 });
