// The health probes: flat responses, no login, and the actual state of the database.
import assert from "node:assert/strict";
import { join } from "node:path";
import { assertError, assertKeys, sendRequest, stackInfo } from "../harness.ts";
import { startFunctions } from "../../functions.ts";
import { freePort } from "../../../local/host/ports.ts";
import { repository } from "../../../local/host/project.ts";

for (const path of ["/api/health", "/api/health/", "/api/health/ready", "/api/health/ready/"]) {
  Deno.test(`GET ${path} returns { status, timestamp } without a login`, async () => {
    const before = Date.now();
    const { status, body, headers } = await sendRequest({ method: "GET", path });
    assert.equal(status, 200);
    assertKeys(body, "status", "timestamp");
    assert.equal(body.status, "ok");
    assert.match(body.timestamp, /^\d{4}-\d\d-\d\dT\d\d:\d\d:\d\d(\.\d+)?Z$/);
    assert.ok(Math.abs(Date.parse(body.timestamp) - before) < 60_000);
    assert.equal(headers.get("access-control-allow-origin"), "*");
    assert.equal(headers.get("cache-control"), "private, no-store");
  });

  Deno.test(`GET ${path} ignores any Authorization header`, async () => {
    for (const token of ["junk", stackInfo.publishableKey]) {
      assert.equal((await sendRequest({ method: "GET", path, as: { token } })).status, 200);
    }
  });

  Deno.test(`HEAD ${path} returns the headers of GET without a body`, async () => {
    const { status, text, headers } = await sendRequest({ method: "HEAD", path });
    assert.equal(status, 200);
    assert.equal(text, "");
    assert.equal(headers.get("content-type"), "application/json");
  });
}

Deno.test("the functions are alive but not ready while the database rejects connections or does not respond", async () => {
  using silent = Deno.listen({ hostname: "127.0.0.1", port: 0 });
  const refusing = freePort();
  for (const port of [silent.addr.port, refusing]) {
    await using functions = await startFunctions(stackInfo, {
      SUPABASE_DB_URL: `postgresql://x:x@127.0.0.1:${port}/x`,
    });
    const response = await fetch(`${functions.url}/api/health/ready`), text = await response.text();
    assertError({ status: response.status, headers: response.headers, text, body: JSON.parse(text) }, 503);
    assert.equal(response.headers.get("cache-control"), "private, no-store");
    const alive = await fetch(`${functions.url}/api/health`);
    assert.deepEqual([alive.status, (await alive.json()).status], [200, "ok"]);
  }
});

Deno.test("an unknown route of /api returns 404 in the envelope, with or without a token", async () => {
  for (
    const path of ["/api", "/api/nothing", "/api/media/nothing", "/api/health/nothing", "/api/health//", "/api//health"]
  ) {
    const response = await sendRequest({ method: "GET", path });
    assertError(response, 404);
    assert.equal(response.headers.get("access-control-allow-origin"), "*");
    assertError(await sendRequest({ method: "POST", path, as: "owner" }), 404);
    assert.equal((await sendRequest({ method: "OPTIONS", path })).status, 204, "preflight must not hide the 404");
  }
});

Deno.test("every response contains the id of its request", async () => {
  const [one, two] = [
    await sendRequest({ method: "GET", path: "/api/health" }),
    await sendRequest({ method: "GET", path: "/api/none" }),
  ];
  assert.match(one.headers.get("x-request-id")!, /^[0-9a-f-]{36}$/);
  assert.notEqual(one.headers.get("x-request-id"), two.headers.get("x-request-id"));
});

Deno.test("every response names the version of package.json, and browsers may read it", async () => {
  const { version } = JSON.parse(await Deno.readTextFile(join(repository, "package.json")));
  for (const method of ["GET", "OPTIONS"]) {
    for (const path of ["/api/health", "/api/none", "/public/v1/podcasts/demo", "/public/docs", "/worker"]) {
      const { headers } = await sendRequest({ method, path });
      assert.equal(headers.get("x-castbase-version"), version, `${method} ${path}`);
      assert.match(headers.get("access-control-expose-headers")!, /\bx-castbase-version\b/);
    }
  }
});
