// The job automation_runs: executions from the event to their effects.
import assert from "node:assert/strict";
import { startAutomationWorker, statusesOf, updateTitle, verifies } from "../automations/automation_worker.ts";

const SECRET = `whsec_${btoa("a".repeat(32))}`;

Deno.test({ name: "running automations", sanitizeOps: false, sanitizeResources: false }, async (t) => {
  await using worker = await startAutomationWorker();
  const { sql, receiver, mail, webhook, fire, executionOf, titleOf, work, passTime, waiting, deadLetters } = worker;
  const { received } = receiver;
  const step = (title: string, run: () => Promise<void>) =>
    t.step(title, async () => (await worker.reset(), await run()));

  await step("a rule updates a field, sends an email and sends a webhook, in this order", async () => {
    const show = await worker.makeShow();
    const [{ templateId }] = await sql`
      insert into public.automation_templates (podcast_id, name, subject, body_html)
      values (${show.podcastId}, 'Out', '{episode_title} is out', '<p>Listen to <b>{episode_title}</b></p>')
      returning id as "templateId"`;
    const rule = await worker.makeRule(show, [
      updateTitle("Vienna"),
      { action_type: "send_email", action_config: { template_id: templateId, to: "team" } },
      webhook({}, { secret: SECRET }),
    ]);
    await worker.publish(show);
    await work();
    await worker.sendEmails();

    const execution = await executionOf(show);
    assert.deepEqual([execution.status, execution.error_message], ["completed", null]);
    const [{ id }] = received;
    const [{ id: emailId, recipient }] = execution.action_results[1].result.recipients as Record<string, string>[];
    assert.deepEqual(execution.action_results, [
      {
        action_id: rule.actions[0].id,
        action_type: "update_field",
        status: "completed",
        result: { entity: "episode", ids: [show.episodeId], field: "title", value: "Vienna" },
      },
      {
        action_id: rule.actions[1].id,
        action_type: "send_email",
        status: "completed",
        result: {
          template_id: templateId,
          recipient_count: 1,
          sent_count: 1,
          failed_count: 0,
          skipped_count: 0,
          recipients: [{ id: emailId, recipient, status: "sent" }],
          missing_tags: [],
        },
      },
      {
        action_id: rule.actions[2].id,
        action_type: "send_webhook",
        status: "completed",
        result: { begun_at: execution.action_results[2].result.begun_at, webhook_id: id, status_code: 200 },
      },
    ]);
    assert.equal(await titleOf(show), "Vienna");
    const emails = mail.emails.filter(({ to }) => to.some((address) => address.includes(show.email)));
    assert.deepEqual(emails.map(({ subject }) => subject), ["Vienna is out"]);
    assert.match(emails[0].text, /^Listen to Vienna\n/);

    assert.equal(received.length, 1);
    assert.ok(verifies(SECRET, received[0]));
    const { timestamp, data: { tags, ...data }, ...rest } = JSON.parse(received[0].body);
    assert.deepEqual(rest, { type: "episode.published" });
    assert.match(timestamp, /^\d{4}-\d\d-\d\dT\d\d:\d\d:\d\d\.\d{3}Z$/);
    assert.deepEqual(data, {
      podcast_id: show.podcastId,
      episode_id: show.episodeId,
      booking_id: null,
      episode_guest_id: null,
      import_id: null,
      podcast_guest_id: null,
      rule_id: rule.id,
      rule_name: "On publication",
    });
    assert.equal(tags.episode_title, "Vienna", "the body has the facts of when the webhook begins");
    assert.deepEqual(await waiting(), []);
  });

  await step("an execution that waits for its hourly limit continues when there is room", async () => {
    const { show } = await fire([updateTitle("Vienna"), webhook()]);
    await sql`insert into private.automation_usage (podcast_id, action_type, used_at, units)
      values (${show.podcastId}, 'update_field', now() - interval '10 minutes', 200)`;
    await work();
    const limited = await executionOf(show), error = "Rate limit exceeded for update_field. Try again in 50 minutes.";
    assert.deepEqual([limited.status, limited.error_message], ["pending", error]);
    assert.equal(limited.action_results[0].result.rate_limit_reset_at, limited.next_attempt_at!.toISOString());
    assert.deepEqual(statusesOf(limited.action_results), ["update_field rate_limited"]);
    const [{ seconds, attempts }] = await waiting();
    assert.ok(seconds > 2900 && seconds <= 3001, String(seconds));
    assert.equal(attempts, 0, "waiting is not an attempt");
    assert.equal(received.length, 0);

    await passTime();
    await work();
    assert.deepEqual((await executionOf(show)).status, "pending", "an early run waits again");
    await sql`update private.automation_usage set used_at = used_at - interval '1 hour'
      where podcast_id = ${show.podcastId}`;
    await passTime();
    await work();
    const { status: ended, error_message, action_results, next_attempt_at } = await executionOf(show);
    assert.deepEqual([ended, error_message, next_attempt_at], ["completed", null, null]);
    assert.deepEqual(statusesOf(action_results), ["update_field completed", "send_webhook completed"]);
    assert.deepEqual([await titleOf(show), received.length], ["Vienna", 1]);
  });

  await step("the actions behind a broken webhook run once it is removed", async () => {
    receiver.respondWith(...Array(5).fill(() => new Response(null, { status: 503 })));
    const { show } = await fire([webhook(), updateTitle("Vienna")]);
    await work();
    assert.deepEqual([(await executionOf(show)).status, received.length], ["running", 1]);
    await sql`delete from public.automation_actions where podcast_id = ${show.podcastId} and action_type = 'send_webhook'`;
    await passTime();
    await work();
    const { status, action_results } = await executionOf(show);
    assert.deepEqual([status, statusesOf(action_results)], ["completed", [
      "send_webhook skipped",
      "update_field completed",
    ]]);
    assert.equal(await titleOf(show), "Vienna");
    assert.equal(received.length, 1, "a removed webhook is not tried again");
  });

  await step("a pause holds an execution until the rule is resumed", async () => {
    const { show } = await fire([updateTitle("Vienna")]);
    await sql`update public.automation_rules set is_paused = true where podcast_id = ${show.podcastId}`;
    await work();
    assert.equal((await executionOf(show)).status, "pending");
    assert.deepEqual([await titleOf(show), await waiting()], ["Paris", []]);
    await sql`update public.automation_rules set is_paused = false where podcast_id = ${show.podcastId}`;
    await work();
    assert.deepEqual([(await executionOf(show)).status, await titleOf(show)], ["completed", "Vienna"]);
  });

  await step("an execution with several messages runs its actions once", async () => {
    const { show } = await fire([webhook(), updateTitle("Vienna")]), { id } = await executionOf(show);
    for (let n = 0; n < 5; n++) await sql`select private.enqueue_execution(${id}, ${show.podcastId})`;
    await work();
    await sql`select private.enqueue_execution(${id}, ${show.podcastId})`;
    await work();
    assert.deepEqual([(await executionOf(show)).status, received.length, await waiting()], ["completed", 1, []]);
    const [{ units }] = await sql`
      select sum(units)::int as units from private.automation_usage where podcast_id = ${show.podcastId}`;
    assert.equal(units, 2);
  });

  await step(
    "malformed messages go to the dead-letter queue, and those of unknown executions are ignored",
    async () => {
      const id = crypto.randomUUID(), valid = { podcast_id: id, execution_id: id, action_id: id };
      const malformed = [
        {},
        [],
        "text",
        null,
        { podcast_id: id },
        { ...valid, execution_id: "nonsense" },
        { ...valid, podcast_id: "nonsense" },
        { ...valid, execution_id: [id] },
      ];
      for (
        const [queue, more] of [
          ["automation_runs", []],
          ["automation_webhooks", [{ podcast_id: id, execution_id: id }, { ...valid, action_id: "nonsense" }]],
        ] as const
      ) {
        const messages = [...malformed, ...more];
        for (const message of [...messages, valid]) {
          await sql`select pgmq.send(${queue}, ${sql.json(message as never)})`;
        }
        await work();
        assert.deepEqual(await waiting(), [], queue);
        const dead = await deadLetters(queue);
        assert.equal(dead.length, messages.length, queue);
        for (const { error, attempts } of dead) {
          assert.match(error, /^Invalid payload: /);
          assert.equal(attempts, 1);
        }
      }
    },
  );

  await step("an execution whose message fails at each attempt fails, without an internal reason", async () => {
    const { show } = await fire([updateTitle("Vienna")]);
    await sql`
      create function public.break() returns trigger language plpgsql as $$ begin raise 'secret internals'; end $$`;
    await sql`
      create trigger break before update on public.automation_executions
      for each row when (new.status = 'completed') execute function public.break()`;
    for (let n = 0; n < 10; n++) {
      await work();
      await passTime();
    }
    await sql`drop function public.break cascade`;
    const { status: ended, error_message } = await executionOf(show);
    assert.deepEqual([ended, error_message], ["failed", "The automation could not be run; try again later"]);
    const [{ attempts, error }] = await deadLetters("automation_runs");
    assert.equal(attempts, 10);
    assert.match(error, /secret internals/, "operators see the reason");
    assert.equal(await titleOf(show), "Paris");
  });
});
