// /api/podcast-guests: members list and read guests, admins update them.
import assert from "node:assert/strict";
import { createClient } from "@supabase/supabase-js";
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
import { assertAccessMatrix, assertReachable } from "../access_matrix.ts";

const [owner, admin, member, stranger] = await Promise.all(["owner", "admin", "member", "stranger"].map(person));
const service = createClient(stackInfo.url, stackInfo.secretKey, {
  auth: { persistSession: false, autoRefreshToken: false },
});

const BASE = "/api/podcast-guests";
const list = (query: Record<string, string>, as: RequestOptions["as"] = "member") =>
  sendRequest({ method: "GET", path: `${BASE}?${new URLSearchParams(query)}`, as });
const detail = (id: string, as: RequestOptions["as"] = "member") =>
  sendRequest({ method: "GET", path: `${BASE}/${id}`, as });
const change = (id: string, json: unknown, as: RequestOptions["as"] = "admin") =>
  sendRequest({ method: "PUT", path: `${BASE}/${id}`, as, json });

const newAddress = () => `${crypto.randomUUID()}@records.test`;

/** Invites a guest of that name and returns both ids. */
async function invited(episode: Episode, displayName: string, email = newAddress()) {
  const json = { episodeId: episode.id, email, displayName };
  const { status, text, body } = await sendRequest({ method: "POST", path: "/api/guests", as: "owner", json });
  assert.equal(status, 201, text);
  return { id: body.data.guest.id as string, episodeGuestId: body.data.episodeGuest.id as string, email };
}

const show = await podcast("Guest records"), pilot = await episode(show);
const gina = await invited(pilot, "Gina Golf");
await change(gina.id, { notes: "Comes late", bio: "Aviator" });

const listing = () => Promise.resolve({ path: `${BASE}?podcastId=${show.id}` });
const one = () => Promise.resolve({ path: `${BASE}/${gina.id}` });
const changing = () => Promise.resolve({ path: `${BASE}/${gina.id}`, json: { notes: "Comes late" } });
assertAccessMatrix(`GET ${BASE}`, listing, { anon: 401, stranger: 403 });
assertAccessMatrix(`GET ${BASE}/:id`, one, { anon: 401, stranger: 403 });
assertAccessMatrix(`PUT ${BASE}/:id`, changing, { anon: 401, stranger: 403, member: 403 });
assertReachable(`GET ${BASE}`, listing);
assertReachable(`GET ${BASE}/:id`, one);
assertReachable(`PUT ${BASE}/:id`, changing);

Deno.test("GET /api/podcast-guests lists a podcast's guests with their number of episodes", async () => {
  const show = await podcast("Listed"), first = await episode(show), second = await episode(show, "Second");
  assert.deepEqual((await list({ podcastId: show.id })).body, { success: true, data: [] });
  const zoe = await invited(first, "zoe"), adam = await invited(first, "Adam");
  await invited(second, "Adam again", adam.email.toUpperCase());
  const { status, body } = await list({ podcastId: show.id });
  assert.equal(status, 200);
  assertKeys(body, "success", "data");
  for (const guest of body.data) {
    assertKeys(guest, "id", "displayName", "email", "userId", "avatarUrl", "episodeCount", "createdAt");
    assert.match(guest.createdAt, /^\d{4}-\d\d-\d\dT\d\d:\d\d:\d\d\.\d{3}Z$/);
  }
  const { createdAt: _, ...shown } = body.data[0];
  assert.deepEqual(shown, {
    id: adam.id,
    displayName: "Adam",
    email: adam.email,
    userId: null,
    avatarUrl: null,
    episodeCount: 2,
  });
  assert.deepEqual(body.data.map((guest: { id: string }) => guest.id), [adam.id, zoe.id]);
});

Deno.test("GET /api/podcast-guests searches names and emails regardless of letter case, without patterns", async () => {
  const show = await podcast("Searched"), pilot = await episode(show), address = newAddress();
  await invited(pilot, "Jürgen 100% O'Neil"), await invited(pilot, "Ana", address);
  const names = async (q: string) =>
    (await list({ podcastId: show.id, q })).body.data.map((guest: { displayName: string }) => guest.displayName);
  assert.deepEqual(await names("JÜRG"), ["Jürgen 100% O'Neil"]);
  assert.deepEqual(await names(address.toUpperCase()), ["Ana"]);
  assert.deepEqual(await names("o'neil"), ["Jürgen 100% O'Neil"]);
  assert.deepEqual(await names("%"), ["Jürgen 100% O'Neil"]);
  assert.deepEqual(await names("_"), []);
  assert.deepEqual(await names("\\"), []);
  assert.deepEqual(await names(""), ["Ana", "Jürgen 100% O'Neil"]);
  assert.deepEqual(await names("x' or true --"), []);
});

Deno.test("GET /api/podcast-guests limits to 20 by default and clamps the limit to 1-50", async () => {
  const show = await podcast("Crowded"), pilot = await episode(show);
  await sql`
    insert into public.podcast_guests (podcast_id, display_name, email)
    select ${show.id}, 'Guest', n || '@crowd.test' from generate_series(1, 55) n`;
  const count = async (limit?: string) =>
    (await list({ podcastId: show.id, ...limit !== undefined && { limit } })).body.data.length;
  for (
    const [limit, expected] of [[undefined, 20], ["7", 7], ["0", 1], ["-3", 1], ["51", 50], ["2.7", 2], [
      `-${"9".repeat(400)}`,
      1,
    ], [
      "9".repeat(400),
      50,
    ]] as const
  ) {
    assert.equal(await count(limit), expected, limit);
  }
  for (const limit of ["", "ten", "1e3", "0x10", "NaN", " 5"]) {
    assertError(await list({ podcastId: show.id, limit }), 400, { details: /^limit: / });
  }
  assert.equal(pilot.slug, "pilot");
});

Deno.test("GET /api/podcast-guests returns 400 without a valid podcastId and 404 for an unknown podcast", async () => {
  assertError(await list({}), 400, { details: /^podcastId: / });
  assertError(await list({ podcastId: "show" }), 400, { details: /^podcastId: / });
  assertError(
    await sendRequest({ method: "GET", path: `${BASE}?podcastId=${show.id}&podcastId=${show.id}`, as: "member" }),
    400,
  );
  assertError(await list({ podcastId: crypto.randomUUID() }), 404);
  assertError(await list({ podcastId: show.id, q: "\0" }), 400, { details: /^q: / });
});

Deno.test("GET /api/podcast-guests/:id hides notes and bio from members and says so", async () => {
  for (const as of ["owner", "admin", "member"] as const) {
    const { status, body } = await detail(gina.id, as);
    assert.equal(status, 200);
    assertKeys(
      body.data,
      ...["id", "displayName", "email", "userId", "avatarUrl", "notes", "bio", "privateNotesVisible"],
      ...["createdAt", "updatedAt", "episodes"],
    );
    const { notes, bio, privateNotesVisible } = body.data;
    const expected = as === "member" ? [null, null, false] : ["Comes late", "Aviator", true];
    assert.deepEqual([notes, bio, privateNotesVisible], expected, as);
  }
});

Deno.test("members may not read notes and bio through any response or supabase-js query", async () => {
  const texts = [
    (await detail(gina.id)).text,
    (await list({ podcastId: show.id })).text,
    ...await Promise.all(
      [member, stranger].flatMap(({ client }) =>
        [
          client.from("podcast_guest_notes").select(),
          client.from("podcast_guests").select("*, podcast_guest_notes(*)").eq("id", gina.id),
          client.from("podcast_guests").select().order("podcast_guest_notes(notes)").eq("id", gina.id),
          client.from("episode_guests").select("*, podcast_guests(*, podcast_guest_notes(*))").eq(
            "episode_id",
            pilot.id,
          ),
          client.rpc("get_podcast_guest", { podcast_guest_id: gina.id }),
          client.rpc("list_podcast_guests", { podcast_id: show.id, q: "Comes late" }),
          client.rpc("update_podcast_guest", { podcast_guest_id: gina.id, changes: { displayName: "Gina" } }),
        ].map(async (query) => JSON.stringify(await query))
      ),
    ),
  ];
  for (const text of texts) assert.doesNotMatch(text, /Comes late|Aviator/);
  const { data } = await member.client.from("podcast_guests").select("*, podcast_guest_notes(*)").eq("id", gina.id);
  assert.deepEqual(data?.map((guest) => [guest.display_name, guest.podcast_guest_notes]), [["Gina Golf", null]]);
  const theirs = await admin.client.from("podcast_guest_notes").select("notes, bio").eq("guest_id", gina.id);
  assert.deepEqual(theirs.data, [{ notes: "Comes late", bio: "Aviator" }]);
});

Deno.test("clients may not write guests and notes directly", async () => {
  for (const { client } of [owner, member, stranger, { client: service }]) {
    const tried = await Promise.all([
      client.from("podcast_guests").insert({ podcast_id: show.id, display_name: "X", email: newAddress() }),
      client.from("podcast_guests").update({ user_id: owner.id }).eq("id", gina.id),
      client.from("podcast_guests").delete().eq("id", gina.id),
      client.from("podcast_guest_notes").upsert({ guest_id: gina.id, notes: "Mine" }),
      client.from("episode_guests").update({ status: "active" }).eq("id", gina.episodeGuestId),
    ]);
    for (const { status, error } of tried) assert.deepEqual([status, error?.code], [403, "42501"]);
  }
});

Deno.test("GET /api/podcast-guests/:id returns the episodes of every invitation, newest first", async () => {
  const show = await podcast("Often"), first = await episode(show, "First"), second = await episode(show, "Second");
  const ida = await invited(first, "Ida"), again = await invited(second, "Ida", ida.email);
  await sendRequest({ method: "DELETE", path: `/api/guests/${ida.episodeGuestId}`, as: "admin" });
  const { body } = await detail(ida.id);
  for (const entry of body.data.episodes) assert.match(entry.invitedAt, /^\d{4}-\d\d-\d\dT.+Z$/);
  assert.deepEqual(
    body.data.episodes.map(({ invitedAt: _, emailStatus: __, ...entry }: Record<string, string>) => entry),
    [[again, second, "invited"] as const, [ida, first, "removed"] as const].map(([guest, episode, status]) => ({
      episodeGuestId: guest.episodeGuestId,
      episodeId: episode.id,
      episodeTitle: status === "invited" ? "Second" : "First",
      episodeSlug: episode.slug,
      status,
      lastAccessedAt: null,
      emailDueAt: null,
    })),
  );
});

Deno.test("PUT /api/podcast-guests/:id keeps absent fields and clears fields that are null", async () => {
  const { id, email } = await invited(pilot, "Una");
  const first = await change(id, { displayName: " Una Unsworth ", notes: "Nice" });
  assert.equal(first.status, 200, first.text);
  assertKeys(first.body.data, "id", "displayName", "email", "userId", "notes", "bio", "updatedAt");
  const { updatedAt, ...rest } = first.body.data;
  assert.deepEqual(rest, { id, displayName: "Una Unsworth", email, userId: null, notes: "Nice", bio: null });
  const { body: { data } } = await change(id, { notes: null, bio: "Surfer" }, "owner");
  assert.deepEqual([data.displayName, data.notes, data.bio], ["Una Unsworth", null, "Surfer"]);
  assert.ok(data.updatedAt > updatedAt);
  assert.equal((await detail(id, "admin")).body.data.updatedAt, data.updatedAt);
});

Deno.test("PUT /api/podcast-guests/:id returns 400 for empty, oversized or unknown fields and changes nothing", async () => {
  const { id, email } = await invited(pilot, "Same");
  for (
    const json of [
      {},
      [],
      null,
      { displayName: null },
      { displayName: "" },
      { displayName: " \t" },
      { displayName: "x".repeat(201) },
      { displayName: 5 },
      { notes: "x".repeat(2001) },
      { bio: "x".repeat(2001) },
      { bio: ["x"] },
      { bio: "x", email: "other@guests.test" },
      { userId: owner.id },
      { notes: "\0" },
    ]
  ) {
    assertError(await change(id, json), 400);
  }
  const { displayName, email: kept, notes, bio } = (await detail(id, "admin")).body.data;
  assert.deepEqual([displayName, kept, notes, bio], ["Same", email, null, null]);
  const long = { displayName: "😀".repeat(200), notes: "😀".repeat(2000), bio: "😀".repeat(2000) };
  assert.equal((await change(id, long)).status, 200, "surrogate pairs count as one character");
});

Deno.test("podcast-guests routes return 404 for an unknown guest and 400 for a malformed id", async () => {
  assertError(await detail(crypto.randomUUID()), 404);
  assertError(await change(crypto.randomUUID(), { bio: "x" }), 404);
  assertError(await detail("gina"), 400, { details: /^id: / });
  assertError(await change("gina", { bio: "x" }), 400, { details: /^id: / });
});

Deno.test("a guest is linked to the confirmed user of the email in any letter case, even if the user signs up or changes it later", async () => {
  const email = newAddress(), other = newAddress();
  const early = await invited(pilot, "Lena", email.toUpperCase());
  const unconfirmed = await service.auth.admin.createUser({
    email: email.toUpperCase(),
    password: "correct horse",
    email_confirm: false,
  });
  const id = unconfirmed.data.user!.id;
  const linked = async (guest: string) => {
    const { userId, avatarUrl } = (await detail(guest)).body.data;
    return [userId, avatarUrl];
  };
  assert.deepEqual(await linked(early.id), [null, null]);
  const confirmed = await service.auth.admin.updateUserById(id, { email_confirm: true });
  assert.equal(confirmed.error, null);
  assert.deepEqual(await linked(early.id), [id, null]);
  const avatar = "https://faces.example/lena.png";
  assert.equal((await service.from("profiles").update({ avatar_url: avatar }).eq("id", id)).error, null);
  assert.deepEqual(await linked(early.id), [id, avatar]);
  const [entry] = (await list({ podcastId: show.id, q: email })).body.data;
  assert.deepEqual([entry.userId, entry.avatarUrl], [id, avatar]);

  const later = await invited(pilot, "Lena elsewhere", other);
  assert.deepEqual(await linked(later.id), [null, null]);
  assert.equal(
    (await service.auth.admin.updateUserById(id, { email: other.toUpperCase(), email_confirm: true })).error,
    null,
  );
  assert.deepEqual([await linked(early.id), await linked(later.id)], [[null, null], [id, avatar]]);
  assert.equal((await service.auth.admin.deleteUser(id)).error, null);
  assert.deepEqual(await linked(later.id), [null, null]);
});

Deno.test("guests of a podcast pending deletion can be read, and updates return 409", async () => {
  const show = await podcast("Leaving"), pilot = await episode(show), guest = await invited(pilot, "Last");
  await scheduleDeletion(show);
  assertError(await change(guest.id, { bio: "x" }), 409, { code: "PODCAST_PENDING_DELETION" });
  assert.equal((await detail(guest.id)).status, 200);
  assert.equal((await list({ podcastId: show.id })).body.data.length, 1);
});
