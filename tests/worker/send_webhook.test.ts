// The job automation_webhooks: what each response of a receiver makes of an execution.
import assert from "node:assert/strict";
import { assertDelay, waitFor } from "../wait_for.ts";
import { startHttpServer } from "../http_server.ts";
import { startAutomationWorker, statusesOf, updateTitle, verifies } from "../automations/automation_worker.ts";

const [FIRST, SECOND] = ["a", "b"].map((letter) => `whsec_${btoa(letter.repeat(32))}`);
const status = (status: number, headers: Record<string, string> = {}) => () => new Response("no", { status, headers });

Deno.test({ name: "delivering webhooks", sanitizeOps: false, sanitizeResources: false }, async (t) => {
  await using worker = await startAutomationWorker();
  const { sql, receiver, webhook, fire, executionOf, titleOf, work, passTime, waiting, webhooksOf, deadLetters } =
    worker;
  const { received } = receiver;
  const { sendWebhookJob } = await import("../../functions/worker/jobs/send_webhook.ts");
  const step = (title: string, run: () => Promise<void>) =>
    t.step(title, async () => (await worker.reset(), await run()));

  await step("a webhook is sent again after 503 and 429, with the same id and the same body", async () => {
    const { show, rule } = await fire([webhook()]);
    receiver.respondWith(status(503), status(429, { "retry-after": "600" }));
    await work();
    const first = await executionOf(show), error = "The server responded with status 503";
    assert.deepEqual([first.status, first.error_message], ["running", error]);
    const { begun_at, next_attempt_at, ...result } = first.action_results[0].result;
    assert.deepEqual(result, { webhook_id: received[0].id, error });
    assert.ok(Date.parse(next_attempt_at as string) > Date.parse(begun_at as string));
    const [{ hasPlace, attempts }] = await webhooksOf(show);
    assert.deepEqual([hasPlace, attempts, await waiting()], [false, 1, []]);

    await sql`update public.episodes set title = 'Renamed' where id = ${show.episodeId}`;
    await sql`update public.automation_rules set name = 'Renamed' where id = ${rule.id}`;
    await passTime();
    const began = Date.now();
    await work();
    const [{ seconds }] = await webhooksOf(show);
    assertDelay(seconds, 600, began); // as Retry-After says
    await passTime();
    await work();
    const last = await executionOf(show);
    assert.deepEqual([last.status, last.error_message, last.action_results[0].result], ["completed", null, {
      begun_at,
      webhook_id: received[0].id,
      status_code: 200,
    }]);
    assert.equal(received.length, 3);
    assert.deepEqual([new Set(received.map(({ id }) => id)).size, new Set(received.map(({ body }) => body)).size], [
      1,
      1,
    ]);
    assert.deepEqual([await waiting(), await webhooksOf(show)], [[], []]);
  });

  await step("after ten attempts the execution fails with the reason of the last", async () => {
    const { show } = await fire([webhook(), updateTitle("Never")]);
    receiver.respondWith(...Array(9).fill(status(500)), status(502));
    for (let n = 0; n < 12; n++) {
      await work();
      await passTime();
    }
    assert.equal(received.length, 10);
    assert.equal(new Set(received.map(({ id }) => id)).size, 1);
    const error = "The server responded with status 502";
    assert.deepEqual(await deadLetters(), [{ error, attempts: 1 }]);
    const execution = await executionOf(show);
    assert.deepEqual([execution.status, execution.error_message], ["failed", error]);
    assert.deepEqual(execution.action_results[0].status, "failed");
    const { begun_at: _, ...result } = execution.action_results[0].result;
    assert.deepEqual(result, { webhook_id: received[0].id, error });
    assert.equal(await titleOf(show), "Paris");
    const notified = await sql`
      select n.type from public.notifications n where n.user_id = ${show.ownerId} and n.type = 'automation.failed'`;
    assert.equal(notified.length, 1, "the author is notified");
    await work();
    assert.deepEqual(await waiting(), []);
  });

  await step("an action with continue_on_error does not stop the others after ten attempts", async () => {
    const { show } = await fire([webhook({ continue_on_error: true }), updateTitle("Vienna")]);
    receiver.respondWith(...Array(10).fill(status(500)));
    for (let n = 0; n < 12; n++) {
      await work();
      await passTime();
    }
    assert.deepEqual([received.length, (await deadLetters()).length], [10, 1]);
    const execution = await executionOf(show);
    assert.deepEqual(statusesOf(execution.action_results), ["send_webhook failed", "update_field completed"]);
    assert.deepEqual([execution.status, execution.error_message], ["completed", null]);
    assert.equal(await titleOf(show), "Vienna");
  });

  await step("a rejected webhook fails at once and stops the later actions", async () => {
    const { show } = await fire([webhook(), updateTitle("Never")]);
    receiver.respondWith(status(404));
    await work();
    const { status: ended, error_message, action_results } = await executionOf(show);
    assert.deepEqual([ended, error_message], ["failed", "The server responded with status 404"]);
    assert.deepEqual(statusesOf(action_results), ["send_webhook failed", "update_field skipped"]);
    assert.deepEqual([received.length, await waiting(), await deadLetters()], [1, [], []]);
    assert.equal(await titleOf(show), "Paris");
  });

  await step("the webhook of a test is marked, and sent once, to a receiver that fails, too", async () => {
    const show = await worker.makeShow(), rule = await worker.makeRule(show, [webhook({}, { secret: FIRST })]);
    await sql`update public.automation_rules set is_enabled = false where id = ${rule.id}`;
    const test = () =>
      sql`
        with caller as materialized (
          select set_config('request.jwt.claims',
            ${JSON.stringify({ role: "authenticated", sub: show.ownerId })}, true) as claims)
        select public.test_automation_action(${rule.actions[0].id}) from caller where caller.claims is not null`;
    await test();
    await work();
    const { type, test: isTest, data } = JSON.parse(received[0].body);
    assert.deepEqual([type, isTest, data.tags.episode_title], ["episode.published", true, "Paris to Vienna"]);
    assert.match(received[0].id, /^msg_test_/);
    assert.ok(verifies(FIRST, received[0]));
    assert.equal((await executionOf(show)).status, "completed");

    receiver.respondWith(status(503));
    await test();
    await work();
    const { status: ended, error_message } = await executionOf(show);
    assert.deepEqual([ended, error_message], ["failed", "The server responded with status 503"]);
    await passTime();
    await work();
    assert.deepEqual([received.length, await waiting(), await deadLetters(), await webhooksOf(show)], [2, [], [], []]);
  });

  await step("410 disables the webhook, and the next one is skipped until its URL changes", async () => {
    const { show, rule } = await fire([webhook(), updateTitle("Vienna")]);
    receiver.respondWith(status(410));
    await work();
    const { status: ended, error_message } = await executionOf(show);
    assert.deepEqual([ended, error_message], [
      "failed",
      "The server responded with status 410 (Gone): the webhook no longer exists there, and is disabled",
    ]);
    const disabledReason = async () =>
      (await sql`select disabled_reason from public.automation_actions where id = ${rule.actions[0].id}`)[0]
        .disabled_reason;
    assert.equal(await disabledReason(), "gone");
    const again = () =>
      sql`select private.fire_automations('episode.published', ${show.podcastId}, null, ${show.episodeId},
        ${crypto.randomUUID()}, now())`;
    await again();
    await work();
    const { status: completed, action_results } = await executionOf(show);
    assert.equal(completed, "completed");
    assert.deepEqual(statusesOf(action_results), ["send_webhook skipped", "update_field completed"]);
    assert.equal(received.length, 1);
    await sql`
      update public.automation_actions set action_config = ${sql.json({ url: `${receiver.url}/new` })}
      where id = ${rule.actions[0].id}`;
    assert.equal(await disabledReason(), null);
    await again();
    await work();
    assert.equal(received.length, 2);
  });

  await step("a webhook with a payload_template and headers arrives as configured, without a signature", async () => {
    await fire([
      webhook({}, {
        headers: { Authorization: "Bearer abc", "content-type": "application/vnd.test+json" },
        payload_template: { text: "New: {episode_title}" },
      }),
    ]);
    await work();
    const [{ body, headers }] = received;
    assert.equal(body, '{"text": "New: Paris"}');
    assert.deepEqual([headers.authorization, headers["content-type"]], ["Bearer abc", "application/vnd.test+json"]);
    assert.deepEqual([headers["webhook-signature"], typeof headers["webhook-id"]], [undefined, "string"]);
  });

  await step("a webhook to a private address that is no longer allowed fails at once", async () => {
    await sql`select private.set_setting('fetch_allowed_hosts', ${`${receiver.host}, 10.0.0.1`})`;
    const { show } = await fire([webhook({}, { url: "http://10.0.0.1/secret-path" })]);
    await sql`select private.set_setting('fetch_allowed_hosts', ${receiver.host})`;
    await work();
    const { status: ended, error_message } = await executionOf(show);
    assert.deepEqual([ended, error_message], ["failed", "The URL does not point to the public internet"]);
    assert.deepEqual(await waiting(), []);
  });

  await step("a rotated secret signs beside the earlier one until that expires", async () => {
    const show = await worker.makeShow();
    const { actions: [{ id }] } = await worker.makeRule(show, [webhook({}, { secret: FIRST })]);
    await sql`select private.store_webhook_secret(${id}, ${SECOND}, interval '24 hours')`;
    await worker.publish(show);
    receiver.respondWith(status(503));
    await work();
    await sql`update private.webhook_secrets set previous_expires_at = now() where action_id = ${id}`;
    await passTime();
    await work();
    assert.deepEqual(received.map((one) => [verifies(FIRST, one), verifies(SECOND, one)]), [[true, true], [
      false,
      true,
    ]]);
    assert.equal(received[0].id, received[1].id);
  });

  await step("a rule that is deleted while its webhook is in flight ends its execution as canceled", async () => {
    for (const code of [200, 503]) {
      const { show, rule } = await fire([webhook(), updateTitle("Never")]);
      receiver.respondWith(async () => {
        await sql`delete from public.automation_rules where id = ${rule.id}`;
        return new Response("", { status: code });
      });
      await work();
      await passTime();
      await work();
      const { status: ended, error_message, action_results } = await executionOf(show);
      assert.deepEqual([ended, error_message], ["canceled", "The rule was deleted"]);
      assert.deepEqual(statusesOf(action_results), [`send_webhook ${code === 200 ? "completed" : "skipped"}`]);
      assert.equal(await titleOf(show), "Paris");
      assert.deepEqual([await waiting(), await deadLetters()], [[], []]);
    }
    assert.equal(received.length, 2);
  });

  await step("a worker that dies after the receiver accepted a webhook repeats it with the same id", async () => {
    const { show } = await fire([webhook()]);
    await sql`
      create function public.die() returns trigger language plpgsql as $$ begin raise 'the worker died'; end $$`;
    await sql`
      create trigger die before update on public.automation_executions
      for each row when (new.action_results #>> '{0,status}' = 'completed') execute function public.die()`;
    await work();
    await sql`drop function public.die cascade`;
    assert.equal((await executionOf(show)).status, "running");
    await passTime();
    await work();
    assert.equal((await executionOf(show)).status, "completed");
    assert.equal(received.length, 2);
    assert.deepEqual([received[1].id, received[1].body], [received[0].id, received[0].body]);
  });

  await step("an accepted webhook is not repeated when the execution cannot continue", async () => {
    const { show } = await fire([webhook()]);
    await sql`
      create function public.die() returns trigger language plpgsql as $$ begin raise 'no'; end $$`;
    await sql`
      create trigger die before update on public.automation_executions
      for each row when (new.status = 'completed') execute function public.die()`;
    await work();
    await sql`drop function public.die cascade`;
    const { status: waiting, action_results } = await executionOf(show);
    assert.deepEqual([waiting, ...statusesOf(action_results)], ["running", "send_webhook completed"]);
    await passTime();
    await work();
    assert.equal((await executionOf(show)).status, "completed");
    assert.equal(received.length, 1);
  });

  await step("a webhook begins as soon as one of the podcast's eight places is free", async () => {
    const show = await worker.makeShow();
    const { url } = receiver, other = url.replace("127.0.0.1", "localhost");
    await sql`select private.set_setting('fetch_allowed_hosts', ${`${receiver.host}, ${new URL(other).host}`})`;
    for (let n = 0; n < 9; n++) {
      await worker.makeRule(show, [webhook({}, { url: n < 6 ? url : other })], `Rule ${n}`);
    }
    const holds = Array.from({ length: 8 }, () => Promise.withResolvers<void>());
    receiver.respondWith(...holds.map(({ promise }) => async () => (await promise, new Response())));
    await worker.publish(show);
    await worker.runExecutions();
    const sending = worker.sendWebhooks();
    await waitFor("eight webhooks are in flight", () => received.length === 8);
    const places = (await worker.webhooksOf(show)).map(({ hasPlace }) => hasPlace).sort();
    assert.deepEqual(places, [false, ...Array(8).fill(true)]);
    holds[0].resolve();
    await waitFor("the ninth is in flight", () => received.length === 9);
    holds.forEach(({ resolve }) => resolve());
    await sending;
    await work();
    assert.deepEqual([received.length, await waiting(), await worker.webhooksOf(show)], [9, [], []]);
    const rows = await sql`
      select distinct status from public.automation_executions where podcast_id = ${show.podcastId}`;
    assert.deepEqual(rows.map(({ status }) => status), ["completed"]);
  });

  await step("webhooks to a fast receiver do not wait for a slow one of the same podcast", async () => {
    const show = await worker.makeShow();
    const fast = receiver.url.replace("127.0.0.1", "localhost"), released = Promise.withResolvers<void>();
    await using slow = startHttpServer(async () => (await released.promise, new Response()));
    await sql`select private.set_setting('fetch_allowed_hosts',
      ${[slow.url, fast].map((url) => new URL(url).host).join(", ")})`;
    for (let n = 0; n < 20; n++) await worker.makeRule(show, [webhook({}, { url: slow.url })], `A slow rule ${n}`);
    for (let n = 0; n < 20; n++) await worker.makeRule(show, [webhook({}, { url: fast })], `Rule ${n}`);
    await worker.publish(show);
    await worker.runExecutions();
    const sending = worker.sendWebhooks();
    await waitFor("the fast receiver has all of its webhooks", () => received.length === 20);
    const places = async () => (await worker.webhooksOf(show)).filter(({ hasPlace }) => hasPlace).length;
    await waitFor("the places of the fast receiver are free", async () => await places() === 6);
    released.resolve();
    await sending;
    await work();
    assert.deepEqual(await worker.webhooksOf(show), []);
    await sql`select private.set_setting('fetch_allowed_hosts', ${receiver.host})`;
  });

  await step("a message sends nothing if the webhook has its result, or does not exist", async () => {
    const { show, rule: { actions: [action] } } = await fire([webhook()]);
    await work();
    const { id, action_results } = await executionOf(show);
    for (
      const [execution_id, action_id] of [[id, action.id], [id, crypto.randomUUID()], [crypto.randomUUID(), action.id]]
    ) {
      await sendWebhookJob.run([{ podcast_id: show.podcastId, execution_id, action_id }], undefined!);
    }
    assert.equal(received.length, 1);
    assert.deepEqual((await executionOf(show)).action_results, action_results);
  });
});
