// Conditional and partial reads by the rules of HTTP, where the service's backends differ from each other.
import { deepStrictEqual as same } from "node:assert";
import { storageTest, type Stored } from "../../parity/storage/fixture.ts";

const eTag = '"5eb63bbbe01eeed093cb22bb8f5acdc3"';

async function read(at: Stored, headers: Record<string, string>) {
  await at.raw("PUT", `/object/${at.open}/hello`, { body: "hello world" });
  const response = await at.get(`${at.open}/hello`, headers);
  return [response.status, await response.text(), response.headers.get("etag")];
}

storageTest("several ranges, an invalid one and one of an older version return the whole object", async (at) => {
  for (
    const headers of [
      { range: "bytes=0-1,3-4" },
      { range: "bytes=4-2" },
      { range: "lines=1-2" },
      { range: "bytes=0-1", "if-range": '"older"' },
    ]
  ) {
    same(await read(at, headers as Record<string, string>), [200, "hello world", eTag]);
  }
  same(await read(at, { range: "bytes=0-1", "if-range": eTag }), [206, "he", eTag]);
});

storageTest("If-None-Match has lists, weak tags and *, and precedes If-Modified-Since", async (at) => {
  for (const tags of [`"other", W/${eTag}`, "*", eTag]) {
    same(await read(at, { "if-none-match": tags }), [304, "", eTag]);
  }
  const later = new Date(Date.now() + 60_000).toUTCString();
  same(await read(at, { "if-none-match": '"other"', "if-modified-since": later }), [200, "hello world", eTag]);
});
