// /docs: the page of the OpenAPI documents, and its files. tests/browser/docs.test.ts uses it.
import assert from "node:assert/strict";
import { assertError, sendRequest, stackInfo } from "../harness.ts";

const get = (path: string, headers: Record<string, string> = {}) =>
  sendRequest({ method: "GET", path: `/public/docs${path}`, headers });
const publicUrl = `${stackInfo.functionsUrl}/public`;

Deno.test("/docs loads its own script and style alone, and may call this service alone", async () => {
  const { status, headers, text } = await get("");
  assert.equal(status, 200, text);
  assert.equal(headers.get("cache-control"), "public, max-age=60, stale-if-error=600, no-transform");
  assert.equal(
    headers.get("content-security-policy"),
    `default-src 'none'; script-src ${publicUrl}/docs/viewer.js; style-src ${publicUrl}/docs/viewer.css; ` +
      `img-src data: blob:; connect-src ${new URL(stackInfo.url).origin}; base-uri 'none'; form-action 'none'; ` +
      "frame-ancestors 'none'",
  );
  const urls = [...text.matchAll(/(?:src|data-document)="([^"]+)"|<link rel="stylesheet" href="([^"]+)"/g)];
  assert.deepEqual(
    urls.map(([, src, href]) => src ?? href),
    ["docs/viewer.css", "docs/viewer.js", "v1/openapi.json"].map((path) => `${publicUrl}/${path}`),
  );
});

Deno.test("/docs shows the document that its query names, and returns 400 for another name", async () => {
  const { text } = await get("?document=api");
  assert.ok(text.includes(`data-document="${stackInfo.functionsUrl}/api/openapi.json"`));
  assertError(await get("?document=none"), 400, { details: /^document:/ });
});

Deno.test("/docs has an ETag for each document, and returns 304 to its holder", async () => {
  const [etag, other] = await Promise.all(
    ["", "?document=api"].map(async (query) => (await get(query)).headers.get("etag")!),
  );
  assert.notEqual(etag, other);
  const again = await get("", { "if-none-match": etag });
  assert.deepEqual([again.status, again.text], [304, ""]);
});

for (const [file, type] of [["viewer.js", "text/javascript"], ["viewer.css", "text/css"]]) {
  Deno.test(`/docs/${file} may be cached, and returns 304 to the ETag's holder`, async () => {
    const { status, headers } = await get(`/${file}`, { "accept-encoding": "gzip" });
    assert.equal(status, 200);
    assert.match(headers.get("content-type")!, new RegExp(`^${type}`));
    assert.equal(headers.get("cache-control"), "public, max-age=3600, no-transform");
    const again = await get(`/${file}`, { "if-none-match": headers.get("etag")! });
    assert.deepEqual([again.status, again.text], [304, ""]);
  });
}
