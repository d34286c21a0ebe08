// Concurrent changes of rules, actions and templates: no change is lost, no limit is exceeded, and no action sends a
// template that was deleted.
import { deepStrictEqual as deepEqual, strictEqual as equal } from "node:assert";
import { byScale } from "../scale.ts";
import { automationRows, type Show } from "./automation_rows.ts";
import { assertBlocks, createRaceDatabase, outcome, runConcurrently } from "./race_database.ts";

Deno.test("concurrent changes of automation rules", async (t) => {
  await using there = await createRaceDatabase();
  const { sql, as, id } = there, rows = automationRows(there);
  await sql`select tests.person('ola')`;

  const isEnabled = async (ruleId: string) =>
    (await sql`select is_enabled from public.automation_rules where id = ${ruleId}`)[0].is_enabled;
  const actionsOf = (ruleId: string) =>
    sql<{ id: string; value: string; place: number }[]>`
      select id, action_config ->> 'value' as value, execution_order as place from public.automation_actions
      where rule_id = ${ruleId} order by execution_order`;

  await t.step("each of many flips at once counts", async () => {
    const show = await rows.makeShow(), ruleId = await rows.makeRule(show, []);
    const toggle = () => as("ola", "toggle_automation_rule", { ruleId });
    deepEqual(await runConcurrently(21, toggle), { ok: 21 });
    equal(await isEnabled(ruleId), false);
    deepEqual(await runConcurrently(20, toggle), { ok: 20 });
    equal(await isEnabled(ruleId), false);
  });

  await t.step("a flip waits for another, and turns it back", async () => {
    const show = await rows.makeShow(), ruleId = await rows.makeRule(show, []);
    let flipped: Promise<string> | undefined;
    await sql.begin(async (tx) => {
      await tx`update public.automation_rules set is_enabled = false where id = ${ruleId}`;
      await assertBlocks(there, flipped = as("ola", "toggle_automation_rule", { ruleId }));
    });
    equal(await flipped, "ok");
    equal(await isEnabled(ruleId), true);
  });

  await t.step("of twenty replacements of the actions, one is there as a whole", async () => {
    const show = await rows.makeShow(), ruleId = await rows.makeRule(show, [rows.updateTitle("old")]);
    const [{ id: kept }] = await actionsOf(ruleId);
    const replace = (i: number) =>
      as("ola", "update_automation_rule", {
        ruleId,
        changes: { actions: Array.from({ length: 1 + i % 10 }, () => rows.updateTitle(`${i}`)) },
      });
    deepEqual(await runConcurrently(20, replace), { ok: 20 });
    const actions = await actionsOf(ruleId), [{ value }] = actions;
    deepEqual(actions.map(({ value, place }) => [value, place]), actions.map((_, n) => [value, n]));
    equal(actions.length, 1 + Number(value) % 10);
    equal(actions[0].id, kept); // it has the same place and type in each list
  });

  await t.step("of twenty actions added at once, a rule takes ten", async () => {
    const show = await rows.makeShow(), ruleId = await rows.makeRule(show, []);
    const add = (i: number) =>
      outcome(sql`
        insert into public.automation_actions (rule_id, action_type, action_config, execution_order)
        values (${ruleId}, 'update_field', ${sql.json(rows.updateTitle("New").action_config)}, ${i})`);
    deepEqual(await runConcurrently(20, add), { ok: 10, PT409: 10 });
    equal((await actionsOf(ruleId)).length, 10);
  });

  await t.step("an action that is added while its rule is deleted is rejected", async () => {
    const show = await rows.makeShow(), ruleId = await rows.makeRule(show, []);
    let added: Promise<string> | undefined;
    await sql.begin(async (tx) => {
      await tx`delete from public.automation_rules where id = ${ruleId}`;
      added = outcome(sql`
        insert into public.automation_actions (rule_id, action_type, action_config)
        values (${ruleId}, 'update_field', ${sql.json(rows.updateTitle("New").action_config)})`);
      await assertBlocks(there, added);
    });
    equal(await added, "PT404");
  });

  for (
    const [table, limit, create] of [
      [
        "automation_rules",
        100,
        ({ podcastId }: Show, i: number) =>
          as("ola", "create_automation_rule", { podcastId, name: `Rule ${i}`, triggerType: "episode.published" }),
      ],
      [
        "automation_templates",
        200,
        ({ podcastId }: Show, i: number) =>
          as("ola", "create_automation_template", {
            podcastId,
            name: `Template ${i}`,
            subject: "Hello",
            bodyText: "Hi",
          }),
      ],
    ] as const
  ) {
    await t.step(`of twenty rows of ${table} created at once, those below the limit of ${limit} succeed`, async () => {
      const show = await rows.makeShow();
      const [{ n }] = await sql`
        select count(*)::int as n from ${sql(table)} where podcast_id = ${show.podcastId}`;
      for (let i = n; i < limit - 7; i++) equal(await create(show, i), "ok");
      deepEqual(await runConcurrently(20, (i) => create(show, limit + i)), { ok: 7, PT409: 13 });
    });
  }

  for (const first of ["action", "deletion"]) {
    await t.step(`a new action and the deletion of its template at once: the ${first} is first`, async () => {
      const show = await rows.makeShow(), ruleId = await rows.makeRule(show, []);
      const templateId = await id(`${show.name}/template`), action = await rows.email(show);
      const add = () => as("ola", "update_automation_rule", { ruleId, changes: { actions: [action] } });
      const remove = () => as("ola", "delete_automation_template", { templateId });
      let waiting: Promise<string> | undefined;
      await sql.begin(async (tx) => {
        if (first === "deletion") await tx`delete from public.automation_templates where id = ${templateId}`;
        else {
          await tx`
            insert into public.automation_actions (rule_id, action_type, action_config)
            values (${ruleId}, 'send_email', ${sql.json(action.action_config)})`;
        }
        await assertBlocks(there, waiting = first === "action" ? remove() : add());
      });
      equal(await waiting, first === "action" ? "PT409" : "PT400");
    });
  }

  await t.step("new actions and deletions of their template at once: one of them succeeds", async () => {
    for (let round = 0; round < byScale(5, 50); round++) {
      const show = await rows.makeShow(), action = await rows.email(show);
      const ruleIds = [await rows.makeRule(show, []), await rows.makeRule(show, [])];
      const templateId = await id(`${show.name}/template`);
      const [removed, ...added] = await Promise.all([
        as("ola", "delete_automation_template", { templateId }),
        ...ruleIds.map((ruleId) => as("ola", "update_automation_rule", { ruleId, changes: { actions: [action] } })),
      ]);
      deepEqual(added, added.map(() => removed === "ok" ? "PT400" : "ok"));
      deepEqual([removed].filter((end) => !["ok", "PT409"].includes(end)), []);
    }
  });

  await t.step(
    "rotations of a secret and replacements of its action at once keep one secret, and its predecessor",
    async () => {
      const show = await rows.makeShow(), ruleId = await rows.makeRule(show, [rows.webhook]);
      const [{ id: actionId }] = await actionsOf(ruleId);
      const secret = (n: number) => `whsec_${btoa(String.fromCharCode(...Array(32).fill(n)))}`;
      const ended = await runConcurrently(
        20,
        (i) =>
          i % 2
            ? as("ola", "rotate_webhook_secret", { actionId, secret: secret(i) })
            : as("ola", "update_automation_rule", {
              ruleId,
              changes: { actions: [rows.webhook, rows.updateTitle(`${i}`)] },
            }),
      );
      deepEqual(ended, { ok: 20 });
      const [{ stored, referenced }] = await sql`
      select (select count(*)::int from vault.secrets v where v.id in (s.secret_id, s.previous_secret_id)) as stored,
        num_nonnulls(s.secret_id, s.previous_secret_id) as referenced
      from private.webhook_secrets s where s.action_id = ${actionId}`;
      deepEqual([stored, referenced], [2, 2]);
    },
  );
});
