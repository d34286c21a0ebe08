// Addresses that the mail server does not have: suppressed, as after a bounce that a provider reports.
import assert from "node:assert/strict";
import type { Job } from "../../functions/worker/job.ts";
import { timeBudget } from "../../functions/worker/run_limits.ts";
import { createFeedDatabase, makePodcast } from "../feed_writer/feed_database.ts";
import { type SmtpFault, type SmtpReply, startSmtpPeer } from "./smtp_peer.ts";

const peer = await startSmtpPeer();
const database = await createFeedDatabase(undefined, { SMTP_URL: peer.url, MAIL_FROM: "Casts <casts@mail.test>" });
const { sql } = database;
const { drain } = await import("../../functions/worker/loop.ts");
const { sendEmailDeliveryJob } = await import("../../functions/worker/jobs/send_email_delivery.ts");
const { sendEmailConfirmationJob } = await import("../../functions/worker/jobs/send_email_confirmation.ts");
const { sendEmail } = await import("../../functions/mail/send_email.ts");
const options = { sanitizeOps: false, sanitizeResources: false }; // the database lives as long as the file

const podcastId = await makePodcast(sql);
const [{ owner_id: ownerId }] = await sql`select owner_id from public.podcasts where id = ${podcastId}`;
let people = 0;

const reply = (command: "RCPT TO" | "DATA", code: number, text: string) => ({ command, code, text });

/** Suppressions of an address, as reason and detail. */
const suppressionsOf = async (email: string) =>
  (await sql`select reason, detail from private.email_suppressions where digest = private.email_digest(${email})
    order by created_at, reason desc`)
    .map(({ reason, detail }) => [reason, detail]);

/** Sends an email that the owner caused to a new address. */
async function send(fault: SmtpFault | SmtpReply) {
  const email = `gus-${++people}@guests.test`;
  peer.setFault(() => fault);
  await sql`insert into private.email_recipients (sender_id, digest, first_email_at)
    values (${ownerId}, private.email_digest(${email}), now())`;
  await sql`select private.notify('automation.email', ${sql.json([{ email, sender_id: ownerId }])},
    ${sql.json({ podcast_id: podcastId })})`;
  await sql`select private.enqueue_due_deliveries()`;
  await sql`update pgmq.q_email_deliveries set vt = now() - interval '1 second'`;
  await drain(sendEmailDeliveryJob as Job, timeBudget(60_000));
  const [{ status, error, content, bounced }] = await sql`
    select d.status, s.last_error as error, s.content,
      exists (select from private.email_recipients r
        where r.digest = private.email_digest(a.email) and r.bounced_at is not null) as bounced
    from private.delivery_addresses a join public.notification_deliveries d on d.id = a.delivery_id
    join private.delivery_sends s on s.delivery_id = d.id where a.email = ${email}`;
  return { email, status, error, content, bounced, suppressions: await suppressionsOf(email) };
}

const REJECTIONS: [string, SmtpReply, string][] = [
  ["550 5.1.1 at RCPT TO", reply("RCPT TO", 550, "5.1.1 No such user"), "550 5.1.1 No such user <address>"],
  ["550 5.1.1 after the content", reply("DATA", 550, "5.1.1 No such user"), "550 5.1.1 No such user"],
  ["551 5.1.6", reply("RCPT TO", 551, "5.1.6 User has moved"), "551 5.1.6 User has moved <address>"],
  ["553 5.1.3", reply("RCPT TO", 553, "5.1.3 Bad address"), "553 5.1.3 Bad address <address>"],
  ["550 5.1.10", reply("RCPT TO", 550, "5.1.10 No mail here"), "550 5.1.10 No mail here <address>"],
];
for (const [what, fault, answer] of REJECTIONS) {
  Deno.test(`${what} suppresses the address and its delivery bounces`, options, async () => {
    const { status, error, content, bounced, suppressions } = await send(fault);
    assert.deepEqual({ status, content, bounced }, { status: "bounced", content: null, bounced: true });
    assert.deepEqual(suppressions, [["bounce", error]]);
    assert.ok(error.startsWith("The mail server rejected the address (") && error.endsWith(`: ${answer})`), error);
  });
}

const OTHERS: [string, SmtpFault | SmtpReply][] = [
  ["550 without an enhanced code", "unknown_recipient"],
  ["550 5.7.1 about a policy", reply("RCPT TO", 550, "5.7.1 Blocked")],
  ["550 5.1.8 about the sender", reply("RCPT TO", 550, "5.1.8 Bad sender")],
  ["552 5.2.2 about a full mailbox", reply("RCPT TO", 552, "5.2.2 Over quota")],
  ["554 5.1.1 of another code", reply("RCPT TO", 554, "5.1.1 Refused")],
];
for (const [what, fault] of OTHERS) {
  Deno.test(`${what} fails the delivery and suppresses nothing`, options, async () => {
    const { status, bounced, suppressions } = await send(fault);
    assert.deepEqual({ status, bounced, suppressions }, { status: "failed", bounced: false, suppressions: [] });
  });
}

Deno.test("a rejected address without a delivery, such as that of a code, is suppressed", options, async () => {
  peer.setFault(() => reply("RCPT TO", 550, "5.1.1 No such user"));
  const email = {
    to: { name: "", address: "Code@Guests.test" },
    topic: { type: "chat.message", podcast: null, threadId: null },
    subject: "Code",
    text: "123456",
    html: "123456",
  };
  await assert.rejects(sendEmail(email, "code"), /^AddressRejectedError|rejected the address/);
  assert.equal((await suppressionsOf("code@guests.test")).length, 1);
});

Deno.test("an address that rejects its confirmation stays suppressed", options, async () => {
  const [{ email }] = await sql<{ email: string }[]>`select email from auth.users where id = ${ownerId}`;
  await sql`select private.suppress_email(private.email_digest(${email}), 'complaint')`;
  await sql`
    select private.request_email_confirmation()
    from (select set_config('request.jwt.claims', ${JSON.stringify({ sub: ownerId })}, true) offset 0) claims`;
  peer.setFault(() => reply("RCPT TO", 550, "5.1.1 No such user"));
  await drain(sendEmailConfirmationJob as Job, timeBudget(60_000));
  assert.deepEqual((await suppressionsOf(email)).map(([reason]) => reason), ["complaint", "bounce"]);
  const [{ count }] = await sql`select count(*)::int from pgmq.q_email_confirmations`;
  assert.equal(count, 0);
});

Deno.test({
  name: "the database of the tests of rejected addresses ends",
  ...options,
  async fn() {
    await database[Symbol.asyncDispose]();
    await peer[Symbol.asyncDispose]();
  },
});
