// Attempts to send an email: what each answer of Resend makes of its delivery, and that none sends it twice.
import assert from "node:assert/strict";
import { assertDelay } from "../wait_for.ts";
import { startEmailDeliveries } from "../mail/email_deliveries.ts";

const deliveries = await startEmailDeliveries();
const { sql, peer, addToTeam, work, deliveryOf, emailOf } = deliveries;
const options = { sanitizeOps: false, sanitizeResources: false }; // the database lives as long as the file

Deno.test(
  "a worker that dies after Resend accepted an email repeats it with the same key and the same bytes",
  options,
  async () => {
    const { user, id } = await addToTeam();
    await sql`
      create function public.die() returns trigger language plpgsql as $$ begin raise 'the worker died'; end $$`;
    await sql`
      create trigger die before update on public.notification_deliveries for each row when (new.status = 'sent')
        execute function public.die()`;
    await work();
    assert.deepEqual(await deliveryOf(id).then(({ status, messageId }) => ({ status, messageId })), {
      status: "queued",
      messageId: null,
    });
    await sql`drop function public.die cascade`;
    await sql`update public.profiles set display_name = 'Changed', locale = 'de' where id = ${user.id}`;
    await sql`update public.episodes set title = 'Changed' where id = ${user.episodeId}`;
    await work();
    const bodies = peer.requests.filter(({ key }) => key === id).map(({ body }) => body);
    assert.equal(bodies.length, 2);
    assert.equal(bodies[0], bodies[1]);
    assert.equal(peer.emails.filter(({ key }) => key === id).length, 1);
    const { status, messageId } = await deliveryOf(id);
    assert.deepEqual([status, messageId], ["sent", emailOf(id).id]);
  },
);

Deno.test("a delivery waits as long as Resend's Retry-After, with the error", options, async () => {
  const { id } = await addToTeam(), began = Date.now();
  peer.setFault(() => "rate_limit");
  await work();
  peer.setFault(() => undefined);
  const [{ wait }] = await sql`
    select extract(epoch from q.vt - clock_timestamp())::float as wait from pgmq.q_email_deliveries q
    where q.message ->> 'delivery_id' = ${id}`;
  assertDelay(wait, 7, began);
  assert.deepEqual(await deliveryOf(id).then(({ status, error }) => [status, error]), [
    "queued",
    "Resend responded 429 rate_limit_exceeded: Too many requests",
  ]);
  await work();
  assert.equal((await deliveryOf(id)).status, "sent");
});

Deno.test(
  "an email that Resend rejects fails its delivery at once, and the error has no address",
  options,
  async () => {
    const { id } = await addToTeam();
    peer.setFault(() => "validation_error");
    await work();
    peer.setFault(() => undefined);
    const { status, error, content } = await deliveryOf(id);
    assert.deepEqual([status, error, content], ["failed", "Resend rejected the email: 422 validation_error", null]);
  },
);

Deno.test("a delivery is sent, without an id, if Resend accepted it earlier with another body", options, async () => {
  const { id } = await addToTeam();
  const { sendByResend } = await import("../../functions/mail/resend.ts");
  const older = {
    to: { name: "", address: "x@people.test" },
    topic: { type: "chat.message", podcast: null, threadId: null },
    subject: "An older layout",
    text: "Hi",
    html: "Hi",
  };
  await sendByResend(older, peer.env.MAIL_FROM, id);
  await work();
  const { status, messageId } = await deliveryOf(id);
  assert.deepEqual([status, messageId], ["sent", null]);
});

Deno.test("retry_failed_deliveries sends the emails of an outage, with the same links", options, async () => {
  await sql`update private.queues set max_attempts = 2 where name = 'email_deliveries'`;
  const { id: lost } = await addToTeam(), { id: accepted, user } = await addToTeam();
  const faults = new Map([[lost, "server_error"], [accepted, "drop_after"]] as const);
  peer.setFault(({ key }) => faults.get(key));
  await work();
  await work();
  peer.setFault(() => "validation_error");
  const { id: rejected } = await addToTeam();
  await work();
  peer.setFault(() => undefined);
  assert.deepEqual((await Promise.all([lost, accepted].map(deliveryOf))).map(({ status, error }) => [status, error]), [
    ["failed", "Resend responded 500 application_error"],
    ["failed", "Resend did not respond (connection failed)"],
  ]);
  const links = emailOf(accepted).html;

  await sql`update public.profiles set display_name = 'Changed' where id = ${user.id}`;
  const [{ result }] = await sql`
    select public.retry_failed_deliveries(now() - interval '1 hour', now() + interval '1 hour', 'email') as result`;
  assert.deepEqual(result, { retriedCount: 2 });
  await sql`select private.enqueue_due_deliveries()`;
  await work();
  const [, second] = peer.requests.filter(({ key }) => key === accepted).slice(-2);
  assert.ok(second.body.includes("Changed"), "the content is that of now");
  const tokens = (html: string) => html.match(/\/email\/\w+\/[\w-]{43}/g);
  assert.deepEqual(tokens(JSON.parse(second.body).html), tokens(links), "the links are those of the first attempts");
  const states = await Promise.all([lost, accepted, rejected].map(deliveryOf));
  assert.deepEqual(states.map(({ status, messageId }) => [status, messageId]), [
    ["sent", emailOf(lost).id],
    ["sent", null], // Resend has it with another content
    ["failed", null],
  ]);
  assert.equal(peer.emails.filter(({ key }) => [lost, accepted].includes(key)).length, 2, "each is accepted once");
});

Deno.test("a delivery of a deleted account is forgotten", options, async () => {
  const { user, id } = await addToTeam();
  await sql`delete from public.podcasts where id = ${user.podcastId}`;
  await sql`delete from auth.users where id = ${user.id}`;
  await work();
  assert.equal(emailOf(id), undefined);
  assert.equal((await sql`select from pgmq.q_email_deliveries where message ->> 'delivery_id' = ${id}`).length, 0);
});

Deno.test({
  name: "the database of the tests of attempts ends",
  ...options,
  fn: () => deliveries[Symbol.asyncDispose](),
});
