// /api/guests: inviting and removing guests, and the routes for access tokens with the chat.
import assert from "node:assert/strict";
import { createHash } from "node:crypto";
import {
  assertError,
  assertKeys,
  episode,
  person,
  podcast,
  type RequestOptions,
  sendRequest,
  sql,
  stackInfo,
} from "../harness.ts";
import { assertAccessMatrix } from "../access_matrix.ts";
import { byToken, invite, newAddress } from "./guest_email.ts";

const BASE = "/api/guests";
const show = await podcast("Invited"), pilot = await episode(show);
const [owner, admin] = await Promise.all(["owner", "admin"].map(person));

const request = (json: unknown, as: RequestOptions["as"] = "owner") =>
  sendRequest({ method: "POST", path: BASE, as, json });
const remove = (id: string, as: RequestOptions["as"] = "admin") =>
  sendRequest({ method: "DELETE", path: `${BASE}/${id}`, as });
const fields = { episodeId: pilot.id, email: newAddress(), displayName: "Gina" };
const known = (await request(fields)).body.data.episodeGuest.id as string;

const inviting = () => Promise.resolve({ path: BASE, json: { ...fields, email: newAddress() } });
const removing = () => Promise.resolve({ path: `${BASE}/${known}` });
assertAccessMatrix(`POST ${BASE}`, inviting, { anon: 401, stranger: 403, member: 403 });
assertAccessMatrix(`DELETE ${BASE}/:episodeGuestId`, removing, { anon: 401, stranger: 403, member: 403 });
Deno.test("POST /api/guests returns 201 with the episode guest and the guest", async () => {
  const email = newAddress(),
    json = { episodeId: pilot.id, email: ` ${email.toUpperCase()}\u00a0`, displayName: " Gus " };
  for (const as of ["owner", "admin"] as const) {
    await sql`update public.episode_guests g set email_status = 'sent' from public.podcast_guests p
      where p.id = g.podcast_guest_id and p.email = ${email}`; // until then it is not sent again
    const { status, body, text } = await request(json, as);
    assert.equal(status, 201, text);
    assertKeys(body, "success", "data");
    const { episodeGuest: { id, podcastGuestId, invitedAt, ...its }, guest } = body.data;
    assert.deepEqual(its, {
      episodeId: pilot.id,
      status: "invited",
      lastAccessedAt: null,
      emailStatus: "queued",
      emailDueAt: null,
    });
    assert.match(invitedAt, /^\d{4}-\d\d-\d\dT\d\d:\d\d:\d\d\.\d{3}Z$/);
    assert.deepEqual(guest, { id: podcastGuestId, displayName: "Gus", email });
    assert.notEqual(id, podcastGuestId);
  }
  const { data } = await admin.client.from("podcast_guests").select("id, episode_guests(status)").eq("email", email);
  assert.deepEqual(data?.map((guest) => guest.episode_guests), [[{ status: "invited" }]], "one record, one guest");
});

Deno.test("POST /api/guests/episode returns only the public details of the token's episode", async () => {
  const show = await podcast("Public side"), pilot = await episode(show, "Ünïcode");
  const { token, email, displayName, episodeGuestId } = await invite(pilot);
  await owner.client.from("episodes").update({ show_notes_html: "<p>For later</p>", description: "All of it" }).eq(
    "id",
    pilot.id,
  );
  const { status, body, text } = await byToken("/episode", token);
  assert.equal(status, 200, text);
  const { episodeGuest, guest, ...rest } = body.data;
  assert.deepEqual(rest, {
    episode: {
      id: pilot.id,
      slug: pilot.slug,
      title: "Ünïcode",
      description: "All of it",
      status: "draft",
      scheduledAt: null,
      publishedAt: null,
      audioUrl: null,
      coverImageUrl: null,
      coverCopies: [],
    },
    podcast: {
      id: show.id,
      slug: show.slug,
      title: "Public side",
      language: "en",
      coverImageUrl: null,
      coverCopies: [],
    },
  });
  assertKeys(episodeGuest, "id", "episodeId", "podcastGuestId", "status", "invitedAt", "lastAccessedAt");
  assert.deepEqual([episodeGuest.id, episodeGuest.status], [episodeGuestId, "invited"]);
  assert.ok(Math.abs(Date.now() - Date.parse(episodeGuest.lastAccessedAt)) < 60_000);
  assert.deepEqual(guest, { id: episodeGuest.podcastGuestId, displayName, email, userId: null, avatarUrl: null });

  const { data } = await owner.client.from("episode_guests").select("last_accessed_at").eq("id", episodeGuestId);
  assert.equal(
    Date.parse(data![0].last_accessed_at),
    Date.parse(episodeGuest.lastAccessedAt),
    "the team sees the visit",
  );
});

Deno.test("POST /api/guests/accept and /decline return the guest with the new status", async () => {
  const { token, episodeGuestId, displayName, email } = await invite(pilot);
  for (const [path, status] of [["accept", "active"], ["decline", "declined"]] as const) {
    const response = await byToken(`/${path}`, token);
    assert.equal(response.status, 200, response.text);
    const { episodeGuest: { invitedAt, lastAccessedAt, podcastGuestId, ...its }, guest } = response.body.data;
    assert.ok(invitedAt && lastAccessedAt);
    assert.deepEqual(its, { id: episodeGuestId, episodeId: pilot.id, status });
    assert.deepEqual(guest, { id: podcastGuestId, displayName, email, userId: null, avatarUrl: null });
  }
});

Deno.test("POST /api/guests/messages returns 201 with the message, which /messages/list shows", async () => {
  const pilot = await episode(await podcast("Chatting")), { token } = await invite(pilot, { displayName: "Gus" });
  const { status, body } = await byToken("/messages", token, { body: "Glad to be here.\n<b>Really</b>" });
  assert.equal(status, 201);
  const { id, createdAt, ...message } = body.data;
  assert.ok(id);
  assert.match(createdAt, /^\d{4}-\d\d-\d\dT\d\d:\d\d:\d\d\.\d{3}Z$/);
  assert.deepEqual(message, {
    body: "Glad to be here.\n<b>Really</b>",
    deletedAt: null,
    isMine: true,
    sender: { type: "guest", name: "Gus", avatarUrl: null },
  });
  const listed = await byToken("/messages/list", token);
  assert.deepEqual([listed.status, listed.body], [200, {
    success: true,
    data: [body.data],
    pagination: { nextCursor: null, hasMore: false },
  }]);
  await byToken("/messages", token, { body: "Again" });
  const { body: { pagination } } = await byToken("/messages/list", token, { limit: 1 });
  assert.equal(pagination.hasMore, true);
  const next = await byToken("/messages/list", token, { limit: 1, cursor: pagination.nextCursor });
  assert.deepEqual(next.body, listed.body);
});

Deno.test("guest routes return 401 for an unknown or expired token, also to an owner, and 400 that names an invalid field", async () => {
  const { token, episodeGuestId } = await invite(pilot), headers = { authorization: "Bearer junk" };
  const json = { accessToken: token };
  const ignored = await sendRequest({ method: "POST", path: `${BASE}/episode`, headers, json });
  assert.equal(ignored.status, 200, "an Authorization header is ignored");
  await sql`update private.access_tokens set expires_at = now() where subject_id = ${episodeGuestId}`;
  for (
    const [path, more] of Object.entries({
      accept: {},
      decline: {},
      episode: {},
      messages: { body: "Hello" },
      "messages/list": {},
    })
  ) {
    const send = (accessToken: unknown) =>
      sendRequest({ method: "POST", path: `${BASE}/${path}`, as: "owner", json: { accessToken, ...more } });
    for (const junk of ["", `${token}=`, owner.token]) assertError(await send(junk), 401, { code: "INVALID" });
    assertError(await send(token), 401, { code: "EXPIRED" });
    for (const wrong of [undefined, null, 5]) assertError(await send(wrong), 400, { details: /^accessToken: / });
  }
  assertError(await byToken("/messages", token, { body: ["Hello"] }), 400, { details: /^body: / });
  for (const limit of [0, 101, 1.5, "5"]) {
    assertError(await byToken("/messages/list", token, { limit }), 400, { details: /^limit: / });
  }
  for (const cursor of [5, ""]) {
    assertError(await byToken("/messages/list", token, { cursor }), 400, { details: /^cursor: / });
  }
});

Deno.test("POST /api/guests returns 400 that names an invalid field, and 429 with the time", async () => {
  for (
    const [changed, details] of [
      [{ episodeId: "pilot" }, /^episodeId: /],
      [{ email: 5 }, /^email: /],
      [{ displayName: null }, /^displayName: /],
      [{ message: {} }, /^message: /],
      [{ displayName: " " }, /^The display name must have 1 to 200 characters$/],
    ] as const
  ) assertError(await request({ ...fields, email: newAddress(), ...changed }), 400, { details });
  assertError(await request({ ...fields, episodeId: crypto.randomUUID() }), 404);
  const { email } = await invite(pilot);
  await invite(pilot, { email }), await invite(pilot, { email });
  const fourth = await request({ ...fields, email });
  assertError(fourth, 429, { code: "RATE_LIMITED", rate_limit_reset_at: /^\d{4}-.+Z$/ });
});

Deno.test("an access token is not accepted as a login", async () => {
  const { token } = await invite(pilot), as = { token };
  for (
    const path of [`/api/podcast-guests?podcastId=${show.id}`, `/api/episodes/${pilot.id}/people`]
  ) {
    assertError(await sendRequest({ method: "GET", path, as }), 401);
  }
  assertError(await sendRequest({ method: "POST", path: BASE, as, json: fields }), 401);
  for (const table of ["podcast_guests", "episode_guests", "episode_messages", "episodes"]) {
    const headers = { apikey: stackInfo.publishableKey, authorization: `Bearer ${token}` };
    const response = await fetch(`${stackInfo.url}/rest/v1/${table}`, { headers });
    assert.equal(response.status, 401, table);
    await response.body?.cancel();
  }
});

Deno.test("DELETE /api/guests/:episodeGuestId keeps the credit and returns a warning that names it", async () => {
  const { token, episodeGuestId } = await invite(pilot, { displayName: "Credited" });
  const without = await remove((await invite(pilot)).episodeGuestId);
  assertKeys(without.body, "success", "data");
  assert.equal((await byToken("/accept", token)).status, 200);
  const { status, body } = await remove(episodeGuestId);
  assert.equal(status, 200);
  assertKeys(body, "success", "data", "warning");
  assertKeys(body.data, "episodeGuest", "guest");
  const name = body.data.guest.displayName;
  assert.equal(
    body.warning,
    `${name} is still credited as Guest; remove the credit to remove the name from the feed`,
  );
  const [{ count }] = await sql`
    select count(*)::int from public.episode_credits where episode_id = ${pilot.id} and name = ${name}`;
  assert.equal(count, 1);
});

Deno.test("clients may not read digests of access tokens, and the token is stored nowhere", async () => {
  const { token, episodeGuestId } = await invite(pilot);
  const digest = createHash("sha256").update(token).digest();
  const [{ kept }] = await sql`
    select digest = ${digest} as kept from private.access_tokens where subject_id = ${episodeGuestId}`;
  assert.equal(kept, true);
  const read = await Promise.all([
    owner.client.from("episode_guests").select().eq("id", episodeGuestId),
    owner.client.from("podcast_guests").select("*, episode_guests(*)").eq("podcast_id", show.id),
  ]);
  for (const text of [JSON.stringify(read), (await request({ ...fields, email: newAddress() })).text]) {
    for (const secret of [token, digest.toString("hex"), digest.toString("base64")]) assert.ok(!text.includes(secret));
  }
  const hidden = await owner.client.from("guest_invitations").select();
  assert.equal(hidden.status, 404, "the table is not exposed");
});

Deno.test("DELETE /api/guests/:episodeGuestId returns 404 for an unknown guest and 400 for a malformed id", async () => {
  assertError(await remove(crypto.randomUUID()), 404);
  assertError(await remove("gina"), 400, { details: /^episodeGuestId: / });
});
