// The largest requests of clients: 1,000 rows are written within the time of a statement, one more is 400.
import assert from "node:assert/strict";
import { person, podcast, sql } from "../harness.ts";

const { client } = await person("owner");
const numbered = (podcastId: string, count: number) =>
  Array.from({ length: count }, (_, n) => ({ podcast_id: podcastId, title: `Part ${n}`, episode_number: n }));

Deno.test("episodes accepts the insert, update and deletion of 1,000 rows, and rejects 1,001 with 400", async () => {
  const { id } = await podcast("Many"), episodes = () => client.from("episodes");
  const rejected = await episodes().insert(numbered(id, 1001));
  assert.deepEqual([rejected.status, rejected.error?.hint], [400, "TOO_MANY_ROWS"]);
  const accepted = await episodes().insert(numbered(id, 1000)).select("slug");
  assert.deepEqual([accepted.status, new Set(accepted.data!.map(({ slug }) => slug)).size], [201, 1000]);
  const [{ people, credits }] = await sql`
    select (select count(*)::int from public.episode_people where podcast_id = ${id}) as people,
      (select count(*)::int from public.episode_credits where podcast_id = ${id}) as credits`;
  assert.deepEqual({ people, credits }, { people: 1000, credits: 1000 });
  assert.equal((await episodes().update({ summary: "Changed" }).eq("podcast_id", id)).status, 204);
  assert.equal((await episodes().delete({ count: "exact" }).eq("podcast_id", id)).count, 1000);
});
