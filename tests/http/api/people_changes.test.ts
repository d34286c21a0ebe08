// /api/episodes/{id}/people/{personId}: changing and removing people, podcasts pending deletion, and automatic changes.
import assert from "node:assert/strict";
import { ListPeopleResponse, RemovePersonResponse, UpdatePersonResponse } from "../../../types/people.ts";
import { assertError, callRpc, episode, person, podcast, scheduleDeletion, sql } from "../harness.ts";
import { byToken, invite } from "./guest_email.ts";
import { add, added, assertResponse, change, credits, events, list, notifiedUsers, queued, remove } from "./people.ts";

const [owner, admin, member] = await Promise.all(["owner", "admin", "member"].map(person));

Deno.test("PUT person keeps absent fields and clears fields that are null", async () => {
  const pilot = await episode(await podcast("Changing"));
  const urls = { avatarUrl: "https://a.test/x.png", externalUrl: "https://x.test" };
  const was = await added(pilot, { sourceType: "external", name: "Xi", roleLabel: "Editor", ...urls });
  const steps = [{ name: "Xia" }, { roleLabel: "Sound wizard" }, { avatarUrl: null }, { externalUrl: null }];
  let expected = was;
  for (const step of steps) {
    const { data } = assertResponse(await change(pilot, was.id, step), 200, UpdatePersonResponse);
    assert.ok(data.updatedAt > expected.updatedAt);
    expected = { ...expected, ...step, updatedAt: data.updatedAt };
    assert.deepEqual(data, expected);
  }
  assert.deepEqual((await credits(pilot))[1], "1 Xi: Editor", "the credit keeps its own words");
});

Deno.test("PUT person returns 400 for empty, unknown or invalid fields and 404 for a person of another episode", async () => {
  const show = await podcast("Unchanged"), pilot = await episode(show), second = await episode(show, "Second");
  const { id } = await added(pilot, { sourceType: "external", name: "Xi" });
  for (
    const json of [
      {},
      { nickname: "X" },
      { name: "X", creditId: null },
      { name: null },
      { name: "" },
      { name: "x".repeat(201) },
      { roleLabel: null },
      { roleLabel: "" },
      { roleLabel: "x".repeat(101) },
      { avatarUrl: "nowhere" },
      { externalUrl: "file:///etc/passwd" },
      { isActive: null },
      { isActive: "false" },
    ]
  ) {
    assertError(await change(pilot, id, json), 400, {});
  }
  assertError(await change(second, id, { name: "X" }), 404);
  assertError(await remove(second, id), 404);
});

Deno.test("deactivating a person removes the credit, and reactivating does not restore it", async () => {
  const pilot = await episode(await podcast("Inactive"));
  const { id, creditId } = await added(pilot, { sourceType: "external", name: "Xi" });
  assert.ok(creditId);
  const away = assertResponse(await change(pilot, id, { isActive: false }), 200, UpdatePersonResponse).data;
  assert.deepEqual([away.isActive, away.creditId], [false, null]);
  assert.equal((await credits(pilot)).length, 1);
  const back = assertResponse(await change(pilot, id, { isActive: true }), 200, UpdatePersonResponse).data;
  assert.deepEqual([back.isActive, back.creditId], [true, null]);
});

Deno.test("DELETE person removes roster entry and credit and renumbers the others", async () => {
  const show = await podcast("Removing"), pilot = await episode(show);
  const { id } = await added(pilot, { sourceType: "team", name: "Member", userId: member.id });
  await added(pilot, { sourceType: "external", name: "Zoe" });
  const before = (await queued("calendar_sync", pilot)).length;
  assert.deepEqual(assertResponse(await remove(pilot, id), 200, RemovePersonResponse).data, { id, name: "Member" });
  assert.deepEqual((await credits(pilot)).slice(1), ["1 Zoe: Guest"]);
  assert.deepEqual((await queued("calendar_sync", pilot)).slice(before), [
    { type: "attendee.removed", podcast_id: show.id, episode_id: pilot.id, user_id: member.id },
  ]);
  assertError(await remove(pilot, id), 404);
  const again = await added(pilot, { sourceType: "team", name: "Member", userId: member.id });
  assert.notEqual(again.id, id);
});

Deno.test("on a podcast pending deletion, people routes return 409, except reading the roster", async () => {
  const show = await podcast("Leaving"), pilot = await episode(show);
  const { id } = await added(pilot, { sourceType: "external", name: "Xi" });
  await scheduleDeletion(show);
  for (
    const response of [
      await add(pilot, { sourceType: "external", name: "X" }),
      await change(pilot, id, { name: "X" }),
      await remove(pilot, id),
    ]
  ) {
    assertError(response, 409, { code: "PODCAST_PENDING_DELETION" });
  }
  assertResponse(await list(pilot), 200, ListPeopleResponse);
});

Deno.test("a new episode gets its creator as Host and the flagged members, an imported one without credits", async () => {
  const show = await podcast("Beginning");
  const flag = { auto_add_to_new_episodes: true };
  const { error } = await owner.client.from("podcast_members").update(flag).eq("podcast_id", show.id)
    .in("user_id", [owner.id, admin.id]);
  assert.equal(error, null);
  const pilot = await callRpc<{ id: string; slug: string }>(owner, "create_episode", {
    podcast_id: show.id,
    title: "New",
  });
  const { people } = assertResponse(await list(pilot), 200, ListPeopleResponse).data;
  const shown = people.map(({ userId, roleLabel, credited }) => [userId, roleLabel, credited?.roleLabel]);
  assert.deepEqual(shown, [[owner.id, "Host", "Host"], [admin.id, "Producer", "Producer"]]);
  assert.deepEqual(await notifiedUsers("episode.team_added", pilot), [admin.id]);

  const [old] = await sql<[{ id: string; slug: string }]>`
    insert into public.episodes (podcast_id, title, origin, created_by) values (${show.id}, 'Old', 'import', ${owner.id})
    returning id, slug`;
  const imported = assertResponse(await list(old), 200, ListPeopleResponse).data.people;
  assert.deepEqual(new Set(imported.map(({ userId }) => userId)), new Set([owner.id, admin.id]));
  assert.ok(imported.every(({ credited, creditId }) => !credited && !creditId));
  assert.deepEqual([await credits(old), await events("episode.team_added", old)], [[], []]);
});

Deno.test("accepting an invitation adds the guest to roster and credits", async () => {
  const pilot = await episode(await podcast("Accepting")), gus = await invite(pilot, { displayName: "Gus" });
  const { candidates } = assertResponse(await list(pilot), 200, ListPeopleResponse).data;
  assert.deepEqual(candidates.guestCandidates, [
    { guestId: gus.episodeGuestId, name: "Gus", email: gus.email, status: "invited" },
  ]);
  assert.equal((await byToken("/accept", gus.token)).status, 200);
  const { people, candidates: left } = assertResponse(await list(pilot), 200, ListPeopleResponse).data;
  assert.deepEqual(left.guestCandidates, []);
  const { guestId, sourceType, roleLabel, credited } = people[1];
  assert.deepEqual([guestId, sourceType, roleLabel], [gus.episodeGuestId, "guest", "Guest"]);
  assert.deepEqual([credited?.name, credited?.roleLabel, credited?.displayOrder], ["Gus", "Guest", 1]);
});
