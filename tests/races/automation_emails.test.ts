// Reports about the emails of automations beside each other, and beside runs, retries and deletions of their executions:
// no report is lost, and nothing ends in a deadlock.
import { deepStrictEqual as deepEqual, strictEqual as equal } from "node:assert";
import { seededRandom } from "../random.ts";
import { byScale } from "../scale.ts";
import { automationRows, type Show } from "./automation_rows.ts";
import { assertBlocks, createRaceDatabase, outcome, type RaceDatabase, runConcurrently } from "./race_database.ts";

/** Shows whose executions sent an email to the team of five and then failed, with a retry that waits. */
async function emailRows(there: RaceDatabase) {
  const { sql, as } = there, rows = automationRows(there);
  for (const name of ["ola", "ada", "ben", "cat", "dan"]) await sql`select tests.person(${name})`;

  async function makeRetried() {
    const show = await rows.makeShow();
    for (const name of ["ada", "ben", "cat", "dan"]) await sql`select tests.member(${name}, ${show.name}, 'admin')`;
    const ruleId = await rows.makeRule(show, [await rows.email(show, "team"), rows.updateTitle("x".repeat(256))]);
    const executionId = await rows.makeExecution(show, ruleId);
    await rows.run(executionId);
    equal(await as("ola", "retry_automation_execution", { executionId }), "ok");
    const [{ retryId }] = await sql`
      select id as "retryId" from public.automation_executions where retry_of_id = ${executionId}`;
    const deliveries = (await sql`
      select a.delivery_id as id from private.delivery_addresses a
      join private.automation_emails e on e.id = a.source_id and e.execution_id = ${executionId}`).map((row) => row.id);
    equal(deliveries.length, 5);
    await sql`update public.notification_deliveries set status = 'queued' where id = any (${deliveries}::uuid[])`;
    return { show, ruleId, executionId, retryId, deliveries };
  }
  const report = (deliveryId: string, status = "delivered") =>
    outcome(sql`select private.advance_delivery(${deliveryId}, ${status})`);
  /** The statuses of recipients that the results of the show's executions name, those of each execution once. */
  const reported = async ({ podcastId }: Show) =>
    (await sql`
      select distinct array(
        select r ->> 'status' from jsonb_array_elements(a #> '{result,recipients}') r order by 1)
        || array[a #>> '{result,sent_count}', a #>> '{result,failed_count}'] as shown
      from public.automation_executions e, jsonb_array_elements(e.action_results) a
      where e.podcast_id = ${podcastId} and a ->> 'action_type' = 'send_email'`).map(({ shown }) => shown);
  return { ...rows, makeRetried, report, reported };
}

Deno.test("reports about all emails of an execution at once show in it and in its retry", async () => {
  await using there = await createRaceDatabase();
  const rows = await emailRows(there), random = seededRandom(43);
  for (let round = 0; round < byScale(5, 50); round++) {
    const { show, ruleId, retryId, deliveries } = await rows.makeRetried();
    const calls = [
      ...deliveries.flatMap((id) => [() => rows.report(id, "sent"), () => rows.report(id)]),
      () => outcome(rows.run(retryId)),
      () => there.as("ola", "toggle_automation_rule", { ruleId }),
    ].map((call) => ({ call, order: random.next() })).sort((a, b) => a.order - b.order);
    deepEqual(await runConcurrently(calls.length, (i) => calls[i].call()), { ok: calls.length });
    deepEqual(await rows.reported(show), [[...Array(5).fill("delivered"), "5", "0"]]);
  }
});

Deno.test("a report waits for a deletion of the rule, which has locked a retry", async () => {
  await using there = await createRaceDatabase();
  const { sql, as } = there, rows = await emailRows(there);
  const { show, ruleId, retryId, deliveries } = await rows.makeRetried();
  const ended: Promise<string>[] = [];
  await sql.begin(async (tx) => {
    await tx`select from public.automation_executions where id = ${retryId} for update`;
    await assertBlocks(there, ended[0] = as("ola", "delete_automation_rule", { ruleId }));
    await assertBlocks(there, ended[1] = rows.report(deliveries[0]), 1);
  });
  deepEqual(await Promise.all(ended), ["ok", "ok"]);
  deepEqual(await rows.reported(show), [["delivered", ...Array(4).fill("sending"), "1", "0"]]);
});

for (const deleted of ["rule", "podcast"]) {
  Deno.test(`reports and a deletion of the ${deleted} at once end without a deadlock`, async () => {
    await using there = await createRaceDatabase();
    const { sql, as } = there, rows = await emailRows(there);
    for (let round = 0; round < byScale(8, 80); round++) {
      const { show, ruleId, retryId, deliveries } = await rows.makeRetried();
      if (deleted === "podcast") await sql`select tests.set_status(${show.name}, 'pending_deletion')`;
      const calls = [
        ...deliveries.map((id) => () => rows.report(id)),
        () => outcome(sql`select private.begin_email_delivery(${deliveries[0]})`),
        () => outcome(rows.run(retryId)),
        () =>
          deleted === "rule"
            ? as("ola", "delete_automation_rule", { ruleId })
            : outcome(sql`select private.delete_due_podcast(${show.podcastId}, now() + interval '91 days')`),
      ];
      deepEqual(await runConcurrently(calls.length, (i) => calls[(i + round) % calls.length]()), { ok: calls.length });
      const open = await rows.statusesOf(show);
      deepEqual([open.pending, open.running], [undefined, undefined]);
    }
  });
}
