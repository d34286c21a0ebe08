// Mail servers that refuse: the invitation comes later, once, with a token of its own; and when it never comes, the
// dead-letter queue says why.
import assert from "node:assert/strict";
import { Buffer } from "node:buffer";
import type { AddressInfo } from "node:net";
import { createClient } from "@supabase/supabase-js";
import PostalMime from "postal-mime";
import { SMTPServer } from "smtp-server";
import { asPostgres, waitFor } from "../local/services.ts";
import { startTestStack } from "../stack.ts";

/** A message that was given up. */
interface Dead {
  error: string;
  attempts: number;
}

/**
 * A mail server that takes what comes while it is `well`, and else refuses what it was sent. It never knows `nobody`,
 * and nothing of ours while it is `closed`.
 */
async function mailServer() {
  const state = { well: true, taken: [] as string[], refused: [] as string[], unknown: 0, closed: false };
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
      if (!address.startsWith("nobody@")) return done();
      state.unknown++;
      done(Object.assign(new Error(`No such mailbox <${address}>`), { responseCode: 550 }));
    },
    onData(stream, _session, done) {
      const chunks: Uint8Array[] = [];
      stream.on("data", (chunk: Uint8Array) => chunks.push(chunk));
      stream.on("end", async () => {
        const { text } = await PostalMime.parse(Buffer.concat(chunks));
        (state.well ? state.taken : state.refused).push(/#token=(\S+)/.exec(text!)![1]);
        done(state.well ? null : Object.assign(new Error("Try again later"), { responseCode: 451 }));
      });
    },
  });
  await new Promise<void>((resolve) => server.listen(0, "127.0.0.1", resolve));
  return {
    state,
    url: `smtp://127.0.0.1:${(server.server.address() as AddressInfo).port}`,
    [Symbol.asyncDispose]: () =>
      new Promise<void>((resolve) => {
        const awake = setInterval(() => {}, 1000); // its own timer lets the process end in the middle
        server.close(() => {
          clearInterval(awake);
          resolve();
        });
      }),
  };
}

Deno.test({
  name: "An invitation that the mail server refused is mailed when it takes mail again, with the only token that opens",
  sanitizeOps: false, // smtp-server closes its connections behind its answer
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
    const opens = async (token: string) => {
      const { status, error } = await host.rpc("get_guest_episode", { access_token: token });
      return error?.hint ?? status;
    };

    const givenUp = (what: string) =>
      waitFor(what, async () => {
        const [dead] = await sql<{ message: Dead }[]>`select message from pgmq.q_guest_invitations_dlq`;
        return dead?.message;
      });

    mail.state.well = false;
    await invite("gus@guests.test");
    await waitFor("the mail is refused", () => mail.state.refused.length > 0);
    assert.deepEqual(mail.state.taken, []);
    mail.state.well = true;
    await waitFor("the mail is taken", () => mail.state.taken.length > 0);
    await waitFor("the job is done", async () => !(await sql`select from pgmq.q_guest_invitations`).length);
    const [token] = mail.state.taken;
    assert.equal(mail.state.taken.length, 1);
    assert.equal(await opens(token), 200);
    for (const refused of mail.state.refused) assert.equal(await opens(refused), "INVALID");

    mail.state.well = false;
    await sql`update private.queues set max_attempts = 2 where name = 'guest_invitations'`;
    let before = mail.state.refused.length;
    await invite("gus@guests.test");
    await givenUp("another mail to who is in");
    assert.equal(mail.state.refused.length, before + 2);
    assert.equal(await opens(token), 200, "the mail that they have still lets them in");
    assert.equal(await opens(mail.state.refused.at(-2)!), "INVALID", "a try that another one followed does not");
    await sql`select pgmq.purge_queue('guest_invitations_dlq')`;

    before = mail.state.refused.length;
    await invite("never@guests.test");
    const given = await givenUp("the mail to who is not");
    assert.equal(given.attempts, 2);
    assert.match(given.error, /Try again later/);
    assert.equal(mail.state.refused.length, before + 2);
    for (const secret of mail.state.refused) assert.ok(!JSON.stringify(given).includes(secret));
    assert.equal((await sql`select from private.guest_invitations where sent_at is null`).length, 2);

    // As docs/operating.md has it: what was given up is tried again
    mail.state.well = true;
    await sql`select private.enqueue('guest_invitations', message -> 'message') from pgmq.q_guest_invitations_dlq`;
    await waitFor("the mail is taken at last", () => mail.state.taken.length > 1);
    assert.equal(await opens(mail.state.taken[1]), 200);

    await sql`select pgmq.purge_queue('guest_invitations_dlq')`;
    await sql`update private.queues set max_attempts = 10 where name = 'guest_invitations'`;
    await invite("nobody@guests.test");
    const refused = await givenUp("the mail that is refused for good");
    assert.match(refused.error, /No such mailbox <address>/, "what the server says of it, and not of whom");
    assert.deepEqual([refused.attempts, mail.state.unknown], [1, 1], "after the first try");

    await sql`select pgmq.purge_queue('guest_invitations_dlq')`;
    await sql`update private.queues set max_attempts = 2 where name = 'guest_invitations'`;
    mail.state.closed = true;
    await invite("late@guests.test");
    const { error, attempts } = await givenUp("the mail that we may not send");
    assert.match(error, /Log in first/);
    assert.equal(attempts, 2, "what is ours to put right is tried again");
  },
});
