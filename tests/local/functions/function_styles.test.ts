// Edge functions as other projects write them: entry points, import maps, tokens and CORS.
import assert from "node:assert/strict";
import { user } from "../../parity/realtime/subscribers.ts";
import { startTestStack } from "../../stack.ts";
import { portsToml, projectFolder } from "../host/project_folder.ts";

// In two parts, because tests/shape finds servers that tests start
const serve = "Deno" + ".serve";

/** Functions that require no token. */
const OPEN = ["exported", "served", "options", "listening", "mapped", "neither"];

const FILES: Record<string, string> = {
  "supabase/config.toml": `${portsToml()}auto_expose_new_tables = true
${OPEN.map((name) => `[functions.${name}]\nverify_jwt = false`).join("\n")}
[functions.configured]
verify_jwt = false
entrypoint = "./functions/elsewhere/main.ts"
import_map = "./functions/elsewhere/map.json"
[functions.disabled]
enabled = false
`,
  "supabase/migrations/20260101000000_notes.sql": "create table public.notes (id int primary key);",
  "deno.json": `{"imports": {"name": "./supabase/functions/_shared/root.ts"}}`,
  "supabase/functions/_shared/root.ts": `export const name = "root";`,
  "supabase/functions/_shared/own.ts": `export const name = "own";`,
  "supabase/functions/_shared/index.ts": `throw new Error("shared code was loaded");`,
  "supabase/functions/exported/index.ts": `import { name } from "name";
export default { fetch: (...args: unknown[]) => Response.json({ name, args: args.length }) };`,
  "supabase/functions/served/index.ts": `import { name } from "name";
${serve}(async (request, info) =>
  Response.json({ name, echo: await request.text(), client: !!info.remoteAddr }, { headers: { "x-own": "1" } }));`,
  "supabase/functions/options/index.ts":
    `const server = ${serve}({ port: 9999, handler: () => new Response("handled") });
server.finished.then(() => {});`,
  // What serve() of https://deno.land/std@0.168.0/http/server.ts does
  "supabase/functions/listening/index.ts": `// deno-lint-ignore-file
const listener = Deno.listen({ port: 8000, hostname: "0.0.0.0", transport: "tcp" });
(async () => {
  for (;;) {
    const connection = await listener.accept();
    const http = (Deno as any).serveHttp(connection);
    (async () => {
      for (let event; (event = await http.nextRequest());) {
        await event.respondWith(Response.json({ method: event.request.method, port: listener.addr.port }));
      }
    })();
  }
})();`,
  "supabase/functions/mapped/deno.json": `{"imports": {"name": "../_shared/own.ts"}}`,
  "supabase/functions/mapped/index.ts": `import { name } from "name";
${serve}(() => Response.json({ name }));`,
  "supabase/functions/elsewhere/map.json": `{"imports": {"word": "./word.ts"}}`,
  "supabase/functions/elsewhere/word.ts": `export const word = "configured";`,
  "supabase/functions/elsewhere/main.ts": `import { word } from "word";
${serve}(() => new Response(word));`,
  "supabase/functions/neither/index.ts": `export const nothing = 1;`,
  "supabase/functions/secured/index.ts": `${serve}((request) => request.method === "OPTIONS"
  ? new Response("ok", { headers: { "access-control-allow-origin": "https://own.example" } })
  : Response.json({ key: Deno.env.get("SUPABASE_ANON_KEY") }));`,
  "supabase/functions/disabled/index.ts": `${serve}(() => new Response());`,
};

const stack = await startTestStack({ project: await projectFolder(FILES) });

async function call(name: string, init?: RequestInit) {
  const response = await fetch(`${stack.functionsUrl}/${name}`, init);
  const text = await response.text();
  const { status, headers } = response;
  return { status, headers, body: headers.get("content-type")?.includes("json") ? JSON.parse(text) : text };
}

Deno.test("a module can export fetch, call Deno.serve in each form, or listen itself", async () => {
  assert.deepEqual((await call("exported")).body.args, 1);
  const served = await call("served", { method: "POST", body: "hello" });
  assert.deepEqual([served.body.echo, served.body.client, served.headers.get("x-own")], ["hello", true, "1"]);
  assert.equal((await call("options")).body, "handled");
  const methods = await Promise.all(["GET", "PUT", "DELETE"].map((method) => call("listening", { method })));
  assert.deepEqual(methods.map(({ body }) => body.method), ["GET", "PUT", "DELETE"]);
});

Deno.test("a module without a handler does not start and does not affect the others", async () => {
  const { status, body } = await call("neither");
  assert.deepEqual([status, body.code], [503, "BOOT_ERROR"]);
});

Deno.test("a function has its own deno.json, the import map of config.toml, or the project's deno.json", async () => {
  assert.equal((await call("served", { method: "POST" })).body.name, "root");
  assert.equal((await call("mapped")).body.name, "own");
  assert.equal((await call("configured")).body, "configured");
});

Deno.test("folders of supabase/functions with an index.ts are functions, unless config.toml disables them", async () => {
  assert.equal((await call("secured", { method: "OPTIONS" })).status, 200);
  for (const name of ["disabled", "_shared", "elsewhere"]) {
    const { status, body, headers } = await call(name);
    assert.deepEqual([status, body.code, headers.get("sb-error-code")], [404, "NOT_FOUND", "NOT_FOUND"]);
  }
});

Deno.test("a function requires a user's token by default, except for preflights, which it handles itself", async () => {
  const withToken = (token: string) => call("secured", { headers: { authorization: `Bearer ${token}` } });
  const responses = [await call("secured"), await withToken("x.y.z"), await withToken(stack.publishableKey)];
  assert.deepEqual(responses.map(({ status, body }) => [status, body]), [
    [401, { code: "UNAUTHORIZED_NO_AUTH_HEADER", message: "Missing authorization header" }],
    [401, { code: "UNAUTHORIZED_INVALID_JWT_FORMAT", message: "Invalid JWT" }],
    [401, { code: "UNAUTHORIZED_INVALID_JWT_FORMAT", message: "Invalid JWT" }],
  ]);
  assert.equal(responses[0].headers.get("access-control-allow-origin"), "*");
  const { token } = await user("ana", stack);
  assert.deepEqual((await withToken(token)).body, { key: stack.publishableKey });
  const preflight = await call("secured", {
    method: "OPTIONS",
    headers: { origin: "https://own.example", "access-control-request-method": "POST" },
  });
  assert.equal(preflight.headers.get("access-control-allow-origin"), "https://own.example");
});

Deno.test("auto_expose_new_tables gives the API roles all privileges on tables of the migrations", async () => {
  const headers = { apikey: stack.publishableKey };
  const response = await fetch(`${stack.url}/rest/v1/notes`, { headers });
  assert.deepEqual([response.status, await response.json()], [200, []]);
});
