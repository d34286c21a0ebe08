// Features that the local stack lacks respond as the service does while they are off.
import { deepStrictEqual as same } from "node:assert";
import { stack as running } from "../../stack.ts";
import { clientOf, errorOf, newAddress, PASSWORD, request, signedIn } from "./setup.ts";

const stack = await running();

Deno.test("GET /health names the service and a version", async () => {
  const { status, json } = await request(stack, "GET /health");
  same([status, json.name, /^v?\d/.test(json.version)], [200, "GoTrue", true]);
  same(json.description, "GoTrue is a user registration and authentication API");
});

Deno.test("GET /settings reports the providers and the rules of sign-ups", async () => {
  const { status, json } = await request(stack, "GET /settings");
  const { external, phone_autoconfirm, saml_private_key_next_configured, ...settings } = json;
  // Configurations of the service differ in these
  same([status, typeof phone_autoconfirm, typeof saml_private_key_next_configured], [200, "boolean", "boolean"]);
  same(Object.keys(external).sort(), [
    ...["anonymous_users", "apple", "azure", "bitbucket", "discord", "email", "facebook", "figma", "fly", "github"],
    ...["gitlab", "google", "kakao", "keycloak", "linkedin", "linkedin_oidc", "notion", "phone", "slack", "slack_oidc"],
    ...["snapchat", "spotify", "twitch", "twitter", "workos", "zoom"],
  ]);
  same(Object.keys(external).filter((name) => external[name]), ["email"]);
  same(settings, {
    disable_signup: false,
    mailer_autoconfirm: false,
    sms_provider: "",
    saml_enabled: false,
    passkeys_enabled: false,
  });
});

Deno.test("an anonymous sign-in returns 422 while anonymous sign-ins are off", async () => {
  const { error } = await clientOf(stack).auth.signInAnonymously();
  same([errorOf(error), error?.message], [
    { status: 422, code: "anonymous_provider_disabled" },
    "Anonymous sign-ins are disabled",
  ]);
});

Deno.test("each MFA factor type returns its own error, and a session is required first", async () => {
  const { session } = await signedIn(stack);
  const enroll = async (factor_type: string) => {
    const { status, json } = await request(stack, "POST /factors", {
      token: session.access_token,
      body: { factor_type },
    });
    return [status, json.error_code, json.msg];
  };
  same(await enroll("totp"), [422, "mfa_totp_enroll_not_enabled", "MFA enroll is disabled for TOTP"]);
  same(await enroll("phone"), [422, "mfa_phone_enroll_not_enabled", "MFA enroll is disabled for Phone"]);
  same(await enroll("webauthn"), [422, "mfa_webauthn_enroll_not_enabled", "MFA enroll is disabled for WebAuthn"]);
  same((await enroll("toString"))[0], 400);
  const anonymous = await request(stack, "POST /factors", { body: { factor_type: "totp" } });
  same([anonymous.status, anonymous.json.error_code], [403, "bad_jwt"]);
});

Deno.test("listFactors and the assurance level work without factors", async () => {
  const { client } = await signedIn(stack);
  same((await client.auth.mfa.listFactors()).data, { all: [], phone: [], totp: [], webauthn: [] });
  const { data } = await client.auth.mfa.getAuthenticatorAssuranceLevel();
  same([data?.currentLevel, data?.nextLevel, data?.currentAuthenticationMethods.map((entry) => Object(entry).method)], [
    "aal1",
    "aal1",
    ["password"],
  ]);
  const factorId = crypto.randomUUID();
  same(errorOf((await client.auth.mfa.challenge({ factorId })).error), { status: 404, code: "mfa_factor_not_found" });
  same(errorOf((await client.auth.mfa.unenroll({ factorId })).error), { status: 404, code: "mfa_factor_not_found" });
});

Deno.test("GET /authorize needs no key and names a disabled or unknown provider", async () => {
  const authorize = async (provider: string) => {
    const response = await fetch(`${stack.url}/auth/v1/authorize?provider=${provider}`, { redirect: "manual" });
    return [response.status, await response.json()];
  };
  const refused = (msg: string) => [400, { code: 400, error_code: "validation_failed", msg }];
  same(await authorize("google"), refused("Unsupported provider: provider is not enabled"));
  same(await authorize("GitHub"), refused("Unsupported provider: provider is not enabled"));
  same(await authorize("nowhere"), refused("Unsupported provider: Provider nowhere could not be found"));
});

Deno.test("GET /callback without a known state redirects to the site with the error", async () => {
  const { status, headers } = await request(stack, "GET /callback?code=1");
  const target = new URL(headers.get("location")!);
  same([status, target.searchParams.get("error"), target.searchParams.get("error_code")], [
    303,
    "invalid_request",
    "bad_oauth_callback",
  ]);
});

Deno.test("ID token and Web3 grants name the disabled provider", async () => {
  const { error } = await clientOf(stack).auth.signInWithIdToken({ provider: "google", token: "token" });
  same([errorOf(error), error?.message], [
    { status: 400, code: "provider_disabled" },
    'Provider (issuer "https://accounts.google.com") is not enabled',
  ]);
  const apple = await clientOf(stack).auth.signInWithIdToken({ provider: "apple", token: "token" });
  same(errorOf(apple.error), { status: 400, code: "validation_failed" });
  const empty = await request(stack, "POST /token?grant_type=id_token", { body: { provider: "google" } });
  same([empty.status, empty.json], [400, { error: "invalid request", error_description: "id_token required" }]);
  const link = await request(stack, "POST /token?grant_type=id_token", {
    body: { provider: "google", id_token: "token", link_identity: true },
  });
  same([link.status, link.json.error_code], [403, "bad_jwt"]); // a key's token names no user
  const web3 = await request(stack, "POST /token?grant_type=web3", { body: { chain: "solana" } });
  same([web3.status, web3.json.error_code], [422, "web3_provider_disabled"]);
});

Deno.test("SSO, passkeys and the OAuth server return 404 with the code of the disabled feature", async () => {
  const codeOf = async (route: string, key?: string) => {
    const { status, json } = await request(stack, route, { key, body: route.startsWith("GET") ? undefined : {} });
    return [status, json.error_code];
  };
  same(await codeOf("POST /sso"), [404, "saml_provider_disabled"]);
  same(await codeOf("GET /sso/saml/metadata"), [404, "saml_provider_disabled"]);
  same(await codeOf("POST /passkeys/authentication/options"), [404, "passkey_disabled"]);
  same(await codeOf("GET /passkeys"), [404, "passkey_disabled"]);
  same(await codeOf("GET /oauth/authorize"), [404, "feature_disabled"]);
  same(await codeOf("GET /admin/oauth/clients", stack.secretKey), [404, "feature_disabled"]);
  same(await codeOf("GET /admin/oauth/clients"), [403, "not_admin"]);
  same((await request(stack, "GET /admin/sso/providers", { key: stack.secretKey })).json, { items: [] });
  same(await codeOf("GET /admin/sso/providers/x", stack.secretKey), [404, "sso_provider_not_found"]);
});

Deno.test("a project has no custom OAuth providers", async () => {
  const admin = { key: stack.secretKey }, path = "GET /admin/custom-providers";
  same((await request(stack, path, admin)).json, { providers: [] });
  const unknown = await request(stack, `${path}/custom:x`, admin);
  same([unknown.status, unknown.json.error_code], [404, "custom_provider_not_found"]);
  same(
    (await request(stack, `${path}/x`, admin)).json.msg,
    "identifier must start with 'custom:' prefix, e.g. 'custom:x'",
  );
  const body = { id_token: "x", provider: "custom:x" };
  same(
    (await request(stack, "POST /token?grant_type=id_token", { body })).json.msg,
    'Custom provider "custom:x" not found',
  );
});

Deno.test("a form of a SAML provider gets the error of the disabled feature, not of its body", async () => {
  const response = await fetch(`${stack.url}/auth/v1/sso/saml/acs`, {
    method: "POST",
    body: new URLSearchParams({ SAMLResponse: "x" }),
  });
  same([response.status, (await response.json()).error_code], [404, "saml_provider_disabled"]);
  same((await request(stack, "GET /passkeysandmore")).status, 404);
  same((await request(stack, "GET /passkeysandmore")).json, undefined);
});

Deno.test("each route that takes a phone number rejects it", async () => {
  const phone = "+41791234567", auth = clientOf(stack).auth;
  same(errorOf((await auth.signUp({ phone, password: PASSWORD })).error), {
    status: 400,
    code: "phone_provider_disabled",
  });
  same(errorOf((await auth.signInWithOtp({ phone })).error), { status: 400, code: "phone_provider_disabled" });
  same(errorOf((await auth.signInWithPassword({ phone, password: PASSWORD })).error), {
    status: 422,
    code: "phone_provider_disabled",
  });
  same(errorOf((await auth.resend({ phone, type: "sms" })).error), { status: 400, code: "phone_provider_disabled" });
  same(errorOf((await auth.verifyOtp({ phone, token: "123456", type: "sms" })).error), {
    status: 403,
    code: "otp_expired",
  });
  const invalid = await auth.verifyOtp({ phone: "123-nine", token: "123456", type: "sms" });
  same(invalid.error?.message, "Invalid phone number format (E.164 required)");
});

Deno.test("linking and unlinking an identity return 404 while manual linking is off", async () => {
  const { client, session } = await signedIn(stack);
  const { data: identities } = await client.auth.getUserIdentities();
  same(identities?.identities.map(({ provider }) => provider), ["email"]);
  const off = { status: 404, code: "manual_linking_disabled" };
  const link = await client.auth.linkIdentity({ provider: "google", options: { skipBrowserRedirect: true } });
  same(errorOf(link.error), off);
  same(errorOf((await client.auth.unlinkIdentity(identities!.identities[0])).error), off);
  const route = "GET /user/identities/authorize?provider=google";
  same((await request(stack, route, { token: session.access_token })).json.msg, "Manual linking is disabled");
  same((await request(stack, route)).status, 403);
});

Deno.test("the admin API lists no factors and no passkeys of a user", async () => {
  const { id } = await signedIn(stack);
  const admin = { key: stack.secretKey };
  for (const kind of ["factors", "passkeys"]) {
    const { status, json } = await request(stack, `GET /admin/users/${id}/${kind}`, admin);
    same([status, json], [200, []]);
    same((await request(stack, `DELETE /admin/users/${id}/${kind}/${crypto.randomUUID()}`, admin)).status, 404);
    same((await request(stack, `GET /admin/users/${crypto.randomUUID()}/${kind}`, admin)).status, 404);
  }
});

Deno.test("POST /verify returns 422 for an invalid email address", async () => {
  const body = { type: "signup", email: "no address", token: "123456" };
  const { status, json } = await request(stack, "POST /verify", { body });
  same([status, json.error_code, json.msg], [422, "validation_failed", "Invalid email format"]);
});

Deno.test("an address and a phone number together are rejected", async () => {
  const body = { email: newAddress(), phone: "+41791234567", password: PASSWORD };
  for (const route of ["POST /signup", "POST /token?grant_type=password"]) {
    same((await request(stack, route, { body })).json.error_code, "validation_failed");
  }
});
