// Email without an SMTP server: the functions start, and errors name the missing or malformed variable.
import assert from "node:assert/strict";
import { UNREACHABLE_ENV, withEnvironment } from "../environment.ts";
import { startFunctions } from "../functions.ts";
import { stackInfo } from "../http/harness.ts";

const { sendEmail } = await withEnvironment(
  { ...UNREACHABLE_ENV, MAIL_FROM: "casts@mail.test" },
  () => import("../../functions/mail/send_email.ts"),
);

Deno.test("sendEmail without a provider throws an error that names the variables", async () => {
  const mail = { to: { name: "Gus", address: "gus@guests.test" }, subject: "Hello", text: "Hello", html: "Hello" };
  await assert.rejects(
    sendEmail(mail, "key"),
    /^Error: Neither RESEND_API_KEY nor SMTP_URL is set; email cannot be sent$/,
  );
});

Deno.test("functions start without SMTP_URL and MAIL_FROM, and do not start with malformed ones", async () => {
  const status = async (changes: Record<string, string>) => {
    await using functions = await startFunctions(stackInfo, changes);
    const response = await fetch(`${functions.url}/api/health`);
    await response.body?.cancel();
    return response.status;
  };
  const [url, from] = ["smtps://someone:secret@mail.test:465", "Casts <casts@mail.test>"];
  assert.equal(await status({}), 200);
  assert.equal(await status({ SMTP_URL: url, MAIL_FROM: from }), 200);
  assert.equal(await status({ SMTP_URL: "http://mail.test", MAIL_FROM: from }), 503);
  assert.equal(await status({ RESEND_API_KEY: "re_key", MAIL_FROM: from }), 200);
  assert.equal(await status({ RESEND_API_KEY: "key", MAIL_FROM: from }), 503);
  for (const malformed of ["nobody", "Casts <casts>", "a@mail.test\r\nBcc: b@mail.test", "a@mail.test, b@mail.test"]) {
    assert.equal(await status({ SMTP_URL: url, MAIL_FROM: malformed }), 503, malformed);
  }
});
