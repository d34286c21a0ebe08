// Emails by SMTP, as the server receives them.
import assert from "node:assert/strict";
import PostalMime from "postal-mime";
import { openInbox } from "../../local/mail/inbox.ts";
import { startSmtp } from "../../local/mail/smtp.ts";
import { UNREACHABLE_ENV, withEnvironment } from "../environment.ts";
import { folderOfFile } from "../temporary_folder.ts";

const inbox = await openInbox(await folderOfFile("castbase-inbox-"));
const server = await startSmtp(inbox, 0);
const { sendEmail } = await withEnvironment(
  { ...UNREACHABLE_ENV, SMTP_URL: `smtp://127.0.0.1:${server.port}`, MAIL_FROM: "Casts <casts@mail.test>" },
  () => import("../../functions/mail/send_email.ts"),
);
const options = { sanitizeOps: false, sanitizeResources: false }; // the server lives as long as the file

const email = {
  to: { name: "Gus", address: "gus@guests.test" },
  topic: { type: "chat.message", podcast: null, threadId: null },
  subject: "Hello",
  text: "Hi",
  html: "<p>Hi</p>",
};

async function receive(changes: object, key = crypto.randomUUID() as string) {
  const id = await sendEmail({ ...email, ...changes }, key);
  const { raw } = inbox.get("latest")!;
  return { id, raw: new TextDecoder().decode(raw), parsed: await PostalMime.parse(raw) };
}

Deno.test("an email by SMTP has the name of its sender and the address of the service", options, async () => {
  for (
    const [fromName, name] of [
      [undefined, "Casts"],
      ["", "Casts"],
      ["Nächte & Züge, Inc.", "Nächte & Züge, Inc."],
      ["Eve <eve@evil.test>", "Eve eve evil.test"],
      ["A\r\nBcc: eve@evil.test", "A Bcc: eve evil.test"],
      ["x".repeat(100), `${"x".repeat(59)}…`],
    ]
  ) {
    const { parsed } = await receive({ fromName });
    assert.deepEqual({ ...parsed.from }, { address: "casts@mail.test", name });
    assert.deepEqual(parsed.bcc ?? [], []);
  }
});

Deno.test("sendEmail sends headers and attachments by SMTP", options, async () => {
  const { id, parsed } = await receive({
    replyTo: "host@people.test",
    headers: { "List-Unsubscribe": "<https://casts.test/u>", "List-Unsubscribe-Post": "List-Unsubscribe=One-Click" },
    attachments: [{
      filename: "invite.ics",
      contentType: "text/calendar; method=REQUEST",
      content: "BEGIN:VCALENDAR ä",
    }],
  });
  const header = (key: string) => parsed.headers.filter((one) => one.key === key).map(({ value }) => value);
  assert.deepEqual(parsed.replyTo?.map(({ address }) => address), ["host@people.test"]);
  assert.deepEqual(header("list-unsubscribe"), ["<https://casts.test/u>"]);
  assert.deepEqual(header("list-unsubscribe-post"), ["List-Unsubscribe=One-Click"]);
  assert.equal(parsed.messageId, id);
  assert.match(id!, /^<[0-9a-f]{40}@mail\.test>$/);
  assert.deepEqual(
    parsed.attachments.map(({ filename, mimeType, method, disposition }) => [filename, mimeType, method, disposition]),
    [[null, "text/calendar", "REQUEST", null], ["invite.ics", "application/ics", undefined, "attachment"]],
  );
  for (const { content } of parsed.attachments) {
    assert.equal(new TextDecoder().decode(content as ArrayBuffer).trimEnd(), "BEGIN:VCALENDAR ä");
  }
});

Deno.test(
  "sendEmail repeats an email by SMTP with the same Message-ID and the same bytes but the date",
  options,
  async () => {
    const attachments = [{ filename: "invite.ics", contentType: "text/calendar; method=CANCEL", content: "ä" }];
    const [first, second, other] = [
      await receive({ attachments }, "key"),
      await receive({ attachments }, "key"),
      await receive({ attachments }, "another"),
    ];
    const undated = (raw: string) => raw.replace(/^Date: .*$/m, "");
    assert.equal(undated(first.raw), undated(second.raw));
    assert.notEqual(first.id, other.id);
  },
);

Deno.test("no text of an email by SMTP becomes a header, a recipient or an encoded word", options, async () => {
  const hostile = "Hi\r\nBcc: eve@evil.test\u2028X: y\u0000 =?utf-8?B?QmNj?= \u202etxt\r\n\r\nbody";
  const { raw, parsed } = await receive({
    to: { name: `${hostile}, "x" <eve@evil.test>`, address: "gus@guests.test" },
    subject: hostile,
    replyTo: "host@people.test\r\nBcc: eve@evil.test",
    attachments: [{ filename: `../${hostile}`, contentType: "text/html\r\nX-Evil: 1", content: "x" }],
  });
  assert.deepEqual(inbox.get("latest")!.recipients, ["gus@guests.test"]);
  assert.deepEqual(parsed.to?.map(({ address }) => address), ["gus@guests.test"]);
  assert.equal(parsed.subject, "Hi Bcc: eve@evil.test X: y = ?utf-8?B?QmNj?= txt body");
  assert.equal(parsed.replyTo, undefined);
  assert.doesNotMatch(raw.replace(/\r\n[ \t]/g, ""), /^(Bcc|X|X-Evil|body)\b/m);
  assert.equal(parsed.attachments[0].mimeType, "application/octet-stream");
  assert.doesNotMatch(parsed.attachments[0].filename!, /[/\\\r\n]/);
});

Deno.test("an email by SMTP names its thread, its podcast and its kind", options, async () => {
  const podcast = {
    id: "7e8b0e4a-0000-4000-8000-000000000001",
    title: "Nachtzüge\r\nBcc: eve@evil.test <x@evil.test>",
  };
  const { raw, parsed } = await receive({ topic: { type: "chat.message", podcast, threadId: "abc" } });
  const header = (name: string) => parsed.headers.filter(({ key }) => key === name).map(({ value }) => value);
  assert.deepEqual(header("references"), ["<thread.abc@mail.test>"]);
  assert.deepEqual(header("in-reply-to"), ["<thread.abc@mail.test>"]);
  assert.deepEqual(header("feedback-id"), [`chat.message:${podcast.id}::castbase`]);
  assert.match(header("list-id")[0], new RegExp(`\\?= <${podcast.id}\\.podcasts\\.mail\\.test>$`));
  assert.doesNotMatch(raw, /^Bcc/m);
  assert.ok(raw.split("\r\n").every((line) => line.length <= 200));
});

Deno.test("a long subject and name by SMTP are cut", options, async () => {
  const { parsed } = await receive({
    subject: "ä".repeat(5000),
    to: { name: "n".repeat(5000), address: email.to.address },
  });
  assert.equal(parsed.subject!.length, 250);
  assert.equal(parsed.to![0].name.length, 100);
});

Deno.test({ name: "the SMTP server of these tests ends", ...options, fn: () => server.close() });
