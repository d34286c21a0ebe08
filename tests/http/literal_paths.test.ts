// Literal segments of paths are never ids: /templates/preview is not the template "preview", for any method.
import assert from "node:assert/strict";
import { routes } from "./declared_routes.ts";
import { assertError, sendRequest } from "./harness.ts";

const METHODS = ["GET", "POST", "PUT", "PATCH", "DELETE"];
const isParameter = (segment: string) => segment.startsWith("{");
const byPath = Map.groupBy(routes.filter(({ path }) => path !== "/worker"), ({ path }) => path);

/** The methods that a path allows: those of its routes, and what follows from them. */
const allowedBy = (methods: string[]) => [...methods, ...methods.includes("GET") ? ["HEAD"] : [], "OPTIONS"].sort();

function assertMethods(path: string, own: string[]) {
  for (const method of METHODS.filter((method) => !own.includes(method))) {
    Deno.test(`${method} ${path} returns 405 with the methods of the path`, async () => {
      const response = await sendRequest({ method, path });
      assertError(response, 405, { error: "Method not allowed" });
      assert.deepEqual(response.headers.get("allow")!.split(", ").sort(), allowedBy(own));
    });
  }
  Deno.test(`OPTIONS ${path} allows the methods of the path alone`, async () => {
    for (const slash of ["", "/"]) {
      const { headers } = await sendRequest({ method: "OPTIONS", path: path + slash });
      assert.deepEqual(headers.get("allow")?.split(", ").sort(), allowedBy(own));
      assert.equal(headers.get("access-control-allow-methods"), headers.get("allow"));
    }
  });
}

for (const [path, routes] of byPath) if (!path.includes("{")) assertMethods(path, routes.map(({ method }) => method));

/** Whether a path, possibly with parameters, is one of a route. */
const matches = (route: string, path: string) => {
  const expected = route.split("/"), segments = path.split("/");
  return expected.length === segments.length &&
    expected.every((segment, index) => isParameter(segment) || segment === segments[index]);
};

/** Paths of routes whose parameter holds what other routes have in its place, and that are the path of no other route. */
const mixed = new Set<string>();
for (const path of byPath.keys()) {
  const segments = path.split("/");
  for (const [index, segment] of segments.entries()) {
    if (!/^\{\w+\}$/.test(segment)) continue; // a file name has an extension
    const place = segments.slice(0, index).join("/");
    for (const other of byPath.keys()) {
      const literal = other.split("/")[index];
      if (!literal || isParameter(literal) || !matches(place, other.split("/").slice(0, index).join("/"))) continue;
      const made = segments.with(index, literal).join("/");
      if (![...byPath.keys()].some((route) => route !== path && matches(route, made))) {
        mixed.add(made.replaceAll(/\{\w+\}/g, "x"));
      }
    }
  }
}

for (const path of mixed) {
  Deno.test(`${path} returns 404, because its literal segment is not an id`, async () => {
    for (const method of METHODS) {
      assertError(await sendRequest({ method, path }), 404, { error: "Route not found" });
    }
  });
}

Deno.test("paths with a literal in place of an id exist", () => {
  assert.ok(mixed.has("/api/bookings/guest/confirm"), [...mixed].join(" "));
});

Deno.test("the path of one episode of a podcast allows GET, also for the literal of the latest", async () => {
  for (const episode of ["latest", "pilot"]) {
    const path = `/public/v1/podcasts/demo/episodes/${episode}`;
    const { headers } = await sendRequest({ method: "OPTIONS", path });
    assert.equal(headers.get("allow"), "GET, HEAD, OPTIONS", path);
  }
});
