// GET /reauthenticate
import { deepStrictEqual as same, match, ok } from "node:assert";
import { stack as running } from "../../stack.ts";
import { backdateUser, clientOf, emails, errorOf, lastEmail, request, signedIn, withSql } from "./setup.ts";

const stack = await running();

Deno.test("reauthenticate emails a nonce, which is stored as a hash", async () => {
  const { client, email, id } = await signedIn(stack);
  same((await client.auth.reauthenticate()).error, null);
  const { code } = await lastEmail(stack, email);
  const [{ token }] = await withSql(
    stack,
    (sql) => sql`select reauthentication_token as token from auth.users where id = ${id}`,
  );
  match(token, /^[0-9a-f]{56}$/);
  ok(!token.includes(code));
  ok(Object(await client.auth.getUser()).data.user.reauthentication_sent_at);
});

Deno.test("reauthenticate returns 429 within the minimum interval of emails", async () => {
  const { client, email } = await signedIn(stack);
  await client.auth.reauthenticate();
  const { error } = await client.auth.reauthenticate();
  same(errorOf(error), { status: 429, code: "over_email_send_rate_limit" });
  await backdateUser(stack, email, 60);
  same((await client.auth.reauthenticate()).error, null);
  same((await emails(stack, email)).length, 2);
});

Deno.test("reauthenticate needs a session", async () => {
  const { status, json } = await request(stack, "GET /reauthenticate");
  same([status, json.error_code], [403, "bad_jwt"]);
});

Deno.test("a nonce does not work as a code of another kind", async () => {
  const { client, email } = await signedIn(stack);
  await client.auth.reauthenticate();
  const { code } = await lastEmail(stack, email);
  for (const type of ["email", "recovery"] as const) {
    const { error } = await clientOf(stack).auth.verifyOtp({ email, token: code, type });
    same(errorOf(error), { status: 403, code: "otp_expired" });
  }
});
