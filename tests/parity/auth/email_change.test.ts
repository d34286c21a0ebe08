// Changing the address of an account.
import { deepStrictEqual as same } from "node:assert";
import { stack as running } from "../../stack.ts";
import {
  backdateUser,
  clientOf,
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
} from "./setup.ts";

const stack = await running();
const ONE_MORE = "Confirmation link accepted. Please proceed to confirm link sent to the other email";

Deno.test("an email change needs the links of both addresses", async () => {
  const { email, client } = await signedIn(stack);
  const next = newAddress();
  const { data, error } = await client.auth.updateUser({ email: next });
  same(error, null);
  same([data.user?.email, data.user?.new_email], [email, next.toLowerCase()]);
  const [old, fresh] = [await lastEmail(stack, email), await lastEmail(stack, next)];
  same([old.subject, fresh.subject], ["Confirm your new email address", "Confirm your new email address"]);

  const first = await follow(serviceLink(stack, old, `${SITE}/changed`));
  same([first.to, first.fragment.get("message"), first.fragment.get("access_token")], [
    `${SITE}/changed`,
    ONE_MORE,
    null,
  ]);
  same((await client.auth.getUser()).data.user?.email, email);
  const second = await follow(serviceLink(stack, fresh));
  same(second.fragment.get("type"), "email_change");
  const { data: { user } } = await client.auth.getUser();
  same([user?.email, user?.new_email, user?.identities?.[0].identity_data?.email], [
    next.toLowerCase(),
    undefined,
    next.toLowerCase(),
  ]);
  const signIn = (email: string) => clientOf(stack).auth.signInWithPassword({ email, password: PASSWORD });
  same((await signIn(next)).error, null);
  same((await signIn(email)).error?.code, "invalid_credentials");
});

Deno.test("an email change needs the codes of both addresses, in either order", async () => {
  const { email, client } = await signedIn(stack);
  const next = newAddress();
  await client.auth.updateUser({ email: next });
  const proof = async (email: string) => {
    const { code } = await lastEmail(stack, email);
    return await clientOf(stack).auth.verifyOtp({ email, token: code, type: "email_change" });
  };
  const first = await proof(next);
  same([first.error, first.data.session, first.data.user], [null, null, null]);
  same(errorOf((await proof(next)).error), { status: 403, code: "otp_expired" });
  same((await proof(email)).data.user?.email, next.toLowerCase());
});

Deno.test("auth rejects a change to the address of another account", async () => {
  const [{ client }, other] = [await signedIn(stack), await signedIn(stack)];
  const { error } = await client.auth.updateUser({ email: other.email });
  same(errorOf(error), { status: 422, code: "email_exists" });
});

Deno.test("resend sends both codes of an email change again", async () => {
  const { email, client } = await signedIn(stack);
  const next = newAddress();
  await client.auth.updateUser({ email: next });
  await backdateUser(stack, email, 60);
  same((await client.auth.resend({ type: "email_change", email })).error, null);
  same([(await emails(stack, email)).length, (await emails(stack, next)).length], [2, 2]);
  await backdateUser(stack, email, -60);
  const { error } = await client.auth.resend({ type: "email_change", email });
  same(errorOf(error), { status: 429, code: "over_email_send_rate_limit" });
});

Deno.test("resend without a pending change succeeds and sends no email", async () => {
  const { email, client } = await signedIn(stack);
  same((await client.auth.resend({ type: "email_change", email })).error, null);
  same(await emails(stack, email), []);
});

Deno.test("an email change of a PKCE client returns a code", async () => {
  const { email } = await signedIn(stack);
  const browser = pkceClientOf(stack);
  await browser.auth.signInWithPassword({ email, password: PASSWORD });
  const next = newAddress();
  await browser.auth.updateUser({ email: next });
  // supabase-js 2.109 forgets the verifier of updateUser at once (its issue 2512); that of resend it keeps
  await backdateUser(stack, email, 60);
  await browser.auth.resend({ type: "email_change", email });
  same((await follow(serviceLink(stack, await lastEmail(stack, email)))).query.get("message"), ONE_MORE);
  const code = (await follow(serviceLink(stack, await lastEmail(stack, next)))).query.get("code")!;
  const { data, error } = await browser.auth.exchangeCodeForSession(code);
  same(error, null);
  same(data.user?.email, next.toLowerCase());
});

Deno.test("a new password revokes a pending email change", async () => {
  const { client } = await signedIn(stack);
  const next = newAddress();
  await client.auth.updateUser({ email: next });
  await client.auth.updateUser({ password: "a better one" });
  same((await follow(serviceLink(stack, await lastEmail(stack, next)))).fragment.get("error_code"), "otp_expired");
});
