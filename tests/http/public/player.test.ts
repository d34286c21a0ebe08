// GET /public/player/v1.js, the script of <castbase-player>, and with `panels` that of its panels, which it imports.
import assert from "node:assert/strict";
import { Buffer } from "node:buffer";
import { gunzipSync } from "node:zlib";
import panels from "../../../functions/built/panels.json" with { type: "json" };
import script from "../../../functions/built/player.json" with { type: "json" };
import { TEXTS } from "../../../functions/text/languages/all.ts";
import { LANGUAGES } from "../../../functions/text/languages/texts.ts";
import { assertError, sendRequest } from "../harness.ts";
import { sendRaw } from "../raw_response.ts";

const path = "/public/player/v1.js", gzip = Buffer.from(script.gzip, "base64"), plain = gunzipSync(gzip);

const send = (headers: Record<string, string>, method = "GET") => sendRaw(method, path, headers);

Deno.test("the player's script has less than 12 KB, compressed by gzip", () => {
  assert.ok(gzip.length < 12 * 1024, `${gzip.length} bytes`);
  assert.equal(plain.length, script.bytes);
});

Deno.test("GET /player/v1.js returns the script to every site, as gzip if the client accepts it", async () => {
  for (
    const [accepted, bytes] of [["gzip", gzip], ["br, gzip;q=0.5", gzip], ["identity", plain], [
      "gzip;q=0",
      plain,
    ]] as const
  ) {
    const isGzip = bytes === gzip;
    const { status, headers, ...response } = await send({ "accept-encoding": accepted });
    assert.deepEqual([accepted, status, response.body.equals(bytes)], [accepted, 200, true]);
    const found = [
      "content-type",
      "content-encoding",
      "content-length",
      "cache-control",
      "access-control-allow-origin",
    ];
    assert.deepEqual(found.map((name) => headers.get(name)), [
      "text/javascript; charset=utf-8",
      isGzip ? "gzip" : null,
      String(bytes.length),
      SHORTLY,
      "*",
    ]);
    assert.match(headers.get("vary")!, /accept-encoding/i);
    assert.equal(headers.get("x-content-type-options"), "nosniff");
    assert.equal(headers.get("cross-origin-resource-policy"), "cross-origin");
    const head = await send({ "accept-encoding": accepted }, "HEAD");
    assert.deepEqual([head.status, head.body.length, head.headers.get("etag")], [200, 0, headers.get("etag")]);
    assert.equal(head.headers.get("content-length"), String(bytes.length));
  }
});

Deno.test("GET /player/v1.js returns 304 for the ETag of either representation", async () => {
  const [zipped, identity] = await Promise.all(["gzip", "identity"].map(async (each) => {
    return (await send({ "accept-encoding": each })).headers.get("etag")!;
  }));
  assert.notEqual(zipped, identity);
  for (
    const [tags, status] of [[zipped, 304], [identity, 304], [`"other", W/${identity}`, 304], ["*", 304], [
      `"x"`,
      200,
    ]] as const
  ) {
    const response = await send({ "accept-encoding": "gzip", "if-none-match": tags });
    assert.deepEqual([tags, response.status, response.headers.get("etag")], [tags, status, zipped]);
    if (status === 304) assert.equal(response.body.length, 0);
  }
});

const FOREVER = "public, max-age=31536000, immutable, no-transform", SHORTLY = "public, max-age=300, no-transform";

Deno.test("GET /player/v1.js?panels lets caches keep the version that the player names, and returns 404 for others", async () => {
  const { status, headers, body } = await sendRaw("GET", `${path}?panels=${panels.etag}`, {
    "accept-encoding": "gzip",
  });
  assert.deepEqual([status, body.equals(Buffer.from(panels.gzip, "base64"))], [200, true]);
  assert.deepEqual(["content-type", "cache-control", "access-control-allow-origin"].map((name) => headers.get(name)), [
    "text/javascript; charset=utf-8",
    FOREVER,
    "*",
  ]);
  assert.ok(plain.includes(panels.etag), "the player knows its version");
  for (const query of ["?panels=", "?panels=other", `?panels=${script.etag}`, `?panels=x&v=${script.etag}`]) {
    const response = await sendRaw("GET", path + query, {});
    assert.deepEqual([query, response.status, response.headers.get("cache-control")], [
      query,
      404,
      "private, no-store",
    ]);
  }
});

Deno.test("GET /player/v1.js?v lets caches keep the current version, and returns it for a short time under others", async () => {
  for (const [version, control] of [[script.etag, FOREVER], ["before", SHORTLY], ["", SHORTLY]]) {
    const { status, headers, body } = await sendRaw("GET", `${path}?v=${version}`, { "accept-encoding": "gzip" });
    assert.deepEqual([version, status, body.equals(gzip), headers.get("cache-control")], [version, 200, true, control]);
  }
});

Deno.test("GET /player/texts returns the texts of each language to every site, for a day, and 304 to their ETag", async () => {
  for (const language of LANGUAGES) {
    const texts = `/public/player/texts/${language}.json`;
    for (const encoding of ["gzip", "identity"]) {
      const { status, headers, body } = await sendRaw("GET", texts, { "accept-encoding": encoding });
      const found = ["content-type", "cache-control", "access-control-allow-origin", "cross-origin-resource-policy"];
      assert.deepEqual([status, ...found.map((name) => headers.get(name))], [
        ...[200, "application/json", "public, max-age=86400, no-transform", "*", "cross-origin"],
      ]);
      const json = encoding === "gzip" ? gunzipSync(body) : body;
      assert.deepEqual(JSON.parse(json.toString()), { ...TEXTS[language].shared, ...TEXTS[language].player });
      assert.ok(body.length < 3000, `${language} ${body.length} bytes`);
      const known = { "accept-encoding": encoding, "if-none-match": headers.get("etag")! };
      assert.equal((await sendRaw("GET", texts, known)).status, 304);
    }
  }
});

Deno.test("GET /player/texts returns 404 for a language without texts, and names those that have some", async () => {
  for (const file of ["fi.json", "de", "de-AT.json", "DE.json", "%2e%2e.json"]) {
    assertError(await sendRequest({ method: "GET", path: `/public/player/texts/${file}` }), 404, {
      error: "No texts in this language",
      details: `Known files: ${LANGUAGES.map((language) => `${language}.json`).join(", ")}`,
    });
  }
});
