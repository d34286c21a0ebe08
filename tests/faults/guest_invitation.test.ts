// Mail servers that reject an invitation: it is sent later, once, with the same token. If it is never accepted, the dead
// letter contains the error.
import assert from "node:assert/strict";
import { Buffer } from "node:buffer";
import type { AddressInfo } from "node:net";
import { createClient } from "@supabase/supabase-js";
import PostalMime from "postal-mime";
import { SMTPServer } from "smtp-server";
import { asPostgres, waitFor } from "../local/services.ts";
import { startTestStack } from "../stack.ts";

/** A message in the dead-letter queue. */
interface DeadLetter {
  error: string;
  attempts: number;
}

/**
 * A mail server that accepts messages while it is `available`, and returns a temporary error if not. It rejects the
 * mailbox `unknown@` permanently, and every sender while it is `closed`.
 */
async function mailServer() {
  const state = {
    available: true,
    accepted: [] as string[],
    rejected: [] as string[],
    unknownMailboxes: 0,
    closed: false,
  };
  const server = new SMTPServer({
    authOptional: true,
    disabledCommands: ["STARTTLS"],
    disableReverseLookup: true,
    logger: false,
    closeTimeout: 500,
    onMailFrom(_address, _session, done) {
      done(state.closed ? Object.assign(new Error("Log in first"), { responseCode: 530 }) : null);
    },
    onRcptTo({ address }, _session, done) {
      if (!address.startsWith("unknown@")) return done();
      state.unknownMailboxes++;
      done(Object.assign(new Error(`No such mailbox <${address}>`), { responseCode: 550 }));
    },
    onData(stream, _session, done) {
      const chunks: Uint8Array[] = [];
      stream.on("data", (chunk: Uint8Array) => chunks.push(chunk));
      stream.on("end", async () => {
        const { text } = await PostalMime.parse(Buffer.concat(chunks));
        (state.available ? state.accepted : state.rejected).push(/#token=(\S+)/.exec(text!)![1]);
        done(state.available ? null : Object.assign(new Error("Try again later"), { responseCode: 451 }));
      });
    },
  });
  await new Promise<void>((resolve) => server.listen(0, "127.0.0.1", resolve));
  return {
    state,
    url: `smtp://127.0.0.1:${(server.server.address() as AddressInfo).port}`,
    [Symbol.asyncDispose]: () =>
      new Promise<void>((resolve) => {
        const awake = setInterval(() => {}, 1000); // its own timer does not keep the process alive
        server.close(() => {
          clearInterval(awake);
          resolve();
        });
      }),
  };
}

Deno.test({
  name: "an invitation that the mail server rejected is sent later with the same token",
  sanitizeOps: false, // smtp-server closes its connections after its reply
  sanitizeResources: false,
  async fn() {
    await using mail = await mailServer();
    await using at = await startTestStack({
      functionsEnv: { SMTP_URL: mail.url },
    });
    await using sql = asPostgres(at);
    await sql`update private.queues set backoff_base = '1 second', backoff_max = '1 second' where name = 'guest_invitations'`;
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
    };
    const resultOf = async (token: string) => {
      const { status, error } = await host.rpc("get_guest_episode", { access_token: token });
      return error?.hint ?? status;
    };

    const deadLetter = (what: string) =>
      waitFor(what, async () => {
        const [dead] = await sql<{ message: DeadLetter }[]>`select message from pgmq.q_guest_invitations_dlq`;
        return dead?.message;
      });

    mail.state.available = false;
    await invite("gus@guests.test");
    await waitFor("the email is rejected", () => mail.state.rejected.length > 0);
    assert.deepEqual(mail.state.accepted, []);
    mail.state.available = true;
    await waitFor("the email is accepted", () => mail.state.accepted.length > 0);
    await waitFor("the message is processed", async () => !(await sql`select from pgmq.q_guest_invitations`).length);
    const [token] = mail.state.accepted;
    assert.equal(mail.state.accepted.length, 1);
    assert.equal(await resultOf(token), 200);
    for (const rejected of mail.state.rejected) assert.equal(rejected, token, "each attempt has the same token");

    mail.state.available = false;
    await sql`update private.queues set max_attempts = 2 where name = 'guest_invitations'`;
    let before = mail.state.rejected.length;
    await invite("gus@guests.test");
    await deadLetter("the second email to an invited guest is a dead letter");
    assert.equal(mail.state.rejected.length, before + 2);
    assert.equal(await resultOf(token), 200, "the token of the accepted email stays valid");
    assert.notEqual(mail.state.rejected.at(-1), token, "another request has another token");
    assert.equal(mail.state.rejected.at(-2), mail.state.rejected.at(-1), "its attempts have the same token");
    await sql`select pgmq.purge_queue('guest_invitations_dlq')`;

    before = mail.state.rejected.length;
    await invite("never@guests.test");
    const message = await deadLetter("the first email to a guest is a dead letter");
    assert.equal(message.attempts, 2);
    assert.match(message.error, /Try again later/);
    assert.equal(mail.state.rejected.length, before + 2);
    for (const secret of mail.state.rejected) assert.ok(!JSON.stringify(message).includes(secret));
    assert.equal((await sql`select from private.guest_invitations where sent_at is null`).length, 2);

    // Re-enqueue a dead letter as docs/operating.md describes
    mail.state.available = true;
    await sql`select private.enqueue('guest_invitations', message -> 'message') from pgmq.q_guest_invitations_dlq`;
    await waitFor("the re-enqueued email is accepted", () => mail.state.accepted.length > 1);
    assert.equal(await resultOf(mail.state.accepted[1]), 200);

    await sql`select pgmq.purge_queue('guest_invitations_dlq')`;
    await sql`update private.queues set max_attempts = 10 where name = 'guest_invitations'`;
    await invite("unknown@guests.test");
    const refused = await deadLetter("a permanently rejected email is a dead letter");
    assert.match(
      refused.error,
      /No such mailbox <address>/,
      "the error contains the server's reply without the address",
    );
    assert.deepEqual([refused.attempts, mail.state.unknownMailboxes], [1, 1], "a permanent rejection is not retried");

    await sql`select pgmq.purge_queue('guest_invitations_dlq')`;
    await sql`update private.queues set max_attempts = 2 where name = 'guest_invitations'`;
    mail.state.closed = true;
    await invite("late@guests.test");
    const { error, attempts } = await deadLetter("an email that requires authentication is a dead letter");
    assert.match(error, /Log in first/);
    assert.equal(attempts, 2, "an authentication error is retried");
  },
});
