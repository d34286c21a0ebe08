import nodemailer from "nodemailer";
import { deepStrictEqual as equal, match, ok, rejects } from "node:assert";
import { createClient } from "@supabase/supabase-js";
import { startMail } from "../../../local/mail/server.ts";
import { stack } from "../../stack.ts";
import { within } from "../../wait_for.ts";

const server = await stack();

/** The SMTP server and client leave timers behind for closed connections. */
const test = (name: string, fn: () => Promise<void>) =>
  Deno.test({ name, fn, sanitizeOps: false, sanitizeResources: false });

/** An inbox of the test's own, so that other tests do not see its emails. */
async function ownInbox(folder?: string) {
  const kept = folder ?? await Deno.makeTempDir({ prefix: "castbase-mails-" });
  const mail = await startMail({ folder: kept, from: "Ann <ann@x.test>", smtpPort: 0 });
  const transport = nodemailer.createTransport({ host: "127.0.0.1", port: mail.smtpPort, ignoreTLS: true });
  const fetchInbox = (path: string, init?: RequestInit) => mail.web(new Request("http://127.0.0.1" + path, init));
  return {
    ...mail,
    folder: kept,
    transport,
    fetchInbox,
    // deno-lint-ignore no-explicit-any
    json: async (path: string): Promise<any> => await (await fetchInbox(path)).json(),
    async [Symbol.asyncDispose]() {
      transport.close();
      await mail.close();
      if (!folder) await Deno.remove(kept, { recursive: true });
    },
  };
}

test("the stack's inbox shows the emails of its services, as pages and as JSON", async () => {
  const email = `sv-${crypto.randomUUID()}@example.com`;
  const client = createClient(server.url, server.publishableKey, {
    auth: { persistSession: false, autoRefreshToken: false },
  });
  equal((await client.auth.signUp({ email, password: "secret123" })).error, null);
  const found = await (await fetch(`${server.mailUrl}/api/v1/search?query=${encodeURIComponent(`to:"${email}"`)}`))
    .json();
  equal(found.messages.map(({ To }: { To: { Address: string }[] }) => To[0].Address), [email]);
  const page = await (await fetch(server.mailUrl)).text();
  ok(page.includes(email));
});

test("a message has text, HTML, headers and source", async () => {
  await using inbox = await ownInbox();
  await inbox.transport.sendMail({
    from: "Ana Ünsal <ana@example.com>",
    to: ["Bob <bob@example.com>"],
    cc: "cy@example.com",
    bcc: "dee@example.com",
    replyTo: "reply@example.com",
    subject: "Grüße 🎙",
    text: "Hello,\r\n\r\nworld",
    html: "<p>Hello, <b>world</b></p>",
    headers: { "X-Kind": "test" },
    attachments: [{ filename: "notes.txt", content: "some notes" }],
  });
  const { messages: [listed], ...counts } = await inbox.json("/api/v1/messages");
  equal(counts, { total: 1, unread: 1, count: 1, messages_count: 1, start: 0, tags: [] });
  equal([
    listed.From,
    listed.To,
    listed.Cc,
    listed.Bcc,
    listed.ReplyTo,
    listed.Subject,
    listed.Snippet,
    listed.Attachments,
  ], [
    { Name: "Ana Ünsal", Address: "ana@example.com" },
    [{ Name: "Bob", Address: "bob@example.com" }],
    [{ Name: "", Address: "cy@example.com" }],
    [{ Name: "", Address: "dee@example.com" }],
    [{ Name: "", Address: "reply@example.com" }],
    "Grüße 🎙",
    "Hello, world",
    1,
  ]);
  const message = await inbox.json(`/api/messages/${listed.ID}`);
  equal([message.Text.trim(), message.HTML.trim()], ["Hello,\n\nworld", "<p>Hello, <b>world</b></p>"]);
  equal(message.Attachments, [{ FileName: "notes.txt", ContentType: "text/plain", Size: 10 }]);
  equal((await inbox.json(`/api/v1/message/${listed.ID}/headers`))["X-Kind"], ["test"]);
  equal(message, await inbox.json("/api/v1/message/latest"));
  match(await (await inbox.fetchInbox(`/api/v1/message/${listed.ID}/raw`)).text(), /^X-Kind: test\r?$/m);
});

test("an email without text has one that derives from its HTML", async () => {
  await using inbox = await ownInbox();
  const html = '<p>Your code: <strong>123456</strong></p><p><a href="http://x.test/#a=1&amp;b=2">Confirm</a></p>';
  await inbox.send({ to: "a@example.com", subject: "HTML only", html });
  const { Text, HTML, Snippet } = await inbox.json("/api/v1/message/latest");
  equal([Text, HTML.trim()], ["Your code: *123456*\n\nConfirm ( http://x.test/#a=1&b=2 )", html]);
  equal(Snippet, "Your code: 123456 Confirm");
});

test("the headers of a message are listed for any name", async () => {
  await using inbox = await ownInbox();
  const raw = "Subject: x\r\n__proto__: 1\r\nconstructor: 2\r\nconstructor: 3\r\n\r\nHello";
  await inbox.transport.sendMail({ envelope: { from: "ana@example.com", to: "bob@example.com" }, raw });
  const { Headers } = await inbox.json("/api/v1/message/latest");
  equal(Object.entries(Headers).slice(-3), [["Subject", ["x"]], ["__proto__", ["1"]], ["constructor", ["2", "3"]]]);
});

test("emails are listed newest first by page, and found by words, sender, recipient and subject", async () => {
  await using inbox = await ownInbox();
  for (
    const [to, subject] of [["a@example.com", "One apple"], ["b@example.com", "Two pears"], [
      "a@example.com",
      "Three pears",
    ]]
  ) {
    await inbox.send({ to, subject, text: `about ${subject}` });
  }
  const subjects = async (path: string) =>
    (await inbox.json(path)).messages.map(({ Subject }: { Subject: string }) => Subject);
  equal(await subjects("/api/messages"), ["Three pears", "Two pears", "One apple"]);
  equal(await subjects("/api/v1/messages?start=1&limit=1"), ["Two pears"]);
  equal(await subjects("/api/v1/search?query=to:a@example.com"), ["Three pears", "One apple"]);
  equal(await subjects("/api/v1/search?query=to:a@example.com%20PEARS"), ["Three pears"]);
  equal(await subjects(`/api/v1/search?query=${encodeURIComponent('subject:"two pears"')}`), ["Two pears"]);
  equal(await subjects("/api/v1/search?query=from:nobody"), []);
});

test("DELETE deletes the named emails, or all", async () => {
  await using inbox = await ownInbox();
  for (const subject of ["one", "two", "three"]) await inbox.send({ to: "a@example.com", subject, text: "x" });
  const [{ ID }] = (await inbox.json("/api/messages")).messages;
  await inbox.fetchInbox("/api/v1/messages", { method: "DELETE", body: JSON.stringify({ IDs: [ID] }) });
  equal((await inbox.json("/api/messages")).messages.map(({ Subject }: { Subject: string }) => Subject), [
    "two",
    "one",
  ]);
  await inbox.fetchInbox("/api/v1/search?query=subject:nothing", { method: "DELETE" });
  equal((await inbox.json("/api/messages")).total, 2);
  await inbox.fetchInbox("/api/messages", { method: "DELETE" });
  equal((await inbox.json("/api/messages")).total, 0);
  equal((await inbox.fetchInbox(`/api/messages/${ID}`)).status, 404);
});

test("the inbox keeps the last 500 emails and rejects those over 10 MB", async () => {
  await using inbox = await ownInbox();
  await rejects(
    inbox.transport.sendMail({ to: "a@example.com", subject: "big", text: "x".repeat(11 * 1024 * 1024) }),
    /size/i,
  );
  // A client that does not announce its email's size
  const connection = await Deno.connect({ port: inbox.smtpPort });
  const read = connection.readable.pipeThrough(new TextDecoderStream()).getReader();
  const writer = connection.writable.getWriter();
  const sendLine = async (line: string) => {
    await writer.write(new TextEncoder().encode(line + "\r\n"));
    return (await read.read()).value;
  };
  await read.read();
  for (const line of ["HELO me", "MAIL FROM:<a@example.com>", "RCPT TO:<b@example.com>", "DATA"]) await sendLine(line);
  match(await sendLine("x".repeat(70) + ("\r\n" + "y".repeat(998)).repeat(11_000) + "\r\n.") ?? "", /^552 /);
  await writer.close();
  await read.cancel();
  equal((await inbox.json("/api/messages")).total, 0);
  await Promise.all(
    Array.from({ length: 505 }, (_, i) => inbox.send({ to: "a@example.com", subject: `mail ${i}`, text: "x" })),
  );
  equal((await inbox.json("/api/messages?limit=1000")).count, 500);
  equal([...Deno.readDirSync(inbox.folder)].length, 500);
});

test("the SMTP server greets clients after hundreds of closed connections", async () => {
  await using inbox = await ownInbox();
  const greet = async () => {
    using connection = await Deno.connect({ port: inbox.smtpPort });
    const greeting = new Uint8Array(4);
    await connection.read(greeting);
    equal(new TextDecoder().decode(greeting), "220 ");
  };
  for (let count = 0; count < 600; count += 50) {
    await within(`greetings after ${count} connections`, Promise.all(Array.from({ length: 50 }, greet)));
  }
});

test("a restart keeps emails in order, without deleted ones", async () => {
  const folder = await Deno.makeTempDir({ prefix: "castbase-mails-" });
  const all = async (inbox: Awaited<ReturnType<typeof ownInbox>>) => {
    const { messages } = await inbox.json("/api/messages");
    return await Promise.all(messages.map(({ ID }: { ID: string }) => inbox.json(`/api/v1/message/${ID}`)));
  };
  let before;
  {
    await using inbox = await ownInbox(folder);
    for (const subject of ["one", "two", "three"]) {
      await inbox.transport.sendMail({
        to: "a@example.com",
        bcc: "b@example.com",
        subject,
        text: "Grüße\n",
        html: "<p>x",
      });
    }
    const [, { ID }] = (await inbox.json("/api/messages")).messages;
    await inbox.fetchInbox("/api/v1/messages", { method: "DELETE", body: JSON.stringify({ IDs: [ID] }) });
    before = await all(inbox);
    equal(before.map(({ Subject }) => Subject), ["three", "one"]);
  }
  {
    await using inbox = await ownInbox(folder);
    equal(await all(inbox), before);
    await inbox.send({ to: "a@example.com", subject: "four", text: "x" });
    equal((await inbox.json("/api/v1/message/latest")).Subject, "four");
    await inbox.fetchInbox("/api/messages", { method: "DELETE" });
  }
  equal([...Deno.readDirSync(folder)], []);
  await Deno.remove(folder);
});

test("the inbox skips incomplete and damaged files and keeps the others", async () => {
  const folder = await Deno.makeTempDir({ prefix: "castbase-mails-" });
  {
    await using inbox = await ownInbox(folder);
    await inbox.send({ to: "a@example.com", subject: "whole", text: "x" });
  }
  const id = "0".repeat(22);
  for (const [place, content] of [["1", ""], ["2", "{"], ["3", "{}\nno recipients"], ["4", "null\n"]]) {
    await Deno.writeTextFile(`${folder}/${place.padStart(15, "0")}-${id}.mail`, content);
  }
  await Deno.writeTextFile(`${folder}/${"5".padStart(15, "0")}-${id}.mail.new`, "a crash came first");
  await Deno.writeTextFile(`${folder}/foreign.txt`, "left alone");
  {
    await using inbox = await ownInbox(folder);
    equal((await inbox.json("/api/messages")).messages.map(({ Subject }: { Subject: string }) => Subject), ["whole"]);
  }
  const names = [...Deno.readDirSync(folder)].map(({ name }) => name);
  equal([names.includes("foreign.txt"), names.filter((name) => name.endsWith(".new"))], [true, []]);
  await Deno.remove(folder, { recursive: true });
});

test("an email that cannot be written is rejected with 452 and leaves no file", async () => {
  const folder = await Deno.makeTempDir({ prefix: "castbase-mails-" });
  await using inbox = await ownInbox(folder);
  await Deno.remove(folder); // like a full disk: no file can be created
  await rejects(inbox.send({ to: "a@example.com", subject: "lost", text: "x" }), /452/);
  equal((await inbox.json("/api/messages")).total, 0);
  await Deno.mkdir(folder);
  await inbox.send({ to: "a@example.com", subject: "kept", text: "x" });
  equal((await inbox.json("/api/messages")).total, 1);
});

test("the inbox keeps at most 64 MB of emails", async () => {
  await using inbox = await ownInbox();
  const text = ("x".repeat(998) + "\r\n").repeat(9_000);
  for (let number = 1; number <= 8; number++) {
    await inbox.send({ to: "a@example.com", subject: `mail ${number}`, text });
  }
  const { messages } = await inbox.json("/api/messages");
  equal(
    messages.map(({ Subject }: { Subject: string }) => Subject).reverse(),
    [2, 3, 4, 5, 6, 7, 8].map((n) => `mail ${n}`),
  );
});

test("the pages escape the text of emails, and no script of an email can run", async () => {
  await using inbox = await ownInbox();
  const hostile = '<script>alert("x")</script><img src=x onerror=alert(1)>';
  await inbox.transport.sendMail({
    from: "a@example.com",
    to: "a@example.com",
    subject: hostile,
    text: hostile,
    html: `<h1>Hi</h1>${hostile}`,
  });
  const [{ ID }] = (await inbox.json("/api/messages")).messages;
  for (const path of ["/", `/view/${ID}`]) {
    const response = await inbox.fetchInbox(path);
    const page = await response.text();
    equal(response.status, 200);
    ok(!page.includes("<script") && !page.includes("<img"), `${path} is escaped`);
    ok(page.includes("&lt;script&gt;"));
    match(response.headers.get("content-security-policy")!, /^default-src 'none'/);
  }
  const frame = await inbox.fetchInbox(`/view/${ID}/html`);
  match(await frame.text(), /<h1>Hi<\/h1>/);
  match(
    frame.headers.get("content-security-policy")!,
    /^sandbox allow-popups allow-popups-to-escape-sandbox; default-src 'none'/,
  );
});

test("another site can neither empty the inbox nor read it by DNS rebinding", async () => {
  await using inbox = await ownInbox();
  await inbox.send({ to: "a@example.com", subject: "kept", text: "x" });
  equal(
    (await inbox.fetchInbox("/delete", { method: "POST", headers: { origin: "https://evil.example" } })).status,
    403,
  );
  equal((await inbox.web(new Request("http://evil.example/api/messages"))).status, 403);
  equal((await inbox.json("/api/messages")).total, 1);
  const emptied = await inbox.fetchInbox("/delete", { method: "POST", headers: { origin: "http://127.0.0.1" } });
  equal([emptied.status, emptied.headers.get("location")], [303, "/"]);
  equal((await inbox.json("/api/messages")).total, 0);
  equal((await inbox.fetchInbox("/nowhere")).status, 404);
});
