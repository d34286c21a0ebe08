// Concurrent calls on an episode's roster and credits: no gaps, no duplicates, no deadlocks.
import { deepStrictEqual as deepEqual, ok, strictEqual as equal } from "node:assert";
import { randomNumbers } from "../random.ts";
import { assertBlocks, createRaceDatabase, outcome, type RaceDatabase, runConcurrently } from "./race_database.ts";

/** Asserts that display_order is 0, 1, 2 … and that each credit has an active person; returns the names in order. */
async function assertConsistent({ sql }: RaceDatabase, episodeId: string): Promise<string[]> {
  const rows = await sql`
    select c.name, c.display_order, p.id is not null and p.is_active as linked from public.episode_credits c
    left join public.episode_people p on p.credit_id = c.id and p.episode_id = c.episode_id
    where c.episode_id = ${episodeId} order by c.display_order`;
  deepEqual(rows.map(({ display_order }) => display_order), rows.map((_, place) => place));
  ok(rows.every(({ linked }) => linked), "every credit belongs to an active person");
  return rows.map(({ name }) => name);
}

Deno.test("concurrent calls on an episode's people", async (t) => {
  await using there = await createRaceDatabase();
  const { sql, as, id } = there;
  await sql`select tests.podcast('show', 'ola'), tests.member('ana', 'show', 'admin'), tests.member('vic', 'show')`;
  const chance = randomNumbers(20);
  let made = 0;
  const pilot = async () => {
    const name = `episode${++made}`;
    await sql`select tests.episode(${name}, 'show')`;
    return { name, episodeId: await id(name) };
  };
  const external = (episodeId: string, name: string) =>
    as("ana", "add_episode_person", { episodeId, sourceType: "external", name });
  const count = async (table: string, episodeId: string) =>
    (await sql`select count(*)::int as n from ${sql(`public.${table}`)} where episode_id = ${episodeId}`)[0].n;

  await t.step("twenty credits appended at once get twenty display orders", async () => {
    const { episodeId } = await pilot();
    deepEqual(await runConcurrently(20, (i) => external(episodeId, `P${i}`)), { ok: 20 });
    equal((await assertConsistent(there, episodeId)).length, 20);
    const people = await sql`select id from public.episode_people where episode_id = ${episodeId}`;
    const who = (i: number) => ({ episodeId, personId: people[i].id });
    deepEqual(await runConcurrently(20, (i) => as("ola", "remove_episode_person_credit", who(i))), { ok: 20 });
    deepEqual(await runConcurrently(20, (i) => as("ola", "set_episode_person_credit", who(i))), { ok: 20 });
    equal((await assertConsistent(there, episodeId)).length, 20);
    deepEqual(await runConcurrently(20, (i) => as("ola", "remove_episode_person", who(i % 10))), { ok: 10, PT404: 10 });
    equal((await assertConsistent(there, episodeId)).length, 10);
  });

  await t.step("a roster with two free entries accepts two of ten people added at once", async () => {
    const { episodeId } = await pilot();
    await sql`
      insert into public.episode_people (episode_id, source_type, name)
      select ${episodeId}, 'external', 'P' || n from generate_series(1, 198) n`;
    deepEqual(await runConcurrently(10, (i) => external(episodeId, `P${i}`)), { ok: 2, PT409: 8 });
  });

  await t.step("one member or guest added ten times at once has one entry", async () => {
    for (let round = 0; round < 5; round++) {
      const { name, episodeId } = await pilot();
      await sql`select tests.guest('gus', ${name})`;
      const [userId, guestId] = [await id("vic"), await id(`${name}/gus`)];
      const requests = [{ sourceType: "team", name: "Vic", userId }, { sourceType: "guest", name: "Gus", guestId }];
      for (const person of requests) {
        deepEqual(await runConcurrently(10, () => as("ana", "add_episode_person", { episodeId, ...person })), {
          ok: 10,
        });
      }
      deepEqual([await count("episode_people", episodeId), await assertConsistent(there, episodeId)], [2, ["Vic"]]);
    }
  });

  await t.step("a person credited ten times at once gets one credit", async () => {
    const { episodeId } = await pilot();
    await external(episodeId, "Eve");
    const [{ personId }] =
      await sql`select id as "personId" from public.episode_people where episode_id = ${episodeId}`;
    await as("ana", "remove_episode_person_credit", { episodeId, personId });
    const ended = await runConcurrently(10, () => as("ana", "set_episode_person_credit", { episodeId, personId }));
    deepEqual([ended, await assertConsistent(there, episodeId)], [{ ok: 10 }, ["Eve"]]);
  });

  await t.step("a guest who accepts while an admin adds them has one entry and one credit", async () => {
    for (let round = 0; round < 8; round++) {
      const { name, episodeId } = await pilot();
      await sql`select tests.guest('gus', ${name}), tests.guest('gil', ${name})`;
      const guestId = await id(`${name}/gus`);
      const accept = (guest: string) =>
        outcome(sql`update public.episode_guests set status = 'active' where id = tests.id(${`${name}/${guest}`})`);
      const ended = await Promise.all([
        accept("gus"),
        accept("gil"),
        as("ana", "add_episode_person", { episodeId, sourceType: "guest", name: "Gus", guestId }),
      ]);
      deepEqual(ended, ["ok", "ok", "ok"]);
      deepEqual((await assertConsistent(there, episodeId)).sort(), ["Gil", "Gus"]);
    }
  });

  await t.step("deleting an account while an admin adds its user keeps the roster consistent", async () => {
    for (let round = 0; round < 8; round++) {
      const { episodeId } = await pilot(), leaver = `leaver${round}`;
      await sql`select tests.member(${leaver}, 'show')`;
      const userId = await id(leaver);
      const [gone, joined] = await Promise.all([
        outcome(sql`delete from auth.users where id = ${userId}`),
        as("ana", "add_episode_person", { episodeId, sourceType: "team", name: "Leaver", userId }),
      ]);
      equal(gone, "ok");
      ok(["ok", "PT400", "23503"].includes(joined), joined);
      deepEqual(await assertConsistent(there, episodeId), joined === "ok" ? ["Leaver"] : []);
      const rows = await sql`select source_type from public.episode_people where episode_id = ${episodeId}`;
      deepEqual(rows.map((row) => row.source_type), joined === "ok" ? ["external"] : []);
    }
  });

  await t.step(
    "deleting the account of an episode's creator does not deadlock with removing their credit",
    async () => {
      await sql`select tests.member('max', 'show', 'admin')`;
      const [{ episodeId }] = await sql`
      insert into public.episodes (podcast_id, title, created_by) values (tests.id('show'), 'By Max', tests.id('max'))
      returning id as "episodeId"`;
      const [{ personId }] =
        await sql`select id as "personId" from public.episode_people where episode_id = ${episodeId}`;
      let removed: Promise<string> | undefined, gone: Promise<string> | undefined;
      await sql.begin(async (tx) => { // both wait for the roster entry with their locks
        await tx`select from public.episode_people where id = ${personId} for update`;
        removed = as("ola", "remove_episode_person_credit", { episodeId, personId });
        await assertBlocks(there, removed);
        gone = outcome(sql`delete from auth.users where id = tests.id('max')`);
        await assertBlocks(there, gone, 1);
      });
      deepEqual([await removed, await gone], ["ok", "ok"]);
      deepEqual(await assertConsistent(there, episodeId), []);
    },
  );

  await t.step("deleting the account of an episode's creator does not deadlock with adding them", async () => {
    for (let round = 0; round < 8; round++) {
      const maker = `maker${round}`;
      await sql`select tests.member(${maker}, 'show', 'admin')`;
      const userId = await id(maker);
      const [{ episodeId }] = await sql`
        insert into public.episodes (podcast_id, title, created_by) values (tests.id('show'), ${maker}, ${userId})
        returning id as "episodeId"`;
      await sql`delete from public.episode_people where episode_id = ${episodeId}`;
      await sql`delete from public.episode_credits where episode_id = ${episodeId}`;
      const [gone, joined] = await Promise.all([
        outcome(sql`delete from auth.users where id = ${userId}`),
        as("ola", "add_episode_person", { episodeId, sourceType: "team", name: "Maker", userId }),
      ]);
      equal(gone, "ok");
      ok(["ok", "PT400"].includes(joined), joined);
    }
  });

  await t.step("concurrent changes of a published episode's people cause no deadlock and no gaps", async () => {
    const { name, episodeId } = await pilot();
    await sql`select tests.upload_audio(${name})`;
    await sql`update public.episodes set status = 'published' where id = ${episodeId}`;
    await runConcurrently(6, (i) => external(episodeId, `P${i}`));
    for (let round = 0; round < 10; round++) {
      const people = await sql`select id, credit_id from public.episode_people where episode_id = ${episodeId}`;
      const creditIds = people.flatMap(({ credit_id }) => credit_id ?? []).reverse();
      const randomPerson = () => ({ episodeId, personId: people[Math.floor(chance() * people.length)].id });
      const steps = [
        () => external(episodeId, `R${round}`),
        () => as("ana", "reorder_episode_credits", { episodeId, creditIds }),
        () => as("ola", "set_episode_person_credit", { ...randomPerson(), changes: { roleLabel: "Editor" } }),
        () => as("ana", "remove_episode_person_credit", randomPerson()),
        () => as("ola", "remove_episode_person", randomPerson()),
        () => as("ana", "update_episode_person", { ...randomPerson(), changes: { isActive: round % 2 === 0 } }),
        () => as("ola", "publish_episode", { episodeId }),
        () => outcome(sql`update public.episodes set title = ${`Title ${round}`} where id = ${episodeId}`),
      ];
      const ended = await runConcurrently(16, (i) => steps[i % steps.length]());
      const known = new Set(["ok", "PT400", "PT404", "PT422"]);
      deepEqual(Object.keys(ended).filter((code) => !known.has(code)), [], JSON.stringify(ended));
      await assertConsistent(there, episodeId);
    }
  });

  await t.step("deleting an episode while people are added deletes roster and credits", async () => {
    for (let round = 0; round < 6; round++) {
      const { episodeId } = await pilot();
      await runConcurrently(3, (i) => external(episodeId, `P${i}`));
      const [gone, ...others] = await Promise.all([
        outcome(sql`delete from public.episodes where id = ${episodeId}`),
        ...Array.from({ length: 4 }, (_, i) => external(episodeId, `Late ${i}`)),
      ]);
      equal(gone, "ok");
      ok(others.every((code) => ["ok", "PT404"].includes(code)), others.join());
      deepEqual([await count("episode_people", episodeId), await count("episode_credits", episodeId)], [0, 0]);
    }
  });
});
