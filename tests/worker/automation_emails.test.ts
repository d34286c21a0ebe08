// The emails of automations between their execution and the mail server: each attempt sends the facts of its moment.
import assert from "node:assert/strict";
import { type Show, startAutomationWorker } from "../automations/automation_worker.ts";

Deno.test({ name: "sending automations' emails", sanitizeOps: false, sanitizeResources: false }, async (t) => {
  await using worker = await startAutomationWorker();
  const { sql, mail, receiver, webhook, executionOf, work, passTime, sendEmails } = worker;
  const step = (title: string, run: () => Promise<void>) =>
    t.step(title, async () => {
      await worker.reset();
      mail.setFault(() => undefined);
      await run();
    });

  /** A show whose rule was fired: its actions, then an email to the owner. */
  async function fire(before: object[] = [], fields: { reply_to?: string } = {}) {
    const show = await worker.makeShow();
    const [{ id }] = await sql`
      insert into public.automation_templates (podcast_id, name, subject, body_html)
      values (${show.podcastId}, 'Out', '{episode_title} is out', '<p>Listen</p>') returning id`;
    const email = { action_type: "send_email", action_config: { template_id: id, to: "host" } };
    const rule = await worker.makeRule(show, [...before, email]);
    await sql`update public.automation_rules set reply_to = ${fields.reply_to ?? "host"} where id = ${rule.id}`;
    await worker.publish(show);
    return show;
  }
  const rename = (show: Show, title: string) =>
    sql`update public.episodes set title = ${title} where id = ${show.episodeId}`;
  const emailsTo = ({ email }: Show) => mail.emails.filter(({ to }) => to.some((address) => address.includes(email)));
  const attemptsTo = ({ email }: Show) => mail.requests.filter(({ body }) => body.includes(email));
  const subjectsTo = (show: Show) => emailsTo(show).map(({ subject }) => subject);
  async function recipientsOf(show: Show) {
    const { action_results } = await executionOf(show);
    const { recipients } = action_results.at(-1)!.result as { recipients: { status: string; reason?: string }[] };
    return recipients.map(({ status, reason }) => ({ status, reason }));
  }

  await step("an email has the podcast's title as its sender, and answers go to the owner", async () => {
    const show = await fire();
    await work();
    assert.deepEqual(await recipientsOf(show), [{ status: "sending", reason: undefined }]);
    await sendEmails();
    const [email] = emailsTo(show);
    const [{ title }] = await sql`select title from public.podcasts where id = ${show.podcastId}`;
    const sender = mail.env.MAIL_FROM.replace(/^.*</, `${title} <`);
    assert.deepEqual([email.from, email.reply_to], [sender, show.email]);
    assert.deepEqual(await recipientsOf(show), [{ status: "sent", reason: undefined }]);
  });

  await step("an email of a rule without a reply address has none", async () => {
    const show = await fire([], { reply_to: "none" });
    await work();
    await sendEmails();
    assert.equal(emailsTo(show)[0].reply_to, undefined);
  });

  await step("an email that waited for the hourly limit has the title of now", async () => {
    const show = await fire();
    await sql`insert into private.automation_usage (podcast_id, action_type, used_at, units)
      values (${show.podcastId}, 'send_email', now(), 100)`;
    await work();
    assert.equal((await executionOf(show)).status, "pending");
    await rename(show, "Vienna");
    await sql`delete from private.automation_usage where podcast_id = ${show.podcastId}`;
    await passTime();
    await work();
    await sendEmails();
    assert.deepEqual(subjectsTo(show), ["Vienna is out"]);
  });

  await step("an email behind a webhook that is retried has the title of now, the webhook its first body", async () => {
    receiver.respondWith(() => new Response(null, { status: 503 }));
    const show = await fire([webhook()]);
    await work();
    await rename(show, "Vienna");
    await passTime();
    await work();
    await sendEmails();
    assert.deepEqual(subjectsTo(show), ["Vienna is out"]);
    assert.deepEqual(
      receiver.received.map(({ body }) => JSON.parse(body).data.tags.episode_title),
      ["Paris", "Paris"],
    );
  });

  await step("an email that the server accepted before the connection was lost is sent once", async () => {
    const show = await fire();
    await work();
    mail.setFault(() => "drop_after");
    await sendEmails();
    mail.setFault(() => undefined);
    await sendEmails();
    const [first, second] = attemptsTo(show);
    assert.deepEqual(first, second);
    assert.deepEqual(subjectsTo(show), ["Paris is out"]);
  });

  await step("an attempt after an outage of the mail server has the title of now, under a key of its own", async () => {
    const show = await fire();
    await work();
    mail.setFault(() => "server_error");
    await sendEmails();
    await rename(show, "Vienna");
    mail.setFault(() => undefined);
    await sendEmails();
    const keys = attemptsTo(show).map(({ key }) => key);
    assert.deepEqual(keys, [keys[0], `${keys[0]}/2`]);
    assert.deepEqual(subjectsTo(show), ["Vienna is out"]);
    assert.deepEqual(await recipientsOf(show), [{ status: "sent", reason: undefined }]);
  });

  await step("an email about an episode that was unpublished during an outage is canceled", async () => {
    const show = await fire();
    await work();
    mail.setFault(() => "server_error");
    await sendEmails();
    await sql`update public.episodes set status = 'draft' where id = ${show.episodeId}`;
    mail.setFault(() => undefined);
    await sendEmails();
    assert.deepEqual(subjectsTo(show), []);
    assert.deepEqual(await recipientsOf(show), [
      { status: "canceled", reason: "The episode is no longer published" },
    ]);
  });

  await step("an email that the provider rejects shows as failed, and one that bounces later as bounced", async () => {
    const rejected = await fire(), bounced = await fire();
    await work();
    mail.setFault(({ body }) => body.includes(rejected.email) ? "validation_error" : undefined);
    await sendEmails();
    const [{ id }] = emailsTo(bounced);
    await sql`select private.record_resend_event(gen_random_uuid()::text, ${
      sql.json({ type: "email.bounced", data: { email_id: id, to: [bounced.email], bounce: { type: "Permanent" } } })
    })`;
    assert.deepEqual(await recipientsOf(rejected), [
      { status: "failed", reason: "The mail server could not be reached, or refused the email" },
    ]);
    assert.deepEqual(await recipientsOf(bounced), [
      { status: "bounced", reason: "The address does not receive email" },
    ]);
  });
});
