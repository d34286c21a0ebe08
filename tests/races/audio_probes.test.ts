// The end of an audio probe while podcasters write chapters or replace the audio.
import { deepStrictEqual as deepEqual, ok } from "node:assert";
import { byScale } from "../scale.ts";
import { createRaceDatabase, outcome } from "./race_database.ts";

Deno.test("concurrent audio probes, chapters and uploads of an episode", async (t) => {
  await using there = await createRaceDatabase();
  const { sql, as } = there;
  await sql`select tests.podcast('show', 'ola'), tests.episode('pilot', 'show')`;
  const [episodeId, podcastId, owner] = [await there.id("pilot"), await there.id("show"), await there.id("ola")];
  const rounds = byScale(20, 300);
  const found = [0, 1, 2].map((start) => ({ start, title: "File" }));

  const store = async () => {
    const [{ path }] = await sql<{ path: string }[]>`select tests.store_audio_object('pilot', 1000) as path`;
    return path;
  };
  const upload = (path: string, expected: string | null = null) =>
    outcome(
      sql`select private.finish_audio_upload(${owner}, ${podcastId}, ${episodeId}, ${path}, 1000, 'audio/mpeg', null,
      coalesce(${expected}, (select audio_url from public.episodes where id = ${episodeId})))`,
    );
  const probe = (path: string, seconds: number) =>
    outcome(sql`select private.finish_audio_probe(${episodeId}, ${path}, ${seconds}::int::numeric,
      ${JSON.stringify(found)}::text::jsonb)`);
  /** New audio, and no chapters. */
  const renew = async () => {
    await sql`delete from public.episode_chapters`;
    const path = await store();
    await upload(path);
    return path;
  };
  const titles = async () =>
    (await sql`select title from public.episode_chapters order by start_seconds`).map(({ title }) => title);

  await t.step("set_episode_chapters replaces or prevents the chapters of the file", async () => {
    const chapters = [{ start_seconds: 1, title: "Mine" }, { start_seconds: 5, title: "Mine" }];
    for (let round = 0; round < rounds; round++) {
      const path = await renew();
      const outcomes = await Promise.all([
        probe(path, 60),
        as("ola", "set_episode_chapters", { episodeId, chapters }),
        probe(path, 60),
      ]);
      deepEqual([outcomes, await titles()], [["ok", "ok", "ok"], ["Mine", "Mine"]]);
    }
  });

  await t.step("an inserted chapter is kept, alone or after those of the file", async () => {
    for (let round = 0; round < rounds; round++) {
      const path = await renew();
      const start = round % 4; // 3: none of the file's
      const [probed, inserted] = await Promise.all([
        probe(path, 60),
        outcome(sql`insert into public.episode_chapters (episode_id, start_seconds, title)
          values (${episodeId}, ${start}, 'Mine')`),
      ]);
      deepEqual(probed, "ok");
      const written = await titles();
      if (inserted === "ok") ok(["Mine", "File,File,File,Mine"].includes(written.join()), written.join());
      else deepEqual([inserted, written], ["23505", ["File", "File", "File"]]);
    }
  });

  await t.step("the duration of replaced audio is not written to the new audio", async () => {
    for (let round = 0; round < rounds; round++) {
      const [before, after] = [await renew(), await store()];
      const outcomes = await Promise.all([probe(before, 11), upload(after), probe(before, 11), probe(after, 22)]);
      deepEqual(outcomes, ["ok", "ok", "ok", "ok"]);
      const [{ seconds }] =
        await sql`select audio_duration_seconds as seconds from public.episodes where id = ${episodeId}`;
      ok(seconds === null || seconds === 22, String(seconds));
    }
  });
});
