// [auth.email] secure_password_change: a session older than a day needs a nonce to change the password.
import { deepStrictEqual as same } from "node:assert";
import { clientOf, errorOf, lastEmail, PASSWORD, signedIn, withSql } from "../../parity/auth/setup.ts";
import { startAuth } from "./auth_service.ts";

const stack = await startAuth({ securePasswordChange: true, maxFrequencySeconds: 0, wrongCodesPerFiveMinutes: 3 });
const NEW = "battery staple";

async function signedInYesterday() {
  const account = await signedIn(stack);
  await withSql(
    stack,
    (sql) => sql`update auth.sessions set created_at = now() - interval '25 hours' where user_id = ${account.id}`,
  );
  return account;
}

async function sendNonce({ client, email }: Awaited<ReturnType<typeof signedIn>>): Promise<string> {
  await client.auth.reauthenticate();
  return (await lastEmail(stack, email)).code;
}

const other = (code: string) => String((Number(code) + 1) % 1_000_000).padStart(6, "0");

Deno.test("a recent session changes the password without a nonce", async () => {
  const { client } = await signedIn(stack);
  same((await client.auth.updateUser({ password: NEW })).error, null);
});

Deno.test("an old session changes the password with the emailed nonce only", async () => {
  const account = await signedInYesterday(), { client, email } = account;
  const update = (password: string, nonce?: string) => client.auth.updateUser({ password, nonce });
  const needed = await update(NEW);
  same([errorOf(needed.error), needed.error?.message], [
    { status: 400, code: "reauthentication_needed" },
    "Password update requires reauthentication",
  ]);
  const unsent = await update(NEW, "123456");
  same([errorOf(unsent.error), unsent.error?.message], [
    { status: 422, code: "reauthentication_not_valid" },
    "Nonce has expired or is invalid",
  ]);
  const code = await sendNonce(account);
  same(errorOf((await update(NEW, other(code))).error), { status: 422, code: "reauthentication_not_valid" });
  same((await update(NEW, code)).error, null);
  same((await clientOf(stack).auth.signInWithPassword({ email, password: NEW })).error, null);
  same(errorOf((await update("another one", code)).error), { status: 422, code: "reauthentication_not_valid" });
});

Deno.test("an old session changes metadata without a nonce", async () => {
  const { client } = await signedInYesterday();
  same((await client.auth.updateUser({ data: { name: "Anna" } })).error, null);
});

Deno.test("a nonce expires, and one of another account is invalid", async () => {
  const account = await signedInYesterday(), neighbor = await signedInYesterday();
  const code = await sendNonce(account);
  const stolen = await neighbor.client.auth.updateUser({ password: NEW, nonce: code });
  same(errorOf(stolen.error), { status: 422, code: "reauthentication_not_valid" });
  await withSql(
    stack,
    (sql) =>
      sql`update auth.users set reauthentication_sent_at = now() - interval '61 minutes' where id = ${account.id}`,
  );
  const late = await account.client.auth.updateUser({ password: NEW, nonce: code });
  same(errorOf(late.error), { status: 422, code: "reauthentication_not_valid" });
});

Deno.test("a nonce is used up by a request that fails after it", async () => {
  const account = await signedInYesterday();
  const nonce = await sendNonce(account);
  const same_password = await account.client.auth.updateUser({ password: PASSWORD, nonce });
  same(errorOf(same_password.error), { status: 422, code: "same_password" });
  const again = await account.client.auth.updateUser({ password: NEW, nonce });
  same(errorOf(again.error), { status: 422, code: "reauthentication_not_valid" });
});

Deno.test("wrong nonces of an account are limited, also for the right one", async () => {
  const account = await signedInYesterday();
  const code = await sendNonce(account);
  const update = async (nonce: string) =>
    errorOf((await account.client.auth.updateUser({ password: NEW, nonce })).error);
  for (let i = 0; i < 3; i++) same((await update(other(code)))?.status, 422);
  same(await update(code), { status: 429, code: "over_request_rate_limit" });
});
