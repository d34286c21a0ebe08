// Requests of anonymous clients that try to block or end the process. Other requests are served meanwhile.
import assert from "node:assert/strict";
import { assertError, sendRequest, sql, stackInfo, waitFor } from "./harness.ts";

const open = (route: string, body: string) =>
  sendRequest({ method: "POST", path: `/api/guests/${route}`, body, headers: { "content-type": "application/json" } });
const nested = (depth: number) => "[".repeat(depth) + "]".repeat(depth);
const tooDeep = { error: "JSON is nested too deeply", details: "At most 64 levels are allowed" };

Deno.test("POST /api/guests/accept returns 400 for 7,000 nested arrays, 413 for more than 64 KB", async () => {
  assertError(await open("accept", nested(7000)), 400, tooDeep);
  assertError(await open("accept", `{"accessToken":${nested(7000)}}`), 400, tooDeep);
  assertError(await open("accept", `{"accessToken":${nested(63)}}`), 400, { details: /^accessToken: / });
  assertError(await open("accept", nested(32_769)), 413, { error: "Request body too large" });
});

Deno.test("64 KB of empty objects, of unknown keys or of one key returns 400 with short details", async () => {
  const objects = `[${Array(21_000).fill("{}")}]`;
  const keys = `{"accessToken":"x",${Array.from({ length: 6000 }, (_, i) => `"${i}":0`)}}`;
  const key = `{"accessToken":"x","${"k".repeat(65_000)}":"\\u0000"}`;
  for (const body of [objects, keys, key]) {
    const response = await open("accept", body);
    assertError(response, 400);
    assert.ok(response.text.length < 1500, `${response.text.length}`);
  }
});

Deno.test("a URL of more than 8,192 characters returns 414; thousands of query parameters are read", async () => {
  const path = "/public/v1/podcasts/none/episodes?";
  const names = Array.from({ length: 1500 }, (_, i) => `n${i}`).join("&");
  assertError(await sendRequest({ method: "GET", path: path + names }), 404);
  assertError(await sendRequest({ method: "GET", path: path + "a&".repeat(3800) }), 404);
  assertError(await sendRequest({ method: "GET", path: path + "limit=1&".repeat(500) }), 400, { details: /^limit: / });
  assertError(await sendRequest({ method: "GET", path: path + names.repeat(5) }), 414, {
    error: "Request URL too long",
  });
  assertError(await sendRequest({ method: "GET", path: `/public/listen/${"x".repeat(9000)}` }), 414);
});

Deno.test("a request in progress gets its response while other clients send hostile bodies", async () => {
  const { readable, writable } = new TransformStream<Uint8Array, Uint8Array>();
  const writer = writable.getWriter(), encoder = new TextEncoder();
  const pending = fetch(`${stackInfo.functionsUrl}/api/guests/episode`, {
    method: "POST",
    body: readable,
    headers: { "content-type": "application/json" },
  });
  await writer.write(encoder.encode('{"accessToken":'));
  const statuses = await Promise.all(
    Array.from({ length: 30 }, async (_, i) => (await open("accept", nested(i % 3 ? 7000 : 32_768))).status),
  );
  assert.deepEqual(new Set(statuses), new Set([400]));
  await writer.write(encoder.encode('"none"}'));
  await writer.close();
  const response = await pending;
  assert.equal(response.status, 401, await response.text()); // the function ran and rejected the unknown token
});

Deno.test("POST /worker returns 400 for a nested or unknown body of a caller with the secret, and 401 to others", async () => {
  const [{ secret }] =
    await sql`select decrypted_secret as secret from vault.decrypted_secrets where name = 'worker_secret'`;
  const wake = (body: string, token = secret) =>
    sendRequest({
      method: "POST",
      path: "/worker",
      body,
      as: { token },
      headers: { "content-type": "application/json" },
    });
  assertError(await wake(nested(7000)), 400, tooDeep);
  assertError(await wake(nested(7000), "wrong"), 401);
});

Deno.test("a queue message that is nested too deeply or too long becomes a dead letter with the reason", async () => {
  const [{ id: deep }] = await sql`
    select private.enqueue('storage_gc', (repeat('[', 65) || repeat(']', 65))::jsonb) as id`;
  const [{ id: long }] = await sql`
    select private.enqueue('storage_gc', jsonb_build_object('paths', repeat('x', 1048576))) as id`;
  const reasons = await waitFor("both are dead letters", async () => {
    const dead = await sql<{ reason: string }[]>`
      select message ->> 'error' as reason from pgmq.q_storage_gc_dlq
      where message ->> 'msg_id' in (${deep}::text, ${long}::text) order by msg_id`;
    return dead.length === 2 && dead.map(({ reason }) => reason).sort();
  });
  assert.deepEqual(reasons, [
    "Invalid payload: JSON is nested too deeply",
    "Invalid payload: longer than 1048576 characters",
  ]);
});
