/** Tests for every route: rejected callers and forged tokens, preflight, CORS, wrong methods and trailing slashes. */
import assert from "node:assert/strict";
import { corsHeaders } from "npm:@supabase/supabase-js@2.109.0/cors";
import { assertError, person, type RequestOptions, type Role, sendRequest, stackInfo } from "./harness.ts";

/** Adds trailing slashes to a path, before its query. */
const withSlashes = (path: string, slashes: string) => path.replace(/(?=\?)|$/, slashes);

type Request = () => Promise<Omit<RequestOptions, "as" | "method">>;

await person("anonymous"); // created before the first test

/**
 * `assertAccessMatrix("PUT /api/things/:id", request, { anon: 401, stranger: 403 })`; `request` succeeds for an owner.
 * A route that requires a token (`anon: 401`) is 403 for anonymous users, unless `statuses` has another status.
 */
export function assertAccessMatrix(route: string, request: Request, statuses: Partial<Record<Role, number>>) {
  const [method] = route.split(" ");
  const requiresToken = statuses.anon === 401;
  for (const [role, status] of Object.entries({ ...requiresToken && { anonymous: 403 }, ...statuses })) {
    Deno.test(`${route} returns ${status} to ${role}`, async () => {
      const response = await sendRequest({ method, ...await request(), as: role as Role });
      assertError(response, status, role === "anonymous" && status === 403 ? { code: "ANONYMOUS_USER" } : {});
    });
  }
  if (!requiresToken) return;
  Deno.test(`${route} returns 401 for forged, unsigned and foreign tokens`, async () => {
    const options = { method, ...await request() };
    const { token } = await person("owner");
    const [header, payload, signature] = token.split(".");
    const forged = payload.slice(0, -4) + (payload.endsWith("AAAA") ? "BBBB" : "AAAA");
    const unsigned = btoa(JSON.stringify({ alg: "none", typ: "JWT" })).replace(/=+$/, "");
    for (
      const junk of [
        "junk",
        "a.b.c",
        stackInfo.publishableKey,
        stackInfo.secretKey,
        `${header}.${forged}.${signature}`,
        `${unsigned}.${payload}.`,
      ]
    ) {
      assertError(await sendRequest({ ...options, as: { token: junk } }), 401);
    }
    assertError(
      await sendRequest({ ...options, headers: { ...options.headers, authorization: `Basic ${btoa("a:b")}` } }),
      401,
    );
  });
}

/**
 * What browsers need of a route: preflight with its methods, CORS headers on errors, 405 with `Allow` for other
 * methods.
 */
export function assertReachable(route: string, request: Request) {
  const [method] = route.split(" ");
  Deno.test(`${route} returns its own methods to preflight`, async () => {
    const { path } = await request();
    const preflight = {
      "access-control-request-method": method,
      "access-control-request-headers": "authorization",
      origin: "https://app.test",
    };
    const { status, headers, text } = await sendRequest({ method: "OPTIONS", path, headers: preflight });
    assert.equal(status, 204, text);
    assert.equal(headers.get("access-control-allow-origin"), "*");
    const allowed = headers.get("access-control-allow-methods")!.split(", ");
    assert.ok(allowed.includes(method) && !allowed.includes("PATCH"), `${allowed}`);
    const sendable = headers.get("access-control-allow-headers")!.split(", ");
    const sent = corsHeaders["Access-Control-Allow-Headers"].split(", ");
    for (const name of [...sent, "x-region", "traceparent", "tracestate", "baggage", "if-none-match", "range"]) {
      assert.ok(sendable.includes(name), name);
    }
  });
  Deno.test(`${route} returns 405 with Allow to another method`, async () => {
    const { path } = await request();
    const response = await sendRequest({ method: "PATCH", path });
    assertError(response, 405);
    const allow = response.headers.get("allow")!.split(", ");
    assert.ok(allow.includes(method) && allow.includes("OPTIONS") && !allow.includes("PATCH"), `${allow}`);
    assert.equal(allow.includes("HEAD"), allow.includes("GET"));
    assert.equal(response.headers.get("access-control-allow-origin"), "*");
    const readable = response.headers.get("access-control-expose-headers")!.split(", ");
    for (const name of ["allow", "content-disposition", "etag", "retry-after"]) {
      assert.ok(readable.includes(name), name);
    }
  });
  Deno.test(`${route} accepts a trailing slash`, async () => {
    const { path } = await request();
    const slashed = await sendRequest({ method: "PATCH", path: withSlashes(path, "/") });
    assertError(slashed, 405);
    assert.equal(slashed.headers.get("allow"), (await sendRequest({ method: "PATCH", path })).headers.get("allow"));
    const preflight = await sendRequest({ method: "OPTIONS", path: withSlashes(path, "/") });
    assert.ok(preflight.headers.get("access-control-allow-methods")!.split(", ").includes(method));
    const [plain, response] = await Promise.all(
      [path, withSlashes(path, "/")].map((path) => sendRequest({ method, path })),
    );
    assert.equal(response.status, plain.status, response.text);
  });
  Deno.test(`${route} returns 404 for two trailing slashes`, async () => {
    const path = withSlashes((await request()).path, "//");
    for (const options of [method, "PATCH"]) assertError(await sendRequest({ method: options, path }), 404);
    const preflight = await sendRequest({ method: "OPTIONS", path });
    assert.equal(preflight.headers.get("allow"), null, "preflight names no methods where there is no route");
  });
}
