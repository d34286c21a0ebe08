// /functions/v1: the gateway forwards requests and responses unchanged.
import assert from "node:assert/strict";
import { join } from "node:path";
import { createFunctions } from "../../../local/functions/proxy.ts";
import { readProject } from "../../../local/host/project.ts";
import { waitFor } from "../../wait_for.ts";
import { startTestStack } from "../../stack.ts";
import { probeProject } from "../host/probe_project.ts";

const project = await probeProject();
const envFile = join(project.folder, ".env");
await Deno.writeTextFile(
  envFile,
  `# comment\nFROM_FILE="two words"\nOWN_SETTING=file\nSUPABASE_URL=https://elsewhere.example\n`,
);
const stack = await startTestStack({
  project: project.folder,
  functionsEnv: { OWN_SETTING: "ours" },
  functionsEnvFile: envFile,
});
const probe = (path: string, init?: RequestInit) => fetch(`${stack.functionsUrl}/probe/${path}`, init);

/** Sends a raw request and returns the raw response: fetch would decode and complete both. */
async function raw(path: string, ...headers: string[]): Promise<string> {
  using connection = await Deno.connect({ hostname: "127.0.0.1", port: Number(new URL(stack.url).port) });
  const lines = [`GET /functions/v1/probe/${path} HTTP/1.1`, "host: x", "connection: close", ...headers, "", ""];
  await connection.write(new TextEncoder().encode(lines.join("\r\n")));
  const bytes = new Uint8Array(await new Response(connection.readable).arrayBuffer());
  return new TextDecoder("latin1").decode(bytes);
}

Deno.test("a function receives the whole request, without the prefix of the path", async () => {
  const response = await probe("request?a=1&b=%20", {
    method: "PATCH",
    body: "what was sent",
    headers: { authorization: "Bearer x", "x-own": "1" },
  });
  const { method, url, headers, body } = await response.json();
  assert.deepEqual([method, url, body], ["PATCH", "/probe/request?a=1&b=+", "what was sent"]);
  assert.deepEqual([headers.authorization, headers["x-own"], headers["content-length"]], ["Bearer x", "1", "13"]);
});

Deno.test("the client's IP address follows its own X-Forwarded-For", async () => {
  const plain = await (await probe("request")).json();
  assert.equal(plain.headers["x-forwarded-for"], "127.0.0.1");
  const forged = await (await probe("request", { headers: { "x-forwarded-for": "9.9.9.9" } })).json();
  assert.equal(forged.headers["x-forwarded-for"], "9.9.9.9, 127.0.0.1");
});

Deno.test("a body that the function compressed arrives unchanged", async () => {
  const text = "a feed ".repeat(200);
  const packed = new Uint8Array(
    await new Response(new Blob([text]).stream().pipeThrough(new CompressionStream("gzip"))).arrayBuffer(),
  );
  const response = await raw(`gzip?bytes=[${packed}]`, "accept-encoding: gzip");
  const [head, body] = response.split("\r\n\r\n");
  assert.match(head, /^content-encoding: gzip$/im);
  assert.match(head, /^etag: "strong"$/im);
  assert.ok(!/gateway/i.test(head), head);
  assert.equal(body, new TextDecoder("latin1").decode(packed));
  assert.equal(await (await probe(`gzip?bytes=[${packed}]`)).text(), text);
});

Deno.test("a client that accepts no encoding receives none", async () => {
  const response = await raw("text");
  assert.ok(response.endsWith("text ".repeat(1000)));
  assert.doesNotMatch(response, /^content-encoding/im);
});

Deno.test("statuses, redirects and headers are forwarded unchanged", async () => {
  const unchanged = await probe("304");
  assert.deepEqual([unchanged.status, unchanged.headers.get("etag"), await unchanged.text()], [304, '"strong"', ""]);
  const redirect = await probe("redirect", { redirect: "manual" });
  assert.deepEqual([redirect.status, redirect.headers.get("location")], [302, "https://example.test/"]);
  await redirect.body?.cancel();
  const cookies = await probe("cookies");
  assert.deepEqual([cookies.headers.getSetCookie(), await cookies.text()], [["a=1", "b=2"], ""]);
  const head = await probe("text", { method: "HEAD" });
  assert.deepEqual([head.status, head.headers.get("content-length"), await head.text()], [200, "5000", ""]);
});

Deno.test("both bodies stream: the response starts before the request has ended", async () => {
  const { readable, writable } = new TransformStream<Uint8Array, Uint8Array>();
  const writer = writable.getWriter();
  const sent = writer.write(Uint8Array.of(1, 2));
  const response = await probe("chat", { method: "POST", body: readable });
  const reader = response.body!.getReader();
  assert.deepEqual((await reader.read()).value, Uint8Array.of(2, 3));
  await sent;
  await writer.write(Uint8Array.of(7));
  assert.deepEqual((await reader.read()).value, Uint8Array.of(8));
  await writer.close();
  assert.equal((await reader.read()).done, true);
});

Deno.test("a body that a function does not read does not affect later requests", async () => {
  const statuses = await Promise.all(Array.from({ length: 100 }, async (_, number) => {
    const response = await probe("pid", number % 2 ? { method: "POST", body: "unread".repeat(20_000) } : {});
    await response.body?.cancel();
    return response.status;
  }));
  assert.deepEqual(new Set(statuses), new Set([200]));
});

for (const [path, when] of [["patient", "before the response"], ["endless", "during the response"]]) {
  Deno.test(`the function's request is aborted when the client left ${when}`, async () => {
    const name = crypto.randomUUID();
    const leaving = new AbortController();
    const left = probe(`${path}?name=${name}`, { signal: leaving.signal }).then((response) => response.text());
    const knows = async (list: string) => (await (await probe(list)).json()).includes(name);
    await waitFor("the request's arrival", () => knows("arrived"));
    leaving.abort();
    await assert.rejects(left);
    await waitFor("word of the client's leaving", () => knows("aborted"));
  });
}

Deno.test("a client that leaves after the last byte does not end the stack", async () => {
  const functions = createFunctions(await readProject(project.folder), {}, { verify: () => Promise.resolve() });
  const leaving = new AbortController();
  const request = new Request("http://x/functions/v1/probe/long", { signal: leaving.signal });
  const reader = (await functions.fetch(request, "127.0.0.1")).body!.getReader();
  for (let received = 0; received < 250_000;) received += (await reader.read()).value!.length;
  leaving.abort();
  assert.equal((await reader.read()).done, true);
  const next = await functions.fetch(new Request("http://x/functions/v1/probe/text"), "127.0.0.1");
  assert.equal((await next.text()).length, 5000);
  await functions.close();
});

Deno.test("functions have the platform's environment and none of the stack's", async () => {
  const env = await (await probe("env")).json();
  assert.equal(env.SUPABASE_URL, stack.url);
  assert.equal(env.SUPABASE_DB_URL, stack.dbUrl);
  assert.deepEqual(JSON.parse(env.SUPABASE_PUBLISHABLE_KEYS), { default: stack.publishableKey });
  assert.deepEqual(JSON.parse(env.SUPABASE_SECRET_KEYS), { default: stack.secretKey });
  const { keys } = JSON.parse(env.SUPABASE_JWKS);
  assert.deepEqual([keys[0].kty, keys[0].crv, keys[0].alg, keys[0].d], ["EC", "P-256", "ES256", undefined]);
  assert.ok(env.WORKER_SECRET.length > 32);
  assert.match(env.SMTP_URL, /^smtp:\/\/127\.0\.0\.1:\d+$/);
  assert.equal(env.OWN_SETTING, "ours");
  assert.equal(env.CASTBASE_TEST_STACK, undefined);
  assert.equal(await (await probe("run")).text(), "NotCapable");
});

Deno.test("functions read the variables of a file, which replace none of the stack's", async () => {
  const env = await (await probe("env")).json();
  assert.deepEqual([env.FROM_FILE, env.OWN_SETTING, env.SUPABASE_URL], ["two words", "ours", stack.url]);
});

Deno.test("failing, broken and unknown functions return errors without internals", async () => {
  const responses = [];
  for (const path of ["probe/throw", "broken/x", "nobody/x"]) {
    const response = await fetch(`${stack.functionsUrl}/${path}`);
    responses.push([response.status, (await response.json()).code]);
  }
  assert.deepEqual(responses, [[500, "WORKER_ERROR"], [503, "BOOT_ERROR"], [404, "NOT_FOUND"]]);
});

Deno.test("the process of the functions restarts when it dies", async () => {
  const before = await (await probe("pid")).text();
  const last = await probe("exit");
  assert.deepEqual([last.status, (await last.json()).code], [500, "WORKER_ERROR"]);
  const after = await probe("pid"); // waits for the new one
  assert.equal(after.status, 200);
  assert.notEqual(await after.text(), before);
});

/** In place of the host, whose Deno.listen only a worker does not see: closes each connection at its second request. */
const CLOSING_HOST = `
const source = \`
  const listener = Deno.listen({ hostname: "127.0.0.1", port: 0 });
  Deno.stdout.writeSync(new TextEncoder().encode("listening on " + listener.addr.port + "\\\\n"));
  for await (const connection of listener) serve(connection);
  async function serve(connection) {
    const buffer = new Uint8Array(65536);
    await connection.read(buffer);
    await connection.write(new TextEncoder().encode("HTTP/1.1 200 OK\\\\r\\\\ncontent-length: 2\\\\r\\\\n\\\\r\\\\nok"));
    await connection.read(buffer);
    connection.close();
  }\`;
new Worker("data:application/javascript," + encodeURIComponent(source), { type: "module" });
await new Promise(() => {});
`;

Deno.test("a request whose kept connection closes when it is used again is sent once more, unless it has a body", async () => {
  const closing = await probeProject();
  await closing.write(CLOSING_HOST);
  const functions = createFunctions(await readProject(closing.folder), {}, { verify: () => Promise.resolve() });
  try {
    const statuses: number[] = [];
    for (const body of [undefined, undefined, undefined, "once"]) {
      const url = "http://x/functions/v1/probe/ok", method = body === undefined ? "DELETE" : "POST";
      const response = await functions.fetch(new Request(url, { method, body }), "127.0.0.1");
      await response.text();
      statuses.push(response.status);
    }
    assert.deepEqual(statuses, [200, 200, 200, 500]);
  } finally {
    await functions.close();
  }
});
