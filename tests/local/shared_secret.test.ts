// Tokens that a project signs itself with the CLI's well-known secret. Only a local stack has this secret.
import { SignJWT } from "jose";
import assert from "node:assert/strict";
import { devKeys } from "../../local/auth/keys.ts";
import { stack } from "../stack.ts";
import { client, leave, refusal } from "../parity/realtime/subscribers.ts";

const server = await stack();
const sign = (claims: Record<string, unknown>, secret = devKeys.jwtSecret) =>
  new SignJWT(claims).setProtectedHeader({ alg: "HS256", typ: "JWT" }).sign(new TextEncoder().encode(secret));
const exp = Math.floor(Date.now() / 1000) + 600;

Deno.test("REST accepts a token of the shared secret and rejects one of another secret", async () => {
  const status = async (token: string) => {
    const headers = { apikey: server.publishableKey, authorization: `Bearer ${token}` };
    const response = await fetch(`${server.url}/rest/v1/podcasts?limit=0`, { headers });
    await response.body?.cancel();
    return response.status;
  };
  const claims = { role: "authenticated", sub: crypto.randomUUID(), exp };
  assert.deepEqual([await status(await sign(claims)), await status(await sign(claims, "x".repeat(32)))], [200, 401]);
  assert.equal(await status(await sign({ ...claims, exp: exp - 1200 })), 401);
});

Deno.test({
  name: "Realtime accepts a token of the shared secret if it names a role and an end",
  sanitizeOps: false, // supabase-js leaves a timer behind when it disconnects
  sanitizeResources: false,
  async fn() {
    const errorOf = async (token: string) => {
      const guest = client(server.publishableKey);
      await guest.realtime.setAuth(token);
      const error = await refusal(guest.channel(crypto.randomUUID()));
      await leave(guest);
      return error;
    };
    assert.equal(await errorOf(await sign({ role: "anon", exp })), undefined);
    const incomplete = "InvalidJWTToken: Fields `role` and `exp` are required in JWT";
    assert.equal(await errorOf(await sign({ role: "anon" })), incomplete);
    const forged = "JwtSignatureError: Failed to validate JWT signature";
    assert.equal(await errorOf(await sign({ role: "anon", exp }, "x".repeat(32))), forged);
  },
});

Deno.test("REST and Auth reject a token of the shared secret as an API key", async () => {
  const apikey = await sign({ role: "service_role", exp });
  for (const path of ["/rest/v1/podcasts", "/auth/v1/settings"]) {
    const response = await fetch(server.url + path, { headers: { apikey } });
    assert.deepEqual([response.status, (await response.json()).message], [401, "Invalid API key"]);
  }
});
