// /api/episodes/{id}/people: reading the roster, and adding people.
import assert from "node:assert/strict";
import { AddPersonResponse, ListPeopleResponse } from "../../../types/people.ts";
import { assertError, assertKeys, episode, person, podcast, sql } from "../harness.ts";
import { assertAccessMatrix, assertReachable } from "../access_matrix.ts";
import {
  add,
  added,
  assertResponse,
  at,
  change,
  credits,
  events,
  guest,
  list,
  notifiedUsers,
  queued,
  remove,
} from "./people.ts";

const [owner, admin, member, stranger] = await Promise.all(["owner", "admin", "member", "stranger"].map(person));
const UNKNOWN_ID = "00000000-0000-4000-8000-000000000000";

const pilot = await episode(await podcast("People"));
const eve = await added(pilot, { sourceType: "external", name: "Eve" });
const routes = {
  "GET /api/episodes/:id/people": () => Promise.resolve({ path: at(pilot) }),
  "POST /api/episodes/:id/people": () =>
    Promise.resolve({ path: at(pilot), json: { sourceType: "external", name: "Max" } }),
  "PUT /api/episodes/:id/people/:personId": () =>
    Promise.resolve({ path: at(pilot, `people/${eve.id}`), json: { name: "Eva" } }),
  "DELETE /api/episodes/:id/people/:personId": () => Promise.resolve({ path: at(pilot, `people/${eve.id}`) }),
};
for (const [route, request] of Object.entries(routes)) {
  assertAccessMatrix(route, request, { anon: 401, stranger: 403, member: 403 });
  assertReachable(route, request);
}

Deno.test("people routes return 400 for malformed ids and 404 for unknown ids", async () => {
  for (const id of ["x", "1", "undefined"]) {
    const none = { ...pilot, id };
    const responses = [
      list(none),
      add(none, { sourceType: "external", name: "X" }),
      change(none, eve.id, { name: "X" }),
    ];
    for (const response of await Promise.all([...responses, remove(none, eve.id), remove(pilot, id)])) {
      assertError(response, 400, { details: /id/i });
    }
  }
  const none = { ...pilot, id: UNKNOWN_ID };
  const responses = [list(none), add(none, { sourceType: "external", name: "X" }), change(none, eve.id, { name: "X" })];
  for (const response of await Promise.all([...responses, remove(none, eve.id), remove(pilot, UNKNOWN_ID)])) {
    assertError(response, 404);
  }
});

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

Deno.test("GET people returns a member only rosters on which they are active", async () => {
  const show = await podcast("Taking part"), pilot = await episode(show), second = await episode(show, "Second");
  assertError(await list(pilot, "member"), 403);
  const { id } = await added(pilot, { sourceType: "team", name: "Me", userId: member.id });
  assertResponse(await list(pilot, "member"), 200, ListPeopleResponse);
  assertError(await list(second, "member"), 403);
  assertError(await add(pilot, { sourceType: "external", name: "X" }, "member"), 403);
  assertError(await change(pilot, id, { name: "Myself" }, "member"), 403);
  await change(pilot, id, { isActive: false });
  assertError(await list(pilot, "member"), 403);
  await change(pilot, id, { isActive: true });
  assertResponse(await list(pilot, "member"), 200, ListPeopleResponse);
  await remove(pilot, id);
  assertError(await list(pilot, "member"), 403);
});

Deno.test("POST people derives a team member's role label from the podcast role", async () => {
  const pilot = await episode(await podcast("Labels"));
  await sql`delete from public.episode_credits where episode_id = ${pilot.id}`;
  await sql`delete from public.episode_people where episode_id = ${pilot.id}`;
  for (const [who, label] of [[owner, "Host"], [admin, "Producer"], [member, "Co-host"]] as const) {
    const entry = await added(pilot, { sourceType: "team", name: label, userId: who.id, roleLabel: "Sound wizard" });
    assert.deepEqual([entry.roleLabel, entry.userId, entry.guestId, entry.isActive], [label, who.id, null, true]);
    assert.ok(entry.creditId);
  }
  assert.deepEqual(await credits(pilot), ["0 Host: Host", "1 Producer: Producer", "2 Co-host: Co-host"]);
});

Deno.test("POST people labels a guest as Guest, who is credited on becoming active", async () => {
  const pilot = await episode(await podcast("Guests")), guestId = await guest(pilot, "gus");
  const entry = await added(pilot, { sourceType: "guest", name: "Gus", guestId, roleLabel: "Host" });
  assert.deepEqual([entry.roleLabel, entry.guestId, entry.userId, entry.creditId], ["Guest", guestId, null, null]);
  assert.equal((await credits(pilot)).length, 1);
  await sql`update public.episode_guests set status = 'active' where id = ${guestId}`;
  assert.deepEqual((await credits(pilot))[1], "1 Gus: Guest");
  const { data } = assertResponse(await list(pilot), 200, ListPeopleResponse);
  assert.equal(data.people.find(({ id }) => id === entry.id)?.credited?.displayOrder, 1);
});

Deno.test("POST people accepts only credit role labels for an external person", async () => {
  const pilot = await episode(await podcast("Externals"));
  assert.equal((await added(pilot, { sourceType: "external", name: "Al" })).roleLabel, "Participant");
  for (const roleLabel of ["Host", "Co-host", "Producer", "Guest", "Editor", "Composer"]) {
    const entry = await added(pilot, { sourceType: "external", name: roleLabel, roleLabel });
    assert.deepEqual([entry.roleLabel, entry.userId, entry.guestId], [roleLabel, null, null]);
  }
  for (const roleLabel of ["Participant", "host", "Sound wizard", "x".repeat(100)]) {
    const response = await add(pilot, { sourceType: "external", name: "X", roleLabel });
    assertError(response, 400, { code: "INVALID_ROLE_LABEL" });
  }
  assert.deepEqual((await credits(pilot)).slice(1, 3), ["1 Al: Guest", "2 Host: Host"]);
  assert.equal((await credits(pilot)).length, 8);
});

Deno.test("POST people returns 400 for missing, malformed or oversized fields", async () => {
  const pilot = await episode(await podcast("Refused")), other = await episode(await podcast("Another"));
  const elsewhere = await guest(other, "far"), external = { sourceType: "external", name: "X" };
  for (
    const json of [
      {},
      [],
      null,
      { name: "X" },
      { sourceType: "external" },
      { sourceType: "robot", name: "X" },
      { ...external, name: "" },
      { ...external, name: "\u00a0 " },
      { ...external, name: "x".repeat(201) },
      { ...external, name: 5 },
      { ...external, name: "a\0b" },
      { ...external, roleLabel: null },
      { ...external, avatarUrl: "nowhere" },
      { ...external, avatarUrl: "javascript:alert(1)" },
      { ...external, externalUrl: "ftp://x.test" },
      { ...external, externalUrl: 5 },
      { sourceType: "team", name: "X" },
      { sourceType: "team", name: "X", userId: null },
      { sourceType: "team", name: "X", userId: "me" },
      { sourceType: "team", name: "X", userId: stranger.id },
      { sourceType: "team", name: "X", userId: UNKNOWN_ID },
      { sourceType: "guest", name: "X" },
      { sourceType: "guest", name: "X", guestId: UNKNOWN_ID },
      { sourceType: "guest", name: "X", guestId: elsewhere },
    ]
  ) {
    assertError(await add(pilot, json), 400, {});
  }
  assert.equal((await credits(pilot)).length, 1);
  const tall = "🎙".repeat(200); // 200 characters, although JavaScript counts 400
  assert.equal((await added(pilot, { sourceType: "external", name: tall })).name, tall);
});

Deno.test("POST people returns 200 for a person on the roster and changes nothing", async () => {
  const pilot = await episode(await podcast("Twice")), guestId = await guest(pilot, "gus");
  for (
    const json of [
      { sourceType: "team" as const, name: "Member", userId: member.id },
      { sourceType: "guest" as const, name: "Gus", guestId },
    ]
  ) {
    const first = await added(pilot, json);
    const before = [
      await credits(pilot),
      await events("episode.team_added", pilot),
      await queued("calendar_sync", pilot),
    ];
    const again = assertResponse(await add(pilot, { ...json, name: "Another name" }, "owner"), 200, AddPersonResponse);
    assert.deepEqual(again, { success: true, data: first, alreadyExisted: true });
    const after = [
      await credits(pilot),
      await events("episode.team_added", pilot),
      await queued("calendar_sync", pilot),
    ];
    assert.deepEqual(after, before);
  }
});

Deno.test("POST people returns 400 for invalid fields even if the person is on the roster", async () => {
  const pilot = await episode(await podcast("Invalid")), guestId = await guest(pilot, "gus");
  const people = [
    { sourceType: "team" as const, name: "Member", userId: member.id },
    { sourceType: "guest" as const, name: "Gus", guestId },
  ];
  for (const json of people) {
    const first = await added(pilot, json);
    for (
      const [changed, details] of [
        [{ name: "" }, "name: must be 1 to 200 characters"],
        [{ name: " \n" }, "name: must be 1 to 200 characters"],
        [{ name: "\u200b" }, "name: must be 1 to 200 characters"],
        [{ name: "𝄞".repeat(201) }, "name: must be 1 to 200 characters"],
        [{ roleLabel: "" }, "roleLabel: must be 1 to 100 characters"],
        [{ roleLabel: "x".repeat(101) }, "roleLabel: must be 1 to 100 characters"],
        [{ avatarUrl: "nope" }, "avatarUrl: must be an http or https URL"],
        [{ externalUrl: "ftp://a.test" }, "externalUrl: must be an http or https URL"],
        [{ avatarUrl: `https://a.test/${"x".repeat(2048)}` }, /^avatarUrl: /],
      ] as const
    ) {
      assertError(await add(pilot, { ...json, ...changed }), 400, { error: "Invalid request", details });
    }
    const longest = { name: "𝄞".repeat(200), roleLabel: "𝄞".repeat(100), avatarUrl: "https://a.test/a.png" };
    const again = assertResponse(await add(pilot, { ...json, ...longest }), 200, AddPersonResponse);
    assert.deepEqual(again, { success: true, data: first, alreadyExisted: true });
  }
});

Deno.test("concurrent identical POST people requests add one person and return 201 once", async () => {
  const pilot = await episode(await podcast("Racing")), guestId = await guest(pilot, "gus");
  const requests = [
    { sourceType: "team", name: "Member", userId: member.id },
    { sourceType: "guest", name: "Gus", guestId },
  ];
  for (const json of requests) {
    const responses = await Promise.all(Array.from({ length: 6 }, () => add(pilot, json)));
    assert.deepEqual(responses.map(({ status }) => status).sort(), [200, 200, 200, 200, 200, 201]);
    assert.equal(new Set(responses.map(({ body }) => body.data.id)).size, 1);
    assert.equal(responses.filter(({ body }) => body.alreadyExisted === true).length, 5);
  }
  assert.equal((await events("episode.team_added", pilot)).length, 1);
  assert.equal((await queued("calendar_sync", pilot)).length, 1);
  assert.equal((await credits(pilot)).length, 2);
});

Deno.test("POST people returns 201 with a warning if only the credit fails", async () => {
  const pilot = await episode(await podcast("Cursed"));
  await sql.unsafe(`
    create function private.test_curse() returns trigger language plpgsql as
      $$ begin raise sqlstate 'PT500' using message = 'failed'; end $$;
    create trigger t999_curse before insert on public.episode_credits
      for each row when (new.name = 'Cursed one') execute function private.test_curse()`);
  try {
    const { data, warning } = assertResponse(
      await add(pilot, { sourceType: "external", name: "Cursed one" }),
      201,
      AddPersonResponse,
    );
    assert.equal(warning, "Added to the roster, but the credit could not be created");
    assert.deepEqual([data.isActive, data.creditId], [true, null]);
    assert.equal((await credits(pilot)).length, 1);
    assert.equal(assertResponse(await list(pilot), 200, ListPeopleResponse).data.people.length, 2);
  } finally {
    await sql`drop function private.test_curse cascade`;
  }
});

Deno.test("POST people notifies an added team member, except the caller, and enqueues attendee.added for each", async () => {
  const show = await podcast("Telling"), pilot = await episode(show);
  await added(pilot, { sourceType: "team", name: "Member", userId: member.id });
  await added(pilot, { sourceType: "team", name: "Owner", userId: owner.id }, "owner");
  await added(pilot, { sourceType: "external", name: "Without an account" });
  assert.deepEqual(await events("episode.team_added", pilot), [
    { actor_id: admin.id, podcast_id: show.id, episode_id: pilot.id },
  ]);
  assert.deepEqual(await notifiedUsers("episode.team_added", pilot), [member.id]);
  const message = { type: "attendee.added", podcast_id: show.id, episode_id: pilot.id };
  assert.deepEqual(await queued("calendar_sync", pilot), [
    { ...message, user_id: member.id },
    { ...message, user_id: owner.id },
  ]);
});
