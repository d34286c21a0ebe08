// The typed front end compiles strictly and works as typed against the running stack.
import assert from "node:assert/strict";
import { join } from "node:path";
import { repository } from "../../local/host/project.ts";
import { person, podcast, stackInfo } from "../http/harness.ts";
import * as app from "./app.ts";

const [owner, stranger] = await Promise.all(["app-owner", "stranger"].map(person));
const [client, others] = [owner, stranger].map(({ token }) =>
  app.connect(stackInfo.url, stackInfo.publishableKey, token)
);

Deno.test("a strict front end compiles with the generated types, and wrong uses do not", async () => {
  const tsc = join(repository, "node_modules/.bin/tsc");
  const { success, stdout } = await new Deno.Command(tsc, { args: ["-p", import.meta.dirname!], stdin: "null" })
    .output();
  assert.ok(success, new TextDecoder().decode(stdout));
});

Deno.test("inserts succeed without the columns that triggers fill", async () => {
  const show = await app.insertPodcast(client, "Typed inserts");
  assert.deepEqual([show.slug, show.owner_id, show.status], ["typed-inserts", owner.id, "active"]);
  assert.match(show.podcast_guid, /^[0-9a-f]{8}-[0-9a-f]{4}-5/);
  const [first, second] = await app.insertEpisodes(client, show.id, "First", "Second");
  assert.deepEqual([first?.slug, first?.guid, second?.slug], ["first", first?.id, "second"]);
  const message = await app.writeMessage(client, first!.id, "Hello");
  assert.deepEqual([message.body, message.sender_user_id, message.podcast_id], ["Hello", owner.id, show.id]);
  await assert.rejects(app.insertEpisodes(others, show.id, "Theirs"), { code: "42501" });
});

Deno.test("updates return the changed rows", async () => {
  const show = await app.insertPodcast(client, "Typed updates");
  const [episode] = await app.insertEpisodes(client, show.id, "Before");
  const { updated_at, ...changed } = await app.renameEpisode(client, episode!.id, "After", null);
  assert.deepEqual(changed, { title: "After", summary: null, explicit: true });
  assert.ok(Date.parse(updated_at));
  await app.updateMyself(client, owner.id, "Ada");
  await assert.rejects(app.renameEpisode(others, episode!.id, "Theirs", null), { code: "PGRST116" });
});

Deno.test("related rows are objects and lists as typed", async () => {
  const { id } = await podcast("Typed embeds", "app-owner");
  await app.updateMyself(client, owner.id, "Ada");
  const [pilot] = await app.insertEpisodes(client, id, "Pilot", "Second");
  const read = await app.readPodcast(client, id);
  assert.deepEqual([read.title, read.owner], ["Typed embeds", "Ada"]);
  assert.deepEqual(read.episodes[0], { title: "Pilot", hosts: ["Ada"] });
  assert.deepEqual([read.episodes.length, read.team.includes("Ada: owner"), read.team.length], [2, true, 3]);
  assert.deepEqual((await app.readEpisode(client, pilot!.id))?.podcast, "Typed embeds");
  assert.equal(await app.readEpisode(others, pilot!.id), null);
});

Deno.test("counts and pages are numbers and lists", async () => {
  const show = await app.insertPodcast(client, "Typed counts");
  await app.insertEpisodes(client, show.id, "A", "B", "C");
  assert.deepEqual(await app.listDrafts(client, show.id), { titles: ["A", "B"], count: 3 });
  assert.equal(await app.countEpisodes(client, show.id), 3);
  assert.equal(await app.countEpisodes(others, show.id), 0);
  const tooMany = await app.deleteDrafts(client, show.id, 2);
  assert.deepEqual([tooMany.status, tooMany.error?.code], [400, "PGRST124"]);
  assert.equal(await app.countEpisodes(client, show.id), 3);
  assert.equal((await app.deleteDrafts(client, show.id, 3)).count, 3);
});

Deno.test("RPC functions take arguments by name and return values as typed", async () => {
  const used = await app.useFunctions(client, "Typed functions");
  assert.deepEqual([used.podcast, used.episode, used.status], [
    "Typed functions",
    "Pilot of Typed functions",
    "archived",
  ]);
  assert.deepEqual(used.error, { status: 428, code: "AUDIO_REQUIRED" });
  assert.deepEqual([used.people, used.guests], [["Ada: Host"], []]);
});
