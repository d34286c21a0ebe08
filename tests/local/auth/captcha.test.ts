// Which calls need a captcha token, by supabase-js and by HTTP, with a captcha provider of the test.
import { type AuthError, createClient } from "@supabase/supabase-js";
import { deepStrictEqual as same, ok } from "node:assert";
import { startCaptchaProvider } from "../../captcha_provider.ts";
import { stack as sharedStack } from "../../stack.ts";
import {
  adminOf,
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
} from "../../parity/auth/setup.ts";
import { startAuth } from "./auth_service.ts";

const provider = startCaptchaProvider();
const unprotected = await sharedStack();
const stack = await startAuth({ captcha: provider.captcha, maxFrequencySeconds: 0 });

async function confirmed() {
  const email = newAddress();
  await adminOf(stack).createUser({ email, password: PASSWORD, email_confirm: true });
  return email;
}

async function unconfirmed() {
  const email = newAddress();
  await adminOf(stack).createUser({ email, password: PASSWORD });
  return email;
}

/** A user who waits for the code of a new address. */
async function changing() {
  const { client, email } = await signedInUser();
  await client.auth.updateUser({ email: newAddress() });
  return email;
}

/** Signs in as a form does, with a token. */
async function signedInUser() {
  const client = clientOf(stack), email = await confirmed();
  const options = { captchaToken: provider.issueToken() };
  const { data, error } = await client.auth.signInWithPassword({ email, password: PASSWORD, options });
  if (error) throw error;
  return { client, email, session: data.session };
}

interface Gated {
  email: () => Promise<string> | string;
  send(email: string, captchaToken?: string): Promise<{ error: unknown }>;
  /** The path and body of the same call by HTTP. */
  path: string;
  body?: Record<string, unknown>;
}

const { auth } = clientOf(stack);
const { auth: serviceAuth } = createClient(stack.url, stack.secretKey, {
  auth: { persistSession: false, autoRefreshToken: false },
});
const gated: Record<string, Gated> = {
  "sign-up": {
    email: newAddress,
    send: (email, captchaToken) => auth.signUp({ email, password: PASSWORD, options: { captchaToken } }),
    path: "signup",
    body: { password: PASSWORD },
  },
  "password sign-in": {
    email: confirmed,
    send: (email, captchaToken) => auth.signInWithPassword({ email, password: PASSWORD, options: { captchaToken } }),
    path: "token?grant_type=password",
    body: { password: PASSWORD },
  },
  "recovery": {
    email: confirmed,
    send: (email, captchaToken) => auth.resetPasswordForEmail(email, { captchaToken }),
    path: "recover",
  },
  "resend of a sign-up's code": {
    email: unconfirmed,
    send: (email, captchaToken) => auth.resend({ type: "signup", email, options: { captchaToken } }),
    path: "resend",
    body: { type: "signup" },
  },
  "resend of an email change's code": {
    email: changing,
    send: (email, captchaToken) => auth.resend({ type: "email_change", email, options: { captchaToken } }),
    path: "resend",
    body: { type: "email_change" },
  },
  "code sign-in": {
    email: confirmed,
    send: (email, captchaToken) => auth.signInWithOtp({ email, options: { captchaToken } }),
    path: "otp",
  },
};

const post = (path: string, body: unknown, headers: Record<string, string> = {}) =>
  fetch(`${stack.url}/auth/v1/${path}`, {
    method: "POST",
    headers: { apikey: stack.publishableKey, ...headers },
    body: JSON.stringify(body),
  });

const disallowed = (why: string) => ({
  code: 400,
  error_code: "captcha_failed",
  msg: `captcha protection: request disallowed (${why})`,
});

for (const [name, { email: addressee, send, path, body }] of Object.entries(gated)) {
  Deno.test(`${name} accepts a captcha token once`, async () => {
    const email = await addressee(), token = provider.issueToken();
    same((await send(email, token)).error, null);
    const call = provider.calls.at(-1)!;
    same([call.get("response"), call.get("remoteip")], [token, "127.0.0.1"]);
    const error = (await send(email, token)).error as AuthError;
    same(errorOf(error), { status: 400, code: "captcha_failed" });
    same(error.message, "captcha protection: request disallowed (timeout-or-duplicate)");
  });

  Deno.test(`${name} without a captcha token is 400 captcha_failed and does not call the verifier`, async () => {
    const email = await addressee(), before = provider.calls.length, received = (await emails(stack, email)).length;
    same(errorOf((await send(email)).error as AuthError), { status: 400, code: "captcha_failed" });
    for (const captcha_token of [undefined, null, "", " \t"]) {
      const response = await post(path, { email, ...body, gotrue_meta_security: { captcha_token } });
      same(response.headers.get("x-sb-error-code"), "captcha_failed");
      same([response.status, await response.json()], [400, disallowed("no captcha_token found")]);
    }
    same([provider.calls.length, (await emails(stack, email)).length], [before, received]);
  });

  Deno.test(`${name} with an invalid captcha token is 400 captcha_failed and sends no email`, async () => {
    const email = await addressee(), received = (await emails(stack, email)).length;
    const response = await post(path, { email, ...body, gotrue_meta_security: { captcha_token: "made up" } });
    same([response.status, await response.json()], [400, disallowed("invalid-input-response")]);
    same((await emails(stack, email)).length, received);
  });
}

Deno.test("magic links and unknown grants need a captcha token", async () => {
  for (const path of ["magiclink", "token", "token?grant_type=web3"]) {
    const response = await post(path, { email: newAddress() });
    same([response.status, await response.json()], [400, disallowed("no captcha_token found")]);
  }
});

Deno.test("a captcha error has the body of the client's API version", async () => {
  const response = await post("recover", { email: newAddress() }, { "x-supabase-api-version": "2024-01-01" });
  const { msg, error_code } = disallowed("no captcha_token found");
  same([response.status, await response.json()], [400, { code: error_code, message: msg }]);
});

Deno.test("codes and links of emails need no captcha token", async () => {
  const before = provider.calls.length, client = clientOf(stack), email = await unconfirmed();
  await serviceAuth.resend({ type: "signup", email });
  const { code } = await lastEmail(stack, email);
  same((await client.auth.verifyOtp({ email, token: code, type: "signup" })).error, null);
  await serviceAuth.resetPasswordForEmail(email);
  const { fragment } = await follow(serviceLink(stack, await lastEmail(stack, email)));
  same(fragment.get("type"), "recovery");
  const { data } = await adminOf(stack).generateLink({ type: "magiclink", email });
  const byHash = await client.auth.verifyOtp({ token_hash: data.properties!.hashed_token, type: "email" });
  same([byHash.error, provider.calls.length], [null, before]);
});

Deno.test("a PKCE code needs no captcha token", async () => {
  const client = pkceClientOf(stack), email = await confirmed();
  const options = { captchaToken: provider.issueToken() };
  same((await client.auth.signInWithOtp({ email, options })).error, null);
  const { query } = await follow(serviceLink(stack, await lastEmail(stack, email)));
  same((await client.auth.exchangeCodeForSession(query.get("code")!)).error, null);
});

Deno.test("account settings, refresh and sign-out need no captcha token", async () => {
  const { client } = await signedInUser(), before = provider.calls.length;
  same((await client.auth.getUser()).error, null);
  same((await client.auth.updateUser({ data: { display_name: "Anna" } })).error, null);
  same((await client.auth.updateUser({ password: `${PASSWORD} 2` })).error, null);
  same((await client.auth.refreshSession()).error, null);
  same((await client.auth.signOut()).error, null);
  same(provider.calls.length, before);
});

Deno.test("calls with the secret key as API key need no captcha token", async () => {
  const before = provider.calls.length, authorization = `Bearer ${stack.secretKey}`;
  same((await serviceAuth.signUp({ email: newAddress(), password: PASSWORD })).error, null);
  same((await serviceAuth.resend({ type: "signup", email: await unconfirmed() })).error, null);
  same((await serviceAuth.resetPasswordForEmail(await confirmed())).error, null);
  same((await serviceAuth.signInWithOtp({ email: await confirmed() })).error, null);
  same((await serviceAuth.signInWithPassword({ email: await confirmed(), password: PASSWORD })).error, null);
  same((await serviceAuth.admin.inviteUserByEmail(newAddress())).error, null);
  const send = async (apikey: string) => {
    const response = await post("recover", { email: await confirmed() }, { authorization, apikey });
    await response.body?.cancel();
    return response.status;
  };
  same([await send(stack.secretKey), await send(stack.publishableKey)], [200, 400]);
  same(provider.calls.length, before);
});

Deno.test("a user's session does not replace a captcha token", async () => {
  const { email, session } = await signedInUser();
  const response = await post("recover", { email }, { authorization: `Bearer ${session.access_token}` });
  same([response.status, await response.json()], [400, disallowed("no captcha_token found")]);
});

Deno.test("a captcha token is verified before the call's other parameters", async () => {
  const token = provider.issueToken();
  const body = { email: "not an address", gotrue_meta_security: { captcha_token: token } };
  same((await (await post("signup", { ...body, password: "" })).json()).error_code, "validation_failed");
  const used = await post("signup", { ...body, password: "" });
  same(await used.json(), disallowed("timeout-or-duplicate"));
});

Deno.test("without captcha protection, a captcha token is ignored", async () => {
  const { email } = await signedIn(unprotected), options = { captchaToken: "unused" };
  const { data, error } = await clientOf(unprotected).auth.signInWithPassword({ email, password: PASSWORD, options });
  ok(data.session, error?.message);
});
