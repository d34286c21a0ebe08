// Signing in: by password, by mailed code or link, by PKCE, and with a forgotten password.
import { deepStrictEqual as same, match, ok } from "node:assert";
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
  pkceClientOf,
  serviceLink,
  signedIn,
  SITE,
  withSql,
} from "./setup.ts";

const stack = await running();
const EXPIRED = { status: 403, code: "otp_expired" };

async function confirmed() {
  const email = newAddress();
  await adminOf(stack).createUser({ email, password: PASSWORD, email_confirm: true });
  return email;
}

Deno.test("a sign-in ignores the case of the address", async () => {
  const email = await confirmed();
  const { data, error } = await clientOf(stack).auth.signInWithPassword({
    email: email.toUpperCase(),
    password: PASSWORD,
  });
  same(error, null);
  same(data.session?.token_type, "bearer");
  same(data.session?.expires_in, 3600);
  ok(data.user?.last_sign_in_at);
});

Deno.test("a wrong password and an unknown address have the same error", async () => {
  const wrong = await clientOf(stack).auth.signInWithPassword({ email: await confirmed(), password: "not this one" });
  const unknown = await clientOf(stack).auth.signInWithPassword({ email: newAddress(), password: PASSWORD });
  same(errorOf(wrong.error), { status: 400, code: "invalid_credentials" });
  same(errorOf(unknown.error), errorOf(wrong.error));
  same(unknown.error?.message, wrong.error?.message);
});

Deno.test("auth rejects every password of an account without one", async () => {
  const email = newAddress();
  await adminOf(stack).inviteUserByEmail(email);
  for (const password of ["", "x"]) {
    const { error } = await clientOf(stack).auth.signInWithPassword({ email, password });
    same(errorOf(error), { status: 400, code: "invalid_credentials" });
  }
});

Deno.test("an emailed code signs an existing user in, once", async () => {
  const email = await confirmed();
  same((await clientOf(stack).auth.signInWithOtp({ email })).error, null);
  const message = await lastEmail(stack, email);
  same(message.subject, "Your sign-in code");
  const proof = { email, token: message.code, type: "email" as const };
  const { data } = await clientOf(stack).auth.verifyOtp(proof);
  ok(data.session);
  same(errorOf((await clientOf(stack).auth.verifyOtp(proof)).error), EXPIRED);
});

Deno.test("a magic link signs an existing user in, also with type magiclink", async () => {
  const email = await confirmed();
  await clientOf(stack).auth.signInWithOtp({ email });
  const { to, fragment } = await follow(serviceLink(stack, await lastEmail(stack, email), `${SITE}/in`));
  same(to, `${SITE}/in`);
  same(fragment.get("type"), "magiclink");
  same((await clientOf(stack).auth.getUser(fragment.get("access_token")!)).data.user?.email, email.toLowerCase());
  await backdateUser(stack, email, 60);
  await clientOf(stack).auth.signInWithOtp({ email });
  const { code } = await lastEmail(stack, email);
  ok((await clientOf(stack).auth.verifyOtp({ email, token: code, type: "magiclink" })).data.session);
});

Deno.test("signInWithOtp creates an account for an unknown address, and only the code confirms it", async () => {
  const email = newAddress();
  const { error } = await clientOf(stack).auth.signInWithOtp({ email, options: { data: { display_name: "Anna" } } });
  same(error, null);
  const confirmedAt = () =>
    withSql(stack, (sql) => sql`select email_confirmed_at from auth.users where email = ${email.toLowerCase()}`);
  same((await confirmedAt())[0].email_confirmed_at, null);
  const message = await lastEmail(stack, email);
  same(message.subject, "Confirm your email address");
  const { data } = await clientOf(stack).auth.verifyOtp({ email, token: message.code, type: "email" });
  same([data.user?.user_metadata.display_name, data.user?.user_metadata.email_verified], ["Anna", true]);
  ok((await confirmedAt())[0].email_confirmed_at);
});

Deno.test("shouldCreateUser: false creates no account for an unknown address", async () => {
  const email = newAddress();
  const { error } = await clientOf(stack).auth.signInWithOtp({ email, options: { shouldCreateUser: false } });
  same(errorOf(error), { status: 422, code: "otp_disabled" });
  same(await emails(stack, email), []);
});

Deno.test("auth rejects a wrong code and keeps the right one valid", async () => {
  const email = await confirmed();
  await clientOf(stack).auth.signInWithOtp({ email });
  const { code } = await lastEmail(stack, email);
  const wrong = code === "000000" ? "000001" : "000000";
  same(errorOf((await clientOf(stack).auth.verifyOtp({ email, token: wrong, type: "email" })).error), EXPIRED);
  ok((await clientOf(stack).auth.verifyOtp({ email, token: code, type: "email" })).data.session);
});

Deno.test("a code is valid only for the account that received it", async () => {
  const [mine, other] = [await confirmed(), await confirmed()];
  await clientOf(stack).auth.signInWithOtp({ email: mine });
  const { code } = await lastEmail(stack, mine);
  same(errorOf((await clientOf(stack).auth.verifyOtp({ email: other, token: code, type: "email" })).error), EXPIRED);
});

Deno.test("the recovery link allows a user to set a new password and revokes the old one", async () => {
  const email = await confirmed();
  await clientOf(stack).auth.resetPasswordForEmail(email);
  const message = await lastEmail(stack, email);
  same(message.subject, "Reset your password");
  const { to, fragment } = await follow(serviceLink(stack, message, `${SITE}/new-password`));
  same([to, fragment.get("type")], [`${SITE}/new-password`, "recovery"]);
  const client = clientOf(stack);
  const tokens = { access_token: fragment.get("access_token")!, refresh_token: fragment.get("refresh_token")! };
  await client.auth.setSession(tokens);
  same((await client.auth.updateUser({ password: "a better one" })).error, null);
  const signIn = (password: string) => clientOf(stack).auth.signInWithPassword({ email, password });
  same((await signIn("a better one")).error, null);
  same(errorOf((await signIn(PASSWORD)).error), { status: 400, code: "invalid_credentials" });
});

Deno.test("the emailed code allows a user to set a new password", async () => {
  const email = await confirmed();
  await clientOf(stack).auth.resetPasswordForEmail(email);
  const client = clientOf(stack);
  const { code } = await lastEmail(stack, email);
  ok((await client.auth.verifyOtp({ email, token: code, type: "recovery" })).data.session);
  same((await client.auth.updateUser({ password: "a better one" })).error, null);
});

Deno.test("the recovery of an unknown address succeeds and sends no email", async () => {
  const email = newAddress();
  same((await clientOf(stack).auth.resetPasswordForEmail(email)).error, null);
  same(await emails(stack, email), []);
});

Deno.test("a new password ends the user's other sessions and keeps this one", async () => {
  const { email, client } = await signedIn(stack);
  const other = clientOf(stack);
  await other.auth.signInWithPassword({ email, password: PASSWORD });
  await client.auth.updateUser({ password: "a better one" });
  same((await other.auth.refreshSession()).error?.code, "refresh_token_not_found");
  same((await client.auth.refreshSession()).error, null);
});

Deno.test("auth rejects a new password that equals the old one", async () => {
  const { client } = await signedIn(stack);
  same(errorOf((await client.auth.updateUser({ password: PASSWORD })).error), { status: 422, code: "same_password" });
});

Deno.test("a PKCE sign-up returns a code that only the same browser can exchange, once", async () => {
  const email = newAddress(), browser = pkceClientOf(stack);
  await browser.auth.signUp({ email, password: PASSWORD });
  const { to, query, fragment } = await follow(
    serviceLink(stack, await lastEmail(stack, email), `${SITE}/callback`),
  );
  same(to, `${SITE}/callback`);
  same(fragment.get("access_token"), null);
  const code = query.get("code")!;
  const stranger = pkceClientOf(stack);
  await stranger.auth.signInWithOtp({ email: await confirmed() });
  same(errorOf((await stranger.auth.exchangeCodeForSession(code)).error), { status: 400, code: "bad_code_verifier" });
  const { data } = await browser.auth.exchangeCodeForSession(code);
  same(data.user?.email, email.toLowerCase());
  same(
    (await browser.auth.getClaims()).data?.claims.amr?.map((entry) => typeof entry === "string" ? entry : entry.method),
    ["email/signup"],
  );
  const again = await fetch(`${stack.url}/auth/v1/token?grant_type=pkce`, {
    method: "POST",
    headers: { apikey: stack.publishableKey },
    body: JSON.stringify({ auth_code: code, code_verifier: "any" }),
  });
  same([again.status, (await again.json()).error_code], [404, "flow_state_not_found"]);
});

Deno.test("the page that an emailed link opens confirms without the verifier of a PKCE client", async () => {
  const email = newAddress(), browser = pkceClientOf(stack);
  await browser.auth.signUp({ email, password: PASSWORD });
  const message = await lastEmail(stack, email);
  match(message.hash, /^pkce_/);
  const { data, error } = await confirm(clientOf(stack), message, "link");
  same(error, null);
  ok(data.session);
});

Deno.test("PKCE magic links and recoveries return a code that becomes a session", async () => {
  const email = await confirmed(), browser = pkceClientOf(stack);
  await browser.auth.signInWithOtp({ email });
  const magic = await follow(serviceLink(stack, await lastEmail(stack, email)));
  same((await browser.auth.exchangeCodeForSession(magic.query.get("code")!)).error, null);
  await backdateUser(stack, email, 60);
  await browser.auth.resetPasswordForEmail(email);
  const recovery = await follow(serviceLink(stack, await lastEmail(stack, email)));
  const { data } = await browser.auth.exchangeCodeForSession(recovery.query.get("code")!);
  ok(data.session);
});

Deno.test("a PKCE client can verify a code by form", async () => {
  const email = await confirmed(), browser = pkceClientOf(stack);
  await browser.auth.signInWithOtp({ email });
  const { code } = await lastEmail(stack, email);
  ok((await browser.auth.verifyOtp({ email, token: code, type: "email" })).data.session);
});

Deno.test("the error of a PKCE link is also in the query", async () => {
  const email = await confirmed(), browser = pkceClientOf(stack);
  await browser.auth.signInWithOtp({ email });
  const link = serviceLink(stack, await lastEmail(stack, email));
  await follow(link);
  const { query, fragment } = await follow(link);
  same([query.get("error_code"), fragment.get("error_code")], ["otp_expired", "otp_expired"]);
});
