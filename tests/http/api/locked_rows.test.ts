// Another request keeps a row locked: the waiting ones fail soon, with a status that tells to try again.
import assert from "node:assert/strict";
import { connectTo } from "../../database.ts";
import { assertError, episode, person, podcast, sendRequest, sql, stackInfo } from "../harness.ts";
import { add } from "./people.ts";
import { upload } from "./audio.ts";

/** Runs `work` while another transaction keeps the episode locked. */
async function whileLocked({ id }: { id: string }, work: () => Promise<void>) {
  const holder = connectTo(stackInfo.dbUrl, 1);
  try {
    await holder`begin`;
    await holder`select from public.episodes where id = ${id} for update`;
    await work();
  } finally {
    await holder.end({ timeout: 1 });
  }
}

const LOCKED = { error: "Another request is changing the same data; try again", code: "DATA_LOCKED" };
const ann = { sourceType: "external", name: "Ann" };

Deno.test("an edit of a locked episode is 503 DATA_LOCKED with Retry-After, and succeeds afterwards", async () => {
  const pilot = await episode(await podcast());
  await whileLocked(pilot, async () => assertError(await add(pilot, ann), 503, LOCKED));
  assert.equal((await add(pilot, ann)).status, 201);
});

Deno.test("an upload to a locked episode is 503 DATA_LOCKED with Retry-After, and stores nothing", async () => {
  const show = await podcast(), pilot = await episode(show);
  const send = () => sendRequest({ ...upload(show, pilot), method: "PUT", as: "admin", body: "some audio" });
  await whileLocked(pilot, async () => assertError(await send(), 503, LOCKED));
  const [{ count }] = await sql`
    select count(*)::int from storage.objects where bucket_id = 'media' and name like ${`%${pilot.id}%`}`;
  assert.equal(count, 0);
  assert.equal((await send()).status, 200);
});

Deno.test("a request over REST to a locked episode is 500 with the code 55P03, by table and by rpc", async () => {
  const pilot = await episode(await podcast()), { client } = await person("admin");
  await whileLocked(pilot, async () => {
    for (
      const { status, error } of await Promise.all([
        client.from("episodes").update({ title: "Two" }).eq("id", pilot.id),
        client.rpc("add_episode_person", { episode_id: pilot.id, source_type: "external", name: "Ann" }),
      ])
    ) assert.deepEqual([status, error?.code], [500, "55P03"]);
  });
  assert.equal((await client.from("episodes").update({ title: "Two" }).eq("id", pilot.id)).status, 204);
});
