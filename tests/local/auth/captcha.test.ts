// The captcha in front of the account forms, with a verifier of the test in place of Turnstile.
import { type AuthError, createClient } from "@supabase/supabase-js";
import { deepStrictEqual as same } from "node:assert";
import { startTestStack } from "../../stack.ts";
import { adminOf, clientOf, emails, errorOf, lastEmail, newAddress, PASSWORD } from "./setup.ts";

const SECRET = "the secret of the site";
const unused = new Set<string>();
const requests: URLSearchParams[] = [];
const verifier = Deno.serve({ port: 0, hostname: "127.0.0.1", onListen() {} }, async (request) => {
  const form = new URLSearchParams(await request.text());
  requests.push(form);
  if (form.get("secret") !== SECRET) return Response.json({ success: false, "error-codes": ["invalid-input-secret"] });
  if (unused.delete(form.get("response")!)) return Response.json({ success: true });
  return Response.json({ success: false, "error-codes": ["timeout-or-duplicate"] });
});
const verifyUrl = `http://127.0.0.1:${verifier.addr.port}/siteverify`;
const stack = await startTestStack({ auth: { captcha: { verifyUrl, secret: SECRET }, maxFrequencySeconds: 0 } });
verifier.unref(); // it ends with the tests

/** The token that the widget gives to the form. */
function solved() {
  const token = crypto.randomUUID();
  unused.add(token);
  return token;
}

const { auth } = clientOf(stack);
const forms: Record<string, (email: string, captchaToken?: string) => Promise<{ error: unknown }>> = {
  "sign-up": (email, captchaToken) => auth.signUp({ email, password: PASSWORD, options: { captchaToken } }),
  "password sign-in": (email, captchaToken) =>
    auth.signInWithPassword({ email, password: PASSWORD, options: { captchaToken } }),
  "recovery": (email, captchaToken) => auth.resetPasswordForEmail(email, { captchaToken }),
  "code sign-in": (email, captchaToken) => auth.signInWithOtp({ email, options: { captchaToken } }),
  "resend": (email, captchaToken) => auth.resend({ type: "signup", email, options: { captchaToken } }),
};

async function confirmed() {
  const email = newAddress();
  await adminOf(stack).createUser({ email, password: PASSWORD, email_confirm: true });
  return email;
}

for (const [form, send] of Object.entries(forms)) {
  Deno.test(`the ${form} form accepts a solved captcha once per solution`, async () => {
    const email = form === "sign-up" ? newAddress() : await confirmed();
    const token = solved();
    same((await send(email, token)).error, null);
    same([requests.at(-1)?.get("response"), requests.at(-1)?.get("remoteip")], [token, "127.0.0.1"]);
    const { error } = await send(email, token);
    same(errorOf(error as AuthError), { status: 400, code: "captcha_failed" });
    same(
      (error as AuthError).message,
      "captcha protection: request disallowed (timeout-or-duplicate)",
    );
  });

  Deno.test(`the ${form} form is rejected without a captcha, before a request to the verifier`, async () => {
    const before = requests.length;
    const { error } = await send(newAddress());
    same(errorOf(error as AuthError), { status: 400, code: "captcha_failed" });
    same((error as AuthError).message, "captcha protection: request disallowed (no captcha_token found)");
    same(requests.length, before);
  });
}

Deno.test("a rejected form leaves no file", async () => {
  const email = newAddress();
  await forms["sign-up"](email, "made up");
  same(await emails(stack, email), []);
});

Deno.test("codes, account settings, refresh and sign-out need no captcha", async () => {
  const client = clientOf(stack), email = newAddress();
  await client.auth.signUp({ email, password: PASSWORD, options: { captchaToken: solved() } });
  const { code } = await lastEmail(stack, email);
  same((await client.auth.verifyOtp({ email, token: code, type: "signup" })).error, null);
  same((await client.auth.updateUser({ data: { display_name: "Anna" } })).error, null);
  same((await client.auth.refreshSession()).error, null);
  same((await client.auth.signOut()).error, null);
});

Deno.test("calls with the secret key need no captcha", async () => {
  const email = await confirmed();
  const options = { auth: { persistSession: false, autoRefreshToken: false } };
  const { auth } = createClient(stack.url, stack.secretKey, options);
  same((await auth.signUp({ email: newAddress(), password: PASSWORD })).error, null);
  same((await auth.resetPasswordForEmail(email)).error, null);
  same((await auth.signInWithPassword({ email, password: PASSWORD })).error, null);
});

Deno.test("auth returns 500 if the captcha provider cannot be reached", async () => {
  await using lost = await startTestStack({
    auth: { captcha: { verifyUrl: "http://127.0.0.1:1/siteverify", secret: SECRET } },
  });
  const body = { email: newAddress(), password: PASSWORD, gotrue_meta_security: { captcha_token: "any" } };
  const response = await fetch(`${lost.url}/auth/v1/signup`, {
    method: "POST",
    headers: { apikey: lost.publishableKey },
    body: JSON.stringify(body),
  });
  same([response.status, (await response.json()).msg], [500, "captcha verification process failed"]);
});
