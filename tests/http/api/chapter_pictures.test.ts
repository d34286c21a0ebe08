// Pictures that audio files have in their chapters: they become images of the episode's chapters.
import assert from "node:assert/strict";
import { joined, jpeg, png } from "../../image_fixtures.ts";
import { chap, id3Tag, mp3Frames, mp4, withXing } from "../../media/audio_probe/audio_files.ts";
import { type Episode, episode, podcast, sql, stackInfo, waitFor } from "../harness.ts";
import { put } from "./audio.ts";
import { complete, fill, opened } from "./direct_upload.ts";

const show = await podcast("Illustrated");
const large = jpeg({ width: 1400, height: 1400, bytes: 300_000 }), other = png({ width: 300, height: 400 });

async function chaptersOf({ id }: Episode) {
  await waitFor(
    "the audio is probed",
    async () => (await sql`select from pgmq.q_audio_probes where message ->> 'episode_id' = ${id}`).length === 0,
  );
  return await sql<{ title: string; image_url: string | null }[]>`
    select title, image_url from public.episode_chapters where episode_id = ${id} order by start_seconds`;
}

const chargedOf = async ({ id }: Episode) =>
  (await sql`select usage, bytes::int, content_type, width from private.media_objects
    where episode_id = ${id} and released_at is null and usage = 'chapter' order by bytes`).map((row) => ({ ...row }));

const objectsOf = async ({ id }: Episode) =>
  (await sql`select from storage.objects where bucket_id = 'media' and name like ${`podcasts/%/e/${id}/chapters/%`}`)
    .length;

async function assertImage(url: string | null, expected: Uint8Array, type: string) {
  assert.ok(url);
  const response = await fetch(url);
  assert.deepEqual([response.status, response.headers.get("content-type")], [200, type]);
  assert.deepEqual(new Uint8Array(await response.arrayBuffer()), expected);
}

const mp3 = (...chapters: Uint8Array[]) => joined(id3Tag(chapters), withXing(mp3Frames(766), 766));

Deno.test("chapters get the pictures of an MP3, each stored and charged once", async () => {
  const pilot = await episode(show);
  const body = mp3(
    chap("a", { start: 0, title: "Intro", image: large }),
    chap("b", { start: 4, title: "Talk", image: other }),
    chap("c", { start: 8, title: "Again", image: large }),
    chap("d", { start: 9, title: "Plain" }),
    chap("e", { start: 10, title: "Icon", image: png({ width: 32, height: 32 }) }),
    chap("f", { start: 11, title: "Broken", picture: 5000 }),
    chap("g", { start: 12, title: "Huge", image: jpeg({ width: 1400, height: 1400, bytes: 2_097_153 }) }),
  );
  await put(show, pilot, { body });
  const chapters = await chaptersOf(pilot);
  assert.deepEqual(
    chapters.map(({ title, image_url }) => [title, image_url !== null]),
    [["Intro", true], ["Talk", true], ["Again", true], ["Plain", false], ["Icon", false], ["Broken", false], [
      "Huge",
      false,
    ]],
  );
  await assertImage(chapters[0].image_url, large, "image/jpeg");
  await assertImage(chapters[1].image_url, other, "image/png");
  assert.equal(chapters[2].image_url, chapters[0].image_url);
  assert.deepEqual(await chargedOf(pilot), [
    { usage: "chapter", bytes: other.length, content_type: "image/png", width: 300 },
    { usage: "chapter", bytes: 300_000, content_type: "image/jpeg", width: 1400 },
  ]);
  const response = await fetch(`${stackInfo.functionsUrl}/public/chapters/${pilot.id}.json`);
  if (response.ok) assert.equal((await response.json()).chapters[0].img, chapters[0].image_url);
  else await response.body?.cancel(); // of a draft

  await sql`delete from public.episodes where id = ${pilot.id}`;
  await waitFor("the pictures are deleted", async () => await objectsOf(pilot) === 0);
});

Deno.test("chapters get the pictures of an M4A", async () => {
  const pilot = await episode(show);
  const body = mp4({
    seconds: 30,
    isMovieLast: true,
    track: [{ start: 0, title: "Intro" }, { start: 9, title: "Talk" }],
    pictures: [{ start: 0, image: large }, { start: 9, image: other }],
  });
  const upload = await opened(show, pilot, { contentType: "audio/mp4", fileSize: body.length });
  await fill(upload, body, { "content-type": "audio/mp4" });
  await complete(upload.uploadId);
  const [intro, talk] = await chaptersOf(pilot);
  await assertImage(intro.image_url, large, "image/jpeg");
  await assertImage(talk.image_url, other, "image/png");
});

Deno.test("chapters stay without the pictures for which the allowance has no room", async () => {
  const owner = "limited";
  const small = await podcast("Full", owner);
  const pilot = await episode(small);
  const body = mp3(
    chap("a", { start: 0, title: "Intro", image: large }),
    chap("b", { start: 4, title: "Talk", image: other }),
  );
  await sql`update public.billing_accounts set storage_bytes_used = 1073741824 - ${body.length + 10_000}
    where user_id = (select owner_id from public.podcasts where id = ${small.id})`;
  const { status, text } = await put(small, pilot, { body, as: "admin" });
  assert.equal(status, 200, text);
  assert.deepEqual((await chaptersOf(pilot)).map(({ title, image_url }) => [title, image_url !== null]), [
    ["Intro", false],
    ["Talk", true],
  ]);
  assert.equal(await objectsOf(pilot), 1);
});

Deno.test("an audio probe stores no picture for an episode that has chapters", async () => {
  const pilot = await episode(show);
  await sql`insert into public.episode_chapters (episode_id, start_seconds, title) values (${pilot.id}, 1, 'Mine')`;
  await put(show, pilot, { body: mp3(chap("a", { start: 0, title: "Intro", image: large })) });
  assert.deepEqual((await chaptersOf(pilot)).map(({ title }) => title), ["Mine"]);
  assert.equal(await objectsOf(pilot), 0);
});

Deno.test("pictures of audio that was replaced while its probe waited are deleted", async () => {
  const pilot = await episode(show);
  await sql.begin(async (t) => {
    await t`select pg_advisory_xact_lock(hashtextextended('episode-chapters/' || ${pilot.id}, 0))`; // finishing waits
    await put(show, pilot, { body: mp3(chap("a", { start: 0, title: "Intro", image: large })) });
    await waitFor(
      "the probe waits",
      async () =>
        (await sql`select from pg_stat_activity where wait_event = 'advisory' and query like '%finish_audio_probe%'`)
          .length > 0,
    );
    assert.equal(await objectsOf(pilot), 1);
    await put(show, pilot, { body: mp3() });
  });
  assert.deepEqual([...await chaptersOf(pilot)], []);
  await waitFor("the picture is deleted", async () => await objectsOf(pilot) === 0);
  assert.deepEqual(await chargedOf(pilot), []);
});
