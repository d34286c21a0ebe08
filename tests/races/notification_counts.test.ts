// Random concurrent histories of the inbox: the maintained counts equal a recount at every moment, while notifications
// arrive, become due, are read, archived and deleted, and while changes are folded.
import { deepStrictEqual as deepEqual, strictEqual as equal } from "node:assert";
import { seededRandom } from "../random.ts";
import { byScale } from "../scale.ts";
import { createRaceDatabase, outcome, type RaceDatabase } from "./race_database.ts";
import { RECOUNT } from "./recount.ts";

const PEOPLE = ["ola", "ben", "ana"], CATEGORIES = ["episode", "collaboration", "team", "booking", "system"];
const MINUTE_MS = 60_000;

Deno.test("counts of notifications equal a recount during random concurrent histories", async () => {
  await using there = await createRaceDatabase(10);
  const { sql } = there;
  await sql`select tests.person(name) from unnest(${PEOPLE}::text[]) name`;
  await sql.unsafe(RECOUNT);
  const people = await Promise.all(PEOPLE.map(there.id));
  for (let seed = 1; seed <= byScale(3, 40); seed++) await runHistory(there, people, seed, byScale(12, 60));
});

async function runHistory({ sql }: RaceDatabase, people: string[], seed: number, rounds: number) {
  const random = seededRandom(seed * 7919), log: string[] = [];
  let clock = Date.parse("2026-01-01T00:00:00Z");
  const now = () => new Date(clock).toISOString();

  const verb = async (call: string) => {
    const sub = random.one(people), at = now();
    await sql.begin(async (transaction) => {
      const claims = JSON.stringify({ role: "authenticated", sub });
      await transaction`select set_config('request.jwt.claims', ${claims}, true), set_config('role', 'authenticated', true)`;
      await transaction.unsafe(
        `select private.${call.replace(/\)$/, `${call.endsWith("()") ? "" : ", "}at => '${at}')`)}`,
      );
    });
  };
  const anyId = `(select id from public.notifications order by md5(id::text || '${seed}') limit 1)`;
  const category = () => random.chance(0.5) ? "null" : `'${random.one(CATEGORIES.slice(0, 4))}'`;
  const group = () => `'g${random.below(2)}', ${random.chance(0.5) ? "null" : "'/a'"}`;
  const operations: Record<string, () => Promise<unknown>> = {
    arrive: () => sql`select tests.arrive(${people}, ${1 + random.below(20)}, ${random.next()}, ${now()})`,
    read: () => verb(`change_notification(${anyId}, 'read')`),
    unread: () => verb(`change_notification(${anyId}, 'unread')`),
    archive: () => verb(`change_notification(${anyId}, 'archive')`),
    unarchive: () => verb(`change_notification(${anyId}, 'unarchive')`),
    readAll: () => verb(`mark_all_notifications_read(${category()})`),
    readGroup: () => verb(`read_notification_group('markedCount', ${group()}, false)`),
    archiveGroup: () => verb(`read_notification_group('archivedCount', ${group()}, true)`),
    unarchiveAll: () => verb("unarchive_all_notifications()"),
    fold: () => sql`select private.fold_notification_counts()`,
    release: () => sql`select private.release_due_notifications(${now()}, ${1 + random.below(10)})`,
    purge: () =>
      sql`
      delete from public.notifications where id in (
        select id from public.notifications where read_at is not null limit ${random.below(5)} for update skip locked)`,
  };
  const check = async () => {
    const at = now();
    for (
      const { counts, recount } of await sql`
      select c.* from unnest(${people}::uuid[]) person cross join lateral tests.counts_and_recount(person, ${at}) c`
    ) {
      deepEqual(counts, recount, `seed ${seed}, at ${at}, after: ${log.join(" ")}`);
    }
  };

  await sql.unsafe(ARRIVE);
  await sql`delete from public.notifications`;
  for (let round = 0; round < rounds; round++) {
    const names = Array.from({ length: 8 }, () => random.chance(0.3) ? "arrive" : random.one(Object.keys(operations)));
    log.push(...names, "|");
    const ended = names.map(async (name) => [name, await outcome(operations[name]())]);
    await Promise.all([...ended, check(), check()]);
    for (const [name, how] of await Promise.all(ended)) {
      equal(["ok", "PT404"].includes(how), true, `${name}: ${how}, seed ${seed}`);
    }
    await check();
    clock += random.below(20) * MINUTE_MS;
    await check(); // some became due
  }
  await sql`select private.fold_notification_counts()`;
  await check();
}

/** Random notifications: states, categories, priorities, groups, and times up to half an hour from now. */
const ARRIVE = `
  create or replace function tests.arrive(people uuid[], n int, seed float8, at timestamptz) returns void
  language plpgsql as $$
  begin
    perform setseed(seed);
    insert into public.notifications
      (user_id, type, category, priority, title, group_key, link, scheduled_for, read_at, archived_at, created_at)
    select people[1 + floor(random() * cardinality(people))], 'chat.message',
      (enum_range(null::public.notification_category))[1 + floor(random() * 5)],
      (enum_range(null::public.notification_priority))[1 + floor(random() * 3)], 'N', 'g' || floor(random() * 2),
      case when random() < 0.5 then '/a' end,
      case when random() < 0.4 then arrive.at + (random() * 60 - 30) * interval '1 minute' end,
      case when s.state > 0 then arrive.at end, case when s.state > 1 then arrive.at end, arrive.at
    from generate_series(1, n), lateral (select greatest(0, floor(random() * 5) - 2) + 0 * n as state) s;
  end $$`;
