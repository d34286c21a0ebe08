import { deepStrictEqual as deepEqual, strictEqual as equal } from "node:assert";
import { byScale } from "../scale.ts";
import { assertBlocks, createRaceDatabase, outcome, transfer } from "./race_database.ts";

/** Accounts whose usage differs from the ledger's sum. */
const DRIFT = `
  select a.user_id from public.billing_accounts a
  left join (select account_id, sum(bytes) as bytes from private.media_objects where released_at is null group by 1) m
    on m.account_id = a.user_id
  where a.storage_bytes_used <> coalesce(m.bytes, 0)`;

Deno.test("concurrent transfers, removals and deletions neither deadlock nor lose a byte", async (t) => {
  await using there = await createRaceDatabase();
  const { sql, id } = there;
  await sql`select tests.person('ann'), tests.person('ben')`;

  await t.step("two concurrent transfers in opposite directions both succeed", async () => {
    for (let round = 0; round < byScale(8, 60); round++) {
      const [a, b] = [`a${round}`, `b${round}`];
      await sql`select tests.podcast(${a}, 'ann'), tests.member('ben', ${a}), tests.podcast(${b}, 'ben'), tests.member('ann', ${b})`;
      await sql`select tests.episode(${a} || '/' || n, ${a}), tests.episode(${b} || '/' || n, ${b}) from generate_series(1, 20) n`;
      await sql`select tests.upload_audio(${a} || '/' || n, 100), tests.upload_audio(${b} || '/' || n, 100) from generate_series(1, 20) n`;
      const [podcastA, podcastB] = await Promise.all([id(a), id(b)]);
      deepEqual(
        await Promise.all([
          transfer(there, podcastA, "ann", "ben"),
          transfer(there, podcastB, "ben", "ann"),
        ]),
        ["ok", "ok"],
      );
    }
    deepEqual([...await sql.unsafe(DRIFT)], []);
  });

  await t.step("a transfer concurrent with the deletion of episodes keeps both accounts exact", async () => {
    for (let round = 0; round < byScale(8, 60); round++) {
      const name = `c${round}`;
      await sql`select tests.podcast(${name}, 'ann'), tests.member('ben', ${name})`;
      await sql`select tests.episode(${name} || '/' || n, ${name}) from generate_series(1, 30) n`;
      await sql`select tests.upload_audio(${name} || '/' || n, 100) from generate_series(1, 30) n`;
      const podcastId = await id(name);
      const ended = await Promise.all([
        outcome(sql`delete from public.episodes where podcast_id = ${podcastId}`),
        transfer(there, podcastId, "ann", "ben"),
      ]);
      deepEqual(ended, ["ok", "ok"]);
    }
    deepEqual([...await sql.unsafe(DRIFT)], []);
  });
});

Deno.test("an acceptance concurrent with an upload at the allowance's limit charges the new owner exactly or not at all", async () => {
  await using there = await createRaceDatabase();
  const { sql, as, id } = there;
  const allowance = 1_073_741_824, bytes = 1000;
  await sql`select tests.person('ola'), tests.person('ben')`;
  const [ola, ben] = [await id("ola"), await id("ben")];
  for (const first of ["acceptance", "upload"]) {
    // the podcast as offered fits into ben's account, and not one byte more
    await sql`delete from private.media_objects`;
    await sql`insert into private.media_objects (path, account_id, podcast_id, usage, bytes, content_type)
      values (${first}, ${ben}, gen_random_uuid(), 'cover', ${allowance - bytes}, 'image/png')`;
    await sql`select tests.podcast(${first}, 'ola'), tests.member('ben', ${first}, 'admin')`;
    await sql`select tests.episode(${first} || '/' || n, ${first}) from generate_series(1, 2) n`;
    await sql`select tests.upload_audio(${`${first}/1`}, ${bytes})`;
    const podcastId = await id(first);
    equal(await as("ola", "offer_podcast_transfer", { podcastId, userId: ben }), "ok");
    const [{ transferId }] =
      await sql`select id as "transferId" from public.podcast_transfers where podcast_id = ${podcastId}`;
    const accept = () => as("ben", "accept_podcast_transfer", { transferId });
    const [{ path }] = await sql`select tests.store_audio_object(${`${first}/2`}, 1) as path`;
    const upload = () =>
      outcome(sql`
        select private.finish_audio_upload(${ola}, ${podcastId}, tests.id(${`${first}/2`}), ${path}, 1, 'audio/mpeg', 1, null)`);
    const order = first === "acceptance" ? [accept, upload] : [upload, accept], ended: Promise<string>[] = [];
    await sql.begin(async (tx) => { // both wait for the podcast, in this order
      await tx`select from public.podcasts where id = ${podcastId} for update`;
      for (const [n, call] of order.entries()) await assertBlocks(there, ended[n] = call(), n);
    });
    deepEqual(await Promise.all(ended), ["ok", "PT409"]);
    if (first === "upload") {
      equal(await accept(), "PT409"); // agreed to the new size, which does not fit
    }
    const [{ owner_id }] = await sql`select owner_id from public.podcasts where id = ${podcastId}`;
    equal(owner_id, first === "acceptance" ? ben : ola);
    deepEqual([...await sql.unsafe(DRIFT)], []);
  }
});
