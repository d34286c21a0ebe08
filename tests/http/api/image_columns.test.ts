// Image columns written through supabase-js: an object stays and is charged while its own column references it.
import assert from "node:assert/strict";
import { callRpc, type Episode, episode, person, type Podcast, podcast, waitFor } from "../harness.ts";
import { put as putAudio } from "./audio.ts";
import { assertGone, coversOf, ledger, newUserName, objects, storageUsed, uploaded } from "./images.ts";

const admin = await person("admin");

/** Updates the row as an admin; returns the error, if any. */
async function set(place: Podcast | Episode, table: "podcasts" | "episodes", changes: Record<string, string | null>) {
  const { data, error } = await admin.client.from(table).update(changes).eq("id", place.id).select("id");
  if (!error) assert.equal(data.length, 1);
  return error;
}
const live = async (show: Podcast) => (await ledger(show)).filter(({ live }) => live).map(({ path }) => path);

Deno.test("clearing an episode's cover releases its object, which is no longer charged", async () => {
  const owner = newUserName("cleared"), show = await podcast("Cleared cover", owner), pilot = await episode(show);
  const { path } = await uploaded(show, pilot);
  assert.equal(await set(pilot, "episodes", { cover_image_url: null }), null);
  assert.deepEqual(await live(show), []);
  assert.equal(await storageUsed(owner), 0);
  await waitFor("the object is deleted", async () => (await coversOf(show, pilot)).length === 0);
  await assertGone(path);
});

Deno.test("deleting an episode deletes its cover", async () => {
  const owner = newUserName("deletes"),
    show = await podcast("Deleted episodes", owner),
    [draft, published] = [await episode(show), await episode(show)];
  const shows = await uploaded(show, "cover"), bytes = await storageUsed(owner);
  await Promise.all([uploaded(show, draft), uploaded(show, published), putAudio(show, published, { as: "admin" })]);
  await callRpc(admin, "publish_episode", { episode_id: published.id });
  const kept = await objects(show, `e/${published.id}/`);
  for (const { id } of [draft, published]) {
    assert.equal((await admin.client.from("episodes").delete().eq("id", id)).error, null);
  }
  assert.deepEqual([await live(show), await storageUsed(owner)], [[shows.path], bytes]);
  await waitFor("the draft's cover is deleted", async () => (await coversOf(show, draft)).length === 0);
  assert.deepEqual(await objects(show, `e/${published.id}/`), kept, "what was public waits for the sweep");
});
