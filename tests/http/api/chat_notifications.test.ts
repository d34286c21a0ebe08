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
  const { pilot } = await chat("Notified");
  const messageId = await post(member, pilot, "What does @gus  GUEST think?");
  const json = { episodeId: pilot.id, messageId };
  const first = await notify(json, { as: "member" });
  assert.equal(first.status, 200, first.text);
  assertKeys(first.body, "success", "data");
  assert.deepEqual(first.body, { success: true, data: { notifiedCount: 3, dedupedCount: 0 } });
  assert.deepEqual(await notified(messageId), ["admin chat.message", "guest chat.mention", "owner chat.message"]);
  const again = await notify(json, { as: "member" });
  assert.deepEqual(again.body.data, { notifiedCount: 0, dedupedCount: 3 });
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

Deno.test("POST /events/chat takes a guest's access token, also with a key or a user's token, and who has the chat open", async () => {
  const { pilot, guest } = await chat("By guests");
  for (const as of ["anon", "admin", { token: stackInfo.publishableKey }] as const) {
    const { body: { data: message } } = await byToken("/messages", guest.token, { body: "Hi" });
    const json = { episodeId: pilot.id, messageId: message.id, accessToken: guest.token };
    for (const authorization of ["Bearer junk", `Bearer ${stackInfo.secretKey}`, "Basic YTpi", "Bearer "]) {
      assertError(await notify(json, { headers: { authorization } }), 401);
    }
    const { status, body } = await notify({ ...json, activeUserIds: [owner.id], activeGuestIds: [] }, { as });
    assert.deepEqual([status, body.data], [200, { notifiedCount: 2, dedupedCount: 0 }]);
    assert.deepEqual(await notified(message.id), ["admin chat.message", "member chat.message"]);
    assertError(await notify({ ...json, accessToken: `${guest.token}x` }, { as }), 401, { code: "INVALID" });
  }
  const { body: read } = await markRead({ episodeId: pilot.id, accessToken: guest.token });
  assert.deepEqual(read, { success: true });
  assertError(await markRead({ episodeId: pilot.id, accessToken: "junk" }), 401, { code: "INVALID" });
});

const message = async () => {
  const pilot = await episode(await podcast("Matrix"));
  const json = { episodeId: pilot.id, messageId: await post(owner, pilot) };
  return { path: "/api/notifications/events/chat", json };
};
assertAccessMatrix("POST /api/notifications/events/chat", message, { anon: 401, stranger: 403, member: 403 });
