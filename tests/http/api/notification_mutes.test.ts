// /api/notifications/mutes: what the caller wants no emails and pushes about.
import assert from "node:assert/strict";
import { assertAccessMatrix } from "../access_matrix.ts";
import { assertError, callRpc, newPerson, person, type RequestOptions, sendRequest } from "../harness.ts";

const BASE = "/api/notifications/mutes";
type Caller = RequestOptions["as"];
const list = (as: Caller) => sendRequest({ method: "GET", path: BASE, as });
const mute = (json: unknown, as: Caller) => sendRequest({ method: "POST", path: BASE, as, json });
const unmute = (id: string, as: Caller) => sendRequest({ method: "DELETE", path: `${BASE}/${id}`, as });

const owner = await person("owner");
const { id: podcastId } = await callRpc(owner, "create_podcast", { title: "Muted" });
const { id: episodeId } = await callRpc(owner, "create_episode", { podcast_id: podcastId, title: "Pilot" });
const muted = async () => (await mute({ scope: "podcast", podcastId }, owner)).body.data.mute;

assertAccessMatrix(`GET ${BASE}`, () => Promise.resolve({ path: BASE }), { anon: 401 });
assertAccessMatrix(
  `POST ${BASE}`,
  () => Promise.resolve({ path: BASE, json: { scope: "podcast", podcastId } }),
  { anon: 401, stranger: 403 },
);
assertAccessMatrix(
  `DELETE ${BASE}/:id`,
  async () => ({ path: `${BASE}/${(await muted()).id}` }),
  { anon: 401, stranger: 404 },
);

Deno.test("POST /mutes mutes a chat until a time, lists it, changes it, and DELETE ends it", async () => {
  const mutedUntil = new Date(Date.now() + 3_600_000);
  const created = await mute({ scope: "chat", episodeId, mutedUntil: mutedUntil.toISOString() }, owner);
  assert.equal(created.status, 201, created.text);
  const { id, created_at, ...rest } = created.body.data.mute;
  assert.deepEqual(rest, {
    scope: "chat",
    podcast_id: podcastId,
    episode_id: episodeId,
    muted_until: rest.muted_until,
    mutes_mentions: false,
  });
  assert.equal(new Date(rest.muted_until).getTime(), mutedUntil.getTime());
  assert.ok(created_at.endsWith("Z"));
  const changed = await mute({ scope: "chat", episodeId, mutedUntil: null, mutesMentions: true }, owner);
  assert.equal(changed.status, 200, changed.text);
  assert.deepEqual(changed.body.data.mute, { ...created.body.data.mute, muted_until: null, mutes_mentions: true });
  const listed = (await list(owner)).body.data.mutes.filter(({ scope }: { scope: string }) => scope === "chat");
  assert.deepEqual(listed, [changed.body.data.mute]);
  assert.equal((await unmute(id, owner)).status, 200);
  assertError(await unmute(id, owner), 404);
});

Deno.test("POST /mutes rejects other ids than the scope's, a past time, unknown members and unknown episodes", async () => {
  for (
    const json of [
      { scope: "podcast", episodeId },
      { scope: "episode", podcastId },
      { scope: "podcast", podcastId, mutedUntil: "2020-01-01T00:00:00Z" },
      { scope: "podcast", podcastId, mutedUntil: "soon" },
      { scope: "team", podcastId },
      { scope: "podcast", podcastId, forever: true },
    ]
  ) {
    assertError(await mute(json, owner), 400);
  }
  assertError(await mute({ scope: "episode", episodeId: crypto.randomUUID() }, owner), 404);
  assertError(await mute({ scope: "podcast", podcastId }, await newPerson("mutes-nothing")), 403);
});
