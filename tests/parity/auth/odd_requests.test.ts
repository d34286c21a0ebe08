// Requests that clients of another service, or with a mistake, may send: methods, paths and members.
import { deepStrictEqual as same, match } from "node:assert";
import { stack as running } from "../../stack.ts";
import { adminOf, clientOf, emails, errorOf, newAddress, PASSWORD, request, senderOf, signedIn } from "./setup.ts";

const stack = await running();
const CHALLENGE = { code_challenge: "x".repeat(43), code_challenge_method: "s256" };
const admin = { key: stack.secretKey };
const send = senderOf(stack);

Deno.test("an unknown method gets 405 without a body, an unknown path 404 with text", async () => {
  const { session, id } = await signedIn(stack), token = session.access_token;
  for (
    const [route, options] of [
      ["PATCH /health", {}],
      ["PUT /settings", {}],
      ["GET /signup", {}],
      ["GET /token", {}],
      ["DELETE /otp", {}],
      ["GET /invite", {}],
      ["GET /logout", {}],
      ["PUT /verify", {}],
      ["OPTIONS /health", {}],
      ["PATCH /user", { token }],
      ["POST /reauthenticate", { token }],
      ["PATCH /admin/users", admin],
      [`POST /admin/users/${id}`, admin],
      ["GET /admin/generate_link", admin],
    ] as const
  ) {
    const { status, text } = await request(stack, route, options);
    same([route, status, text], [route, 405, ""]);
  }
  for (
    const [route, options] of [["GET /nothing", {}], ["POST /user/nothing", { token }], ["GET /admin", admin]] as const
  ) {
    const { status, text, headers } = await request(stack, route, options);
    same([status, text], [404, "404 page not found\n"]);
    match(headers.get("content-type")!, /^text\/plain/);
  }
  same((await request(stack, "POST /signup/", { body: { email: "x" } })).json.error_code, "validation_failed");
});

Deno.test("a callback without a state redirects to the site, with any method", async () => {
  for (const route of ["PUT /callback", "GET /callback/x"]) {
    const { status, headers } = await request(stack, route);
    same([status, new URL(headers.get("location")!).searchParams.get("error_code")], [303, "bad_oauth_callback"]);
  }
});

Deno.test("the check of a group of routes comes before its unknown paths and methods", async () => {
  for (const route of ["GET /admin/nothing", "PATCH /admin/users"]) same((await send(route))[1], "not_admin");
  for (const route of ["PATCH /user", "GET /user/nothing", "POST /reauthenticate", "GET /factors"]) {
    same((await send(route))[1], "bad_jwt");
  }
  same(await send("PATCH /admin/users/7", admin), [404, "validation_failed", "user_id must be an UUID"]);
  same((await send(`POST /admin/users/${crypto.randomUUID()}`, admin))[1], "user_not_found");
});

Deno.test("an address and a phone number together are rejected, each route in its words", async () => {
  const both = { email: newAddress(), phone: "+41791234567" };
  const invalid = (message: string) => [400, "validation_failed", message];
  same(await send("POST /otp", { body: both }), invalid("Only an email address or phone number should be provided"));
  same(
    await send("POST /signup", { body: { ...both, password: PASSWORD } }),
    invalid(
      "Only an email address or phone number should be provided on signup.",
    ),
  );
  same(
    await send("POST /token?grant_type=password", { body: both }),
    invalid(
      "Only an email address or phone number should be provided on login.",
    ),
  );
  same(
    await send("POST /resend", { body: { ...both, type: "signup" } }),
    invalid(
      "Only an email address or phone number should be provided.",
    ),
  );
  same(
    await send("POST /verify", { body: { ...both, type: "signup", token: "1" } }),
    invalid(
      "Only an email address or phone number should be provided on verify",
    ),
  );
});

Deno.test("a channel is rejected in a request without a phone number, and an unknown one always", async () => {
  const email = newAddress();
  same(await send("POST /otp", { body: { email, channel: "sms" } }), [
    ...[400, "validation_failed", "Channel should only be specified with Phone OTP"],
  ]);
  const channel = "pigeon", { session } = await signedIn(stack);
  const [status, code, message] = await send("PUT /user", {
    token: session.access_token,
    body: { phone: "+41791234567", channel },
  });
  same([status, code], [400, "validation_failed"]);
  match(message, /^Invalid channel, supported values are 'sms' or 'whatsapp'\./);
});

Deno.test("an incomplete or malformed PKCE challenge is 400, an unknown method 500", async () => {
  const email = newAddress(), start = (challenge: object) => send("POST /otp", { body: { email, ...challenge } });
  same(await start({ code_challenge: CHALLENGE.code_challenge }), [
    ...[400, "validation_failed", "PKCE flow requires code_challenge_method and code_challenge"],
  ]);
  same(
    (await start({ ...CHALLENGE, code_challenge: "short" }))[2],
    "code challenge has to be between 43 and 128 characters",
  );
  same((await start({ ...CHALLENGE, code_challenge: "ä".repeat(43) }))[0], 400);
  const unexpected = [500, "unexpected_failure", "Unexpected failure, please check server logs for more information"];
  const unknown = { ...CHALLENGE, code_challenge_method: "sha512" };
  same(await start(unknown), unexpected);
  same(await send("POST /signup", { body: { email, password: PASSWORD, ...unknown } }), unexpected);
  same(await emails(stack, email), []);
  const known = await signedIn(stack);
  same(await send("POST /recover", { body: { email: known.email, ...unknown } }), unexpected);
  const body = { email: newAddress(), ...unknown };
  same(await send("PUT /user", { token: known.session.access_token, body }), unexpected);
});

Deno.test("a logout rejects an unknown scope", async () => {
  const { session } = await signedIn(stack);
  same(await send("POST /logout?scope=here", { token: session.access_token }), [
    ...[400, "validation_failed", 'Unsupported logout scope "here"'],
  ]);
});

Deno.test("the ban of a user is reported before a wrong password or code", async () => {
  const { id, email } = await signedIn(stack);
  await adminOf(stack).updateUserById(id, { ban_duration: "1h" });
  const signIn = await clientOf(stack).auth.signInWithPassword({ email, password: "wrong" });
  same(errorOf(signIn.error), { status: 400, code: "user_banned" });
  const verified = await clientOf(stack).auth.verifyOtp({ email, token: "000000", type: "email" });
  same(errorOf(verified.error), { status: 403, code: "user_banned" });
});

Deno.test("the discovery documents need no key", async () => {
  const read = async (name: string) => await fetch(`${stack.url}/auth/v1/.well-known/${name}`);
  const response = await read("openid-configuration"), document = await response.json();
  same([response.status, response.headers.get("cache-control")], [200, "public, max-age=600"]);
  same([document.jwks_uri, document.token_endpoint], [
    `${document.issuer}/.well-known/jwks.json`,
    `${document.issuer}/oauth/token`,
  ]);
  same(document.code_challenge_methods_supported, ["S256", "plain"]);
  const keys = await read("jwks.json");
  await keys.body?.cancel();
  same([keys.status, keys.headers.get("cache-control")], [200, "public, max-age=600"]);
});
