import { deepStrictEqual as deepEqual, strictEqual as equal } from "node:assert";
import { byScale } from "../scale.ts";
import { assertBlocks, createRaceDatabase, outcome, runConcurrently, transfer } from "./race_database.ts";

Deno.test("concurrent calls on episodes and their audio", async (t) => {
  await using there = await createRaceDatabase();
  const { sql, as } = there;
  await sql`select tests.podcast('show', 'ola'), tests.episode('pilot', 'show')`;
  const [podcastId, owner] = [await there.id("show"), await there.id("ola")];

  const finish = async (episode: string, bytes: number, expected: string | null) => {
    const [{ path }] = await sql`select tests.store_audio_object(${episode}, ${bytes}) as path`;
    return await outcome(sql`
      select private.finish_audio_upload(${owner}, ${podcastId}, tests.id(${episode}), ${path}, ${bytes}, 'audio/mpeg', 1, ${expected})`);
  };

  await t.step("twenty episodes with one title get twenty slugs", async () => {
    deepEqual(await runConcurrently(20, () => as("ola", "create_episode", { podcastId, title: "Same" })), { ok: 20 });
    const [{ n }] = await sql`select count(distinct slug)::int as n from public.episodes where title = 'Same'`;
    equal(n, 20);
  });

  await t.step("an episode waits for another whose slug it would get, and then gets the next one", async () => {
    const create = (title: string) => as("ola", "create_episode", { podcastId, title });
    let waiting: Promise<string> | undefined;
    await sql.begin(async (writer) => {
      await writer`insert into public.episodes (podcast_id, title) values (${podcastId}, 'Waited for')`;
      equal(await create("Other"), "ok");
      waiting = create("Waited for");
      await assertBlocks(there, waiting);
    });
    equal(await waiting, "ok");
    const rows = await sql`select slug from public.episodes where title = 'Waited for' order by slug`;
    deepEqual(rows.map(({ slug }) => slug), ["waited-for", "waited-for-2"]);
  });

  await t.step("one of ten concurrent uploads wins, and one object counts", async () => {
    deepEqual(await runConcurrently(10, () => finish("pilot", 1000, null)), { ok: 1, PT409: 9 });
    const [{ n, bytes }] = await sql`
      select count(*)::int as n, sum(bytes)::int as bytes from private.media_objects where released_at is null`;
    deepEqual({ n, bytes }, { n: 1, bytes: 1000 });
  });

  await t.step("concurrent uploads never exceed the allowance, and the sum is exact", async () => {
    await sql`select tests.episode('e' || n, 'show') from generate_series(1, 20) n`;
    await sql`update public.plans set storage_gb_per_account = 1 where code = 'free'`;
    const each = 100_000_000; // ten fit into 1,073,741,824 bytes
    const ended = await runConcurrently(20, (i) => finish(`e${i + 1}`, each, null));
    deepEqual(ended, { ok: 10, PT409: 10 });
    const [{ used, held }] = await sql`
      select a.storage_bytes_used::bigint as used,
        (select sum(bytes)::bigint from private.media_objects m where m.account_id = a.user_id and m.released_at is null) as held
      from public.billing_accounts a where a.user_id = ${owner}`;
    equal(used, held);
    equal(Number(used) <= 1_073_741_824, true);
  });

  await t.step("a concurrent upload and removal leave episode and ledger consistent", async () => {
    for (let round = 0; round < byScale(10, 200); round++) {
      const [{ url }] = await sql`select audio_url as url from public.episodes where id = tests.id('pilot')`;
      await Promise.all([
        finish("pilot", 1000 + round, url),
        as("ola", "remove_episode_audio", { episodeId: await there.id("pilot") }),
      ]);
      const [{ agree }] = await sql`
        select (e.audio_file_size_bytes is not distinct from m.bytes) as agree from public.episodes e
        left join private.media_objects m on m.episode_id = e.id and m.released_at is null
        where e.id = tests.id('pilot')`;
      equal(agree, true);
    }
  });

  await t.step("four concurrent cron runs publish each due episode once", async () => {
    await sql`update public.episodes set status = 'scheduled', scheduled_at = now() + interval '1 hour' where audio_url is not null`;
    const [{ due }] = await sql`select count(*)::int as due from public.episodes where status = 'scheduled'`;
    await sql`select tests.empty_queue('feed_invalidation')`;
    const published = await Promise.all(
      Array.from(
        { length: 4 },
        async () => (await sql`select private.publish_due_episodes(now() + interval '2 hours') as n`)[0].n,
      ),
    );
    equal(published.reduce((a, b) => a + b), due);
    const [{ queued }] = await sql`select count(*)::int as queued from tests.queued('feed_invalidation')`;
    equal(queued, due);
  });

  await t.step("six concurrent workers claim each job once", async () => {
    await sql`select tests.empty_queue('storage_gc')`;
    await sql`select private.enqueue('storage_gc', jsonb_build_object('n', n)) from generate_series(1, 300) n`;
    const claimed: number[] = [];
    await Promise.all(Array.from({ length: 6 }, async () => {
      for (;;) {
        const jobs = await sql`select (message ->> 'n')::int as n from private.claim_jobs('storage_gc', 7, 60)`;
        if (!jobs.length) return;
        claimed.push(...jobs.map((job) => job.n));
      }
    }));
    deepEqual(claimed.sort((a, b) => a - b), Array.from({ length: 300 }, (_, i) => i + 1));
  });
});

Deno.test("a transfer concurrent with uploads leaves both accounts exact", async () => {
  await using there = await createRaceDatabase();
  const { sql } = there;
  await sql`select tests.podcast('show', 'ola'), tests.member('ana', 'show', 'admin')`;
  await sql`select tests.episode('e' || n, 'show') from generate_series(1, 12) n`;
  const [podcastId, ola, ana] = [await there.id("show"), await there.id("ola"), await there.id("ana")];
  const upload = async (i: number) => {
    const [{ path }] = await sql`select tests.store_audio_object(${`e${i}`}, 100) as path`;
    return await outcome(sql`
      select private.finish_audio_upload(${ana}, ${podcastId}, tests.id(${`e${i}`}), ${path}, 100, 'audio/mpeg', 1, null)`);
  };
  const ended = await runConcurrently(
    13,
    (i) => i === 6 ? transfer(there, podcastId, "ola", "ana") : upload(i < 6 ? i + 1 : i),
  );
  deepEqual(ended, { ok: 13 });
  const accounts = await sql`
    select user_id as id, storage_bytes_used::int as used from public.billing_accounts where user_id in ${
    sql([ola, ana])
  }`;
  deepEqual(new Map(accounts.map(({ id, used }) => [id, used])), new Map([[ola, 0], [ana, 1200]]));
});
