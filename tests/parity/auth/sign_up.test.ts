// Signing up and confirming the address.
import { deepStrictEqual as same, match, notStrictEqual as differs, ok } from "node:assert";
import { createHash } from "node:crypto";
import { stack as running } from "../../stack.ts";
import {
  adminOf,
  backdateUser,
  clientOf,
  confirm,
  emails,
  errorOf,
  follow,
  lastEmail,
  newAddress,
  PASSWORD,
  request,
  serviceLink,
  SITE,
  type Way,
  withSql,
} from "./setup.ts";

const stack = await running();

const signUp = (email: string, options = {}) => clientOf(stack).auth.signUp({ email, password: PASSWORD, options });
const signIn = (email: string, password = PASSWORD) => clientOf(stack).auth.signInWithPassword({ email, password });

Deno.test("a sign-up creates an unconfirmed user without a session, who cannot sign in", async () => {
  const email = newAddress();
  const { data, error } = await signUp(email, { data: { display_name: "Anna" } });
  same(error, null);
  same(data.session, null);
  same(data.user?.email, email.toLowerCase());
  same(data.user?.email_confirmed_at, undefined);
  same(data.user?.identities?.length, 1);
  same(errorOf((await signIn(email)).error), { status: 400, code: "email_not_confirmed" });
});

Deno.test("the emailed code confirms the address, once", async () => {
  const email = newAddress();
  await signUp(email);
  const message = await lastEmail(stack, email);
  same(message.subject, "Confirm your email address");
  const { data } = await clientOf(stack).auth.verifyOtp({ email, token: message.code, type: "signup" });
  ok(data.session?.access_token);
  ok(data.user?.email_confirmed_at);
  const again = await clientOf(stack).auth.verifyOtp({ email, token: message.code, type: "signup" });
  same(errorOf(again.error), { status: 403, code: "otp_expired" });
});

Deno.test("the service's link confirms the address and redirects with a session", async () => {
  const email = newAddress();
  await signUp(email);
  const { to, fragment } = await follow(serviceLink(stack, await lastEmail(stack, email), `${SITE}/welcome`));
  same(to, `${SITE}/welcome`);
  same(fragment.get("type"), "signup");
  const client = clientOf(stack);
  const { data } = await client.auth.setSession({
    access_token: fragment.get("access_token")!,
    refresh_token: fragment.get("refresh_token")!,
  });
  same(data.user?.email, email.toLowerCase());
});

Deno.test("a used link redirects to the site with otp_expired", async () => {
  const email = newAddress();
  await signUp(email);
  const link = serviceLink(stack, await lastEmail(stack, email));
  await follow(link);
  const { to, fragment } = await follow(link);
  same(to, `${SITE}/`);
  same(fragment.get("error"), "access_denied");
  same(fragment.get("error_code"), "otp_expired");
});

Deno.test("the service's link redirects to the site if redirect_to is not on the allow list", async () => {
  const email = newAddress();
  await signUp(email);
  const link = serviceLink(stack, await lastEmail(stack, email), "https://evil.example/take");
  same((await follow(link)).to, `${SITE}/`);
});

Deno.test("the page that the emailed link opens confirms the address by the hash in its fragment", async () => {
  const email = newAddress();
  await signUp(email);
  const { page, hash: token_hash, type } = await lastEmail(stack, email);
  ok(page.startsWith(`${SITE}/auth/confirm#`));
  same(type, "signup");
  const { data } = await clientOf(stack).auth.verifyOtp({ token_hash, type });
  same(data.user?.email, email.toLowerCase());
  ok(data.session);
});

/** Whether sign-ups tell that an account exists: as soon as email addresses or phone numbers need no confirmation. */
async function revealsAccounts() {
  const { json } = await request(stack, "GET /settings");
  return json.mailer_autoconfirm || json.phone_autoconfirm;
}

Deno.test("a sign-up for an existing account sends no email, and reveals nothing if all addresses are confirmed", async () => {
  const email = newAddress();
  const { data: { user: owner } } = await adminOf(stack).createUser({ email, password: PASSWORD, email_confirm: true });
  const { data, error } = await signUp(email, { data: { display_name: "Eve" } });
  same(await emails(stack, email), []);
  if (await revealsAccounts()) return same(errorOf(error), { status: 422, code: "user_already_exists" });
  same(error, null);
  same(data.session, null);
  same(data.user?.email, email.toLowerCase());
  same(data.user?.identities, []);
  same(data.user?.email_confirmed_at, undefined);
  same(data.user?.user_metadata, { display_name: "Eve" });
  differs(data.user?.id, owner?.id);
});

Deno.test("a repeated sign-up of an unconfirmed address sends another email and keeps the first password", async () => {
  const email = newAddress();
  await signUp(email);
  await backdateUser(stack, email, 60);
  await clientOf(stack).auth.signUp({ email, password: "another one" });
  same((await emails(stack, email)).length, 2);
  same(errorOf((await signIn(email)).error), { status: 400, code: "email_not_confirmed" });
  same(errorOf((await signIn(email, "another one")).error), { status: 400, code: "invalid_credentials" });
});

Deno.test("resend sends a new code and revokes the previous one", async () => {
  const email = newAddress();
  await signUp(email);
  const first = await lastEmail(stack, email);
  await backdateUser(stack, email, 60);
  same((await clientOf(stack).auth.resend({ type: "signup", email })).error, null);
  const second = await lastEmail(stack, email);
  const old = await clientOf(stack).auth.verifyOtp({ email, token: first.code, type: "signup" });
  if (first.code !== second.code) same(errorOf(old.error), { status: 403, code: "otp_expired" });
  same((await clientOf(stack).auth.verifyOtp({ email, token: second.code, type: "signup" })).error, null);
});

Deno.test("resend for an unknown or confirmed address succeeds and sends no email", async () => {
  const unknown = newAddress(), confirmed = newAddress();
  await adminOf(stack).createUser({ email: confirmed, password: PASSWORD, email_confirm: true });
  for (const email of [unknown, confirmed]) {
    same((await clientOf(stack).auth.resend({ type: "signup", email })).error, null);
    same(await emails(stack, email), []);
  }
});

Deno.test("auth rejects a second email within max_frequency and sends none", async () => {
  const email = newAddress();
  await signUp(email);
  await backdateUser(stack, email, -60); // the clock cannot run out while the test does
  const { error } = await clientOf(stack).auth.resend({ type: "signup", email });
  same(errorOf(error), { status: 429, code: "over_email_send_rate_limit" });
  ok(/^For security purposes, you can only request this after \d+ seconds\.$/.test(error!.message));
  same((await emails(stack, email)).length, 1);
});

Deno.test("a code expires after an hour", async () => {
  const email = newAddress();
  await signUp(email);
  await backdateUser(stack, email, 3660);
  const message = await lastEmail(stack, email);
  for (const way of ["code", "link"] satisfies Way[]) {
    const { error } = await confirm(clientOf(stack), message, way);
    same(errorOf(error), { status: 403, code: "otp_expired" });
  }
  same((await follow(serviceLink(stack, message))).fragment.get("error_code"), "otp_expired");
});

Deno.test("auth rejects a short password with the reason", async () => {
  const { error } = await clientOf(stack).auth.signUp({ email: newAddress(), password: "12345" });
  same(errorOf(error), { status: 422, code: "weak_password" });
  same((error as unknown as { reasons: string[] }).reasons, ["length"]);
});

Deno.test("auth rejects a malformed email address", async () => {
  const { error } = await signUp("not an address");
  same(errorOf(error), { status: 400, code: "validation_failed" });
  same(error?.message, "Unable to validate email address: invalid format");
});

Deno.test("codes and passwords are stored hashed", async () => {
  const email = newAddress();
  await signUp(email);
  const { code, hash } = await lastEmail(stack, email);
  const [row] = await withSql(
    stack,
    (sql) => sql`select confirmation_token, encrypted_password from auth.users where email = ${email.toLowerCase()}`,
  );
  same(row.confirmation_token, hash);
  same(row.confirmation_token, createHash("sha224").update(email.toLowerCase() + code).digest("hex"));
  match(row.encrypted_password, /^\$2a\$(04|10)\$/); // a test stack hashes at the lower cost
});
