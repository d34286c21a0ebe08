// Tokens on a signed-in route: only unexpired ones of this project are accepted.
import assert from "node:assert/strict";
import { exportJWK, generateKeyPair, type JWTPayload, SignJWT, UnsecuredJWT } from "jose";
import { fetchDocumented } from "./documented_responses.ts";
import { assertError, person, stackInfo, waitFor } from "./harness.ts";
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
