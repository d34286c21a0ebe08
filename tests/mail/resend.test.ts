// Resend's API: what is sent, what counts as sent, and which errors are permanent.
import assert from "node:assert/strict";
import { UNREACHABLE_ENV, withEnvironment } from "../environment.ts";
import { type Fault, startResendPeer } from "./resend_peer.ts";

const peer = startResendPeer();
const { sendEmail } = await withEnvironment(
  { ...UNREACHABLE_ENV, ...peer.env },
  () => import("../../functions/mail/send_email.ts"),
);
const { sendByResend } = await import("../../functions/mail/resend.ts");
const { PermanentError, RetryAfterError } = await import("../../functions/runtime/job_run.ts");
addEventListener("unload", () => void peer[Symbol.asyncDispose]());

const email = {
  to: { name: "Gus", address: "gus@guests.test" },
  topic: { type: "chat.message", podcast: null, threadId: null },
  subject: "Hello",
  text: "A secret text",
  html: "<p>A secret text</p>",
};
const newKey = () => crypto.randomUUID();

/** The error of an attempt that the peer meets with this fault. */
async function errorWith(fault: Fault, key = newKey()): Promise<Error & { seconds?: number }> {
  peer.setFault(() => fault);
  try {
    await sendByResend(email, peer.env.MAIL_FROM, key, 300);
  } catch (error) {
    assert.ok(!(error as Error).message.match(/gus@|secret/i), `the error has no address: ${(error as Error).message}`);
    return error as Error;
  } finally {
    peer.setFault(() => undefined);
  }
  throw new Error("The email was sent");
}

const options = { sanitizeOps: false, sanitizeResources: false }; // the peer lives as long as the file

Deno.test("an email by Resend has the name of its sender and the address of the service", options, async () => {
  for (
    const [fromName, from] of [
      [undefined, "Casts <casts@mail.test>"],
      ["Nächte & Züge, Inc.", "Nächte Züge Inc <casts@mail.test>"],
      ["Eve <eve@evil.test>", "Eve eve evil test <casts@mail.test>"],
      ["!", "casts@mail.test"],
    ]
  ) {
    await sendEmail({ ...email, fromName }, newKey());
    assert.equal(peer.emails.at(-1)!.from, from);
  }
});

Deno.test("sendEmail sends all parts of an email by Resend and returns its id", options, async () => {
  const key = newKey();
  const id = await sendEmail({
    ...email,
    to: { name: `Gus, "the" <b>Guest</b>`, address: "gus@guests.test" },
    replyTo: "host@people.test",
    headers: { "List-Unsubscribe": "<https://casts.test/u>" },
    attachments: [{ filename: "a/b.ics", contentType: "text/calendar; method=REQUEST", content: "BEGIN:VCALENDAR ä" }],
  }, key);
  const sent = peer.emails.at(-1)!;
  assert.deepEqual({ ...sent, id: undefined }, {
    id: undefined,
    key,
    from: "Casts <casts@mail.test>",
    to: ["Gus the b Guest b <gus@guests.test>"],
    subject: "Hello",
    text: email.text,
    html: email.html,
    reply_to: "host@people.test",
    headers: { "List-Unsubscribe": "<https://casts.test/u>", "Auto-Submitted": "auto-generated" },
    attachments: [{
      filename: "a_b.ics",
      content: btoa(String.fromCharCode(...new TextEncoder().encode("BEGIN:VCALENDAR ä"))),
      content_type: "text/calendar; method=REQUEST",
    }],
  });
  assert.equal(id, sent.id);
  assert.equal(
    await sendEmail({ ...email, to: { name: "()", address: "gus@guests.test" } }, newKey()),
    peer.emails.at(-1)!.id,
  );
  assert.deepEqual(peer.emails.at(-1)!.to, ["gus@guests.test"], "a name without letters is left out");
});

Deno.test(
  "sendEmail repeats an email under its key: Resend sends it once and returns the same id",
  options,
  async () => {
    const key = newKey(), before = peer.emails.length;
    const ids = [await sendEmail(email, key), await sendEmail(email, key)];
    assert.equal(ids[0], ids[1]);
    assert.equal(peer.emails.length, before + 1);
  },
);

Deno.test("sendEmail counts a key that was used for another body as sent, without an id", options, async () => {
  const key = newKey();
  await sendEmail(email, key);
  assert.equal(await sendEmail({ ...email, subject: "Another" }, key), null);
});

Deno.test("an email that Resend accepted before the connection was lost is sent once", options, async () => {
  const key = newKey(), before = peer.emails.length;
  await errorWith("drop_after", key);
  await errorWith("long_response", key);
  assert.equal(await sendByResend(email, peer.env.MAIL_FROM, key), peer.emails.at(-1)!.id);
  assert.equal(peer.emails.length, before + 1);
});

Deno.test("sendEmail waits while Resend is busy for a moment, and throws after five tries", options, async () => {
  const key = newKey(), busy = [true, true];
  peer.setFault(() => busy.pop() ? "busy" : undefined);
  assert.equal(await sendEmail(email, key), peer.emails.at(-1)!.id);
  assert.equal(peer.requests.filter((request) => request.key === key).length, 3);
  const error = await errorWith("busy");
  assert.equal(error.message, "Resend responded 429 rate_limit_exceeded: Too many requests");
  assert.equal(peer.requests.filter((request) => request.key === peer.requests.at(-1)!.key).length, 5);
});

Deno.test("Resend's errors are permanent for recipient and content only", options, async () => {
  const expected: [Fault, string][] = [
    ["validation_error", "PermanentError: Resend rejected the email: 422 validation_error"],
    ["rate_limit", "RetryAfterError: Resend responded 429 rate_limit_exceeded: Too many requests"],
    ["quota", "Error: Resend responded 429 daily_quota_exceeded: You have reached your daily quota"],
    ["server_error", "Error: Resend responded 500 application_error"],
    [
      "concurrent",
      "Error: Resend responded 409 concurrent_idempotent_requests: Another request with this key is in progress",
    ],
    ["hang", "Error: Resend did not respond (timeout)"],
    ["lost_before", "Error: Resend did not respond (connection failed)"],
  ];
  for (const [fault, message] of expected) {
    const error = await errorWith(fault);
    const name = error instanceof PermanentError
      ? "PermanentError"
      : error instanceof RetryAfterError
      ? "RetryAfterError"
      : "Error";
    assert.equal(`${name}: ${error.message}`, message);
  }
  assert.equal((await errorWith("rate_limit")).seconds, 7);
});
