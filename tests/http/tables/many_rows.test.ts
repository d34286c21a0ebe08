// Statements of many rows through supabase-js: 1,000 rows are written, one more is 400 and writes none.
import assert from "node:assert/strict";
import { person, podcast, sql } from "../harness.ts";

const { client } = await person("owner");

const numbered = (podcastId: string, count: number) =>
  Array.from({ length: count }, (_, n) => ({ podcast_id: podcastId, title: `Part ${n}`, episode_number: n }));
const episodesOf = (podcastId: string) =>
  sql<{ title: string; summary: string | null }[]>`
    select title, summary from public.episodes where podcast_id = ${podcastId} order by episode_number`;
const refusal = (verb: string) => ({
  code: "PT400",
  hint: "TOO_MANY_ROWS",
  details: null,
  message: `One request can ${verb} at most 1,000 rows of episodes; send several requests with fewer rows each`,
});

Deno.test("episodes accepts 1,000 rows of a request with 201, and rejects 1,001 with 400", async () => {
  const show = await podcast("Many");
  const rejected = await client.from("episodes").insert(numbered(show.id, 1001));
  assert.deepEqual([rejected.status, { ...rejected.error }], [400, refusal("insert")]);
  assert.equal((await episodesOf(show.id)).length, 0);
  const accepted = await client.from("episodes").insert(numbered(show.id, 1000)).select("slug");
  assert.deepEqual([accepted.status, accepted.error], [201, null]);
  assert.equal(new Set(accepted.data!.map(({ slug }) => slug)).size, 1000);
  const [{ people, credits }] = await sql`
    select (select count(*)::int from public.episode_people where podcast_id = ${show.id}) as people,
      (select count(*)::int from public.episode_credits where podcast_id = ${show.id}) as credits`;
  assert.deepEqual({ people, credits }, { people: 1000, credits: 1000 });
});

Deno.test("episodes rejects an update and a deletion of 1,001 rows with 400, and accepts those of 1,000", async () => {
  const show = await podcast("Many to change");
  for (const rows of [numbered(show.id, 1000), [{ podcast_id: show.id, title: "Last", episode_number: 1000 }]]) {
    assert.equal((await client.from("episodes").insert(rows)).status, 201);
  }
  const update = () => client.from("episodes").update({ summary: "Changed" }).eq("podcast_id", show.id);
  const remove = () => client.from("episodes").delete().eq("podcast_id", show.id);
  for (const [write, verb] of [[update, "update"], [remove, "delete"]] as const) {
    const { status, error } = await write();
    assert.deepEqual([status, { ...error }], [400, refusal(verb)]);
  }
  const unchanged = await episodesOf(show.id);
  assert.deepEqual([unchanged.length, unchanged.filter(({ summary }) => summary !== null).length], [1001, 0]);
  assert.equal((await update().lt("episode_number", 1000)).status, 204);
  assert.equal((await episodesOf(show.id)).filter(({ summary }) => summary === "Changed").length, 1000);
  assert.equal((await remove().lt("episode_number", 1000)).status, 204);
  assert.deepEqual((await episodesOf(show.id)).map(({ title }) => title), ["Last"]);
});
