// Limits of JSON bodies: size, nesting and characters.
import assert from "node:assert/strict";
import { z } from "zod";
import { MAX_JSON_BYTES, MAX_JSON_DEPTH, parseJson } from "../../functions/runtime/json.ts";
import { UNREACHABLE_ENV, withEnvironment } from "../environment.ts";

const { edgeFunction, publicRouter } = await withEnvironment(
  UNREACHABLE_ENV,
  () => import("../../functions/app/app.ts"),
);
const { readValid } = await import("../../functions/app/validation.ts");

const nested = (depth: number, open = "[", close = "]") => open.repeat(depth) + close.repeat(depth);
const tooDeep = { status: 400, message: "JSON is nested too deeply" };
const malformed = { status: 400, message: "Malformed JSON" };

Deno.test("parseJson accepts 64 levels of arrays and objects and rejects 65", () => {
  assert.equal(MAX_JSON_DEPTH, 64);
  parseJson(nested(64));
  parseJson(`{"a":${nested(31, '[{"b":', "}]").replace(":}", ":0}")},"c":${nested(63)}}`);
  assert.throws(() => parseJson(nested(65)), tooDeep);
  assert.throws(() => parseJson(`{"a":${nested(64)}}`), tooDeep);
  assert.throws(() => parseJson("[".repeat(1_000_000)), tooDeep);
  assert.throws(() => parseJson('{"a":'.repeat(1_000_000)), tooDeep);
});

Deno.test("parseJson ignores brackets inside strings and counts those after them", () => {
  const text = "[{".repeat(100);
  assert.equal(parseJson(JSON.stringify(text)), text);
  assert.deepEqual(parseJson(JSON.stringify([`"${text}\\`, `\\"${text}`])), [`"${text}\\`, `\\"${text}`]);
  assert.throws(() => parseJson(`["\\\\",${nested(64)}]`), tooDeep);
  assert.throws(() => parseJson(`["\\"",${nested(64)}]`), tooDeep);
});

Deno.test("parseJson rejects malformed JSON", () => {
  for (const text of ["", "[", "]".repeat(100) + "[".repeat(64), '{"a":1,}', '"\\', "[\n", "\u{FEFF}[]", "NaN"]) {
    assert.throws(() => parseJson(text), malformed, text.slice(0, 20));
  }
});

Deno.test("parseJson names the member that contains an unstorable character", () => {
  const details = (text: string) => {
    try {
      parseJson(text);
    } catch (error) {
      return (error as { extras: { details: string } }).extras.details;
    }
  };
  const message = "contains an unsupported character (NUL or unpaired surrogate)";
  assert.equal(details('{"a":[{"b":"x\\u0000"}]}'), `a[0].b: ${message}`);
  assert.equal(details('{"a":{"b\\ud800":1}}'), `a: ${message}`);
  assert.equal(details('"\\udc00"'), message);
  assert.equal(details('{"a":"\\\\u0000","b":"\\ud83d\\ude00","c":"\\u0041"}'), undefined);
  assert.ok(details(`{"${"k".repeat(60_000)}":"\\u0000"}`)!.length < 600);
  // a path of 64 long names and 10,000 leaves is walked once, not once per leaf
  const leaves = `[${Array(10_000).fill('"\\u0041"')}]`;
  assert.equal(details('{"name":'.repeat(63) + leaves + "}".repeat(63)), undefined);
});

/** Sends text to a route that accepts any JSON object up to this size. */
async function post(body: BodyInit, maxBytes?: number) {
  const router = publicRouter().post("/", async (c) => {
    await readValid(c, "json", z.record(z.string(), z.unknown()), maxBytes);
    return c.text("ok");
  });
  const request = new Request("http://x/probe", {
    method: "POST",
    body,
    headers: { "content-type": "application/json" },
  });
  const { log } = console;
  console.log = () => {};
  try {
    const response = await edgeFunction("probe", [["", router]]).fetch(request);
    return { status: response.status, text: await response.text() };
  } finally {
    console.log = log;
  }
}
const sized = (bytes: number) => JSON.stringify({ a: "x".repeat(bytes - 8) });

Deno.test("a route accepts 64 KB of JSON and returns 413 for one byte more", async () => {
  assert.equal(MAX_JSON_BYTES, 65_536);
  assert.deepEqual(await post(sized(65_536)), { status: 200, text: "ok" });
  const error = '{"error":"Request body too large","details":"At most 65536 bytes are allowed"}';
  assert.deepEqual(await post(sized(65_537)), { status: 413, text: error });
  const chunks = ReadableStream.from([new TextEncoder().encode(sized(65_537))]);
  assert.equal((await post(chunks)).status, 413);
});

Deno.test("a route with its own limit accepts that much JSON, but no deeper nesting", async () => {
  const maxBytes = 512 * 1024;
  assert.equal((await post(sized(maxBytes), maxBytes)).status, 200);
  assert.equal((await post(sized(maxBytes + 1), maxBytes)).status, 413);
  assert.equal((await post(`{"a":${nested(63)}}`, maxBytes)).status, 200);
  assert.equal((await post(`{"a":${nested(250_000)}}`, maxBytes)).status, 400);
});
