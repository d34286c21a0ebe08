// Transcripts, and chapters with images, that are uploaded, edited and deleted concurrently: one row per type and language, exact
// usage, and no deadlock.
import { deepStrictEqual as deepEqual } from "node:assert";
import { seededRandom } from "../random.ts";
import { byScale } from "../scale.ts";
import { media, WRONG_ACCOUNTS } from "./media.ts";
import { createRaceDatabase, runConcurrently } from "./race_database.ts";

/** Live objects of transcripts that no row references, and stored transcripts whose object is not live. */
const WRONG_OBJECTS = `
  select m.path, t.url from (select * from private.media_objects where usage = 'transcript' and released_at is null) m
  full join (select * from public.episode_transcripts where bytes is not null) t
    on private.own_object_path(t.url) = m.path and t.bytes = m.bytes and t.episode_id = m.episode_id
  where m.path is null or t.id is null`;

/** Live images that no chapter has, and images of chapters that are not live. */
const WRONG_IMAGES = `
  select m.path, c.url from (select path from private.media_objects where usage = 'chapter' and released_at is null) m
  full join (select distinct image_url as url from public.episode_chapters where image_url is not null) c
    on private.own_object_path(c.url) = m.path
  where m.path is null or c.url is null`;

Deno.test("concurrent changes of one episode's transcripts and chapters", async (t) => {
  await using there = await createRaceDatabase(26);
  const { sql } = there;
  await sql`select tests.podcast('show', 'ola'), tests.member('ana', 'show', 'admin')`;
  await sql`select tests.published_episode('pilot', 'show')`;
  const { finished } = media(there);
  const upload = (type: string, bytes: number, language: string | null) =>
    finished(() => sql`select tests.upload_transcript('pilot', ${type}, ${bytes}, ${language}, null, 'ana')`);
  /** Runs a client's statement: ok, or the SQLSTATE of its error. */
  async function asClient(statement: string): Promise<string> {
    const [{ result }] = await sql`select tests.result_of('ana', ${statement}) as result`;
    return result.replace(/^ok .*/, "ok");
  }
  async function assertConsistent() {
    deepEqual([...await sql.unsafe(WRONG_OBJECTS)], []);
    deepEqual([...await sql.unsafe(WRONG_IMAGES)], []);
    deepEqual([...await sql.unsafe(WRONG_ACCOUNTS)], []);
  }

  await t.step("of twenty concurrent uploads of one type and language one stays", async () => {
    for (let round = 0; round < byScale(3, 60); round++) {
      await sql`delete from public.episode_transcripts`;
      deepEqual(await runConcurrently(20, (i) => upload("text/vtt", 100 + i, "de")), { ok: 20 });
      deepEqual((await sql`select count(*)::int as n from public.episode_transcripts`)[0].n, 1);
      await assertConsistent();
    }
  });

  await t.step("concurrent inserts of a client end at 20 transcripts", async () => {
    await sql`delete from public.episode_transcripts`;
    const insert = `insert into public.episode_transcripts (episode_id, type, url)
      select tests.id('pilot'), 'text/vtt', 'https://x.test/' || n from generate_series(1, 4) n`;
    const ended = await runConcurrently(10, () => asClient(insert));
    deepEqual((await sql`select count(*)::int as n from public.episode_transcripts`)[0].n, 20);
    deepEqual(ended, { ok: 5, PT409: 5 });
  });

  await t.step("uploads, and a client's edits and deletions, neither deadlock nor leave an object", async () => {
    const images: string[] = [];
    for (let n = 0; n < 2; n++) {
      const [{ path, url }] = await sql`select path, tests.media_url(path) as url
        from tests.store_image_object('chapter', 100, 'pilot') path`;
      await sql`select tests.finish_image_upload('ana', 'chapter', ${path}, 100, 'pilot')`;
      images.push(url);
    }
    const setChapters = (...urls: string[]) => {
      const chapters = urls.map((image_url, start_seconds) => ({ start_seconds, title: "x", image_url }));
      return `select public.set_episode_chapters(tests.id('pilot'), '${JSON.stringify(chapters)}')`;
    };
    const anyId = (which: string) => `(select ${which}(id::text)::uuid from public.episode_transcripts)`;
    for (let seed = 1; seed <= byScale(4, 60); seed++) {
      await sql`delete from public.episode_transcripts`;
      await asClient(setChapters(...images)); // each image has been referenced
      const { one, below } = seededRandom(seed), types = ["text/vtt", "text/html"];
      const changes = Array.from({ length: 60 }, () =>
        one([
          () => upload(one(types), 1 + below(1000), "de"),
          () => asClient(`update public.episode_transcripts set rel = 'captions' where id = ${anyId("min")}`),
          () => asClient(`delete from public.episode_transcripts where id = ${anyId("max")}`),
          () => asClient(setChapters(one(images), one(images))),
          () => asClient(`update public.episode_chapters set image_url = '${one(images)}' where start_seconds = 0`),
          () => asClient("update public.episode_chapters set title = 'y', image_url = null where start_seconds = 1"),
          () => asClient("delete from public.episode_chapters where start_seconds = 1"),
        ]));
      deepEqual(await runConcurrently(changes.length, (i) => changes[i]()), { ok: changes.length }, `seed ${seed}`);
      await assertConsistent();
    }
  });
});
