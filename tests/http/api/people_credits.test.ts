// /api/episodes/{id}/people/{personId}/credit and …/credits/reorder: the people that a feed credits, their roles and their order.
import assert from "node:assert/strict";
import { RemoveCreditResponse, ReorderCreditsResponse } from "../../../types/people.ts";
import { assertError, episode, person, podcast, scheduleDeletion, sendRequest, sql } from "../harness.ts";
import { assertAccessMatrix, assertReachable } from "../access_matrix.ts";
import {
  added,
  assertResponse,
  at,
  change,
  credit,
  credited,
  credits,
  guest,
  list,
  queued,
  reorder,
  uncredit,
} from "./people.ts";

const member = await person("member");
const UNKNOWN_ID = "00000000-0000-4000-8000-000000000000";

const pilot = await episode(await podcast("Credits"));
const eve = await added(pilot, { sourceType: "external", name: "Eve" });
const ids = async (of = pilot) =>
  (await sql`select id from public.episode_credits where episode_id = ${of.id} order by display_order`)
    .map(({ id }) => id as string);
const routes = {
  "PUT /api/episodes/:id/people/:personId/credit": () =>
    Promise.resolve({ path: at(pilot, `people/${eve.id}/credit`), json: {} }),
  "DELETE /api/episodes/:id/people/:personId/credit": () =>
    Promise.resolve({ path: at(pilot, `people/${eve.id}/credit`) }),
  "PUT /api/episodes/:id/credits/reorder": async () => ({
    path: at(pilot, "credits/reorder"),
    json: { creditIds: await ids() },
  }),
};
for (const [route, request] of Object.entries(routes)) {
  assertAccessMatrix(route, request, { anon: 401, stranger: 403, member: 403 });
  assertReachable(route, request);
}

Deno.test("PUT credit creates the last credit, with absent fields from the roster entry", async () => {
  const pilot = await episode(await podcast("Defaults"));
  const urls = { avatarUrl: "https://a.test/x.png", externalUrl: "https://x.test" };
  const { id } = await added(pilot, { sourceType: "external", name: "Xi", roleLabel: "Editor", ...urls });
  await added(pilot, { sourceType: "external", name: "Zoe" });
  assertResponse(await uncredit(pilot, id), 200, RemoveCreditResponse);
  const made = await credited(pilot, id, {}, 201);
  assert.deepEqual({ ...made, id: 0 }, { id: 0, name: "Xi", roleLabel: "Editor", ...urls, displayOrder: 2 });
  const { body } = await list(pilot);
  assert.deepEqual(body.data.people.find((entry: { id: string }) => entry.id === id).credited, made);
});

Deno.test("PUT credit creates a credit without a request body", async () => {
  const pilot = await episode(await podcast("Bodiless"));
  const { id } = await added(pilot, { sourceType: "external", name: "Xi" });
  assert.equal((await credited(pilot, id, undefined, 200)).roleLabel, "Guest");
  await uncredit(pilot, id);
  assert.equal((await credited(pilot, id, undefined, 201)).name, "Xi");
  for (const type of ["application/json", "text/plain"]) { // clients may declare a type for an empty body
    const headers = { "content-type": type };
    const request = { method: "PUT", path: at(pilot, `people/${id}/credit`), as: "admin", headers } as const;
    assert.equal((await sendRequest(request)).status, 200);
    assertError(await sendRequest({ ...request, body: " " }), 400);
  }
});

Deno.test("PUT credit changes the credit's texts and keeps the roster's", async () => {
  const pilot = await episode(await podcast("Own words"));
  const entry = await added(pilot, { sourceType: "external", name: "Xi", avatarUrl: "https://a.test/x.png" });
  const words = { name: "X. I.", roleLabel: "Composer", avatarUrl: null, externalUrl: "https://xi.test" };
  const made = await credited(pilot, entry.id, words, 200);
  assert.deepEqual(made, { id: entry.creditId, ...words, displayOrder: 1 });
  const { body } = await list(pilot);
  const { credited: _, ...now } = body.data.people[1];
  assert.deepEqual(now, entry);
});

Deno.test("PUT credit keeps the role label of an existing credit unless one is given", async () => {
  const pilot = await episode(await podcast("Choices"));
  const { id, roleLabel } = await added(pilot, { sourceType: "team", name: "Member", userId: member.id });
  assert.equal(roleLabel, "Co-host");
  for (
    const [json, label] of [
      [{ roleLabel: "Host" }, "Host"],
      [{ name: "Renamed" }, "Host"],
      [{}, "Host"],
      [{ roleLabel: "Guest" }, "Guest"],
      [{}, "Guest"],
      [{ roleLabel: "Co-host" }, "Co-host"],
    ] as const
  ) {
    assert.equal((await credited(pilot, id, json, 200)).roleLabel, label);
  }
  await change(pilot, id, { roleLabel: "Producer" });
  assert.equal((await credited(pilot, id, {}, 200)).roleLabel, "Co-host", "the roster's label is not the credit's");
});

Deno.test("a new credit turns an unsupported roster label into Co-host for the team and Guest for others", async () => {
  const pilot = await episode(await podcast("Falling back")), guestId = await guest(pilot, "gus");
  const team = await added(pilot, { sourceType: "team", name: "Member", userId: member.id });
  const outsider = await added(pilot, { sourceType: "external", name: "Xi", roleLabel: "Host" });
  const invited = await added(pilot, { sourceType: "guest", name: "Gus", guestId });
  for (
    const [{ id }, onRoster, json, label] of [
      [team, "Sound wizard", {}, "Co-host"],
      [team, "Composer", {}, "Composer"],
      [team, "Sound wizard", { roleLabel: "Host" }, "Host"],
      [outsider, "Sound wizard", {}, "Guest"],
      [outsider, "Editor", {}, "Editor"],
      [outsider, "Editor", { roleLabel: "Producer" }, "Producer"],
      [invited, "Sound wizard", {}, "Guest"],
      [invited, "Sound wizard", { roleLabel: "Host" }, "Host"],
    ] as const
  ) {
    await change(pilot, id, { roleLabel: onRoster });
    await uncredit(pilot, id);
    assert.equal((await credited(pilot, id, json, 201)).roleLabel, label);
  }
});

Deno.test("PUT credit returns 400 for invalid fields, 404 for an unknown person and 422 for an inactive one", async () => {
  const show = await podcast("No credit"), pilot = await episode(show), second = await episode(show, "Second");
  const { id } = await added(pilot, { sourceType: "external", name: "Xi" });
  for (
    const json of [
      [],
      { displayOrder: 0 },
      { name: null },
      { name: "" },
      { name: "x".repeat(201) },
      { roleLabel: null },
      { avatarUrl: "nowhere" },
      { externalUrl: "javascript:alert(1)" },
    ]
  ) {
    assertError(await credit(pilot, id, json), 400, {});
  }
  for (const roleLabel of ["host", "Participant", "Sound wizard", ""]) {
    assertError(await credit(pilot, id, { roleLabel }), 400, { code: "INVALID_ROLE_LABEL" });
  }
  for (const [of, who] of [[second, id], [pilot, UNKNOWN_ID], [{ ...pilot, id: UNKNOWN_ID }, id]] as const) {
    assertError(await credit(of, who, {}), 404);
    assertError(await uncredit(of, who), 404);
  }
  await change(pilot, id, { isActive: false });
  assertError(await credit(pilot, id, {}), 422, { code: "PERSON_INACTIVE" });
  assertError(await uncredit(pilot, id), 422, { code: "NOT_CREDITED" });
});

Deno.test("DELETE credit keeps the roster entry and renumbers the other credits", async () => {
  const pilot = await episode(await podcast("Uncredited"));
  const { id } = await added(pilot, { sourceType: "external", name: "Xi" });
  await added(pilot, { sourceType: "external", name: "Zoe" });
  const { data } = assertResponse(await uncredit(pilot, id), 200, RemoveCreditResponse);
  assert.deepEqual(data, { personId: id, name: "Xi" });
  assert.deepEqual((await credits(pilot)).slice(1), ["1 Zoe: Guest"]);
  const { body } = await list(pilot);
  const entry = body.data.people.find((one: { id: string }) => one.id === id);
  assert.deepEqual([entry.isActive, entry.creditId, "credited" in entry], [true, null, false]);
  assertError(await uncredit(pilot, id), 422, { code: "NOT_CREDITED" });
});

Deno.test("PUT reorder accepts only a list of every credit", async () => {
  const show = await podcast("Reordering"), pilot = await episode(show), second = await episode(show, "Second");
  for (const name of ["A", "B"]) await added(pilot, { sourceType: "external", name });
  const [host, a, b] = await ids(pilot), [foreign] = await ids(second);
  const order = [b, host, a];
  const { data } = assertResponse(await reorder(pilot, { creditIds: order }), 200, ReorderCreditsResponse);
  assert.deepEqual(data, { episodeId: pilot.id, order });
  assert.deepEqual(await ids(pilot), order);
  for (
    const [creditIds, code] of [
      [[], "EMPTY_CREDIT_LIST"],
      [[b, host, a, b], "DUPLICATE_CREDIT"],
      [[b, b, b], "DUPLICATE_CREDIT"],
      [[b, host], "INCOMPLETE_CREDIT_LIST"],
      [[b, host, foreign], "UNKNOWN_CREDIT"],
      [[b, host, a, foreign], "UNKNOWN_CREDIT"],
      [[b, host, UNKNOWN_ID], "UNKNOWN_CREDIT"],
    ] as const
  ) {
    assertError(await reorder(pilot, { creditIds }), 400, { code });
  }
  for (const json of [{}, { creditIds: null }, { creditIds: b }, { creditIds: [1] }, { creditIds: ["b"] }]) {
    assertError(await reorder(pilot, json), 400, { details: /creditIds/ });
  }
  assertError(await reorder({ ...pilot, id: UNKNOWN_ID }, { creditIds: order }), 404);
  assert.deepEqual(await ids(pilot), order);
});

Deno.test("creating, updating, removing and reordering credits enqueues episode.credits.updated", async () => {
  const show = await podcast("Messages"), pilot = await episode(show);
  // The worker deletes processed messages, so a trigger copies them
  await sql.unsafe(`
    create table private.test_messages (message jsonb);
    create function private.test_copy_message() returns trigger language plpgsql security definer as
      $$ begin insert into private.test_messages values (new.message); return null; end $$;
    create trigger t999_copy_message after insert on pgmq.q_feed_invalidation
      for each row when (new.message ->> 'episode_id' = '${pilot.id}') execute function private.test_copy_message()`);
  try {
    const { id } = await added(pilot, { sourceType: "external", name: "Xi" });
    await credited(pilot, id, { name: "X" }, 200);
    await reorder(pilot, { creditIds: (await ids(pilot)).reverse() });
    await uncredit(pilot, id);
    await credited(pilot, id, {}, 201);
    await change(pilot, id, { name: "Not the credit's" });
    await change(pilot, id, { isActive: false });
    const messages =
      await sql`select message - 'timestamp' as message, message ->> 'timestamp' as at from private.test_messages`;
    const message = {
      type: "episode.credits.updated",
      podcast_id: show.id,
      podcast_slug: show.slug,
      episode_id: pilot.id,
    };
    assert.deepEqual(messages.map(({ message }) => message), Array.from({ length: 6 }, () => message));
    for (const { at } of messages) assert.ok(Math.abs(Date.parse(at) - Date.now()) < 60_000);
  } finally {
    await sql.unsafe("drop function private.test_copy_message cascade; drop table private.test_messages");
  }
  assert.deepEqual(await queued("calendar_sync", pilot), []);
});

Deno.test("on a podcast pending deletion, credit routes return 409", async () => {
  const show = await podcast("Leaving too"), pilot = await episode(show);
  const { id } = await added(pilot, { sourceType: "external", name: "Xi" });
  const order = await ids(pilot);
  await scheduleDeletion(show);
  for (
    const response of [
      await credit(pilot, id, {}),
      await uncredit(pilot, id),
      await reorder(pilot, { creditIds: order }),
    ]
  ) {
    assertError(response, 409, { code: "PODCAST_PENDING_DELETION" });
  }
});
