import { deepStrictEqual as deepEqual, strictEqual as equal } from "node:assert";
import { createRaceDatabase, runConcurrently } from "./race_database.ts";

Deno.test("concurrent calls on podcasts and their teams", async (t) => {
  await using there = await createRaceDatabase();
  const { sql, as } = there;
  await sql`select tests.person('ola'), tests.podcast('show', 'ola')`;

  await t.step("twenty podcasts with one title get twenty slugs", async () => {
    deepEqual(await runConcurrently(20, () => as("ola", "create_podcast", { title: "Same Title" })), { ok: 20 });
    const [{ n }] = await sql`select count(distinct slug)::int as n from public.podcasts where title = 'Same Title'`;
    equal(n, 20);
  });

  await t.step("one of ten requests for a slug gets it and nine return 409", async () => {
    const ended = await runConcurrently(10, (i) => as("ola", "create_podcast", { title: `T${i}`, slug: "wanted" }));
    deepEqual(ended, { ok: 1, PT409: 9 });
  });

  await t.step("one of ten concurrent offers stays open, and ten acceptances make one owner", async () => {
    await sql`select tests.member('ana', 'show'), tests.member('vic', 'show')`;
    const [podcastId, userId] = [await there.id("show"), await there.id("ana")];
    deepEqual(await runConcurrently(10, () => as("ola", "offer_podcast_transfer", { podcastId, userId })), {
      ok: 1,
      PT409: 9,
    });
    const [{ transferId }] = await sql`select id as "transferId" from public.podcast_transfers`;
    deepEqual(await runConcurrently(10, () => as("ana", "accept_podcast_transfer", { transferId })), {
      ok: 1,
      PT409: 9,
    });
    const owners = await sql`
      select m.user_id = p.owner_id as agrees from public.podcast_members m join public.podcasts p on p.id = m.podcast_id
      where p.id = ${podcastId} and m.role = 'owner'`;
    deepEqual(owners.map((row) => row.agrees), [true]);
  });

  await t.step("create_podcast accepts exactly the hourly limit of twenty concurrent calls", async () => {
    await sql`select tests.person('hasty'), private.set_plan_limit('free', 'max_podcasts_per_hour', 10)`;
    deepEqual(await runConcurrently(20, (i) => as("hasty", "create_podcast", { title: `T${i % 3}` })), {
      ok: 10,
      PT429: 10,
    });
    await sql`select private.set_plan_limit('free', 'max_podcasts_per_hour', 1000000)`;
  });

  await t.step(
    "create_podcast accepts exactly as many podcasts as an account may own of twenty calls at once",
    async () => {
      await sql`select tests.person('busy'), private.set_plan_limit('free', 'max_podcasts_per_account', 7)`;
      deepEqual(await runConcurrently(20, (i) => as("busy", "create_podcast", { title: `U${i}` })), {
        ok: 7,
        PT429: 13,
      });
    },
  );
});
