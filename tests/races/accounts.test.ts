// Concurrent calls on users: confirmations beside the reaper.
import { deepEqual, equal } from "node:assert/strict";
import { assertBlocks, createRaceDatabase, outcome, type RaceDatabase } from "./race_database.ts";

/** A sign-up that the reaper deletes. */
async function staleUser({ sql, id }: RaceDatabase, name: string): Promise<string> {
  await sql`select tests.person(${name}, false)`;
  const user = await id(name);
  await sql`update auth.users set created_at = now() - interval '30 days' where id = ${user}`;
  return user;
}

Deno.test("a confirmation that the reaper waits for is not lost", async () => {
  await using there = await createRaceDatabase(3);
  const { sql } = there;
  const user = await staleUser(there, "slow");
  let reaped = -1, reaping: Promise<string> | undefined;
  await sql.begin(async (confirming) => {
    await confirming`update auth.users set email_confirmed_at = now() where id = ${user}`;
    reaping = outcome(sql`select private.reap_unconfirmed_users() as n`.then(([{ n }]) => reaped = n));
    await assertBlocks(there, reaping);
  });
  deepEqual([await reaping, reaped], ["ok", 0]);
  const [{ kept }] = await sql`select exists (select from public.profiles where id = ${user}) as kept`;
  equal(kept, true);
});

Deno.test("of 200 users who are confirmed while two reapers run, no confirmed user is lost", async () => {
  await using there = await createRaceDatabase(4);
  const { sql } = there;
  const counts = { confirmed: 0, reaped: 0 };
  for (let round = 0; round < 200; round++) {
    const user = await staleUser(there, `stale${round}`);
    const delayed = <T>(turns: number, run: () => PromiseLike<T>) =>
      // who comes first varies with the round
      Array.from({ length: turns }).reduce<Promise<unknown>>((sent) => sent.then(() => sql`select`), Promise.resolve())
        .then(run);
    const confirm = () =>
      sql`update auth.users set email_confirmed_at = now() where id = ${user}`.then(({ count }) => count);
    const reap = () => sql`select private.reap_unconfirmed_users() as n`.then(([{ n }]) => n as number);
    const [confirmed, first, second] = await Promise.all([
      delayed(round % 4, confirm),
      delayed(round % 3, reap),
      delayed(1, reap),
    ]);
    const [row] = await sql<{ users: number; profiles: number }[]>`
      select (select count(*)::int from auth.users where id = ${user}) as users,
        (select count(*)::int from public.profiles where id = ${user}) as profiles`;
    deepEqual({ confirmed, reaped: first + second, ...row }, {
      confirmed,
      reaped: 1 - confirmed,
      users: confirmed,
      profiles: confirmed,
    });
    counts[confirmed ? "confirmed" : "reaped"]++;
  }
  console.log(`confirmations and reapers met 200 times: ${JSON.stringify(counts)}`);
});
