// Reads of objects by podcast apps and browsers.
import { deepStrictEqual as same } from "node:assert";
import { refusal, storageTest, type Stored } from "./fixture.ts";

/** A public object of eleven bytes. */
async function hello(at: Stored, type = "audio/mpeg") {
  const headers = { "content-type": type, "cache-control": "max-age=60" };
  await at.raw("PUT", `/object/${at.open}/hello`, { body: "hello world", headers });
  return `${at.open}/hello`;
}
const eTag = '"5eb63bbbe01eeed093cb22bb8f5acdc3"';
const headersOf = (response: Response, ...names: string[]) => names.map((name) => response.headers.get(name));

storageTest("a public object has the headers for caches, for GET and HEAD", async (at) => {
  const path = await hello(at);
  const [row] = await at.sql`select metadata from storage.objects where bucket_id = ${at.open} and name = 'hello'`;
  for (const method of ["GET", "HEAD"]) {
    const response = await at.get(path, {}, method);
    same([response.status, await response.text()], [200, method === "GET" ? "hello world" : ""]);
    same(
      headersOf(response, "content-length", "content-type", "cache-control", "etag", "accept-ranges", "last-modified"),
      ["11", "audio/mpeg", "max-age=60", eTag, "bytes", new Date(row.metadata.lastModified).toUTCString()],
    );
  }
});

storageTest("text keeps its strong ETag and length, and HTML is served as plain text", async (at) => {
  const path = await hello(at, "text/html; charset=utf-8");
  const response = await at.get(path, { "accept-encoding": "gzip, br" });
  same(headersOf(response, "etag", "content-length", "content-type"), [eTag, "11", "text/plain"]);
  same(await response.text(), "hello world");
});

storageTest("a range of bytes is 206 with Content-Range, one past the end is 416", async (at) => {
  const path = await hello(at);
  const ranges: [range: string, body: string, place: string][] = [
    ["bytes=2-4", "llo", "bytes 2-4/11"],
    ["bytes=0-0", "h", "bytes 0-0/11"],
    ["bytes=6-", "world", "bytes 6-10/11"],
    ["bytes=6-999", "world", "bytes 6-10/11"],
    ["bytes=-3", "rld", "bytes 8-10/11"],
    ["bytes=-99", "hello world", "bytes 0-10/11"],
  ];
  for (const [range, body, place] of ranges) {
    const response = await at.get(path, { range });
    same([response.status, await response.text()], [206, body]);
    same(headersOf(response, "content-range", "content-length", "etag"), [place, String(body.length), eTag]);
  }
  for (const range of ["bytes=11-", "bytes=99-100", "bytes=-0"]) {
    const response = await at.get(path, { range });
    same([response.status, response.headers.get("content-range")], [416, "bytes */11"]);
    same((await response.json()).statusCode, "416");
  }
});

storageTest("HEAD ignores a range", async (at) => {
  const head = await at.get(await hello(at), { range: "bytes=0-1" }, "HEAD");
  same([head.status, head.headers.get("content-length")], [200, "11"]);
});

storageTest("a current cached copy is 304, by ETag or by date", async (at) => {
  const path = await hello(at);
  const modified = (await at.get(path, {}, "HEAD")).headers.get("last-modified")!;
  const statusOf = async (headers: Record<string, string>) => {
    const response = await at.get(path, headers);
    return [response.status, await response.text()];
  };
  same(await statusOf({ "if-none-match": eTag }), [304, ""]);
  same(await statusOf({ "if-modified-since": modified }), [304, ""]);
  same(await statusOf({ "if-none-match": '"other"' }), [200, "hello world"]);
  same(await statusOf({ "if-modified-since": "Sat, 01 Jan 2000 00:00:00 GMT" }), [200, "hello world"]);
});

storageTest("?download names the file to save", async (at) => {
  const path = await hello(at);
  const disposition = async (query: string) => (await at.get(path + query)).headers.get("content-disposition");
  same(await disposition("?download="), "attachment;");
  same(
    await disposition("?download=Folge 1 ä.mp3"),
    "attachment; filename=Folge%201%20%C3%A4.mp3; filename*=UTF-8''Folge%201%20%C3%A4.mp3",
  );
  same(await disposition(""), null);
});

storageTest("unknown and private objects are not found", async (at) => {
  await at.raw("PUT", `/object/${at.closed}/secret`, { body: "x" });
  const noObject = {
    http: 400,
    statusCode: "404",
    error: "not_found",
    code: "NoSuchKey",
    message: "Object not found",
  };
  const noBucket = {
    http: 400,
    statusCode: "404",
    error: "Bucket not found",
    code: "NoSuchBucket",
    message: "Bucket not found",
  };
  same(await refusal(await at.get(`${at.open}/nothing`)), noObject);
  // The service looks for both at once, and may miss either first
  const { code } = await refusal(await at.get("lt-nowhere/nothing"));
  same(["NoSuchKey", "NoSuchBucket"].includes(code), true);
  same(await refusal(await fetch(at.url("/object/lt-nowhere/nothing"))), noBucket);
  same(await refusal(await fetch(at.url("/object/info/public/lt-nowhere/nothing"))), noBucket);
  same(await refusal(await at.get(`${at.closed}/secret`)), noBucket);
  same(await refusal(await fetch(at.url(`/object/${at.closed}/secret`))), noBucket);
  same((await refusal(await fetch(at.url(`/object/authenticated/${at.closed}/secret`)))).statusCode, "400");
  same((await at.get(`${at.open}/nothing`, {}, "HEAD")).status, 400);
  same((await fetch(at.url("/render/image"), { method: "POST" })).status, 404);
});

storageTest("a user reads a private bucket by its policies", async (at) => {
  const ownKey = at.ownKey("mine");
  const bucket = at.ana.client.storage.from(at.closed);
  await bucket.upload(ownKey, "mine", { contentType: "audio/mpeg" });
  same(await (await bucket.download(ownKey)).data!.text(), "mine");
  same((await bucket.exists(ownKey)).data, true);
  const info = (await bucket.info(ownKey)).data!;
  same([info.size, info.contentType, info.bucketId, info.name], [4, "audio/mpeg", at.closed, ownKey]);
  for (const client of [at.vic.client, at.anon]) {
    const theirs = client.storage.from(at.closed);
    same((await theirs.download(ownKey)).error!.message, "Object not found");
    same((await theirs.info(ownKey)).error!.message, "Object not found");
    same((await theirs.exists(ownKey)).data, false);
  }
});

storageTest("storage allows CORS requests of any origin", async (at) => {
  const path = await hello(at);
  const preflight = await fetch(at.url(`/object/${path}`), {
    method: "OPTIONS",
    headers: {
      origin: "https://app.example.com",
      "access-control-request-method": "PUT",
      "access-control-request-headers": "apikey,authorization,x-upsert",
    },
  });
  same([preflight.status, ...headersOf(preflight, "access-control-allow-origin", "access-control-allow-headers")], [
    200,
    "*",
    "apikey,authorization,x-upsert",
  ]);
  same(headersOf(await at.get(path), "access-control-allow-origin"), ["*"]);
  same(headersOf(await at.get(`${path}.not`), "access-control-allow-origin"), ["*"]);
});
