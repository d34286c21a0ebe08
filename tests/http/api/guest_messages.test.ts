// The chat of an episode: guests use the API with a token, the team uses supabase-js.
import assert from "node:assert/strict";
import {
  assertError,
  assertKeys,
  type Episode,
  episode,
  person,
  podcast,
  type Role,
  scheduleDeletion,
  sendRequest,
  sql,
  stackInfo,
} from "../harness.ts";
import { byToken, invite } from "./guest_email.ts";

const [owner, admin, member, stranger] = await Promise.all(["owner", "admin", "member", "stranger"].map(person));

const post = (token: unknown, body: unknown) => byToken("/messages", token, { body });
const list = (token: unknown, more: object = {}) => byToken("/messages/list", token, more);
const postAs = (who: typeof owner, { id }: Episode, body: string) =>
  who.client.from("episode_messages").insert({ episode_id: id, body });

Deno.test("guests and team members read each other's chat messages", async () => {
  const pilot = await episode(await podcast("Chatting"));
  const { token, episodeGuestId } = await invite(pilot, { displayName: "Gus" });
  assert.equal((await postAs(member, pilot, "Welcome!")).status, 201);
  const { status, body } = await post(token, "Glad to be here.\n<b>Really</b>");
  assert.equal(status, 201);
  assertKeys(body, "success", "data");
  assertKeys(body.data, "id", "body", "createdAt", "deletedAt", "isMine", "sender");
  assert.equal(body.data.body, "Glad to be here.\n<b>Really</b>");
  assert.match(body.data.createdAt, /^\d{4}-\d\d-\d\dT\d\d:\d\d:\d\d\.\d{3}Z$/);

  const listed = await list(token);
  assert.equal(listed.status, 200);
  assertKeys(listed.body, "success", "data", "pagination");
  assert.deepEqual(listed.body.pagination, { nextCursor: null, hasMore: false });
  assert.deepEqual(listed.body.data[0], body.data);
  assert.equal(body.data.isMine, true);
  assert.deepEqual(body.data.sender, { type: "guest", name: "Gus", avatarUrl: null });
  const [, theirs] = listed.body.data;
  assert.deepEqual([theirs.body, theirs.isMine, theirs.sender.type], ["Welcome!", false, "member"]);
  assert.doesNotMatch(listed.text, new RegExp(`@|${member.id}`), "the response contains no emails and no user ids");

  const { data } = await owner.client.from("episode_messages").select(
    "body, sender_user_id, sender_guest_id, episode_guests(podcast_guests(display_name))",
  ).eq("episode_id", pilot.id).order("created_at");
  assert.deepEqual(data, [
    { body: "Welcome!", sender_user_id: member.id, sender_guest_id: null, episode_guests: null },
    {
      body: "Glad to be here.\n<b>Really</b>",
      sender_user_id: null,
      sender_guest_id: episodeGuestId,
      episode_guests: { podcast_guests: { display_name: "Gus" } },
    },
  ] as never);
});

Deno.test("POST /api/guests/messages/list returns pages, newest first", async () => {
  const pilot = await episode(await podcast("Pages"));
  const { token } = await invite(pilot);
  for (const n of [1, 2, 3, 4, 5]) await postAs(admin, pilot, `No. ${n}`);
  const pages: string[][] = [];
  for (let cursor: string | undefined, more = true; more && pages.length < 9;) {
    const { body } = await list(token, { limit: 2, cursor });
    pages.push(body.data.map(({ body }: { body: string }) => body));
    ({ hasMore: more, nextCursor: cursor } = body.pagination);
  }
  assert.deepEqual(pages, [["No. 5", "No. 4"], ["No. 3", "No. 2"], ["No. 1"]]);
  assert.equal((await list(token)).body.data.length, 5);
});

Deno.test("chat routes ignore an episodeId and use the episode of the token", async () => {
  const show = await podcast("Two episodes");
  const [pilot, second] = [await episode(show), await episode(show, "Second")];
  const { token } = await invite(pilot);
  await postAs(admin, second, "Not for the pilot's guest");
  assert.deepEqual((await list(token)).body.data, []);
  await byToken("/messages", token, { body: "Mine", episodeId: second.id });
  const { data } = await admin.client.from("episode_messages").select("body").eq("episode_id", second.id);
  assert.deepEqual(data, [{ body: "Not for the pilot's guest" }]);
});

Deno.test("chat routes return 401 with a code for an invalid token, even with an owner's bearer token", async () => {
  const pilot = await episode(await podcast("Closed"));
  const { token, episodeGuestId } = await invite(pilot);
  for (const junk of ["", "x", token.slice(1), token + "A", token.toUpperCase(), owner.token, episodeGuestId]) {
    assertError(await list(junk), 401, { code: "INVALID" });
    assertError(await post(junk, "Hello"), 401, { code: "INVALID" });
  }
  const json = { accessToken: "junk", body: "Hello" };
  assertError(await sendRequest({ method: "POST", path: "/api/guests/messages", as: "owner", json }), 401, {
    code: "INVALID",
  });
  await sql`update private.access_tokens set expires_at = now() where subject_id = ${episodeGuestId}`;
  assertError(await list(token), 401, { code: "EXPIRED" });
  assertError(await post(token, "Hello"), 401, { code: "EXPIRED" });
});

Deno.test("chat routes return 401 to a removed guest, and 403 to a guest who declined until they accept", async () => {
  const pilot = await episode(await podcast("Leaving"));
  const { token, episodeGuestId } = await invite(pilot);
  await byToken("/decline", token);
  assertError(await list(token), 403, { code: "GUEST_INVITATION_DECLINED" });
  assertError(await post(token, "Hello"), 403, { code: "GUEST_INVITATION_DECLINED" });
  await byToken("/accept", token);
  assert.equal((await post(token, "Hello")).status, 201);
  await sendRequest({ method: "DELETE", path: `/api/guests/${episodeGuestId}`, as: "admin" });
  assertError(await list(token), 401, { code: "INVALID" });
  assertError(await post(token, "Hello"), 401, { code: "INVALID" });
});

Deno.test("chat routes return 400 that names an invalid message, limit or cursor", async () => {
  const { token } = await invite(await episode(await podcast("Malformed")));
  for (
    const [response, named] of [
      [await post(undefined, "Hello"), /accessToken/],
      [await post(7, "Hello"), /accessToken/],
      [await post(null, "Hello"), /accessToken/],
      [await post(token, undefined), /body/],
      [await post(token, ["Hello"]), /body/],
      [await post(token, ""), /body_is_1_to_4000_chars/],
      [await post(token, " \n "), /body_is_1_to_4000_chars/],
      [await post(token, "x".repeat(4001)), /body_is_1_to_4000_chars/],
      [await post(token, "a\0b"), /body/],
      [await list(undefined), /accessToken/],
      [await list(token, { limit: 0 }), /limit/],
      [await list(token, { limit: 101 }), /limit/],
      [await list(token, { limit: 1.5 }), /limit/],
      [await list(token, { limit: "5" }), /limit/],
      [await list(token, { cursor: 5 }), /cursor/],
      [await list(token, { cursor: "" }), /cursor/],
    ] as const
  ) assertError(response, 400, { details: named });
  assertError(await list(token, { cursor: "junk" }), 400, { error: /cursor/ });
  assert.equal((await post(token, "🎙".repeat(4000))).status, 201, "characters count, not their halves");
  assert.equal((await list(token, { limit: 100 })).body.data.length, 1);
});

Deno.test("guests of a podcast pending deletion read the chat and get 409 when they post", async () => {
  const show = await podcast("Ending"), pilot = await episode(show);
  const { token } = await invite(pilot);
  await postAs(admin, pilot, "Sorry");
  await scheduleDeletion(show);
  assertError(await post(token, "Hello"), 409, { code: "PODCAST_PENDING_DELETION" });
  const { status, error } = await postAs(member, pilot, "Hello");
  assert.deepEqual([status, error?.hint], [409, "PODCAST_PENDING_DELETION"]);
  assert.deepEqual((await list(token)).body.data.map(({ body }: { body: string }) => body), ["Sorry"]);
});

Deno.test("POST /api/guests/messages returns 429 with the reset time for message 31 in a minute", async () => {
  const { token, episodeGuestId } = await invite(await episode(await podcast("Flood")));
  await sql`insert into private.rate_limits (key, window_started_at, expires_at, request_count) values (${`guest_messages:${episodeGuestId}`}, now(), now() + interval '1 day', 29)`;
  assert.equal((await post(token, "One more")).status, 201);
  assertError(await post(token, "And another"), 429, { code: "RATE_LIMITED", rate_limit_reset_at: /^\d{4}-.*Z$/ });
  assert.equal((await list(token)).body.data.length, 1);
});

Deno.test("guest routes record the use of a token at most once a minute", async () => {
  const { token, episodeGuestId } = await invite(await episode(await podcast("Noted")));
  const noted = async () =>
    (await sql`select last_accessed_at as at from public.episode_guests where id = ${episodeGuestId}`)[0].at;
  assert.equal(await noted(), null);
  await list(token);
  const first = await noted();
  assert.ok(first);
  await post(token, "Hello");
  assert.deepEqual(await noted(), first);
  await sql`update public.episode_guests set last_accessed_at = now() - interval '61 seconds' where id = ${episodeGuestId}`;
  await post(token, "Hello again");
  assert.ok(await noted() >= first);
});

// Straight through PostgREST, as every role
const inserts: Record<Exclude<Role, "anon" | "anonymous">, number> = {
  owner: 201,
  admin: 201,
  member: 201,
  stranger: 403,
};
for (const [role, expected] of Object.entries(inserts)) {
  Deno.test(`inserting a chat message with supabase-js as ${role} returns ${expected}, and the sender is the caller`, async () => {
    const pilot = await episode(await podcast("Tables")), who = await person(role);
    const { status, error } = await postAs(who, pilot, "Hello");
    assert.deepEqual([status, error?.code], [expected, expected === 403 ? "42501" : undefined]);
    const own = await owner.client.from("episode_messages").select("sender_user_id").eq("episode_id", pilot.id);
    assert.deepEqual(own.data, expected === 201 ? [{ sender_user_id: who.id }] : []);
    const { episodeGuestId } = await invite(pilot);
    for (
      const forged of [
        { sender_user_id: owner.id },
        { sender_user_id: null, sender_guest_id: episodeGuestId },
        { created_at: "2020-01-01T00:00:00Z" },
        { podcast_id: crypto.randomUUID() },
      ]
    ) {
      const refused = await who.client.from("episode_messages").insert({ episode_id: pilot.id, body: "x", ...forged });
      assert.deepEqual([refused.status, refused.error?.code], [403, "42501"], JSON.stringify(forged));
    }
  });
}

Deno.test("members read a chat and delete their own messages; other users read nothing, and clients edit none", async () => {
  const pilot = await episode(await podcast("Rights"));
  const { token } = await invite(pilot);
  await post(token, "By the guest");
  await postAs(member, pilot, "By the member");
  const of = (who: typeof owner) => who.client.from("episode_messages");
  for (const who of [owner, admin, member]) {
    assert.equal((await of(who).select().eq("episode_id", pilot.id)).data!.length, 2);
  }
  assert.deepEqual((await of(stranger).select().eq("episode_id", pilot.id)).data, []);
  for (const who of [owner, admin, member, stranger]) {
    const { status, error } = await of(who).update({ body: "else" }).eq("episode_id", pilot.id);
    assert.deepEqual([status, error?.code], [403, "42501"]);
  }
  const { data: found } = await of(member).select("id").eq("body", "By the member").eq("episode_id", pilot.id);
  const [sent] = found!;
  const erase = (who: typeof owner) => who.client.rpc("delete_episode_message", { message_id: sent.id });
  for (const [who, expected] of [[owner, 403], [admin, 403], [stranger, 404]] as const) {
    const { status, error } = await erase(who);
    assert.deepEqual([status, error?.code], [expected, `PT${expected}`]);
  }
  for (const who of [owner, admin, member, stranger]) {
    const { status, error } = await of(who).delete().eq("id", sent.id);
    assert.deepEqual([status, error?.code], [403, "42501"]);
    assert.match(error!.message, /call delete_episode_message/);
  }
  const { status, data: gone } = await erase(member);
  assert.deepEqual([status, gone.id, gone.body], [200, sent.id, null]);
  assert.deepEqual((await erase(member)).data, gone, "a repetition changes nothing");
  assert.deepEqual(
    (await of(owner).select("body, deleted_at").eq("id", sent.id)).data,
    [{ body: null, deleted_at: gone.deleted_at }],
  );
  const [seen] = (await list(token)).body.data;
  assert.deepEqual([seen.id, seen.body, seen.deletedAt], [sent.id, null, new Date(gone.deleted_at).toISOString()]);
  const headers = { apikey: stackInfo.publishableKey };
  const anonymous = await fetch(`${stackInfo.url}/rest/v1/episode_messages?select=id`, { headers });
  assert.deepEqual([anonymous.status, (await anonymous.json()).code], [401, "42501"]);
});

Deno.test("anonymous supabase-js clients use the chat with a token through the RPC functions alone", async () => {
  const pilot = await episode(await podcast("RPC functions"));
  const { token } = await invite(pilot);
  const headers = { apikey: stackInfo.publishableKey, "content-type": "application/json" };
  const call = async (name: string, args: object) => {
    const response = await fetch(`${stackInfo.url}/rest/v1/rpc/${name}`, {
      method: "POST",
      headers,
      body: JSON.stringify(args),
    });
    return { status: response.status, body: await response.json() };
  };
  const posted = await call("post_guest_message", { access_token: token, body: "By RPC" });
  assert.deepEqual([posted.status, posted.body.body], [201, "By RPC"]);
  const listed = await call("list_guest_messages", { access_token: token });
  assert.deepEqual(listed.body.data, [posted.body]);
  const refused = await call("list_guest_messages", { access_token: "junk" });
  assert.deepEqual([refused.status, refused.body.hint], [401, "INVALID"]);
});
