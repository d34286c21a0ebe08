// /api/guests: inviting and removing guests, and the routes for access tokens.
import assert from "node:assert/strict";
import { createHash } from "node:crypto";
import {
  assertError,
  assertKeys,
  episode,
  person,
  podcast,
  type RequestOptions,
  scheduleDeletion,
  sendRequest,
  sql,
  stackInfo,
} from "../harness.ts";
import { assertAccessMatrix, assertReachable } from "../access_matrix.ts";
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
assertReachable(`POST ${BASE}`, inviting);
assertReachable(`DELETE ${BASE}/:episodeGuestId`, removing);
for (const path of ["accept", "decline", "episode"]) {
  assertReachable(
    `POST ${BASE}/${path}`,
    () => Promise.resolve({ path: `${BASE}/${path}`, json: { accessToken: "x" } }),
  );
}

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

Deno.test("POST /api/guests reuses the podcast's guest of an email and keeps its name", async () => {
  const email = newAddress(), second = await episode(show, "Second"), foreign = await episode(await podcast("Other"));
  const guests = [];
  for (const [{ id: episodeId }, displayName] of [[pilot, "First"], [second, "Later"], [foreign, "There"]] as const) {
    guests.push((await request({ episodeId, email, displayName })).body.data.guest);
  }
  assert.deepEqual(guests.map((guest) => guest.displayName), ["First", "First", "There"]);
  assert.equal(guests[0].id, guests[1].id);
  assert.notEqual(guests[0].id, guests[2].id);
});

Deno.test("POST /api/guests returns 400 for missing, malformed or oversized fields", async () => {
  const email = newAddress();
  for (
    const changed of [
      { episodeId: undefined },
      { episodeId: "pilot" },
      { email: undefined },
      { email: "" },
      { email: "not-an-email" },
      { email: 5 },
      { email: `${email}, ${newAddress()}` },
      { email: `Gus <${email}>` },
      { email: `${email}\r\nBcc: spam@guests.test` },
      { email: `${"x".repeat(250)}@guests.test` },
      { email: `\u200b${email.replace("@", "\u200b@")}` },
      { email: `${email}.` },
      { displayName: undefined },
      { displayName: "" },
      { displayName: " " },
      { displayName: "x".repeat(201) },
      { displayName: null },
      { message: "x".repeat(2001) },
      { message: {} },
    ]
  ) {
    assertError(await request({ ...fields, email, ...changed }), 400);
  }
  assertError(await sendRequest({ method: "POST", path: BASE, as: "owner", body: "{" }), 400);
  assertError(await request({ ...fields, episodeId: crypto.randomUUID() }), 404);
  const { data } = await admin.client.from("podcast_guests").select("id").eq("email", email);
  assert.deepEqual(data, [], "and leaves no record");
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
    },
    podcast: { id: show.id, slug: show.slug, title: "Public side", coverImageUrl: null },
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

Deno.test("guests accept and decline in any order, and repeating a response changes nothing", async () => {
  const { token, episodeGuestId } = await invite(pilot);
  for (const [path, status] of [["accept", "active"], ["accept", "active"], ["decline", "declined"]] as const) {
    const response = await byToken(`/${path}`, token);
    assert.equal(response.status, 200, response.text);
    assertKeys(response.body, "success", "data");
    assertKeys(response.body.data, "episodeGuest", "guest");
    assert.deepEqual([response.body.data.episodeGuest.id, response.body.data.episodeGuest.status], [
      episodeGuestId,
      status,
    ]);
    const { data } = await owner.client.from("episode_guests").select("status").eq("id", episodeGuestId);
    assert.deepEqual(data, [{ status }]);
  }
  assert.equal((await byToken("/decline", token)).body.data.episodeGuest.status, "declined");
  assert.equal((await byToken("/accept", token)).body.data.episodeGuest.status, "active");
  const events = await sql`
    select from private.events where type = 'guest.accepted' and payload ->> 'episode_guest_id' = ${episodeGuestId}`;
  assert.equal(events.length, 2, "each time that the guest became active");
});

Deno.test("guest routes return 401 INVALID for an unknown token and 401 EXPIRED for an expired one, for any caller", async () => {
  const { token, episodeGuestId } = await invite(pilot);
  const stored = createHash("sha256").update(token).digest();
  const junk = ["", "x", token.slice(0, -1), `${token}=`, token.toLowerCase(), owner.token, episodeGuestId];
  junk.push(stored.toString("hex"), stored.toString("base64url"), stackInfo.secretKey);
  for (const path of ["accept", "decline", "episode"]) {
    for (const accessToken of junk) assertError(await byToken(`/${path}`, accessToken), 401, { code: "INVALID" });
    const asOwner = { method: "POST", path: `${BASE}/${path}`, as: "owner", json: { accessToken: "junk" } } as const;
    assertError(await sendRequest(asOwner), 401, { code: "INVALID" });
    for (const json of [{}, { accessToken: null }, { accessToken: 5 }, { accessToken: ["x"] }, [], null]) {
      assertError(await sendRequest({ method: "POST", path: `${BASE}/${path}`, json }), 400);
    }
  }
  const headers = { authorization: "Bearer junk" };
  const ignored = await sendRequest({ method: "POST", path: `${BASE}/episode`, headers, json: { accessToken: token } });
  assert.equal(ignored.status, 200, "an Authorization header is ignored");

  await sql`update private.access_tokens set expires_at = now() where subject_id = ${episodeGuestId}`;
  for (const path of ["accept", "decline", "episode"]) {
    assertError(await byToken(`/${path}`, token), 401, { code: "EXPIRED" });
  }
  const { data } = await owner.client.from("episode_guests").select("status").eq("id", episodeGuestId);
  assert.deepEqual(data, [{ status: "invited" }]);
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

Deno.test("supabase-js calls the same functions, with an access token also anonymously", async () => {
  const { token, episodeGuestId } = await invite(pilot);
  const rpc = async (name: string, args: object, key = stackInfo.publishableKey) => {
    const headers = { apikey: key, "content-type": "application/json" };
    const body = JSON.stringify(args);
    const response = await fetch(`${stackInfo.url}/rest/v1/rpc/${name}`, { method: "POST", headers, body });
    return { status: response.status, body: await response.json() };
  };
  const accepted = await rpc("accept_guest_invitation", { access_token: token });
  assert.deepEqual([accepted.status, accepted.body.episodeGuest.status], [200, "active"]);
  assert.equal((await rpc("get_guest_episode", { access_token: token })).body.episode.id, pilot.id);
  const refused = await rpc("get_guest_episode", { access_token: "junk" });
  assert.deepEqual([refused.status, refused.body.hint], [401, "INVALID"]);
  for (const name of ["invite_guest", "remove_episode_guest", "list_podcast_guests", "authenticate_guest"]) {
    assert.ok([401, 404].includes((await rpc(name, {})).status), name);
  }
  const { data, status } = await owner.client.rpc("invite_guest", {
    episode_id: pilot.id,
    email: newAddress(),
    display_name: "By RPC",
  });
  assert.deepEqual([status, data.episodeGuest.status], [201, "invited"]);
  const removed = await owner.client.rpc("remove_episode_guest", { episode_guest_id: episodeGuestId });
  assert.equal(removed.data.data.episodeGuest.status, "removed");
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

Deno.test("removing a guest revokes the token at once, and a new invitation emails another", async () => {
  const { token, email, displayName, episodeGuestId } = await invite(pilot);
  assert.equal((await byToken("/accept", token)).status, 200);
  const { status, body } = await remove(episodeGuestId);
  assert.equal(status, 200);
  assertKeys(body.data, "episodeGuest", "guest");
  assert.deepEqual([body.data.episodeGuest.id, body.data.episodeGuest.status], [episodeGuestId, "removed"]);
  for (const path of ["accept", "decline", "episode"]) {
    assertError(await byToken(`/${path}`, token), 401, { code: "INVALID" });
  }
  assert.equal((await remove(episodeGuestId, "owner")).status, 200, "removing is safe to repeat");

  const again = await invite(pilot, { email, displayName: "Someone else" });
  assert.equal(again.episodeGuestId, episodeGuestId, "as the same guest");
  assert.notEqual(again.token, token);
  assertError(await byToken("/episode", token), 401, { code: "INVALID" });
  const opened = (await byToken("/episode", again.token)).body.data;
  assert.deepEqual([opened.episodeGuest.status, opened.guest.displayName], ["invited", displayName]);
});

Deno.test("POST /api/guests/episode returns the user of a guest whose address has an account", async () => {
  const { id, email } = await person("stranger");
  const { token } = await invite(pilot, { email });
  const { guest } = (await byToken("/episode", token)).body.data;
  assert.deepEqual([guest.email, guest.userId], [email, id]);
});

Deno.test("inviting an invited or active guest again emails another link", async () => {
  const { token, email } = await invite(pilot);
  assert.equal((await byToken("/accept", token)).status, 200);
  const again = await invite(pilot, { email });
  assert.equal((await byToken("/episode", again.token)).body.data.episodeGuest.status, "active");
  assert.equal((await byToken("/decline", again.token)).status, 200);
  const reinvited = await invite(pilot, { email });
  assert.equal(
    (await byToken("/episode", reinvited.token)).body.data.episodeGuest.status,
    "invited",
    "a guest who declined is invited again",
  );
});

Deno.test("POST /api/guests shows what becomes of the email, and returns 429 with the time if it would send none", async () => {
  const email = newAddress(), json = { ...fields, email };
  const { body: { data }, status } = await request(json);
  assert.equal(status, 201);
  assertKeys(data, "episodeGuest", "guest");
  assertKeys(data.guest, "id", "displayName", "email");
  const { id, podcastGuestId, invitedAt, ...its } = data.episodeGuest;
  assert.deepEqual(its, {
    episodeId: pilot.id,
    status: "invited",
    lastAccessedAt: null,
    emailStatus: "queued",
    emailDueAt: null,
  });
  assert.ok(id && podcastGuestId && invitedAt);
  const onItsWay = await request(json); // unless it was sent meanwhile
  if (onItsWay.status !== 201) {
    assertError(onItsWay, 429, { code: "RATE_LIMITED", rate_limit_reset_at: /Z$/ });
  }
  const { data: seen } = await owner.client.from("episode_guests").select("email_status, email_due_at").eq("id", id);
  assert.equal(seen!.length, 1);

  const guest = await invite(pilot);
  await invite(pilot, { email: guest.email }), await invite(pilot, { email: guest.email });
  const { data: [record] } = await owner.client.from("podcast_guests").select("id").eq("email", guest.email)
    .throwOnError();
  const { body } = await sendRequest({ method: "GET", path: `/api/podcast-guests/${record.id}`, as: "owner" });
  assert.equal(body.data.episodes[0].emailStatus, "sent");
  const fourth = await request({ episodeId: pilot.id, email: guest.email, displayName: "Gus" });
  assertError(fourth, 429, { code: "RATE_LIMITED", rate_limit_reset_at: /Z$/ });
  assert.equal((await byToken("/decline", guest.token)).status, 200, "the links of all emails are valid");
});

Deno.test("an honest team's invitation waits until the next day if strangers filled the guest's day", async () => {
  const email = newAddress();
  await sql`select private.recipient_email_time('user:x', ${email}, now()) from generate_series(1, 20)`;
  const { status, body } = await request({ ...fields, email });
  assert.deepEqual([status, body.data.episodeGuest.emailStatus], [201, "waiting"]);
  const waitsMs = new Date(body.data.episodeGuest.emailDueAt).getTime() - Date.now();
  assert.ok(waitsMs > 23 * 3_600_000 && waitsMs <= 24 * 3_600_000, String(waitsMs));
});

Deno.test("DELETE /api/guests/:episodeGuestId returns 404 for an unknown guest and 400 for a malformed id", async () => {
  assertError(await remove(crypto.randomUUID()), 404);
  assertError(await remove("gina"), 400, { details: /^episodeGuestId: / });
});

Deno.test("POST /api/guests returns 429 with the reset time over max_guest_invitations_per_hour", async () => {
  const busy = await person("invites-much"), show = await podcast("Busy", "invites-much"), pilot = await episode(show);
  await sql`
    insert into private.rate_limits (key, window_started_at, expires_at, request_count)
    values (${
    "guest_invitations:" + busy.id
  }, now(), now() + interval '1 day', (select private.get_setting('max_guest_invitations_per_hour')::int - 1))`;
  const json = { ...fields, episodeId: pilot.id };
  assert.equal((await request(json, busy)).status, 201);
  assertError(await request(json, busy), 429, { code: "RATE_LIMITED", rate_limit_reset_at: /^\d{4}-.+Z$/ });
});

Deno.test("on a podcast pending deletion, guest routes return 409, except reading the episode", async () => {
  const show = await podcast("Going"), pilot = await episode(show);
  const { token, episodeGuestId } = await invite(pilot);
  await scheduleDeletion(show);
  const gone = { code: "PODCAST_PENDING_DELETION" };
  assertError(await request({ ...fields, episodeId: pilot.id }), 409, gone);
  assertError(await remove(episodeGuestId), 409, gone);
  assertError(await byToken("/accept", token), 409, gone);
  assertError(await byToken("/decline", token), 409, gone);
  assert.equal((await byToken("/episode", token)).status, 200);
});
