// Tokens on a signed-in route: only unexpired ones of this project are accepted.
import assert from "node:assert/strict";
import { exportJWK, generateKeyPair, type JWTPayload, SignJWT, UnsecuredJWT } from "jose";
import { fetchDocumented } from "./documented_responses.ts";
import { assertError, person, stackInfo, waitFor } from "./harness.ts";
import { startHttpServer } from "../http_server.ts";
import { devKeys } from "../../local/auth/keys.ts";
import { startFunctions } from "../functions.ts";

const ours = await generateKeyPair("ES256", { extractable: true }), theirs = await generateKeyPair("ES256");
const jwk = { ...await exportJWK(ours.publicKey), alg: "ES256", kid: "ours", use: "sig" };
const { id: sub } = await person("owner");
const now = () => Math.floor(Date.now() / 1000);
const claims = (exp = now() + 600): JWTPayload => ({ sub, role: "authenticated", aud: "authenticated", exp });
const signed = (key: CryptoKey | Uint8Array, alg = "ES256", exp?: number) =>
  new SignJWT(claims(exp)).setProtectedHeader({ alg, kid: "ours", typ: "JWT" }).sign(key);

Deno.test("only unexpired tokens that this project signed are accepted", async () => {
  await using functions = await startFunctions(stackInfo, { SUPABASE_JWKS: JSON.stringify({ keys: [jwk] }) });
  const send = async (token: string) => {
    const response = await fetchDocumented(`${functions.url}/api/media/audio/presigned-url`, {
      method: "POST",
      headers: { authorization: `Bearer ${token}`, "content-type": "application/json" },
      body: "{}",
    });
    const text = await response.text();
    return { status: response.status, headers: response.headers, text, body: JSON.parse(text) };
  };
  const good = await signed(ours.privateKey);
  assertError(await send(good), 400, { details: /^podcastId:/ }); // 400 shows that the token was accepted

  const [header, payload, signature] = good.split(".");
  const forged = btoa(JSON.stringify({ ...claims(), sub: crypto.randomUUID() })).replace(/=+$/, "");
  const rejected = {
    expired: await signed(ours.privateKey, "ES256", now() - 60),
    "of a foreign key": await signed(theirs.privateKey),
    "HS256 with the public key as secret": await signed(new TextEncoder().encode(JSON.stringify(jwk)), "HS256"),
    "alg none": new UnsecuredJWT(claims()).encode(),
    "other claims": `${header}.${forged}.${signature}`,
    "another signature": `${header}.${payload}.${signature.replace(/^./, (first) => first === "A" ? "B" : "A")}`,
    "the publishable key": stackInfo.publishableKey,
    "the secret key": stackInfo.secretKey,
  };
  for (const [what, token] of Object.entries(rejected)) {
    const result = await send(token);
    assert.equal(result.status, 401, what);
    assertError(result, 401);
  }

  // A token may expire before it reaches the function; the next one is valid twice as long
  const counted = async (seconds: number): Promise<string> => {
    const exp = now() + seconds, token = await signed(ours.privateKey, "ES256", exp);
    const { status } = await send(token);
    if (status === 401 && now() >= exp) return await counted(2 * seconds);
    assert.equal(status, 400, "it counts, and is remembered");
    return token;
  };
  const short = await counted(2);
  await waitFor("the token has expired", async () => (await send(short)).status === 401);
});

Deno.test("Auth verifies tokens of keys that the functions do not know, and its verdict lasts a minute", async () => {
  let requests = 0, outage: number | undefined;
  await using project = startHttpServer(async (request) => {
    requests++;
    if (outage) return new Response("{}", { status: outage });
    const { pathname } = new URL(request.url);
    const response = await fetch(stackInfo.url + pathname, { headers: request.headers });
    return new Response(await response.text(), response);
  });
  await using functions = await startFunctions(stackInfo, {
    SUPABASE_URL: project.url,
    SUPABASE_JWKS: '{"keys":[]}',
  });
  const status = async (token: string) => {
    requests = 0;
    const response = await fetch(`${functions.url}/api/billing`, { headers: { authorization: `Bearer ${token}` } });
    await response.body?.cancel();
    return [response.status, requests];
  };
  const shared = (secret: string, changes: JWTPayload = {}) =>
    new SignJWT({ ...claims(), ...changes }).setProtectedHeader({ alg: "HS256", kid: "shared", typ: "JWT" })
      .sign(new TextEncoder().encode(secret));

  const { token } = await person("owner"), ofSecret = await shared(devKeys.jwtSecret);
  for (const accepted of [token, ofSecret]) {
    assert.deepEqual([await status(accepted), await status(accepted)], [[200, 1], [200, 0]]);
  }
  const rejected = {
    "of another secret": await shared("x".repeat(40)),
    "of a user who does not exist": await shared(devKeys.jwtSecret, { sub: crypto.randomUUID() }),
  };
  for (const [what, other] of Object.entries(rejected)) assert.deepEqual(await status(other), [401, 1], what);
  const hopeless = {
    "expired": await shared(devKeys.jwtSecret, { exp: now() - 60 }),
    "without a user": await shared(devKeys.jwtSecret, { sub: undefined }),
    "unsigned": new UnsecuredJWT(claims()).encode(),
    "no token": "sb_secret_x",
  };
  for (const [what, other] of Object.entries(hopeless)) assert.deepEqual(await status(other), [401, 0], what);

  for (outage of [500, 429]) {
    assert.deepEqual(await status(await shared(devKeys.jwtSecret, { exp: now() + outage })), [503, 1]);
  }
  await project[Symbol.asyncDispose]();
  assert.deepEqual(await status(await shared(devKeys.jwtSecret, { exp: now() + 1 })), [503, 0]);
});

Deno.test("invented tokens of one network leave questions to Auth to everyone else", async () => {
  const { promise: mayRespond, resolve: respond } = Promise.withResolvers<void>();
  let questions = 0;
  await using auth = startHttpServer(async () => {
    questions++;
    await mayRespond;
    return Response.json({ id: sub });
  });
  await using functions = await startFunctions(stackInfo, { SUPABASE_URL: auth.url, SUPABASE_JWKS: '{"keys":[]}' });
  let expiry = now() + 600;
  const send = async (address: string) => {
    const response = await fetch(`${functions.url}/api/billing`, {
      headers: {
        authorization: `Bearer ${await signed(theirs.privateKey, "ES256", expiry++)}`,
        "x-forwarded-for": address,
      },
    });
    await response.body?.cancel();
    return response.status;
  };
  const responses = [1, 2, 3, 4, 5].map((n) => send(`2001:db8::${n}`));
  await waitFor("Auth has five questions", () => Promise.resolve(questions === 5));
  assert.equal(await send("2001:db8::6"), 503);
  responses.push(send("192.0.2.1"));
  await waitFor("Auth has the question of another network", () => Promise.resolve(questions === 6));
  respond();
  assert.deepEqual(await Promise.all(responses), Array(6).fill(200));
});

Deno.test("an API key as the bearer, also one from before a rotation, means an anonymous caller", async () => {
  const legacy = await new SignJWT({ role: "anon", iss: "supabase" }).setProtectedHeader({ alg: "HS256", typ: "JWT" })
    .sign(new TextEncoder().encode("any"));
  for (const key of [stackInfo.publishableKey, "sb_publishable_of_last_year", legacy]) {
    const response = await fetch(`${stackInfo.functionsUrl}/api/bookings`, {
      method: "POST",
      headers: { authorization: `Bearer ${key}`, "content-type": "application/json" },
      body: "{}",
    });
    assert.equal(response.status, 400, key);
    await response.body?.cancel();
  }
});
