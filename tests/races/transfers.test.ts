import { deepEqual } from "node:assert/strict";
import { scaled } from "../scale.ts";
import { arena, outcome } from "./scratch.ts";

/** Sums against ledger, of every account. */
const DRIFT = `
  select a.user_id from public.billing_accounts a
  left join (select account_id, sum(bytes) as bytes from private.media_objects where released_at is null group by 1) m
    on m.account_id = a.user_id
  where a.storage_bytes_used <> coalesce(m.bytes, 0)`;

Deno.test("Transfers, removals and deletions that meet neither deadlock nor lose a byte", async (t) => {
  await using there = await arena();
  const { sql, as, id } = there;
  await sql`select tests.person('ann'), tests.person('ben')`;

  await t.step("two transfers in opposite directions both happen", async () => {
    for (let round = 0; round < scaled(8, 60); round++) {
      const [a, b] = [`a${round}`, `b${round}`];
      await sql`select tests.podcast(${a}, 'ann'), tests.member('ben', ${a}), tests.podcast(${b}, 'ben'), tests.member('ann', ${b})`;
      await sql`select tests.episode(${a} || '/' || n, ${a}), tests.episode(${b} || '/' || n, ${b}) from generate_series(1, 20) n`;
      await sql`select tests.audio(${a} || '/' || n, 100), tests.audio(${b} || '/' || n, 100) from generate_series(1, 20) n`;
      const [podcastA, podcastB, ann, ben] = await Promise.all([id(a), id(b), id("ann"), id("ben")]);
      deepEqual(
        await Promise.all([
          as("ann", "transfer_podcast", { podcastId: podcastA, userId: ben }),
          as("ben", "transfer_podcast", { podcastId: podcastB, userId: ann }),
        ]),
        ["ok", "ok"],
      );
    }
    deepEqual([...await sql.unsafe(DRIFT)], []);
  });

  await t.step("deleting a podcast's episodes while it is transferred", async () => {
    for (let round = 0; round < scaled(8, 60); round++) {
      const name = `c${round}`;
      await sql`select tests.podcast(${name}, 'ann'), tests.member('ben', ${name})`;
      await sql`select tests.episode(${name} || '/' || n, ${name}) from generate_series(1, 30) n`;
      await sql`select tests.audio(${name} || '/' || n, 100) from generate_series(1, 30) n`;
      const [podcastId, ben] = await Promise.all([id(name), id("ben")]);
      const ended = await Promise.all([
        outcome(sql`delete from public.episodes where podcast_id = ${podcastId}`),
        as("ann", "transfer_podcast", { podcastId, userId: ben }),
      ]);
      deepEqual(ended, ["ok", "ok"]);
    }
    deepEqual([...await sql.unsafe(DRIFT)], []);
  });
});
