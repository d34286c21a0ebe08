// Uploads without a duration, and files with chapters: what the worker measures and reads.
import assert from "node:assert/strict";
import { joined } from "../../image_fixtures.ts";
import { chap, ctoc, id3Tag, mp3Frames, mp4, withXing } from "../../media/audio_probe/audio_files.ts";
import { callRpc, type Episode, episode, person, podcast, sql, stackInfo, waitFor } from "../harness.ts";
import { audioOf, put } from "./audio.ts";
import { complete, fill, filled, opened } from "./direct_upload.ts";

const show = await podcast("Measured");
const chapters = [chap("a", { start: 0, end: 4, title: "Intro" }), chap("b", { start: 4, title: "Talk" })];

/** MP3 of so many seconds, with two chapters. */
function mp3(seconds: number): Uint8Array {
  const frames = Math.round(seconds * 44_100 / 1152);
  return joined(id3Tag([...chapters, ctoc(["a", "b"])]), withXing(mp3Frames(frames), frames));
}

async function chaptersOf({ id }: Episode) {
  const rows = await sql`select start_seconds::float8 as start, end_seconds::float8 as end, title
    from public.episode_chapters where episode_id = ${id} order by start_seconds`;
  return rows.map((row) => ({ ...row }));
}

const found = [{ start: 0, end: null, title: "Intro" }, { start: 4, end: 5, title: "Talk" }];

const probed = (pilot: Episode) =>
  waitFor("the audio is probed", async () => {
    const [{ left }] = await sql`
      select count(*)::int as left from pgmq.q_audio_probes where message ->> 'episode_id' = ${pilot.id}`;
    return left === 0;
  });

Deno.test("audio uploaded without a duration gets the measured duration and the chapters of the file", async () => {
  const pilot = await episode(show);
  const { body, text } = await put(show, pilot, { body: mp3(20) });
  assert.equal(body.durationSeconds, null, text);
  await probed(pilot);
  assert.equal((await audioOf(pilot)).seconds, 20);
  assert.deepEqual(await chaptersOf(pilot), found);
});

Deno.test("a direct upload of M4A without a duration gets the measured duration and the chapters of the file", async () => {
  const pilot = await episode(show);
  const body = mp4({
    seconds: 30,
    isMovieLast: true,
    track: [{ start: 0, title: "Intro" }, { start: 9, title: "Talk" }],
  });
  const upload = await opened(show, pilot, { contentType: "audio/mp4", fileSize: body.length });
  assert.equal(await fill(upload, body, { "content-type": "audio/mp4" }), 200);
  const { status, text } = await complete(upload.uploadId);
  assert.equal(status, 200, text);
  await probed(pilot);
  assert.equal((await audioOf(pilot)).seconds, 30);
  assert.deepEqual((await chaptersOf(pilot)).map(({ start, title }) => [start, title]), [[0, "Intro"], [9, "Talk"]]);
});

/** A variable bitrate without a header: what players estimate is wrong. */
const variable = joined(mp3Frames(1000, [32, 96]), mp3Frames(500, [320]));
const seekTableOf = async ({ id }: Episode) =>
  (await sql`select audio_has_seek_table as known from public.episodes where id = ${id}`)[0].known;

Deno.test("both ways to upload MP3 of a variable bitrate without a seek table return a warning, and the episode has it", async () => {
  const one = await episode(show), two = await episode(show);
  const { body, text } = await put(show, one, { body: variable });
  assert.match(body.warning ?? "", /no seek table/, text);
  const completed = await complete((await filled(show, two, variable)).uploadId);
  assert.match(completed.body.warning ?? "", /no seek table/, completed.text);
  for (const pilot of [one, two]) {
    await probed(pilot);
    assert.equal(await seekTableOf(pilot), false);
    assert.equal((await audioOf(pilot)).seconds, Math.round(1500 * 1152 / 44_100));
  }
});

Deno.test("an upload of MP3 with a seek table returns no warning", async () => {
  const pilot = await episode(show);
  const { body } = await put(show, pilot, { body: mp3(20), query: { duration: "20" } });
  assert.equal(body.warning, undefined);
  await probed(pilot);
  assert.equal(await seekTableOf(pilot), true);
});

Deno.test("audio that was replaced while its probe waited is ignored", async () => {
  const pilot = await episode(show);
  await sql.begin(async (t) => {
    await t`select pg_advisory_xact_lock(hashtextextended('episode-chapters/' || ${pilot.id}, 0))`; // finishing waits
    await put(show, pilot, { body: mp3(20) });
    await waitFor("the probe waits", async () => {
      const waiting = await sql`select from pg_stat_activity
        where wait_event = 'advisory' and query like '%finish_audio_probe%'`;
      return waiting.length > 0;
    });
    await put(show, pilot, { body: joined(withXing(mp3Frames(1914), 1914)) });
  });
  await probed(pilot);
  assert.equal((await audioOf(pilot)).seconds, 50);
  assert.deepEqual(await chaptersOf(pilot), []);
});

Deno.test("a file of text that was uploaded as audio is acknowledged without a duration", async () => {
  const pilot = await episode(show);
  await put(show, pilot, { body: "no audio" });
  await probed(pilot);
  assert.equal((await audioOf(pilot)).seconds, null);
  const dead = await sql`select from pgmq.q_audio_probes_dlq where message -> 'message' ->> 'episode_id' = ${pilot.id}`;
  assert.equal(dead.length, 0);
});

Deno.test("a probe whose object storage does not return is retried, and becomes a dead letter after the last attempt", async () => {
  const pilot = await episode(show);
  const { body } = await put(show, pilot, { body: mp3(20) });
  await probed(pilot);
  await sql`update public.episodes set audio_duration_seconds = null, audio_url = ${
    body.publicUrl.replace(".mp3", "x.mp3")
  }
    where id = ${pilot.id}`;
  await waitFor("the failure is recorded", async () => {
    const [message] = await sql`
      select headers ->> 'last_error' as error from pgmq.q_audio_probes where message ->> 'episode_id' = ${pilot.id}`;
    return /^storage responded 400 /.test(message?.error ?? "");
  });
  await sql`update pgmq.q_audio_probes set vt = now(), read_ct = 7 where message ->> 'episode_id' = ${pilot.id}`;
  await waitFor("the message is a dead letter", async () => {
    const [dead] = await sql`select message ->> 'error' as error, message ->> 'attempts' as attempts
      from pgmq.q_audio_probes_dlq where message -> 'message' ->> 'episode_id' = ${pilot.id}`;
    return dead?.attempts === "8" && /^storage responded 400 /.test(dead.error);
  });
});

Deno.test("the feed of a published episode shows the measured duration and the chapters of the file", async () => {
  const pilot = await episode(show, "Announced");
  await put(show, pilot, { body: mp3(33) });
  await callRpc(await person("owner"), "publish_episode", { episode_id: pilot.id });
  await waitFor("the feed shows them", async () => {
    const feed = await (await fetch(`${stackInfo.functionsUrl}/public/feeds/${show.slug}.xml`)).text();
    return feed.includes("<itunes:duration>33</itunes:duration>") && feed.includes(`/public/chapters/${pilot.id}.json`);
  });
});
