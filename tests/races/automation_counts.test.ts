// Counts of executions: changes of one podcast do not wait for each other, nor for a fold, and no change is lost.
import { deepStrictEqual as deepEqual, strictEqual as equal } from "node:assert";
import type postgres from "postgres";
import { automationRows } from "./automation_rows.ts";
import { createRaceDatabase } from "./race_database.ts";

Deno.test("executions of one podcast are counted beside an open change and a fold, and none is lost", async () => {
  await using there = await createRaceDatabase(6);
  const { sql } = there, { makeShow, makeRule, makeExecution, updateTitle } = automationRows(there);
  await sql`select tests.person('ola')`;
  const show = await makeShow(), rule = await makeRule(show, [updateTitle("Paris")]);
  const first = await makeExecution(show, rule), second = await makeExecution(show, rule);
  const start = (id: string, tx: postgres.ISql) =>
    tx`update public.automation_executions set status = 'running' where id = ${id}`;
  await sql.begin(async (open) => {
    await start(first, open);
    await sql.begin(async (other) => {
      await other`set local lock_timeout = '2s'`;
      await start(second, other);
      await other`select private.fold_automation_counts()`;
    });
    await Promise.all(Array.from({ length: 4 }, () => sql`select private.fold_automation_counts()`));
  });
  const counts = () =>
    sql`
      select sum(pending)::int as pending, sum(running)::int as running from (
        select pending, running from private.automation_execution_counts
        union all select pending, running from private.automation_count_changes) c`;
  deepEqual([...await counts()], [{ pending: 0, running: 2 }]);
  await sql`select private.fold_automation_counts()`;
  deepEqual([...await counts()], [{ pending: 0, running: 2 }]);
  equal((await sql`select from private.automation_count_changes`).length, 0);
});

Deno.test("a podcast is deleted beside a fold of its counts, which leaves none of them", async () => {
  await using there = await createRaceDatabase(6);
  const { sql } = there, { makeShow, makeRule, makeExecution, updateTitle } = automationRows(there);
  await sql`select tests.person('ola')`;
  for (let round = 0; round < 5; round++) {
    const show = await makeShow(), rule = await makeRule(show, [updateTitle("Paris")]);
    await Promise.all(Array.from({ length: 10 }, () => makeExecution(show, rule)));
    await Promise.all([
      sql`select private.fold_automation_counts(5)`,
      sql`delete from public.podcasts where id = ${show.podcastId}`,
      sql`select private.fold_automation_counts(5)`,
    ]);
  }
  for (const table of ["automation_execution_counts", "automation_hourly_counts", "automation_count_changes"]) {
    equal((await sql`select from ${sql(`private.${table}`)}`).length, 0, table);
  }
});
