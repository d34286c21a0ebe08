// Tokens as callers of REST.
import { deepStrictEqual as same } from "node:assert";
import { generateKeyPair, jwtVerify, SignJWT } from "jose";
import { callerFromToken } from "../../../local/wire/caller.ts";

Deno.test("callerFromToken distinguishes expired from invalid tokens and gives anon to a token without a role", async () => {
  const { privateKey, publicKey } = await generateKeyPair("ES256");
  const credentials = {
    publishableKey: "",
    secretKey: "",
    verify: async (token: string) => (await jwtVerify(token, publicKey)).payload,
  };
  const signed = (claims: Record<string, unknown>) =>
    new SignJWT(claims).setProtectedHeader({ alg: "ES256" }).sign(privateKey);
  const now = Math.floor(Date.now() / 1000);
  same(await callerFromToken(await signed({ exp: now - 60 }), credentials), {
    code: "PGRST303",
    message: "JWT expired",
  });
  same(await callerFromToken(await signed({ nbf: now + 60 }), credentials), {
    code: "PGRST303",
    message: "JWT not yet valid",
  });
  same((await callerFromToken(await signed({ exp: now + 60 }), credentials) as { role: string }).role, "anon");
});
