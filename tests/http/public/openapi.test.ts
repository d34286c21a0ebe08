// GET /v1/openapi.json: the document is the one that types/ makes, and every route in it exists.
import assert from "node:assert/strict";
import { openApiDocument } from "../../../types/openapi.ts";
import { ask } from "../harness.ts";

const { body: served } = await ask({ method: "GET", path: "/public/v1/openapi.json" });

Deno.test("The OpenAPI document is as fresh as the schemas (npm run openapi)", () => {
  assert.deepEqual(served, JSON.parse(JSON.stringify(openApiDocument())));
});

Deno.test("Every route of the OpenAPI document has the methods that it says", async () => {
  for (const [path, methods] of Object.entries(served.paths)) {
    const { headers } = await ask({ method: "OPTIONS", path: path.replaceAll(/\{[^}]+\}/g, "x") });
    const allow = headers.get("allow")?.split(", ").filter((method) => !["HEAD", "OPTIONS"].includes(method));
    assert.deepEqual(allow?.sort(), Object.keys(methods as object).map((method) => method.toUpperCase()).sort(), path);
  }
});

Deno.test("Every reference within the OpenAPI document leads somewhere", () => {
  const names = [...JSON.stringify(served).matchAll(/"\$ref":"#\/components\/schemas\/([^"]+)"/g)].map(([, name]) =>
    name
  );
  assert.ok(names.length > 0);
  for (const name of names) assert.ok(served.components.schemas[name], name);
});
