// PUT /api/media/transcript/upload/{uploadId} with chapters, and set_episode_chapters by supabase-js.
import assert from "node:assert/strict";
import {
  assertError,
  assertKeys,
  callRpc,
  type Episode,
  episode,
  person,
  podcast,
  sql,
  stackInfo,
} from "../harness.ts";
import { objectsOf } from "./audio.ts";
import { put } from "./transcripts.ts";

const show = await podcast("Chaptered"), type = "application/json+chapters";
const document = {
  version: "1.2.0",
  chapters: [
    { startTime: 168.5, endTime: 200, title: "Two", img: "https://x.test/a.png", url: "https://x.test/" },
    { startTime: 0, title: "One" },
    { startTime: 50, toc: false, location: { name: "Paris", geo: "geo:48.8,2.2" } },
  ],
};
const chaptersOf = async ({ id }: Episode) =>
  (await sql`select start_seconds::float8 as start, title, is_in_toc from public.episode_chapters
    where episode_id = ${id} order by start_seconds`).map((row) => ({ ...row }));

Deno.test("an admin's chapters document replaces the chapters and stores no object", async () => {
  const pilot = await episode(show);
  await put(show, pilot, {
    type,
    body: JSON.stringify({ version: "1.2.0", chapters: [{ startTime: 7, title: "Old" }] }),
  });
  const { status, body, text } = await put(show, pilot, { type, as: "admin", body: JSON.stringify(document) });
  assert.equal(status, 200, text);
  assertKeys(body, "success", "chapterCount", "chaptersUrl");
  assert.equal(body.chapterCount, 3);
  assert.equal(body.chaptersUrl, `${stackInfo.functionsUrl}/public/chapters/${pilot.id}.json`);
  assert.deepEqual(await chaptersOf(pilot), [
    { start: 0, title: "One", is_in_toc: true },
    { start: 50, title: null, is_in_toc: false },
    { start: 168.5, title: "Two", is_in_toc: true },
  ]);
  assert.deepEqual(await objectsOf(pilot), []);
});

Deno.test("invalid chapters return 400 with the line, and keep the chapters", async () => {
  const pilot = await episode(show);
  await put(show, pilot, { type, body: JSON.stringify(document) });
  assertError(await put(show, pilot, { type, body: '{"chapters": [\n{"startTime": 0},\n{"startTime": "1"}]}' }), 400, {
    error: "The chapters are invalid",
    code: "INVALID_CHAPTERS",
    details: "Line 3: chapters[1].startTime: expected seconds, from 0",
  });
  assertError(await put(show, pilot, { type, body: "[".repeat(100_000) }), 400, { code: "INVALID_CHAPTERS" });
  const wrongPlace =
    '{"chapters": [\n{"startTime": 0},\n{"startTime": 1, "location": {"name": "Paris", "geo": "1,2"}}]}';
  assertError(await put(show, pilot, { type, body: wrongPlace }), 400, {
    error: "The chapters are invalid",
    code: "INVALID_CHAPTERS",
    details: "Line 3: chapters[1].location.geo must be a geo URI (RFC 5870), for example geo:48.2082,16.3738",
  });
  assert.equal((await chaptersOf(pilot)).length, 3);
});

Deno.test("chapters return 403, 404 and 413 as transcripts do", async () => {
  const pilot = await episode(show), other = await podcast("Chaptered elsewhere"), body = JSON.stringify(document);
  assertError(await put(show, pilot, { type, body, as: "member" }), 403);
  assertError(await put(other, pilot, { type, body }), 404);
  assertError(await put(show, pilot, { type, body: " ".repeat(5_242_881) }), 413, {
    code: "FILE_TOO_LARGE",
    maxBytes: 5_242_880,
  });
});

Deno.test("front ends insert, edit, list and delete chapters by supabase-js, or replace all", async () => {
  const pilot = await episode(show), admin = await person("admin"), { client } = admin;
  const inserted = await client.from("episode_chapters").insert([
    { episode_id: pilot.id, start_seconds: 0, title: "One" },
    { episode_id: pilot.id, start_seconds: 94.5, title: "Two", image_url: "https://x.test/a.png" },
  ]).select("id, start_seconds");
  assert.equal(inserted.error, null);
  assert.deepEqual(inserted.data!.map(({ start_seconds }) => start_seconds), [0, 94.5]);
  const [{ id }] = inserted.data!;
  assert.equal((await client.from("episode_chapters").update({ title: "First" }).eq("id", id)).error, null);
  const taken = await client.from("episode_chapters").insert({ episode_id: pilot.id, start_seconds: 0, title: "x" });
  assert.deepEqual([taken.status, taken.error?.code], [409, "23505"]);
  const wrong = await client.from("episode_chapters").insert({ episode_id: pilot.id, start_seconds: 1 });
  assert.deepEqual([wrong.status, wrong.error?.code], [400, "23514"]);
  const nested = await client.from("episodes").select("title, episode_chapters(title), episode_transcripts(url)")
    .eq("id", pilot.id).order("start_seconds", { referencedTable: "episode_chapters" }).single();
  assert.deepEqual(nested.data!.episode_chapters, [{ title: "First" }, { title: "Two" }]);
  assert.equal((await client.from("episode_chapters").delete().eq("id", id)).error, null);
  await callRpc(admin, "set_episode_chapters", {
    episode_id: pilot.id,
    chapters: [{ start_seconds: 5, title: "Only" }],
  });
  assert.deepEqual(await chaptersOf(pilot), [{ start: 5, title: "Only", is_in_toc: true }]);
});
