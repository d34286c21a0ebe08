// Images that are replaced, deleted, referenced and moved concurrently: one live object per image, and exact usage.
import { deepStrictEqual as deepEqual, ok, strictEqual as equal } from "node:assert";
import { randomNumbers } from "../random.ts";
import { byScale } from "../scale.ts";
import { EXTENSIONS, media, whileSampling, WRONG_ACCOUNTS, WRONG_OWNERS, WRONG_PLACES } from "./media.ts";
import { createRaceDatabase, outcome, runConcurrently, transfer } from "./race_database.ts";

const IMAGE_TYPES = ["cover", "header", "banner", "profile"];
const TYPES = Object.keys(EXTENSIONS);
const WRONG = `select 'account' as what, user_id::text as which from (${WRONG_ACCOUNTS}) a
  union all select 'owner', path from (${WRONG_OWNERS}) o
  union all select 'place', coalesce(path, url) from (${WRONG_PLACES}) p`;

Deno.test("concurrent changes of one image", async (t) => {
  await using there = await createRaceDatabase(26);
  const { sql, as, id } = there, { audio, image, temporary, move } = media(there);
  await sql`select tests.podcast('show', 'ola'), tests.member('ana', 'show', 'admin'), tests.episode('pilot', 'show')`;
  const assertConsistent = async () => deepEqual([...await sql.unsafe(WRONG)], []);
  const live = async (
    usage: string,
  ) => [
    ...await sql`select path, bytes::int from private.media_objects where usage = ${usage} and released_at is null`,
  ];
  const queued = async () =>
    new Set((await sql`
      select jsonb_array_elements_text(m -> 'paths') as path from tests.queued('storage_gc') m`).map(({ path }) =>
      path
    ));

  await t.step(
    "of twenty concurrent episode covers in different formats one stays, and the others are enqueued for deletion",
    async () => {
      for (let round = 0; round < byScale(4, 60); round++) {
        await sql`select tests.empty_queue('storage_gc')`;
        const before = (await live("episode_cover")).map(({ path }) => path);
        let ended = {};
        const wrong = await whileSampling(there, WRONG, async () => {
          ended = await runConcurrently(
            20,
            (i) => image("ana", "show", "episode_cover", 1000 + i, TYPES[i % 2], "pilot"),
          );
        });
        deepEqual(ended, { ok: 20 });
        deepEqual(wrong, []);
        const [kept, ...more] = await live("episode_cover");
        equal(more.length, 0);
        const gone = await queued();
        equal(gone.size, 19 + before.length);
        ok(!gone.has(kept.path));
        const [{ free }] = await sql<{ free: string[] }[]>`
          select to_jsonb(private.claim_orphaned_objects('media', ${[...gone, kept.path]})) as free`;
        const isCopy = (path: string) => path.includes("/derived/");
        deepEqual(free.filter((path) => !isCopy(path)).sort(), [...gone].sort());
        equal(free.filter(isCopy).length, 3 * gone.size);
      }
      await assertConsistent();
    },
  );

  await t.step(
    "of twenty concurrent images of a podcast one is referenced, and the others wait for the sweep",
    async () => {
      await sql`select tests.empty_queue('storage_gc')`;
      for (const place of IMAGE_TYPES) {
        deepEqual(await runConcurrently(20, (i) => image("ana", "show", place, 500 + i, TYPES[i % TYPES.length])), {
          ok: 20,
        });
        equal((await live(place)).length, 1);
      }
      const [{ waiting }] = await sql`
      select count(*)::int as waiting from private.media_objects where released_at is not null and usage = any (${IMAGE_TYPES})`;
      equal(waiting, 19 * IMAGE_TYPES.length);
      equal((await queued()).size, 0);
      await assertConsistent();
    },
  );

  await t.step("concurrent finishes of one upload count it once", async () => {
    const [ana, podcastId] = await Promise.all([id("ana"), id("show")]);
    for (let round = 0; round < byScale(4, 60); round++) {
      const path = `podcasts/${podcastId}/images/cover/${crypto.randomUUID()}.png`;
      await sql`insert into storage.objects (bucket_id, name, metadata) values ('media', ${path}, '{"size": 700}')`;
      const ended = await runConcurrently(
        6,
        () =>
          outcome(
            sql`select private.finish_image_upload(${ana}, ${podcastId}, 'cover', ${path}, 700, 'image/png', '{"width":1400,"height":1400}')`,
          ),
      );
      deepEqual(ended, { ok: 6 });
      deepEqual((await live("cover")).map((row) => row.path), [path]);
    }
    await assertConsistent();
  });

  await t.step("an upload whose removal has begun does not finish, and a finished upload is not removed", async () => {
    const [ana, podcastId] = await Promise.all([id("ana"), id("show")]);
    for (let round = 0; round < byScale(20, 300); round++) {
      const path = `podcasts/${podcastId}/images/header/${crypto.randomUUID()}.png`;
      await sql`insert into storage.objects (bucket_id, name, metadata) values ('media', ${path}, '{"size": 700}')`;
      const finish = () =>
        outcome(
          sql`select private.finish_image_upload(${ana}, ${podcastId}, 'header', ${path}, 700, 'image/png', '{"width":1400,"height":1400}')`,
        );
      const abandon = async () => {
        const [{ removal }] = await sql`select private.begin_object_removal(${path}) as removal`;
        if (!removal) return false;
        // as storage does on a deletion
        await sql`update storage.objects set name = 'deleted/' || name where name = ${path}`;
        await sql`select private.end_object_removal(${removal})`;
        return true;
      };
      let ended = "", abandoned = false;
      const calls = [async () => void (ended = await finish()), async () => void (abandoned = await abandon())];
      if (round % 2) calls.reverse();
      if (round < 2) { // one after the other, so that each is first once
        for (const call of calls) await call();
        equal(abandoned, round === 1);
      } else await Promise.all(calls.map((call) => call()));
      // 503 during the removal, 500 (no such object) after it
      deepEqual([ended, abandoned], abandoned ? [ended === "PT503" ? ended : "PT500", true] : ["ok", false]);
    }
    await assertConsistent();
  });

  await t.step(
    "concurrent uploads, edits, removals, moves, transfers and deletions keep columns, objects and accounts consistent",
    async () => {
      const next = randomNumbers(20261124), some = <T>(of: readonly T[]) => of[Math.floor(next() * of.length)];
      let deadlocks = 0;
      for (let round = 0; round < byScale(8, 150); round++) {
        const show = `show${round}`, episodes = [0, 1, 2].map((n) => `${show}/${n}`);
        await sql`select tests.podcast(${show}, 'ola'), tests.member('ana', ${show}, 'admin')`;
        for (const name of episodes) await sql`select tests.episode(${name}, ${show})`;
        for (const place of IMAGE_TYPES) await image("ana", show, place, 100);
        for (const name of episodes) {
          await image("ana", show, "episode_cover", 100, "image/png", name), await audio("ana", show, name, 100);
        }
        const imports = await Promise.all([0, 1, 2].map(async () => (await temporary("ana", 100)).path));
        const podcastId = await id(show);
        const known = (await sql`select path from private.media_objects where podcast_id = ${podcastId}`).map((
          { path },
        ) => path);
        const url = () =>
          some([
            null,
            "https://elsewhere.test/a.png",
            ...known.map((path) => `https://casts.test/storage/v1/object/public/media/${path}?v=1`),
          ]);

        // as PostgREST runs an update: as the person, without retry
        const edited = async (person: string, statement: (t: typeof sql) => PromiseLike<unknown>) => {
          const claims = JSON.stringify({ role: "authenticated", sub: await id(person) });
          const ended = await outcome(sql.begin(async (t) => {
            await t`select set_config('role', 'authenticated', true), set_config('request.jwt.claims', ${claims}, true)`;
            await statement(t as unknown as typeof sql);
          }));
          if (ended === "40P01") deadlocks++;
          return ended;
        };
        const works: (() => Promise<string>)[] = Array.from({ length: 24 }, () => {
          const episode = some(episodes),
            place = some(IMAGE_TYPES),
            bytes = 100 + Math.floor(next() * 100),
            now = url(),
            source = some(imports);
          return some([
            () => image("ana", show, place, bytes, some(TYPES)),
            () => image("ola", show, "episode_cover", bytes, some(TYPES.slice(0, 2)), episode),
            () =>
              edited(
                "ana",
                (t) => t`update public.podcasts set ${t({ [`${place}_image_url`]: now })} where id = ${podcastId}`,
              ),
            () =>
              edited(
                "ana",
                (t) => t`update public.episodes set cover_image_url = ${now} where id = tests.id(${episode})`,
              ),
            () => as("ana", "delete_podcast_image", { podcastId, imageType: place }),
            () => move("ana", source, show, place, 100),
            () => transfer(there, podcastId, "ola", "ana"),
            () => transfer(there, podcastId, "ana", "ola"),
            () => edited("ana", (t) => t`delete from public.episodes where id = tests.id(${episode})`),
            async () => as("ana", "remove_episode_audio", { episodeId: await id(episode) }),
            async () => {
              const [{ free }] = await sql`select to_jsonb(private.claim_orphaned_objects('media', ${known})) as free`;
              return Array.isArray(free) ? "ok" : "no list";
            },
            () => outcome(sql`select private.sweep_storage(now() + interval '2 days')`),
          ]);
        });
        let ended: Record<string, number> = {};
        const wrong = await whileSampling(
          there,
          WRONG,
          async () => ended = await runConcurrently(works.length, (i) => works[i]()),
        );
        deepEqual(wrong, []);
        const expected = ["ok", "PT400", "PT403", "PT404", "PT409"];
        deepEqual(Object.keys(ended).filter((how) => !expected.includes(how)), [], JSON.stringify(ended));
        await assertConsistent();
        await sql`delete from public.podcasts where id = ${podcastId}`;
      }
      equal(deadlocks, 0);
      await assertConsistent();
    },
  );
});
