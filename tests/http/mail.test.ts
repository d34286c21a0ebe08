// Mail without a server to hand it to: the functions start, and what is missing or malformed names itself.
import assert from "node:assert/strict";
import { startFunctions } from "../functions.ts";
import { at } from "./harness.ts";

const needed = {
  SUPABASE_URL: "http://127.0.0.1:1",
  SUPABASE_DB_URL: "postgres://127.0.0.1:1/none",
  SUPABASE_PUBLISHABLE_KEYS: '{"default":"none"}',
  SUPABASE_SECRET_KEYS: '{"default":"none"}',
  SUPABASE_JWKS: '{"keys":[{"kty":"EC"}]}',
  WORKER_SECRET: "nobody wakes this worker",
};
for (const [name, value] of Object.entries(needed)) Deno.env.set(name, value);
const { sendMail } = await import("../../functions/_shared/mail.ts");
for (const name of Object.keys(needed)) Deno.env.delete(name);

Deno.test("A mail that no server is set for fails with the name of the variable", async () => {
  const mail = { to: { name: "Gus", address: "gus@guests.test" }, subject: "Hello", text: "Hello", html: "Hello" };
  await assert.rejects(sendMail(mail), /^Error: SMTP_URL is not set: no mail can be sent$/);
});

Deno.test("Functions without SMTP_URL and MAIL_FROM answer, and with malformed ones do not start", async () => {
  const status = async (changes: Record<string, string>) => {
    await using functions = await startFunctions(at, changes);
    const response = await fetch(`${functions.url}/api/health`);
    await response.body?.cancel();
    return response.status;
  };
  const [url, from] = ["smtps://someone:secret@mail.test:465", "Casts <casts@mail.test>"];
  assert.equal(await status({}), 200);
  assert.equal(await status({ SMTP_URL: url, MAIL_FROM: from }), 200);
  assert.equal(await status({ SMTP_URL: "http://mail.test", MAIL_FROM: from }), 503);
  for (const malformed of ["nobody", "Casts <casts>", "a@mail.test\r\nBcc: b@mail.test", "a@mail.test, b@mail.test"]) {
    assert.equal(await status({ SMTP_URL: url, MAIL_FROM: malformed }), 503, malformed);
  }
});
