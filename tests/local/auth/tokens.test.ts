// Tokens that a project signs itself with the shared secret, and what is wrong with others.
import { deepStrictEqual as same } from "node:assert";
import { type JWTPayload, SignJWT } from "jose";
import { devKeys } from "../../../local/auth/keys.ts";
import { clientOf, errorOf, PASSWORD, request, senderOf, signedIn } from "../../parity/auth/setup.ts";
import { startAuth } from "./auth_service.ts";

const auth = await startAuth();
const send = senderOf(auth);

const sign = (claims: JWTPayload, expiresAt: string | number = "1h") =>
  new SignJWT(claims).setProtectedHeader({ alg: "HS256", typ: "JWT" }).setExpirationTime(expiresAt)
    .sign(new TextEncoder().encode(devKeys.jwtSecret));

Deno.test("a rejected token is described in the words of the service's library", async () => {
  const reason = async (token: string) => {
    const [status, code, message] = await send("GET /user", { token });
    return [status, code, String(message).replace("invalid JWT: unable to parse or verify signature, ", "")];
  };
  const role = "authenticated", sub = crypto.randomUUID();
  const expired = await sign({ role, sub }, Math.floor(Date.now() / 1000) - 60);
  same(await reason(expired), [403, "bad_jwt", "token has invalid claims: token is expired"]);
  const early = await sign({ role, sub, nbf: Math.floor(Date.now() / 1000) + 600 });
  same(await reason(early), [403, "bad_jwt", "token has invalid claims: token is not valid yet"]);
  const unsigned = `${btoa('{"alg":"none"}').replaceAll("=", "")}.${btoa("{}").replaceAll("=", "")}.`;
  same(await reason(unsigned), [403, "bad_jwt", "token signature is invalid: signing method none is invalid"]);
  const { session } = await signedIn(auth);
  const [header, payload] = session.access_token.split("."), signature = "A".repeat(86);
  same(await reason([header, payload, signature].join(".")), [
    ...[403, "bad_jwt", "token signature is invalid: crypto/ecdsa: verification error"],
  ]);
  const [start, claims] = (await sign({ role, sub })).split(".");
  same(await reason([start, claims, "A".repeat(43)].join(".")), [
    ...[403, "bad_jwt", "token signature is invalid: signature is invalid"],
  ]);
  same(await reason(await sign({ role })), [403, "bad_jwt", "invalid claim: missing sub claim"]);
  same(await reason(await sign({ role, sub: "x" })), [400, "bad_jwt", "invalid claim: sub claim must be a UUID"]);
  same((await reason(await sign({ role, sub })))[1], "user_not_found");
});

Deno.test("a token of the role service_role is an administrator's, while its session lasts", async () => {
  const list = async (claims: JWTPayload) =>
    (await send("GET /admin/users", { token: await sign(claims) })).slice(0, 2);
  const { id, client, session } = await signedIn(auth);
  same(await list({ role: "service_role" }), [200, undefined]);
  same(await list({ role: "authenticated" }), [403, "not_admin"]);
  const claims = {
    role: "service_role",
    sub: id,
    session_id: JSON.parse(atob(session.access_token.split(".")[1])).session_id,
  };
  same(await list(claims), [200, undefined]);
  await client.auth.signOut();
  same(await list(claims), [403, "session_not_found"]);
});

Deno.test("a logout with a token that names no session ends all sessions of the user", async () => {
  const { id, email, client } = await signedIn(auth);
  const other = clientOf(auth);
  await other.auth.signInWithPassword({ email, password: PASSWORD });
  const token = await sign({ role: "authenticated", sub: id });
  same((await request(auth, "POST /logout?scope=local", { token })).status, 204);
  for (const ended of [client, other]) {
    same(errorOf((await ended.auth.refreshSession()).error), { status: 400, code: "refresh_token_not_found" });
  }
});
