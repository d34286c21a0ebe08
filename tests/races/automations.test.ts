// Concurrent occurrences, runs and retries of automations: each occurrence makes one execution per rule, each action
// runs once, and no hourly limit is exceeded.
import { deepStrictEqual as deepEqual, ok, strictEqual as equal } from "node:assert";
import { byScale } from "../scale.ts";
import { automationRows, type Show } from "./automation_rows.ts";
import { assertBlocks, createRaceDatabase, outcome, runConcurrently } from "./race_database.ts";

Deno.test("concurrent occurrences of automations", async (t) => {
  await using there = await createRaceDatabase();
  const { sql, as } = there, rows = automationRows(there);
  await sql`select tests.person('ola')`;

  await t.step("an occurrence that fires twenty times at once makes one execution per rule", async () => {
    const show = await rows.makeShow();
    for (let n = 0; n < 3; n++) await rows.makeRule(show, []);
    const fired = await Promise.all(Array.from({ length: 20 }, () => rows.fire(show, "once")));
    equal(fired.reduce((sum, n) => sum + n), 3);
    deepEqual(await rows.statusesOf(show), { pending: 3 });
    equal(await rows.messagesOf("automation_runs", show), 3);
  });

  await t.step("twenty confirmations of a booking make one execution per rule", async () => {
    const show = await rows.makeShow();
    for (let n = 0; n < 3; n++) await rows.makeRule(show, []);
    const bookingId = await rows.book(show, 5, "pending");
    deepEqual(await runConcurrently(20, () => as("ola", "confirm_booking", { bookingId })), { ok: 1, PT409: 19 });
    deepEqual(await rows.statusesOf(show), { pending: 3 });
    equal(await rows.messagesOf("automation_runs", show), 3);
  });

  await t.step("twenty publications of an episode make one execution per rule", async () => {
    const show = await rows.makeShow(), { episodeId } = show;
    await sql`select tests.upload_audio(${`${show.name}/pilot`})`;
    for (let n = 0; n < 2; n++) await rows.makeRule(show, [], { trigger: "episode.published" });
    const ended = await runConcurrently(20, () => as("ola", "publish_episode", { episodeId }));
    ok(ended.ok >= 1, JSON.stringify(ended));
    deepEqual(Object.keys(ended).filter((end) => !["ok", "PT400"].includes(end)), []);
    deepEqual(await rows.statusesOf(show), { pending: 2 });
    equal(await rows.messagesOf("automation_runs", show), 2);
  });
});

Deno.test("concurrent runs of an automation", async (t) => {
  await using there = await createRaceDatabase();
  const { sql } = there, rows = automationRows(there);
  await sql`select tests.person('ola')`;
  await sql`create table tests.title_writes (episode_id uuid)`;
  await sql`
    create function tests.record_title_write() returns trigger language plpgsql security definer as $$
    begin insert into tests.title_writes values (new.id); return null; end $$`;
  await sql`
    create trigger t999_record_title_write after update of title on public.episodes
    for each row execute function tests.record_title_write()`;
  const titleWritesOf = async (episodeId: string) =>
    (await sql`select from tests.title_writes where episode_id = ${episodeId}`).length;

  await t.step("twenty runs of an execution do each action once", async () => {
    const show = await rows.makeShow();
    const ruleId = await rows.makeRule(show, [
      await rows.email(show),
      rows.updateTitle("New"),
      await rows.email(show, "guest"),
    ]);
    const execution = await rows.makeExecution(show, ruleId);
    deepEqual(await runConcurrently(20, () => outcome(rows.run(execution))), { ok: 20 });
    deepEqual((await rows.executionOf(execution)).results, [
      "send_email completed",
      "update_field completed",
      "send_email completed",
    ]);
    deepEqual(await rows.usageOf(show), { send_email: 2, update_field: 1 });
    deepEqual([await rows.emailsOf(show), await titleWritesOf(show.episodeId)], [2, 1]);
  });

  await t.step("batches with the same executions in other orders do each action once, without a deadlock", async () => {
    for (let round = 0; round < byScale(3, 30); round++) {
      const shows = await Promise.all(Array.from({ length: 4 }, () => rows.makeShow()));
      const executions: string[] = [];
      for (const show of shows) {
        const ruleId = await rows.makeRule(show, [rows.updateTitle("New"), await rows.email(show, "team")]);
        for (let n = 0; n < 3; n++) executions.push(await rows.makeExecution(show, ruleId));
      }
      const errors: unknown[] = [];
      const ended = await runConcurrently(8, (i) => {
        const ids = [...executions.slice(i), ...executions.slice(0, i)];
        return outcome(
          sql`select to_jsonb(private.run_automation_executions(${i % 2 ? ids : ids.reverse()}::uuid[])) as errors`
            .then(([row]) => errors.push(...row.errors)),
        );
      });
      deepEqual(ended, { ok: 8 });
      deepEqual(errors, Array(8 * executions.length).fill(null));
      for (const show of shows) {
        deepEqual(await rows.statusesOf(show), { completed: 3 });
        deepEqual(await rows.usageOf(show), { send_email: 3, update_field: 3 });
        deepEqual([await rows.emailsOf(show), await titleWritesOf(show.episodeId)], [3, 3]);
      }
    }
  });

  await t.step(
    "batches that email unverified guests of two owners keep to each owner's day, without a deadlock",
    async () => {
      await sql`select tests.person('otto'), private.set_setting('max_automation_unverified_recipients_per_day', '5')`;
      for (let round = 0; round < byScale(2, 20); round++) {
        await sql`delete from private.email_windows`;
        const batches: string[][] = [], shows: Show[] = [];
        for (let n = 0; n < 4; n++) {
          const ofOwners = await Promise.all(["ola", "otto"].map((owner) => rows.makeShow({ owner })));
          shows.push(...ofOwners);
          const batch = await Promise.all(ofOwners.map(async (show) => {
            await sql`update public.bookings set guest_told_at = now() where id = ${show.bookingId}`;
            const ruleId = await rows.makeRule(show, [await rows.email(show, "guest")]);
            return [await rows.makeExecution(show, ruleId), await rows.makeExecution(show, ruleId)];
          }));
          batches.push(batch.map(([first]) => first), batch.map(([, second]) => second));
        }
        const errors: unknown[] = [];
        const ended = await runConcurrently(8, (i) =>
          outcome(
            sql`select to_jsonb(private.run_automation_executions(${batches[i]}::uuid[])) as errors`
              .then(([row]) => errors.push(...row.errors)),
          ));
        deepEqual([ended, errors], [{ ok: 8 }, Array(16).fill(null)]);
        for (const owner of [0, 1]) {
          const emails = await Promise.all(shows.filter((_, n) => n % 2 === owner).map(rows.emailsOf));
          equal(emails.reduce((sum, n) => sum + n), 5);
        }
      }
    },
  );

  await t.step("of twenty results of a webhook, one continues the execution", async () => {
    const show = await rows.makeShow();
    const execution = await rows.makeExecution(
      show,
      await rows.makeRule(show, [rows.webhook, rows.updateTitle("Sent")]),
    );
    deepEqual(await runConcurrently(20, () => outcome(rows.run(execution))), { ok: 20 });
    equal(await rows.messagesOf("automation_webhooks", show), 1);
    const [{ actionId }] = await sql`
      select action_results #>> '{0,action_id}' as "actionId" from public.automation_executions where id = ${execution}`;
    const report = () =>
      outcome(
        sql`select private.record_webhook_result(${execution}, ${actionId}, 'completed', '{"status_code": 204}')`,
      );
    const before = await rows.messagesOf("automation_runs", show);
    deepEqual(await runConcurrently(20, report), { ok: 20 });
    equal(await rows.messagesOf("automation_runs", show), before + 1);
    deepEqual(await runConcurrently(20, () => outcome(rows.run(execution))), { ok: 20 });
    deepEqual((await rows.executionOf(execution)).results, ["send_webhook completed", "update_field completed"]);
    deepEqual(await rows.usageOf(show), { send_webhook: 1, update_field: 1 });
    equal(await titleWritesOf(show.episodeId), 1);
  });

  await t.step("twenty webhooks of a podcast that begin and end at once use at most eight places", async () => {
    const show = await rows.makeShow();
    const urls = ["https://a.test/in", "https://b.test/in", "https://c.test/in"];
    const rules = await Promise.all(
      urls.map((url) => rows.makeRule(show, [{ action_type: "send_webhook", action_config: { url } }])),
    );
    const executions: string[] = [];
    for (let n = 0; n < 20; n++) executions.push(await rows.makeExecution(show, rules[n % 3]));
    const places = async () =>
      await sql<{ executionId: string; actionId: string }[]>`
        select execution_id as "executionId", action_id as "actionId" from private.automation_webhooks
        where podcast_id = ${show.podcastId} and message_id is not null`;
    deepEqual(await runConcurrently(20, (i) => outcome(rows.run(executions[i]))), { ok: 20 });
    let ended = 0;
    for (let taken = await places(); taken.length > 0; taken = await places()) {
      equal(taken.length, Math.min(8, 20 - ended), "no place is free while a webhook waits, and none is given twice");
      const settled = await runConcurrently(taken.length, (i) => {
        const { executionId, actionId } = taken[i];
        return outcome(
          sql`select private.record_webhook_result(${executionId}, ${actionId}, 'completed', '{"status_code": 204}')`,
        );
      });
      deepEqual(settled, { ok: taken.length });
      ended += taken.length;
    }
    equal(ended, 20);
    equal((await sql`select from private.automation_webhooks where podcast_id = ${show.podcastId}`).length, 0);
  });

  await t.step("runs, attempts, pauses and repairs of webhooks at once end without a deadlock", async () => {
    for (let round = 0; round < byScale(3, 30); round++) {
      const show = await rows.makeShow(), ruleId = await rows.makeRule(show, [rows.webhook, rows.updateTitle("Sent")]);
      const [{ actionId }] = await sql`select id as "actionId" from public.automation_actions where rule_id = ${ruleId}
          and action_type = 'send_webhook'`;
      const executions: string[] = [];
      for (let n = 0; n < 12; n++) executions.push(await rows.makeExecution(show, ruleId));
      await sql`select private.run_automation_executions(${executions.slice(0, 9)}::uuid[])`;
      const ended = await runConcurrently(23, (i) => {
        const execution = executions[i % 9];
        return outcome(
          i < 9
            ? sql`select private.begin_webhook(${execution}, ${actionId})`
            : i < 13
            ? sql`select private.record_webhook_attempt(${execution}, ${actionId}, 'x', 600)`
            : i < 15
            ? sql`select private.record_webhook_result(${execution}, ${actionId}, 'completed', '{}')`
            : i < 17
            ? sql`update public.automation_rules set is_paused = ${i === 15} where id = ${ruleId}`
            : i < 19
            ? sql`select private.disable_webhook(${actionId}, 'https://hooks.test/in')`
            : i < 20
            ? sql`update public.automation_actions set action_config = '{"url": "https://new.test/in"}'
                where id = ${actionId}`
            : i < 21
            ? sql`select private.release_due_webhooks()`
            : i < 22
            ? sql`select private.run_automation_executions(${executions}::uuid[])`
            : sql`update public.automation_rules set is_enabled = ${round % 2 === 0} where id = ${ruleId}`,
        );
      });
      deepEqual(ended, { ok: 23 });
    }
  });

  for (
    const [type, setting, units] of [
      ["send_email", "max_automation_emails_per_hour", 1],
      ["send_webhook", "max_automation_webhooks_per_hour", 1],
      ["update_field", "max_automation_updates_per_hour", 1],
      ["send_email", "max_automation_emails_per_hour", 3],
    ] as const
  ) {
    await t.step(`twenty executions at once stay within the limit of ${type} of ${units} each`, async () => {
      const show = await rows.makeShow();
      if (units > 1) {
        for (const who of ["ann", "bob"]) await sql`select tests.member(${`${show.name}/${who}`}, ${show.name})`;
      }
      const action = type === "send_webhook"
        ? rows.webhook
        : type === "send_email"
        ? await rows.email(show, "team")
        : rows.updateTitle("New");
      const ruleId = await rows.makeRule(show, [action]), executions: string[] = [];
      for (let n = 0; n < 20; n++) executions.push(await rows.makeExecution(show, ruleId));
      await sql`select private.set_setting(${setting}, '7')`;
      const waiting = await rows.messagesOf("automation_runs", show);
      const ended = await runConcurrently(20, (i) => outcome(rows.run(executions[i])));
      await sql`select private.set_setting(${setting}, null)`;
      deepEqual(ended, { ok: 20 });
      const within = Math.floor(7 / units), status = type === "send_webhook" ? "running" : "completed";
      deepEqual(await rows.statusesOf(show), { [status]: within, pending: 20 - within });
      deepEqual(await rows.usageOf(show), { [type]: within * units });
      equal(await rows.messagesOf("automation_runs", show), waiting + 20 - within); // for when there is room
    });
  }

  await t.step("of twenty retries of a failed execution, one makes a new execution", async () => {
    const show = await rows.makeShow(), ruleId = await rows.makeRule(show, [rows.updateTitle("x".repeat(256))]);
    const executionId = await rows.makeExecution(show, ruleId);
    await rows.run(executionId);
    equal((await rows.executionOf(executionId)).status, "failed");
    const before = await rows.messagesOf("automation_runs", show);
    const retry = () => there.as("ola", "retry_automation_execution", { executionId });
    deepEqual(await runConcurrently(20, retry), { ok: 1, PT409: 19 });
    deepEqual(await rows.statusesOf(show), { failed: 1, pending: 1 });
    equal(await rows.messagesOf("automation_runs", show), before + 1);
  });

  await t.step("bulk and single retries at once retry each failed execution once", async () => {
    const show = await rows.makeShow(),
      ruleId = await rows.makeRule(show, [rows.updateTitle("x".repeat(256))]),
      ids: string[] = [];
    for (let n = 0; n < 10; n++) ids.push(await rows.makeExecution(show, ruleId));
    for (const executionId of ids) await rows.run(executionId);
    deepEqual(await rows.statusesOf(show), { failed: 10 });
    const { ok: succeeded, ...others } = await runConcurrently(
      20,
      (i) =>
        i % 2
          ? there.as("ola", "retry_failed_automation_executions", { ruleId })
          : there.as("ola", "retry_automation_execution", { executionId: ids[i / 2] }),
    );
    deepEqual(Object.keys(others).filter((end) => end !== "PT409"), []); // it was retried before
    ok(succeeded >= 10);
    deepEqual(await rows.statusesOf(show), { failed: 10, pending: 10 });
  });

  await t.step("a retry waits for the run that fails, and then retries it", async () => {
    const show = await rows.makeShow(), ruleId = await rows.makeRule(show, [rows.updateTitle("x".repeat(256))]);
    const executionId = await rows.makeExecution(show, ruleId);
    let retried: Promise<string> | undefined;
    await sql.begin(async (tx) => {
      await rows.run(executionId, tx);
      await assertBlocks(there, retried = there.as("ola", "retry_automation_execution", { executionId }));
    });
    equal(await retried, "ok");
    deepEqual(await rows.statusesOf(show), { failed: 1, pending: 1 });
  });
});
