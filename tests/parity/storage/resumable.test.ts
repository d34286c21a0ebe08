// Resumable uploads by TUS, with the behavior of the storage service.
import { deepStrictEqual as same, match, ok } from "node:assert";
import { storageTest } from "./fixture.ts";
import { asAna, encoded, statusAndText, tokenOf, tus, type, uploader, uploadUrlOf } from "./tus.ts";

const numbers = (response: Response) =>
  ["upload-offset", "upload-length", "upload-defer-length"].map((name) => response.headers.get(name));

storageTest("OPTIONS lists the TUS version, extensions and size limit", async (at) => {
  for (const path of ["/upload/resumable", "/upload/resumable/sign", "/upload/resumable/some-upload"]) {
    const { status, headers } = await fetch(at.url(path), { method: "OPTIONS" });
    same([status, headers.get("tus-version"), headers.get("tus-resumable"), headers.get("tus-extension")], [
      204,
      "1.0.0",
      "1.0.0",
      "creation,creation-with-upload,creation-defer-length,termination,expiration",
    ]);
    same(headers.get("tus-max-size"), String(500 * 2 ** 20));
  }
});

storageTest("the last byte of a resumable upload creates the object", async (at) => {
  const key = at.ownKey("in parts.mp3"), ana = asAna(at);
  const about = { contentType: "audio/mpeg", cacheControl: "3600", metadata: JSON.stringify({ a: "ü" }) };
  const created = await ana.create(at.open, key, 11, { ...about, metadata: '{"a":1}' });
  const place = uploadUrlOf(created);
  ok(place.startsWith(at.url("/upload/resumable/")), place);
  const expires = Date.parse(created.headers.get("upload-expires")!) - Date.now();
  ok(expires > 23 * 3_600_000 && expires <= 24 * 3_600_000, `${expires} ms`);
  const empty = await ana.head(place);
  same([empty.status, empty.headers.get("cache-control"), ...numbers(empty)], [200, "no-store", "0", "11", null]);
  same(
    empty.headers.get("upload-metadata"),
    encoded({ bucketName: at.open, objectName: key, ...about, cacheControl: "max-age=3600", metadata: '{"a":1}' }),
  );

  const part = await ana.send(place, 0, "hello ");
  same([part.status, part.headers.get("upload-offset"), part.headers.get("tus-complete")], [204, "6", null]);
  ok(part.headers.get("upload-expires"));
  same(numbers(await ana.head(place)), ["6", "11", null]);
  same((await at.get(`${at.open}/${key}`)).status, 400);
  const last = await ana.send(place, 6, "world");
  same([last.status, last.headers.get("upload-offset"), last.headers.get("tus-complete")], [204, "11", "1"]);
  same(last.headers.get("upload-expires"), null);

  const response = await at.get(`${at.open}/${key}`);
  same([
    await response.text(),
    response.headers.get("content-type"),
    response.headers.get("cache-control"),
    response.headers.get("etag"),
  ], [
    "hello world",
    "audio/mpeg",
    "max-age=3600",
    '"5eb63bbbe01eeed093cb22bb8f5acdc3"',
  ]);
  const [row] = await at.sql`select * from storage.objects where bucket_id = ${at.open} and name = ${key}`;
  same([row.owner_id, row.metadata.size, row.user_metadata], [at.ana.id, 11, { a: 1 }]);
  same(numbers(await ana.head(place)), ["11", "11", null]);
});

storageTest("the creation of a resumable upload may contain the first part, or all", async (at) => {
  const ana = asAna(at), key = at.ownKey("with creation"), headers = { "content-type": type };
  const begun = await ana.create(at.open, key, 5, {}, headers, "he");
  same([begun.status, begun.headers.get("upload-offset"), begun.headers.get("tus-complete")], [201, "2", null]);
  same((await ana.send(uploadUrlOf(begun), 2, "llo")).headers.get("tus-complete"), "1");
  same(await (await at.get(`${at.open}/${key}`)).text(), "hello");

  const whole = await ana.create(at.open, `${key}.whole`, 5, {}, headers, "hello");
  same([whole.status, whole.headers.get("upload-offset"), whole.headers.get("tus-complete")], [201, "5", "1"]);
  const response = await at.get(`${at.open}/${key}.whole`);
  same([await response.text(), response.headers.get("content-type")], ["hello", "application/octet-stream"]);

  same((await ana.create(at.open, `${key}.empty`, 0)).headers.get("tus-complete"), "1");
  same(await (await at.get(`${at.open}/${key}.empty`)).text(), "");
});

storageTest("a client may declare the length of a resumable upload later", async (at) => {
  const ana = asAna(at), key = at.ownKey("deferred");
  const metadata = encoded({ bucketName: at.open, objectName: key });
  const headers = { ...tokenOf(at, at.ana), "upload-defer-length": "1", "upload-metadata": metadata };
  const place = uploadUrlOf(await tus("POST", at.url("/upload/resumable"), headers));
  same((await ana.send(place, 0, "hello")).status, 204);
  same(numbers(await ana.head(place)), ["5", null, "1"]);
  same((await ana.send(place, 5, "", { "upload-length": "4" })).status, 400);
  same((await ana.send(place, 5, " wor", { "upload-length": "11" })).status, 204);
  same(numbers(await ana.head(place)), ["9", "11", null]);
  same((await ana.send(place, 9, "", { "upload-length": "12" })).status, 400);
  same((await ana.send(place, 9, "ld")).headers.get("tus-complete"), "1");
  same(await (await at.get(`${at.open}/${key}`)).text(), "hello world");
});

storageTest("a resumable upload accepts only seconds as cacheControl, unlike a plain upload", async (at) => {
  for (const [cacheControl, served] of [["0", "max-age=0"], ["public, immutable", "no-cache"], ["", "no-cache"]]) {
    const key = at.ownKey(`cached ${cacheControl.length}`), headers = { "content-type": type };
    await asAna(at).create(at.open, key, 1, { cacheControl }, headers, "x");
    same((await at.get(`${at.open}/${key}`)).headers.get("cache-control"), served);
  }
});

storageTest("a part with a wrong offset changes nothing", async (at) => {
  const ana = asAna(at), place = uploadUrlOf(await ana.create(at.open, at.ownKey("steady"), 10));
  await ana.send(place, 0, "hello");
  for (const offset of [0, 4, 6]) {
    same(await statusAndText(await ana.send(place, offset, "x")), [409, "Upload-Offset conflict\n"]);
  }
  same(await statusAndText(await ana.send(place, 5, "too long")), [413, "upload's size exceeded\n"]);
  const chunks = ReadableStream.from(["wor", "ld", "!"].map((text) => new TextEncoder().encode(text)));
  same(await statusAndText(await ana.send(place, 5, chunks)), [413, "Maximum size exceeded\n"]);
  same(numbers(await ana.head(place)), ["5", "10", null]);
  const rights = tokenOf(at, at.ana);
  const refusals: [headers: Record<string, string>, status: number, message: string][] = [
    [{ "content-type": type }, 403, "Upload-Offset header required\n"],
    [{ "upload-offset": "5" }, 400, "Invalid content-type\n"],
    [{ "upload-offset": "5", "content-type": "audio/mpeg" }, 400, "Invalid content-type\n"],
    [{ "upload-offset": "05", "content-type": type }, 400, "Invalid upload-offset\n"],
    [{ "upload-offset": "-1", "content-type": type }, 400, "Invalid upload-offset\n"],
  ];
  for (const [headers, status, message] of refusals) {
    same(await statusAndText(await tus("PATCH", place, { ...rights, ...headers }, "world")), [status, message]);
  }
  same(numbers(await ana.head(place)), ["5", "10", null]);
});

storageTest("the creation of a resumable upload requires its headers", async (at) => {
  const small = await at.bucket("tus-small", { public: true, fileSizeLimit: "1KB", allowedMimeTypes: ["audio/*"] });
  const good = encoded({ bucketName: small, objectName: "x" });
  const post = async (headers: Record<string, string>) =>
    await statusAndText(await tus("POST", at.url("/upload/resumable"), { apikey: at.stack.secretKey, ...headers }));
  const lengths = "Upload-Length or Upload-Defer-Length header required\n";
  same(await post({ "upload-metadata": good }), [400, lengths]);
  same(await post({ "upload-metadata": good, "upload-length": "1", "upload-defer-length": "1" }), [400, lengths]);
  same(await post({ "upload-metadata": good, "upload-length": "1.5" }), [400, "Invalid upload-length\n"]);
  same(await post({ "upload-length": "1" }), [400, "Metadata header is required"]);
  for (const metadata of ["bucketName !", "a YQ==,a YQ==", "a YQ", "a b c", ","]) {
    same(await post({ "upload-length": "1", "upload-metadata": metadata }), [400, "Invalid upload-metadata\n"]);
  }
  same(await post({ "upload-length": "1", "upload-metadata": good, "tus-resumable": "0.2.2" }), [
    400,
    "Invalid tus-resumable\n",
  ]);
  same((await post({ "upload-length": "1", "upload-metadata": good, "upload-concat": "partial" }))[0], 501);
  const named = (names: Record<string, string>, length = "1") =>
    post({ "upload-length": length, "upload-metadata": encoded(names) });
  same(await named({ objectName: "x" }), [400, "Bucket name invalid"]);
  same(await named({ bucketName: small }), [400, "Invalid key: "]);
  same(await named({ bucketName: small, objectName: "a#b" }), [400, "Invalid key: a#b"]);
  same(await named({ bucketName: "lt-nowhere", objectName: "x" }), [404, "Bucket not found"]);
  same(await named({ bucketName: small, objectName: "x" }, "1001"), [413, "Maximum size exceeded\n"]);
  same(await named({ bucketName: small, objectName: "x", contentType: "image/png" }), [
    415,
    "mime type image/png is not supported",
  ]);
  const service = uploader(at, { apikey: at.stack.secretKey });
  const deferred = uploadUrlOf(
    await tus("POST", at.url("/upload/resumable"), {
      apikey: at.stack.secretKey,
      "upload-metadata": good,
      "upload-defer-length": "1",
    }),
  );
  same(await statusAndText(await service.send(deferred, 0, "x", { "upload-length": "1001" })), [
    413,
    "Maximum size exceeded\n",
  ]);
  same(await statusAndText(await service.send(deferred, 0, "x".repeat(1001))), [413, "upload's size exceeded\n"]);
  const unversioned = await fetch(at.url("/upload/resumable"), {
    method: "POST",
    headers: { apikey: at.stack.secretKey, "upload-length": "1", "upload-metadata": good },
  });
  same(await statusAndText(unversioned), [412, "Tus-Resumable Required\n"]);
});

storageTest("a terminated or unknown resumable upload is 404", async (at) => {
  const ana = asAna(at), key = at.ownKey("given up"), notFound = "The file for this url was not found\n";
  const place = uploadUrlOf(await ana.create(at.open, key, 10));
  await ana.send(place, 0, "hello");
  same((await ana.remove(place)).status, 204);
  same((await ana.head(place)).status, 404);
  same(await statusAndText(await ana.send(place, 5, "world")), [404, notFound]);
  same(await statusAndText(await ana.remove(place)), [404, notFound]);
  const named = (id: string) => at.url(`/upload/resumable/${btoa(id).replaceAll("=", "")}`);
  same(await statusAndText(await ana.send(named("nonsense"), 0, "x")), [400, "Invalid upload id"]);
  for (const version of ["..", "x", "\0", crypto.randomUUID()]) {
    same(await statusAndText(await ana.send(named(`${at.open}/${key}/${version}`), 0, "x")), [404, notFound]);
  }

  const done = uploadUrlOf(await ana.create(at.open, key, 1, {}, { "content-type": type }, "x"));
  same(await statusAndText(await asAna(at, { "x-upsert": "true" }).remove(done)), [
    400,
    "Cannot terminate an already completed upload",
  ]);
  same(await (await at.get(`${at.open}/${key}`)).text(), "x");
  await at.raw("DELETE", `/object/${at.open}/${key}`);
  same((await ana.head(done)).status, 404);
});

storageTest("resumable uploads allow CORS requests of any origin", async (at) => {
  const { headers } = await asAna(at).create(at.open, at.ownKey("from a page"), 1);
  same(headers.get("access-control-allow-origin"), "*");
  for (const name of ["Location", "Upload-Offset", "Upload-Length"]) {
    match(headers.get("access-control-expose-headers")!, new RegExp(`\\b${name}\\b`));
  }
});
