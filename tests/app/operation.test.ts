// operation(): the route that a declaration makes, and the declarations that do not compile.
import assert from "node:assert/strict";
import { z } from "zod";
import type { EdgeFunction } from "../../functions/app/app.ts";
import { declaredRoutes } from "../../functions/app/openapi.ts";
import { ReturnedError } from "../../functions/database/returned_error.ts";
import type { Db, RpcResult } from "../../functions/database/db.ts";
import { NoFields } from "../../types/envelope.ts";
import { UNREACHABLE_ENV, withEnvironment } from "../environment.ts";

const { edgeFunction, subRouter } = await withEnvironment(UNREACHABLE_ENV, () => import("../../functions/app/app.ts"));
const { operation } = await import("../../functions/app/operation.ts");
const { flatReply } = await import("../../functions/app/reply.ts");

const EpisodePath = z.object({ id: z.string(), personId: z.string() });
const summary = "A route";

/** An edge function with these routes, the calls that it makes, and their result. */
function probe(...routes: ReturnType<typeof operation>[]) {
  const calls: unknown[] = [], result: RpcResult = { status: 200, text: '{"a":1}' };
  const respond = () => result.status < 400 ? Promise.resolve(result) : Promise.reject(new ReturnedError(result.text));
  const db = { call: (...call) => (calls.push(call), respond()) } as Db;
  const withDb = subRouter().use((c, next) => (c.set("db", db), next()));
  const routed: EdgeFunction = edgeFunction("probe", [["", withDb.route("/", subRouter(routes))]]);

  async function send(method: string, path: string, body?: object) {
    const { log } = console;
    console.log = () => {};
    try {
      const headers = { "content-type": "application/json" };
      const request = new Request(`http://x/probe${path}`, { method, headers, body: body && JSON.stringify(body) });
      const response = await routed.fetch(request);
      return { status: response.status, text: await response.text() };
    } finally {
      console.log = log;
    }
  }
  return { send, calls, result, declared: () => declaredRoutes(routed.handlers) };
}

Deno.test("an operation calls its function with path, query and body, and renames arguments", async () => {
  const { send, calls } = probe(operation("PUT", "/:id/people/:personId", "retry_failed_deliveries", {
    summary,
    params: z.object({ id: z.string(), personId: z.string() }),
    rename: { id: "failedFrom", personId: "failedUntil" },
    query: z.object({ channel: z.enum(["email", "push"]) }),
    json: z.strictObject({ max_deliveries: z.number().optional() }),
  }));
  assert.deepEqual(await send("PUT", "/1/people/2?channel=push&more=0", { max_deliveries: 3 }), {
    status: 200,
    text: '{"success":true,"data":{"a":1}}',
  });
  const args = { failedFrom: "1", failedUntil: "2", channel: "push", max_deliveries: 3 };
  assert.deepEqual(calls, [["retry_failed_deliveries", args]]);
});

Deno.test("an operation gives a body of changes to its function as one argument", async () => {
  const { send, calls } = probe(operation("PUT", "/:id/:personId", "update_episode_person", {
    summary,
    params: EpisodePath,
    rename: { id: "episodeId" },
    changes: z.strictObject({ id: z.string().nullable() }),
  }));
  await send("PUT", "/1/2", { id: null });
  assert.deepEqual(calls, [["update_episode_person", { episodeId: "1", personId: "2", changes: { id: null } }]]);
});

Deno.test("an operation without a body rejects fields, except in GET requests, whose body it does not read", async () => {
  const { send, calls } = probe(
    operation("POST", "/", "delete_account", { summary }),
    operation("GET", "/", "get_billing", { summary }),
  );
  assert.equal((await send("POST", "/", { a: 1 })).status, 400);
  assert.deepEqual(calls, []);
  assert.equal((await send("POST", "/", {})).status, 200);
  assert.equal((await send("POST", "/")).status, 200);
  assert.equal((await send("GET", "/")).status, 200);
  assert.deepEqual(calls, [["delete_account", {}], ["delete_account", {}], ["get_billing", {}]]);
});

Deno.test("an operation rejects invalid input and a body above its limit without a call", async () => {
  const { send, calls } = probe(operation("PUT", "/:id", "verify_import_ownership", {
    summary,
    params: z.object({ id: z.string().max(1) }),
    rename: { id: "importId" },
    json: z.strictObject({ code: z.string() }),
    maxBytes: 20,
  }));
  assert.deepEqual(await send("PUT", "/12", { code: "" }), {
    status: 400,
    text: '{"error":"Invalid request","details":"id: Too big: expected string to have <=1 characters"}',
  });
  assert.equal((await send("PUT", "/1", { code: 1 })).status, 400);
  assert.equal((await send("PUT", "/1", { code: "1234567890" })).status, 413);
  assert.deepEqual(calls, []);
});

Deno.test("an operation sends its function's result by its reply, and its errors in the envelope", async () => {
  const { send, result } = probe(operation("GET", "/", "get_billing", { summary, reply: flatReply }));
  assert.deepEqual(await send("GET", "/"), { status: 200, text: '{"success":true,"a":1}' });
  const error = { code: "PT409", message: "It grew", details: '{"storage_bytes": 3}', hint: "TRANSFER_SIZE_INCREASED" };
  Object.assign(result, { status: 409, text: JSON.stringify(error) });
  const text = '{"error":"It grew","code":"TRANSFER_SIZE_INCREASED","storage_bytes":3}';
  assert.deepEqual(await send("GET", "/"), { status: 409, text });
});

Deno.test("an operation declares its function's name in camelCase, its schemas and what it describes", () => {
  const query = z.object({ importId: z.string() });
  const [get, post] = probe(
    operation("GET", "/a", "get_import", { summary, query, errors: [403] }),
    operation("POST", "/b", "delete_account", { operationId: "leave", summary, status: 201 }),
  ).declared();
  assert.deepEqual([get.operationId, get.query, get.json, get.errors], ["getImport", query, undefined, [403]]);
  assert.deepEqual([post.operationId, post.summary, post.json, post.status], ["leave", summary, NoFields, 201]);
});

Deno.test("a router matches its parts in order, operations and hand-written routes", async () => {
  const { send } = probe(
    operation("GET", "/:importId", "get_import", { summary, params: z.object({ importId: z.literal("1") }) }),
    subRouter().get("/other", (c) => c.text("other")),
    operation("GET", "/other/:id", "get_billing", { summary }),
  );
  assert.equal((await send("GET", "/other")).status, 400);
  assert.equal((await send("GET", "/other/1")).status, 200);
});

Deno.test("a declaration compiles only if its schemas give the arguments of its function", () => {
  const params = z.object({ id: z.string() });
  const rejected = () => [
    // @ts-expect-error: no such function
    operation("GET", "/", "get_imports", { summary }),
    // @ts-expect-error: importId is missing
    operation("GET", "/", "get_import", { summary }),
    // @ts-expect-error: id is not renamed
    operation("GET", "/:id", "get_import", { summary, params }),
    // @ts-expect-error: the argument is importId
    operation("GET", "/:id", "get_import", { summary, params, rename: { id: "import" } }),
    // @ts-expect-error: the path has no import
    operation("GET", "/:id", "get_import", { summary, params, rename: { import: "importId" } }),
    // @ts-expect-error: importId is text
    operation("GET", "/", "get_import", { summary, query: z.object({ importId: z.number() }) }),
    // @ts-expect-error: importId is required
    operation("GET", "/", "get_import", { summary, query: z.object({ importId: z.string().optional() }) }),
    // @ts-expect-error: there is no argument limit
    operation("GET", "/", "get_import", { summary, query: z.object({ importId: z.string(), limit: z.number() }) }),
    // @ts-expect-error: there is no argument changes
    operation("PUT", "/", "get_import", { summary, query: z.object({ importId: z.string() }), changes: params }),
    // @ts-expect-error: changes are missing
    operation("PUT", "/:id/:personId", "update_episode_person", {
      summary,
      params: EpisodePath,
      rename: { id: "episodeId" },
    }),
  ];
  assert.equal(typeof rejected, "function"); // the type check is the test
});
