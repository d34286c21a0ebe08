// GET /v1/openapi.json: the document is the one that types/ makes, and it lists exactly the routes that exist. Each of them can be reached from a page.
import assert from "node:assert/strict";
import { openApiDocument, routes } from "../../../types/openapi.ts";
import { readProject } from "../../../local/project.ts";
import { withEnvironment } from "../../environment.ts";
import { sendRequest, stackInfo } from "../harness.ts";
import { assertReachable } from "../access_matrix.ts";

const { body: served } = await sendRequest({ method: "GET", path: "/public/v1/openapi.json" });

Deno.test("The OpenAPI document is as fresh as the schemas (npm run openapi)", () => {
  assert.deepEqual(served, JSON.parse(JSON.stringify(openApiDocument())));
});

const documented = Object.entries<object>(served.paths).flatMap(([path, methods]) =>
  Object.keys(methods).map((method) => `${method.toUpperCase()} ${path.replaceAll(/\{[^}]+\}/g, "x")}`)
);

for (const route of documented) assertReachable(route, () => Promise.resolve({ path: route.split(" ")[1] }));

Deno.test("The OpenAPI document lists every route of every edge function, and no other", async () => {
  const { keys } = await (await fetch(`${stackInfo.url}/auth/v1/.well-known/jwks.json`)).json();
  const needed = {
    SUPABASE_URL: stackInfo.url,
    SUPABASE_DB_URL: stackInfo.dbUrl,
    SUPABASE_PUBLISHABLE_KEYS: JSON.stringify({ default: stackInfo.publishableKey }),
    SUPABASE_SECRET_KEYS: JSON.stringify({ default: stackInfo.secretKey }),
    SUPABASE_JWKS: JSON.stringify({ keys }),
    WORKER_SECRET: crypto.randomUUID(),
  };
  const { functions } = await readProject();
  const modules = await withEnvironment(
    needed,
    () => Promise.all(functions.map(({ entrypoint }) => import(`file://${entrypoint}`))),
  );
  const found = new Set<string>();
  for (const { default: { routes } } of modules) {
    for (const { method, path } of routes) {
      // `/:file{[^/]+\\.xml}` and `/:slug` stand for one segment
      found.add(`${method} ${path.replaceAll(/:\w+\{.*?\\(\.\w+)\}/g, "x$1").replaceAll(/:\w+(\{.*?\})?/g, "x")}`);
    }
  }
  assert.deepEqual([...found].sort(), documented.toSorted());
});

Deno.test("The OpenAPI document tells of each route once", () => {
  const told = routes.map(({ method, path }) => `${method} ${path}`);
  assert.deepEqual(told.filter((route, at) => told.indexOf(route) !== at), []);
});

interface Documented {
  requestBody?: { required: boolean; content: object };
  responses: object;
}

Deno.test("The OpenAPI document says of every body that it can come too slowly, and of JSON that it can be too large", () => {
  const operations = Object.values<Record<string, Documented>>(served.paths).flatMap((path) => Object.values(path));
  const bodies = operations.filter(({ requestBody }) => requestBody);
  assert.ok(bodies.length > 0);
  for (const { requestBody, responses } of bodies) {
    for (const status of "application/json" in requestBody!.content ? ["408", "413"] : ["408"]) {
      assert.ok(status in responses, `${status}: ${JSON.stringify(Object.keys(responses))}`);
    }
  }
});

Deno.test("The OpenAPI document says where one answer means made, and another that it was there", () => {
  const { post } = served.paths["/api/episodes/{id}/people"];
  const { put } = served.paths["/api/episodes/{id}/people/{personId}/credit"];
  for (const { responses } of [post, put] as Documented[]) {
    assert.deepEqual(Object.keys(responses).filter((status) => status < "300"), ["200", "201"]);
  }
});

Deno.test("The OpenAPI document requires a body of every route but those whose body has a default", () => {
  const operations = Object.entries<Record<string, Documented>>(served.paths).flatMap(([path, methods]) =>
    Object.entries(methods).map(([method, { requestBody }]) => ({ route: `${method} ${path}`, requestBody }))
  );
  assert.deepEqual(
    operations.filter(({ requestBody }) => requestBody?.required === false).map(({ route }) => route),
    ["put /api/episodes/{id}/people/{personId}/credit", "post /worker"],
  );
});

Deno.test("Every reference within the OpenAPI document leads somewhere", () => {
  const names = [...JSON.stringify(served).matchAll(/"\$ref":"#\/components\/schemas\/([^"]+)"/g)].map(([, name]) =>
    name
  );
  assert.ok(names.length > 0);
  for (const name of names) assert.ok(served.components.schemas[name], name);
});
