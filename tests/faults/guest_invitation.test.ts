// Mail servers that reject an invitation: it is sent later, once, with the same token. If it is never accepted, the dead
// letter contains the error, and the team sees that it failed.
import assert from "node:assert/strict";
import { createClient } from "@supabase/supabase-js";
import { asPostgres } from "../database.ts";
import { waitFor } from "../wait_for.ts";
import { type SmtpPeer, startSmtpPeer } from "../mail/smtp_peer.ts";
import { startTestStack } from "../stack.ts";

/** A message in the dead-letter queue. */
interface DeadLetter {
  error: string;
  attempts: number;
}

/** The tokens of the emails that the mail server accepted, or rejected. */
const tokensOf = ({ received }: SmtpPeer, isAccepted: boolean) =>
  received.filter((email) => email.isAccepted === isAccepted).map(({ text }) => /#token=(\S+)/.exec(text)![1]);

Deno.test({
  name: "an invitation that the mail server rejected is sent later with the same token",
  sanitizeOps: false, // smtp-server closes its connections after its reply
  sanitizeResources: false,
  async fn() {
    await using mail = await startSmtpPeer();
    let isBusy = false;
    mail.setFault((address) => address.startsWith("unknown@") ? "unknown_recipient" : isBusy ? "busy" : undefined);
    const accepted = () => tokensOf(mail, true), rejected = () => tokensOf(mail, false);
    await using at = await startTestStack({
      functionsEnv: { SMTP_URL: mail.url },
    });
    await using sql = asPostgres(at);
    await sql`update private.queues set backoff_base = '1 second', backoff_max = '1 second' where name = 'email_deliveries'`;
    const auth = { persistSession: false, autoRefreshToken: false };
    const account = { email: "host@people.test", password: "correct horse" };
    await createClient(at.url, at.secretKey, { auth }).auth.admin.createUser({ ...account, email_confirm: true });
    const host = createClient(at.url, at.publishableKey, { auth });
    await host.auth.signInWithPassword(account);
    const { data: show } = await host.rpc("create_podcast", { title: "Stormy" });
    const { data: pilot } = await host.rpc("create_episode", { podcast_id: show.id, title: "Pilot" });
    const invite = async (email: string) => {
      const guest = { episode_id: pilot.id, email, display_name: "Gus" };
      const { error } = await host.rpc("invite_guest", guest);
      assert.equal(error, null);
      await sql`select private.enqueue_due_deliveries()`; // before cron does
    };
    const statusOf = async (email: string) => {
      const { data } = await host.from("episode_guests").select("email_status, podcast_guests!inner(email)")
        .eq("podcast_guests.email", email).single().throwOnError();
      return data.email_status;
    };
    const resultOf = async (token: string) => {
      const { status, error } = await host.rpc("get_guest_episode", { access_token: token });
      return error?.hint ?? status;
    };

    const deadLetter = (what: string) =>
      waitFor(what, async () => {
        const [dead] = await sql<{ message: DeadLetter }[]>`select message from pgmq.q_email_deliveries_dlq`;
        return dead?.message;
      });

    isBusy = true;
    await invite("gus@guests.test");
    await waitFor("the email is rejected", () => rejected().length > 0);
    assert.deepEqual(accepted(), []);
    isBusy = false;
    await waitFor("the email is accepted", () => accepted().length > 0);
    await waitFor("the guest shows that it was sent", async () => await statusOf("gus@guests.test") === "sent");
    const [token] = accepted();
    assert.equal(accepted().length, 1);
    assert.equal(await resultOf(token), 200);
    for (const other of rejected()) assert.equal(other, token, "each attempt has the same token");

    isBusy = true;
    await sql`update private.queues set max_attempts = 2 where name = 'email_deliveries'`;
    let before = rejected().length;
    await invite("gus@guests.test");
    await deadLetter("the second email to an invited guest is a dead letter");
    assert.equal(rejected().length, before + 2);
    assert.equal(await resultOf(token), 200, "the token of the accepted email stays valid");
    assert.notEqual(rejected().at(-1), token, "another request has another token");
    assert.equal(rejected().at(-2), rejected().at(-1), "its attempts have the same token");
    await sql`select pgmq.purge_queue('email_deliveries_dlq')`;

    before = rejected().length;
    await invite("never@guests.test");
    const message = await deadLetter("the first email to a guest is a dead letter");
    assert.equal(message.attempts, 2);
    assert.match(message.error, /Try again later/);
    assert.equal(rejected().length, before + 2);
    for (const secret of rejected()) assert.ok(!JSON.stringify(message).includes(secret));
    assert.equal(await statusOf("never@guests.test"), "failed");

    // Send failed emails again as docs/operating.md describes
    isBusy = false;
    await sql`select public.retry_failed_deliveries(now() - interval '1 hour', now(), 'email')`;
    await sql`select private.enqueue_due_deliveries()`;
    await waitFor("the re-enqueued email is accepted", () => accepted().length > 1);
    assert.equal(await resultOf(accepted()[1]), 200);

    await sql`select pgmq.purge_queue('email_deliveries_dlq')`;
    await sql`update private.queues set max_attempts = 10 where name = 'email_deliveries'`;
    const recipients = mail.state.recipients;
    await invite("unknown@guests.test");
    const refused = await deadLetter("a permanently rejected email is a dead letter");
    assert.match(
      refused.error,
      /No such mailbox <address>/,
      "the error contains the server's reply without the address",
    );
    assert.deepEqual(
      [refused.attempts, mail.state.recipients - recipients],
      [1, 1],
      "a permanent rejection is not retried",
    );

    await sql`select pgmq.purge_queue('email_deliveries_dlq')`;
    await sql`update private.queues set max_attempts = 2 where name = 'email_deliveries'`;
    mail.state.isClosed = true;
    await invite("late@guests.test");
    const { error, attempts } = await deadLetter("an email that requires authentication is a dead letter");
    assert.match(error, /Log in first/);
    assert.equal(attempts, 2, "an authentication error is retried");
  },
});
