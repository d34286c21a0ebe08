// /api/episodes/{id}/people and …/credits: roster and credits of an episode. The rules are tested in tests/sql/50_people.
import assert from "node:assert/strict";
import {
  AddPersonResponse,
  ListPeopleResponse,
  RemoveCreditResponse,
  RemovePersonResponse,
  ReorderCreditsResponse,
  UpdatePersonResponse,
} from "../../../types/people.ts";
import { assertError, assertKeys, episode, person, podcast, sendRequest, sql } from "../harness.ts";
import { assertAccessMatrix } from "../access_matrix.ts";
import {
  add,
  added,
  assertResponse,
  at,
  change,
  credit,
  credited,
  guest,
  list,
  remove,
  reorder,
  uncredit,
} from "./people.ts";

const [owner, admin, member] = await Promise.all(["owner", "admin", "member"].map(person));
const UNKNOWN_ID = "00000000-0000-4000-8000-000000000000";

const pilot = await episode(await podcast("People"));
const eve = await added(pilot, { sourceType: "external", name: "Eve" });
const ids = async (of = pilot) =>
  (await sql`select id from public.episode_credits where episode_id = ${of.id} order by display_order`)
    .map(({ id }) => id as string);
const paths: Record<string, [rest: string, json?: () => unknown]> = {
  "GET /api/episodes/:id/people": ["people"],
  "POST /api/episodes/:id/people": ["people", () => ({ sourceType: "external", name: "Max" })],
  "PUT /api/episodes/:id/people/:personId": [`people/${eve.id}`, () => ({ name: "Eva" })],
  "DELETE /api/episodes/:id/people/:personId": [`people/${eve.id}`],
  "PUT /api/episodes/:id/people/:personId/credit": [`people/${eve.id}/credit`, () => ({})],
  "DELETE /api/episodes/:id/people/:personId/credit": [`people/${eve.id}/credit`],
  "PUT /api/episodes/:id/credits/reorder": ["credits/reorder", async () => ({ creditIds: await ids() })],
};
for (const [route, [rest, json]] of Object.entries(paths)) {
  const request = async () => ({ path: at(pilot, rest), json: await json?.() });
  assertAccessMatrix(route, request, { anon: 401, stranger: 403, member: 403 });

  Deno.test(`${route} returns 400 for a malformed id and 404 for an unknown one`, async () => {
    const [method] = route.split(" ");
    for (const [id, status] of [["x", 400], [UNKNOWN_ID, 404]] as const) {
      const options = { method, ...await request(), as: "admin" } as const;
      assertError(await sendRequest({ ...options, path: at({ ...pilot, id }, rest) }), status);
      if (!route.includes(":personId")) continue;
      assertError(await sendRequest({ ...options, path: options.path.replace(eve.id, id) }), status);
    }
  });
}

Deno.test("GET people returns the roster with credits and the candidates", async () => {
  const pilot = await episode(await podcast("Listed"));
  const ed = await added(pilot, {
    sourceType: "external",
    name: "Ed",
    roleLabel: "Editor",
    avatarUrl: "https://a.test/ed.png",
    externalUrl: "https://ed.test/",
  });
  const guestId = await guest(pilot, "gus");
  const { data } = assertResponse(await list(pilot), 200, ListPeopleResponse);
  assertKeys(data, "people", "candidates");
  assert.deepEqual(data.people.map(({ name }) => name).slice(1), ["Ed"]);
  const [creator, listed] = data.people;
  assert.deepEqual([creator.userId, creator.roleLabel, creator.credited?.roleLabel], [admin.id, "Host", "Host"]);
  const { credited, ...entry } = listed;
  assert.deepEqual(entry, ed);
  assert.deepEqual(credited, {
    id: ed.creditId,
    name: "Ed",
    roleLabel: "Editor",
    avatarUrl: "https://a.test/ed.png",
    externalUrl: "https://ed.test/",
    displayOrder: 1,
  });
  const team = data.candidates.teamCandidates.map(({ userId, role }) => ({ userId, role }));
  assert.deepEqual(
    new Set(team),
    new Set([{ userId: owner.id, role: "owner" }, { userId: member.id, role: "member" }]),
  );
  assert.deepEqual(data.candidates.guestCandidates, [
    { guestId, name: "gus", email: "gus@guests.test", status: "invited" },
  ]);
});

Deno.test("POST people returns 201 with the entry, and 200 with alreadyExisted for a person on the roster", async () => {
  const pilot = await episode(await podcast("Twice")), guestId = await guest(pilot, "gus");
  const urls = { avatarUrl: "https://a.test/gus.png", externalUrl: "https://gus.test/" };
  const json = { sourceType: "guest" as const, name: " Gus ", guestId, ...urls };
  const first = await added(pilot, json);
  const { id: _, createdAt: __, updatedAt: ___, ...rest } = first;
  assert.deepEqual(rest, {
    episodeId: pilot.id,
    sourceType: "guest",
    userId: null,
    guestId,
    name: "Gus",
    roleLabel: "Guest",
    ...urls,
    isActive: true,
    creditId: null,
  });
  const again = assertResponse(await add(pilot, json, "owner"), 200, AddPersonResponse);
  assert.deepEqual(again, { success: true, data: first, alreadyExisted: true });
});

Deno.test("people routes return 400 that names an invalid field", async () => {
  const external = { sourceType: "external", name: "X" };
  for (
    const [changed, details] of [
      [{ sourceType: "robot" }, /^sourceType: /],
      [{ name: 5 }, /^name: /],
      [{ name: undefined }, /^name: /],
      [{ name: "a\0b" }, /^name: /],
      [{ roleLabel: null }, /^roleLabel: /],
      [{ userId: "me" }, /^userId: /],
      [{ avatarUrl: "nowhere" }, /^avatarUrl: /],
      [{ externalUrl: "ftp://x.test" }, /^externalUrl: /],
    ] as const
  ) assertError(await add(pilot, { ...external, ...changed }), 400, { details });
  const roleLabel = { roleLabel: "Sound wizard" };
  assertError(await add(pilot, { ...external, ...roleLabel }), 400, { code: "INVALID_ROLE_LABEL" });
  assertError(await credit(pilot, eve.id, roleLabel), 400, { code: "INVALID_ROLE_LABEL" });
  assertError(await change(pilot, eve.id, {}), 400, { error: /^Provide at least one of: / });
  assertError(await change(pilot, eve.id, { isActive: "false" }), 400, { details: /^isActive: / });
  assertError(await credit(pilot, eve.id, { name: null }), 400, { details: /^name: / });
  assertError(await reorder(pilot, { creditIds: ["b"] }), 400, { details: /creditIds/ });
  const tall = "🎙".repeat(200); // 200 characters, although JavaScript counts 400
  assert.equal(
    (await added(await episode(await podcast("Tall")), { ...external, sourceType: "external", name: tall })).name,
    tall,
  );
});

Deno.test("PUT and DELETE person return the changed entry, and what is removed", async () => {
  const pilot = await episode(await podcast("Changing"));
  const was = await added(pilot, { sourceType: "external", name: "Xi", avatarUrl: "https://a.test/x.png" });
  const changes = { name: "Xia", roleLabel: "Sound wizard", avatarUrl: null, isActive: false };
  const { data } = assertResponse(await change(pilot, was.id, changes), 200, UpdatePersonResponse);
  assert.ok(data.updatedAt > was.updatedAt);
  assert.deepEqual(data, { ...was, ...changes, creditId: null, updatedAt: data.updatedAt });
  assertError(await credit(pilot, was.id, {}), 422, { code: "PERSON_INACTIVE" });
  const removed = assertResponse(await remove(pilot, was.id), 200, RemovePersonResponse);
  assert.deepEqual(removed.data, { id: was.id, name: "Xia" });
  assertError(await remove(pilot, was.id), 404);
});

Deno.test("PUT credit returns 200 for an existing credit and 201 for a new one, and DELETE credit whose it was", async () => {
  const pilot = await episode(await podcast("Own words"));
  const entry = await added(pilot, { sourceType: "external", name: "Xi", avatarUrl: "https://a.test/x.png" });
  const words = { name: "X. I.", roleLabel: "Composer", avatarUrl: null, externalUrl: "https://xi.test" };
  const made = await credited(pilot, entry.id, words, 200);
  assert.deepEqual(made, { id: entry.creditId, ...words, displayOrder: 1 });
  const { data } = assertResponse(await uncredit(pilot, entry.id), 200, RemoveCreditResponse);
  assert.deepEqual(data, { personId: entry.id, name: "Xi" });
  assertError(await uncredit(pilot, entry.id), 422, { code: "NOT_CREDITED" });
  assert.equal((await credited(pilot, entry.id, {}, 201)).name, "Xi");
});

Deno.test("PUT credit accepts a request without a body, also with a content type", async () => {
  const pilot = await episode(await podcast("Bodiless"));
  const { id } = await added(pilot, { sourceType: "external", name: "Xi" });
  assert.equal((await credited(pilot, id, undefined, 200)).roleLabel, "Guest");
  for (const type of ["application/json", "text/plain"]) { // clients may declare a type for an empty body
    const headers = { "content-type": type };
    const request = { method: "PUT", path: at(pilot, `people/${id}/credit`), as: "admin", headers } as const;
    assert.equal((await sendRequest(request)).status, 200);
    assertError(await sendRequest({ ...request, body: " " }), 400);
  }
});

Deno.test("PUT reorder returns the order, and 400 for an incomplete list", async () => {
  const pilot = await episode(await podcast("Reordering"));
  for (const name of ["A", "B"]) await added(pilot, { sourceType: "external", name });
  const [host, a, b] = await ids(pilot), order = [b, host, a];
  const { data } = assertResponse(await reorder(pilot, { creditIds: order }), 200, ReorderCreditsResponse);
  assert.deepEqual(data, { episodeId: pilot.id, order });
  assert.deepEqual(await ids(pilot), order);
  assertError(await reorder(pilot, { creditIds: [b, host] }), 400, { code: "INCOMPLETE_CREDIT_LIST" });
});
