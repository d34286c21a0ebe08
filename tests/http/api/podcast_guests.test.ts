// /api/podcast-guests: members list and read guests, admins update them.
import assert from "node:assert/strict";
import {
  assertError,
  assertKeys,
  type Episode,
  episode,
  person,
  podcast,
  type RequestOptions,
  sendRequest,
} from "../harness.ts";
import { assertAccessMatrix } from "../access_matrix.ts";

const owner = await person("owner");

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

Deno.test("GET /api/podcast-guests clamps any number of a limit", async () => {
  const length = async (limit: string) => (await list({ podcastId: show.id, limit })).body.data?.length;
  for (const limit of ["0", "-3", "2.7", `-${"9".repeat(400)}`, "9".repeat(400)]) assert.ok(await length(limit), limit);
  for (const limit of ["", "ten", "1e3", "0x10", "NaN", " 5"]) {
    assertError(await list({ podcastId: show.id, limit }), 400, { details: /^limit: / });
  }
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

Deno.test("GET /api/podcast-guests/:id returns the guest with the episodes of the invitations", async () => {
  const { status, body } = await detail(gina.id, "admin");
  assert.equal(status, 200);
  const { createdAt, updatedAt, episodes: [{ invitedAt, emailStatus: _, ...entry }, ...others], ...guest } = body.data;
  for (const time of [createdAt, updatedAt, invitedAt]) assert.match(time, /^\d{4}-\d\d-\d\dT.+Z$/);
  assert.deepEqual(guest, {
    id: gina.id,
    displayName: "Gina Golf",
    email: gina.email,
    userId: null,
    avatarUrl: null,
    notes: "Comes late",
    bio: "Aviator",
    privateNotesVisible: true,
  });
  assert.deepEqual([entry, others], [{
    episodeGuestId: gina.episodeGuestId,
    episodeId: pilot.id,
    episodeTitle: "Pilot",
    episodeSlug: pilot.slug,
    status: "invited",
    lastAccessedAt: null,
    emailDueAt: null,
  }, []]);
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
  assertError(await change(id, {}), 400, { error: /^Provide at least one of: / });
  for (const json of [{ displayName: 5 }, { notes: "\0" }, { userId: owner.id }]) {
    assertError(await change(id, json), 400);
  }
  assert.ok(data.updatedAt > updatedAt);
  assert.equal((await detail(id, "admin")).body.data.updatedAt, data.updatedAt);
});

Deno.test("podcast-guests routes return 404 for an unknown guest and 400 for a malformed id", async () => {
  assertError(await detail(crypto.randomUUID()), 404);
  assertError(await change(crypto.randomUUID(), { bio: "x" }), 404);
  assertError(await detail("gina"), 400, { details: /^id: / });
  assertError(await change("gina", { bio: "x" }), 400, { details: /^id: / });
});
