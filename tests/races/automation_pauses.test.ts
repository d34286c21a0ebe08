// Pauses, resumes and disabling of rules beside the runs of their executions: no execution stays held without a pause,
// and none runs after its rule was disabled.
import { deepStrictEqual as deepEqual, strictEqual as equal } from "node:assert";
import type postgres from "postgres";
import { seededRandom } from "../random.ts";
import { byScale } from "../scale.ts";
import { automationRows } from "./automation_rows.ts";
import { assertBlocks, createRaceDatabase, outcome, runConcurrently } from "./race_database.ts";

Deno.test("changes of a rule beside its executions", async (t) => {
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
  const change = (ruleId: string, changes: object) => as("ola", "update_automation_rule", { ruleId, changes });
  const changeIn = (ruleId: string, fields: Record<string, boolean>) => (tx: postgres.ISql) =>
    tx`update public.automation_rules set ${sql(fields)} where id = ${ruleId}`;
  const isHeld = async (id: string) =>
    (await sql`select held_until is not null as held from public.automation_executions where id = ${id}`)[0].held;

  await t.step("a resume waits for a run that holds an execution, and releases it", async () => {
    const show = await rows.makeShow(), ruleId = await rows.makeRule(show, [rows.updateTitle("New")]);
    const execution = await rows.makeExecution(show, ruleId), before = await rows.messagesOf("automation_runs", show);
    equal(await change(ruleId, { is_paused: true }), "ok");
    equal(await inOrder((tx) => rows.run(execution, tx), () => change(ruleId, { is_paused: false })), "ok");
    equal(await isHeld(execution), false);
    equal(await rows.messagesOf("automation_runs", show), before + 1);
  });

  await t.step("a run waits for a resume, and continues", async () => {
    const show = await rows.makeShow(), ruleId = await rows.makeRule(show, [rows.updateTitle("New")]);
    const execution = await rows.makeExecution(show, ruleId);
    equal(await change(ruleId, { is_paused: true }), "ok");
    await rows.run(execution);
    equal(await isHeld(execution), true);
    equal(await inOrder(changeIn(ruleId, { is_paused: false }), () => outcome(rows.run(execution))), "ok");
    deepEqual(await rows.statusesOf(show), { completed: 1 });
  });

  await t.step("disabling a rule waits for a run, and cancels what it left", async () => {
    const show = await rows.makeShow(), ruleId = await rows.makeRule(show, [rows.webhook]);
    const execution = await rows.makeExecution(show, ruleId);
    const disable = () => as("ola", "toggle_automation_rule", { ruleId });
    equal(await inOrder((tx) => rows.run(execution, tx), disable), "ok");
    deepEqual(await rows.executionOf(execution), {
      status: "canceled",
      ruleId,
      error: "The rule was disabled",
      results: ["send_webhook running"],
    });
  });

  await t.step("a run waits for the disabling of its rule, and does nothing", async () => {
    const show = await rows.makeShow(), ruleId = await rows.makeRule(show, [rows.updateTitle("New")]);
    const execution = await rows.makeExecution(show, ruleId);
    equal(await inOrder(changeIn(ruleId, { is_enabled: false }), () => outcome(rows.run(execution))), "ok");
    deepEqual([await rows.statusesOf(show), await rows.usageOf(show)], [{ canceled: 1 }, {}]);
  });

  await t.step("pauses, resumes, disabling and runs at once leave no execution held, without a deadlock", async () => {
    const random = seededRandom(43);
    for (let round = 0; round < byScale(5, 50); round++) {
      const show = await rows.makeShow(), rules: string[] = [], executions: string[] = [];
      for (let n = 0; n < 3; n++) rules.push(await rows.makeRule(show, [rows.updateTitle("New"), rows.webhook]));
      for (const ruleId of rules) {
        for (let n = 0; n < 3; n++) executions.push(await rows.makeExecution(show, ruleId));
      }
      const calls = [
        ...rules.flatMap((ruleId) =>
          [{ is_paused: true }, { is_paused: false }, { is_paused: true }, { is_paused: false }]
            .map((changes) => () => change(ruleId, changes))
        ),
        () => change(rules[0], { is_enabled: false }),
        ...executions.map((execution) => () => outcome(rows.run(execution))),
        () => outcome(sql`select private.run_automation_executions(${executions}::uuid[])`),
        () => outcome(sql`select private.cancel_held_executions()`),
      ].map((call) => ({ call, order: random.next() })).sort((a, b) => a.order - b.order);
      deepEqual(await runConcurrently(calls.length, (i) => calls[i].call()), { ok: calls.length });
      for (const ruleId of rules) equal(await change(ruleId, { is_paused: false }), "ok");
      const held = await sql`select from public.automation_executions where held_until is not null`;
      equal(held.length, 0);
      for (const execution of executions) await rows.run(execution);
      deepEqual(await rows.statusesOf({ ruleId: rules[0] }), { canceled: 3 });
      deepEqual(await rows.statusesOf({ ruleId: rules[1] }), { running: 3 });
    }
  });
});
