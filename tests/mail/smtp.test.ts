// Email without an SMTP server: the functions start, and errors name the missing or malformed variable.
import assert from "node:assert/strict";
import { UNREACHABLE_ENV, withEnvironment } from "../environment.ts";

const { sendEmail } = await withEnvironment(
  { ...UNREACHABLE_ENV, MAIL_FROM: "casts@mail.test" },
  () => import("../../functions/mail/send_email.ts"),
);

Deno.test("sendEmail without a provider throws an error that names the variables", async () => {
  const mail = {
    to: { name: "Gus", address: "gus@guests.test" },
    topic: { type: "chat.message", podcast: null, threadId: null },
    subject: "Hello",
    text: "Hello",
    html: "Hello",
  };
  await assert.rejects(
    sendEmail(mail, "key"),
    /^Error: Neither RESEND_API_KEY nor SMTP_URL is set; email cannot be sent$/,
  );
});
