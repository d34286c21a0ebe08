// Scheduled episodes, which cron publishes.
import assert from "node:assert/strict";
import { episode, person, podcast, sql, waitFor } from "../harness.ts";
import { put } from "../api/audio.ts";

const owner = await person("owner");

Deno.test("cron publishes a scheduled episode within a minute", async () => {
  const show = await podcast("On time"), made = await episode(show, "Later");
  await put(show, made);
  const later = new Date(Date.now() + 3_600_000).toISOString();
  const { error } = await owner.client.rpc("schedule_episode", { episode_id: made.id, scheduled_at: later });
  assert.equal(error, null);
  const read = async () =>
    (await owner.client.from("episodes").select("status, published_at").eq("id", made.id).single()).data!;
  assert.equal((await read()).status, "scheduled");
  // In the future only within this transaction
  const [{ at }] = await sql`
    update public.episodes set scheduled_at = date_trunc('second', now() + interval '1 second') where id = ${made.id}
    returning scheduled_at as at`;
  await waitFor("cron publishes the episode", async () => (await read()).status === "published", 60);
  assert.equal(Date.parse((await read()).published_at), at.getTime());
});
