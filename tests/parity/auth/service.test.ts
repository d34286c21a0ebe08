// Rules of every call to auth: keys, error bodies, CORS.
import { deepStrictEqual as same, ok } from "node:assert";
import { stack as running } from "../../stack.ts";

const stack = await running();

async function call(path: string, init: RequestInit = {}) {
  const response = await fetch(`${stack.url}/auth/v1${path}`, init);
  const text = await response.text();
  return { response, status: response.status, body: text.startsWith("{") ? JSON.parse(text) : text };
}
const signInWrongly = { method: "POST", body: JSON.stringify({ email: "nobody@example.org", password: "wrong" }) };

Deno.test("auth requires an API key except for the JWKS and links", async () => {
  same((await call("/health")).status, 401);
  const { status, body } = await call("/health", { headers: { apikey: "sb_publishable_of_another_project" } });
  same([status, body.message], [401, "Invalid API key"]);
  same((await call("/health", { headers: { apikey: stack.publishableKey } })).status, 200);
  same((await call("/.well-known/jwks.json")).status, 200);
  const link = await call("/verify?token=gone&type=signup", { redirect: "manual" });
  same(link.status, 303);
});

Deno.test("auth errors have the form of the requested API version", async () => {
  const headers = { apikey: stack.publishableKey };
  const path = "/token?grant_type=password";
  const old = await call(path, { ...signInWrongly, headers });
  same([old.status, old.body], [400, {
    code: 400,
    error_code: "invalid_credentials",
    msg: "Invalid login credentials",
  }]);
  const current = await call(path, {
    ...signInWrongly,
    headers: { ...headers, "x-supabase-api-version": "2024-01-01" },
  });
  same([current.status, current.body], [400, { code: "invalid_credentials", message: "Invalid login credentials" }]);
  same(current.response.headers.get("x-supabase-api-version"), "2024-01-01");
  for (const { response } of [old, current]) same(response.headers.get("x-sb-error-code"), "invalid_credentials");
});

Deno.test("auth rejects a body that is not a JSON object, an unknown path and an unknown grant", async () => {
  const headers = { apikey: stack.publishableKey };
  same((await call("/signup", { method: "POST", headers, body: "[1]" })).body.error_code, "bad_json");
  same((await call("/signup", { method: "POST", headers, body: '{"email": 7}' })).body.error_code, "bad_json");
  same((await call("/nothing", { headers })).status, 404);
  const grant = await call("/token?grant_type=magic", { method: "POST", headers, body: "{}" });
  same([grant.status, grant.body.error_code], [400, "invalid_credentials"]);
});

Deno.test("auth returns an error to a call that needs a user and has none", async () => {
  const error = async (headers: HeadersInit) => {
    const { status, body } = await call("/user", { headers: { apikey: stack.publishableKey, ...headers } });
    return [status, body.error_code, body.msg];
  };
  // The gateway adds the token of a key, which names no user
  same(await error({}), [403, "bad_jwt", "invalid claim: missing sub claim"]);
  same(await error({ authorization: "Basic YTpi" }), [
    ...[401, "no_authorization", "This endpoint requires a valid Bearer token"],
  ]);
  const malformed = "token is malformed: token contains an invalid number of segments";
  same(await error({ authorization: "Bearer x" }), [
    ...[403, "bad_jwt", `invalid JWT: unable to parse or verify signature, ${malformed}`],
  ]);
});

Deno.test("auth allows CORS requests of any origin with the headers of supabase-js", async () => {
  const { response } = await call("/token?grant_type=password", {
    method: "OPTIONS",
    headers: {
      origin: "https://app.example",
      "access-control-request-method": "POST",
      "access-control-request-headers": "apikey,authorization,content-type,x-client-info,x-supabase-api-version",
    },
  });
  ok(response.ok);
  ok(response.headers.get("access-control-allow-headers")?.includes("x-supabase-api-version"));
  ok(response.headers.get("access-control-allow-methods")?.includes("POST"));
  const refused = await call("/token?grant_type=password", {
    ...signInWrongly,
    headers: { apikey: stack.publishableKey },
  });
  same(refused.response.headers.get("access-control-allow-origin"), "*");
  ok(refused.response.headers.get("access-control-expose-headers")?.includes("x-supabase-api-version"));
});
