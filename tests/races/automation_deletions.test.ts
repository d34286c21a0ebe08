// Deletions of rules, podcasts and accounts beside occurrences, runs and retries of automations: no deadlock, no error
// of a foreign key, and no execution that stays open.
import { deepStrictEqual as deepEqual, ok, strictEqual as equal } from "node:assert";
import type postgres from "postgres";
import { seededRandom } from "../random.ts";
import { byScale } from "../scale.ts";
import { automationRows, type Show } from "./automation_rows.ts";
import { assertBlocks, createRaceDatabase, outcome, runConcurrently } from "./race_database.ts";

/** The outcomes of both, of which the second waits for the first. */
type Both = [first: string, second: string];

Deno.test("a deletion of a rule beside its executions", async (t) => {
  await using there = await createRaceDatabase();
  const { sql, as } = there, rows = automationRows(there);
  await sql`select tests.person('ola')`;

  /** Runs `first` in a transaction that commits while `second` waits for it. */
  async function inOrder(first: (tx: postgres.ISql) => Promise<unknown>, second: () => Promise<string>) {
    let waiting: Promise<string> | undefined;
    await sql.begin(async (tx) => {
      await first(tx);
      await assertBlocks(there, waiting = second());
    });
    return await waiting!;
  }
  const remove = (ruleId: string) => as("ola", "delete_automation_rule", { ruleId });
  const removeIn = (ruleId: string) => (tx: postgres.ISql) =>
    tx`delete from public.automation_rules where id = ${ruleId}`;

  await t.step("a deletion waits for an occurrence, and cancels its execution", async () => {
    const show = await rows.makeShow(), ruleId = await rows.makeRule(show, []);
    equal(await inOrder((tx) => rows.fire(show, "first", ruleId, tx), () => remove(ruleId)), "ok");
    deepEqual(await rows.statusesOf(show), { canceled: 1 });
  });

  await t.step("an occurrence waits for a deletion, and makes no execution", async () => {
    const show = await rows.makeShow(), ruleId = await rows.makeRule(show, []);
    let fired = -1;
    const fire = () => outcome(rows.fire(show, "first").then((n) => fired = n));
    equal(await inOrder(removeIn(ruleId), fire), "ok");
    equal(fired, 0);
    deepEqual(await rows.statusesOf(show), {});
  });

  await t.step("a deletion waits for a run, and leaves its execution completed", async () => {
    const show = await rows.makeShow(), ruleId = await rows.makeRule(show, [rows.updateTitle("New")]);
    const execution = await rows.makeExecution(show, ruleId);
    equal(await inOrder((tx) => rows.run(execution, tx), () => remove(ruleId)), "ok");
    const { results, ...row } = await rows.executionOf(execution);
    deepEqual([row, results], [{ status: "completed", ruleId: null, error: null }, ["update_field completed"]]);
  });

  await t.step("a run waits for a deletion, and does nothing", async () => {
    const show = await rows.makeShow(), ruleId = await rows.makeRule(show, [rows.updateTitle("New")]);
    const execution = await rows.makeExecution(show, ruleId);
    equal(await inOrder(removeIn(ruleId), () => outcome(rows.run(execution))), "ok");
    deepEqual(await rows.executionOf(execution), {
      status: "canceled",
      ruleId: null,
      error: "The rule was deleted",
      results: [],
    });
    deepEqual(await rows.usageOf(show), {});
  });

  for (const [first, ends] of [["retry", ["ok", "ok"]], ["deletion", ["ok", "PT409"]]] as [string, Both][]) {
    await t.step(`a retry and a deletion at once: the ${first} is first, and no execution waits`, async () => {
      const show = await rows.makeShow(), ruleId = await rows.makeRule(show, [rows.updateTitle("x".repeat(256))]);
      const executionId = await rows.makeExecution(show, ruleId);
      await rows.run(executionId);
      const retry = () => as("ola", "retry_automation_execution", { executionId });
      const order = first === "retry" ? [retry, () => remove(ruleId)] : [() => remove(ruleId), retry];
      const ended: Promise<string>[] = [];
      await sql.begin(async (tx) => {
        await tx`select from public.automation_rules where id = ${ruleId} for update`;
        for (const [n, call] of order.entries()) await assertBlocks(there, ended[n] = call(), n);
      });
      deepEqual(await Promise.all(ended), ends);
      deepEqual(await rows.statusesOf(show), first === "retry" ? { canceled: 1, failed: 1 } : { failed: 1 });
    });
  }

  await t.step("deletions, occurrences, runs and retries at once leave each execution ended", async () => {
    const random = seededRandom(15);
    for (let round = 0; round < byScale(5, 50); round++) {
      const show = await rows.makeShow(), rules: string[] = [];
      for (let n = 0; n < 4; n++) {
        rules.push(await rows.makeRule(show, [rows.updateTitle(random.chance(0.5) ? "New" : "x".repeat(256))]));
      }
      const executions: string[] = [];
      for (const ruleId of rules) executions.push(await rows.makeExecution(show, ruleId));
      const calls = [
        ...rules.map((ruleId) => () => remove(ruleId)),
        ...Array.from({ length: 4 }, (_, n) => () => outcome(rows.fire(show, `round ${n % 2}`))),
        ...executions.map((execution) => () => outcome(rows.run(execution))),
        () => outcome(sql`select private.run_automation_executions(${executions}::uuid[])`),
        ...executions.map((executionId) => () => as("ola", "retry_automation_execution", { executionId })),
      ].map((call) => ({ call, order: random.next() })).sort((a, b) => a.order - b.order);
      const ended = await runConcurrently(calls.length, (i) => calls[i].call());
      deepEqual(Object.keys(ended).filter((end) => !["ok", "PT409"].includes(end)), []);
      deepEqual(Object.keys(await rows.statusesOf(show)).filter((s) => s === "pending" || s === "running"), []);
      const left = await sql`select from public.automation_actions where podcast_id = ${show.podcastId}`;
      equal(left.length, 0);
    }
  });
});

Deno.test("a deletion of a podcast beside its automations", async (t) => {
  await using there = await createRaceDatabase();
  const { sql, as } = there, rows = automationRows(there);
  await sql`select tests.person('ola')`;

  const remove = ({ podcastId }: Show) =>
    outcome(sql`select private.delete_due_podcast(${podcastId}, now() + interval '91 days')`);
  const rowsOf = async ({ podcastId }: Show) =>
    (await sql`
      select from public.automation_executions where podcast_id = ${podcastId}
      union all select from public.automation_rules where podcast_id = ${podcastId}`).length;
  const leftOf = async (show: Show) =>
    await rowsOf(show) + await rows.messagesOf("automation_runs", show) +
    await rows.messagesOf("automation_webhooks", show);
  /** A show pending deletion with an execution that ran until its webhook, and one that waits. */
  async function makeDoomed() {
    const show = await rows.makeShow();
    const ruleId = await rows.makeRule(show, [rows.updateTitle("New"), rows.webhook]);
    const [sending, waiting] = [await rows.makeExecution(show, ruleId), await rows.makeExecution(show, ruleId)];
    await rows.run(sending);
    const [{ actionId }] = await sql`
      select id as "actionId" from public.automation_actions where rule_id = ${ruleId} and execution_order = 1`;
    return { show, ruleId, sending, waiting, actionId };
  }

  for (const first of ["run", "deletion"]) {
    await t.step(`a run and a deletion at once: the ${first} is first, and nothing is left`, async () => {
      const { show, waiting } = await makeDoomed();
      const order = [() => outcome(rows.run(waiting)), () => remove(show)], ended: Promise<string>[] = [];
      if (first === "deletion") order.reverse();
      await sql`select tests.set_status(${show.name}, 'pending_deletion')`;
      await sql.begin(async (tx) => {
        await tx`select from public.podcasts where id = ${show.podcastId} for update`;
        for (const [n, call] of order.entries()) await assertBlocks(there, ended[n] = call(), n);
      });
      deepEqual(await Promise.all(ended), ["ok", "ok"]);
      equal(await leftOf(show), 0);
    });
  }

  for (const queue of ["automation_runs", "automation_webhooks"]) {
    await t.step(`a deletion waits for a message of ${queue} that becomes a dead letter`, async () => {
      const { show, sending, waiting } = await makeDoomed();
      await sql`select tests.set_status(${show.name}, 'pending_deletion')`;
      const table = sql(`pgmq.q_${queue}`), execution = queue === "automation_runs" ? waiting : sending;
      const [{ id }] = await sql`select msg_id as id from ${table} where message ->> 'execution_id' = ${execution}`;
      const ended: Promise<string>[] = [];
      await sql.begin(async (tx) => {
        await tx`select from ${table} where msg_id = ${id} for update`;
        await assertBlocks(there, ended[0] = outcome(sql`select private.fail_job(${queue}, ${id}, 'x', true)`));
        await assertBlocks(there, ended[1] = remove(show), 1);
      });
      deepEqual(await Promise.all(ended), ["ok", "ok"]);
      equal(await rowsOf(show), 0);
    });
  }

  await t.step("a dead letter and a deletion at once leave no row, without a deadlock", async () => {
    for (let round = 0; round < byScale(5, 50); round++) {
      const { show, sending, actionId } = await makeDoomed();
      await sql`select tests.set_status(${show.name}, 'pending_deletion')`;
      const messages = await sql<{ queue: string; id: string }[]>`
        select 'automation_runs' as queue, msg_id as id from pgmq.q_automation_runs
        where message ->> 'podcast_id' = ${show.podcastId}
        union all select 'automation_webhooks', msg_id from pgmq.q_automation_webhooks
        where message ->> 'podcast_id' = ${show.podcastId}`;
      const calls = [
        () => remove(show),
        ...messages.map(({ queue, id }) => () => outcome(sql`select private.fail_job(${queue}, ${id}, 'x', true)`)),
        () => outcome(sql`select private.begin_webhook(${sending}, ${actionId})`),
        () => outcome(sql`select private.record_webhook_attempt(${sending}, ${actionId}, 'x')`),
      ];
      deepEqual(await runConcurrently(calls.length, (i) => calls[(i + round) % calls.length]()), { ok: calls.length });
      equal(await rowsOf(show), 0); // a message to continue the execution may be left
    }
  });

  await t.step("changes of rules beside a deletion are rejected or find nothing", async () => {
    for (let round = 0; round < byScale(5, 50); round++) {
      const { show, ruleId, sending: executionId } = await makeDoomed();
      await sql`select tests.set_status(${show.name}, 'pending_deletion')`;
      const calls = [
        () => remove(show),
        () => as("ola", "delete_automation_rule", { ruleId }),
        () => as("ola", "toggle_automation_rule", { ruleId }),
        () => as("ola", "update_automation_rule", { ruleId, changes: { actions: [] } }),
        () => as("ola", "retry_automation_execution", { executionId }),
      ];
      const { ok, ...others } = await runConcurrently(calls.length, (i) => calls[(i + round) % calls.length]());
      equal(ok, 1);
      deepEqual(Object.keys(others).filter((end) => !["PT404", "PT409"].includes(end)), []);
      equal(await leftOf(show), 0);
    }
  });
});

Deno.test("a deletion of the author's account beside runs ends or holds each execution, without a deadlock", async () => {
  await using there = await createRaceDatabase();
  const { sql, as, id } = there, rows = automationRows(there);
  await sql`select tests.person('ola')`;
  for (let round = 0; round < byScale(5, 50); round++) {
    const author = `author${round}`, show = await rows.makeShow();
    await sql`select tests.member(${author}, ${show.name}, 'admin')`;
    await sql`update public.episodes set created_by = ${await id(author)} where id = ${show.episodeId}`;
    const executions: string[] = [], batch: string[] = [], rules: string[] = [];
    const tooLong = "x".repeat(256);
    for (const value of ["New", tooLong, "Newer"]) {
      const ruleId = await rows.makeRule(show, [rows.updateTitle(value), await rows.email(show, "team")], { author });
      rules.push(ruleId);
      for (let n = 0; n < 2; n++) executions.push(await rows.makeExecution(show, ruleId));
      // a failure notifies the author, and the next execution of its batch could end in a deadlock, which the queue retries
      if (value !== tooLong) batch.push(...executions.slice(-2));
    }
    rules.push(
      await rows.makeRule(show, [], { author, trigger: "time.before_recording", config: { offset_minutes: 5 } }),
    );
    const booked = await rows.book(show, 9, "pending");
    const calls = [
      () => as(author, "delete_account", {}),
      () => outcome(sql`select private.run_automation_executions(${batch}::uuid[])`),
      ...executions.map((execution) => () => outcome(rows.run(execution))),
      () => as("ola", "confirm_booking", { bookingId: booked }),
    ];
    deepEqual(await runConcurrently(calls.length, (i) => calls[(i + round) % calls.length]()), { ok: calls.length });
    const paused = await sql`
      select from public.automation_rules where id = any (${rules}::uuid[]) and is_paused and author_id is null
        and pause_reason = 'author_left'`;
    equal(paused.length, rules.length);
    const left = await sql`
      select from public.automation_executions where id = any (${executions}::uuid[]) and status <> 'completed'
        and status <> 'failed' and held_until is null`;
    equal(left.length, 0);
    const { pending = 0 } = await rows.statusesOf(show);
    ok(pending <= executions.length + 3, `${pending}`); // the confirmation may fire rules before the deletion pauses them
    const schedules = await sql`select from private.automation_schedules where rule_id = any (${rules}::uuid[])`;
    equal(schedules.length, 0);
  }
});
