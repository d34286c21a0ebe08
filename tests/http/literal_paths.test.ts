// Paths without parameters are never ids: /templates/preview is not the template "preview", for any method.
import assert from "node:assert/strict";
import { routes } from "./declared_routes.ts";
import { assertError, sendRequest } from "./harness.ts";

const literal = routes.filter(({ path }) => path.startsWith("/api/") && !path.includes("{"));

for (const [path, routes] of Map.groupBy(literal, ({ path }) => path)) {
  const own = routes.map(({ method }) => method);
  for (const method of ["GET", "POST", "PUT", "DELETE"].filter((method) => !own.includes(method))) {
    Deno.test(`${method} ${path} returns 405 with the methods of the path`, async () => {
      const response = await sendRequest({ method, path });
      assertError(response, 405, { error: "Method not allowed" });
      const allowed = response.headers.get("allow")!.split(", ");
      assert.deepEqual(allowed.sort(), [...own, ...own.includes("GET") ? ["HEAD"] : [], "OPTIONS"].sort());
    });
  }
}

Deno.test("preflight of a path without parameters allows its own methods alone", async () => {
  const { headers } = await sendRequest({ method: "OPTIONS", path: "/api/automations/templates/preview" });
  assert.equal(headers.get("access-control-allow-methods"), "POST, OPTIONS");
});
