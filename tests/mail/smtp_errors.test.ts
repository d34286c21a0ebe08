// What an error of the mail server means: another attempt, or a permanent rejection.
import assert from "node:assert/strict";
import { UNREACHABLE_ENV, withEnvironment } from "../environment.ts";
import { type SmtpFault, startSmtpPeer } from "./smtp_peer.ts";

const peer = await startSmtpPeer();
const options = { sanitizeOps: false, sanitizeResources: false }; // the server lives as long as the file
const { sendEmail, PermanentError } = await withEnvironment(
  {
    ...UNREACHABLE_ENV,
    SMTP_URL: peer.url.replace("//", "//castbase:of%20the%20peer@"),
    MAIL_FROM: "Casts <casts@mail.test>",
  },
  async () => ({
    ...await import("../../functions/mail/send_email.ts"),
    ...await import("../../functions/runtime/job_run.ts"),
  }),
);

const send = (key: string) =>
  sendEmail({
    to: { name: "Gus", address: "gus@guests.test" },
    topic: { type: "chat.message", podcast: null, threadId: null },
    subject: "Hello",
    text: "Hi",
    html: "<p>Hi</p>",
  }, key)
    .then(() => "sent", (error: Error) => ({
      isPermanent: error instanceof PermanentError,
      message: `${error.message}: ${(error.cause as Error)?.message}`,
    }));

const ERRORS: [SmtpFault | "closed", boolean, RegExp][] = [
  ["unknown_recipient", true, /^The mail server permanently rejected the email: .*550 No such mailbox <address>/],
  ["rejected_content", true, /^The mail server permanently rejected the email: .*554 Message rejected/],
  ["busy_recipient", false, /450 Mailbox busy <address>/],
  ["busy", false, /451 Try again later/],
  ["closed", false, /530 Log in first/],
  ["lost_before", false, /closed|ended|ECONNRESET/i],
];
for (const [fault, isPermanent, message] of ERRORS) {
  Deno.test(
    `an SMTP server that answers "${fault}" is ${isPermanent ? "not asked" : "asked"} again`,
    options,
    async () => {
      peer.state.isClosed = fault === "closed";
      peer.setFault(() => fault === "closed" ? undefined : fault);
      const result = await send(fault);
      peer.state.isClosed = false;
      peer.setFault(() => undefined);
      assert.ok(typeof result === "object", fault);
      assert.equal(result.isPermanent, isPermanent);
      assert.match(result.message, message);
    },
  );
}

Deno.test("an SMTP server that no longer accepts the password is asked again", options, async () => {
  assert.equal(await send("accepted password"), "sent");
  peer.passwords.delete("of the peer");
  const result = await send("former password");
  peer.passwords.add("of the peer");
  assert.ok(typeof result === "object" && !result.isPermanent);
  assert.match(result.message, /535 .*Authentication failed/);
});

Deno.test(
  "an email whose connection was lost after it was accepted is repeated with its Message-ID",
  options,
  async () => {
    peer.setFault(() => "drop_after");
    const before = peer.received.length, lost = await send("accepted");
    assert.ok(typeof lost === "object" && !lost.isPermanent);
    peer.setFault(() => undefined);
    assert.equal(await send("accepted"), "sent");
    const [first, second] = peer.received.slice(before);
    assert.deepEqual([first.isAccepted, first], [true, second]);
  },
);

Deno.test({ name: "the mail server of these tests ends", ...options, fn: () => peer[Symbol.asyncDispose]() });
