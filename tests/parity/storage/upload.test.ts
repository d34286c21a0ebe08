// Uploads, with the behavior of the storage service.
import { deepStrictEqual as same, ok } from "node:assert";
import { createHash } from "node:crypto";
import { refusal, storageTest } from "./fixture.ts";

const md5 = (bytes: string | Uint8Array) => `"${createHash("md5").update(bytes).digest("hex")}"`;

storageTest("a raw upload stores its Cache-Control verbatim, and the row describes the bytes", async (at) => {
  const key = at.ownKey("raw.mp3");
  const response = await at.raw("POST", `/object/${at.open}/${key}`, {
    body: "abc",
    headers: {
      authorization: `Bearer ${at.ana.token}`,
      "content-type": "audio/mpeg",
      "cache-control": "public, max-age=31536000, immutable",
    },
  });
  const { Id, Key } = await response.json();
  same([response.status, Key], [200, `${at.open}/${key}`]);
  const [row] = await at.sql`select * from storage.objects where id = ${Id}`;
  const { lastModified, ...metadata } = row.metadata;
  same(metadata, {
    eTag: md5("abc"),
    size: 3,
    mimetype: "audio/mpeg",
    cacheControl: "public, max-age=31536000, immutable",
    contentLength: 3,
    httpStatusCode: 200,
  });
  ok(Math.abs(Date.now() - Date.parse(lastModified)) < 60_000);
  same([row.bucket_id, row.name, row.owner, row.owner_id], [at.open, key, at.ana.id, at.ana.id]);
  same((await at.get(`${at.open}/${key}`)).headers.get("cache-control"), "public, max-age=31536000, immutable");
});

storageTest("storage-js uploads files, text and bytes, with max-age= and the caller's metadata", async (at) => {
  const bucket = at.ana.client.storage.from(at.open);
  const bodies: [name: string, body: Blob | string | Uint8Array | FormData, text: string, type: string][] = [
    ["blob", new Blob(["a blob"], { type: "text/plain" }), "a blob", "text/plain"],
    ["file", new File(["a file\r\n--x"], "x.bin", { type: "image/png" }), "a file\r\n--x", "image/png"],
    ["text", "some text", "some text", "text/plain;charset=UTF-8"],
    ["bytes", new TextEncoder().encode("bytes"), "bytes", "text/plain;charset=UTF-8"],
  ];
  for (const [name, body, text, type] of bodies) {
    const sent = await bucket.upload(at.ownKey(name), body, { cacheControl: "60", metadata: { a: 1 } });
    same([sent.error, sent.data!.path], [null, at.ownKey(name)]);
    const fetched = await at.get(`${at.open}/${at.ownKey(name)}`);
    same([fetched.headers.get("content-type"), fetched.headers.get("cache-control")], [type, "max-age=60"]);
    same(await fetched.text(), text);
    same((await bucket.info(at.ownKey(name))).data!.metadata, { a: 1 });
  }
});

storageTest("a form is parsed for any split into chunks", async (at) => {
  const file = "\r\n--edg\r\n\r\n--ed\r\r\n-- --edge";
  const bytes = new TextEncoder().encode(
    `--edge\r\nContent-Disposition: form-data; name="cacheControl"\r\n\r\n5\r\n` +
      `--edge\r\nContent-Disposition: form-data; name=""; filename="a"\r\nContent-Type: text/css\r\n\r\n${file}\r\n--edge--\r\n`,
  );
  for (const step of [1, 7, bytes.length]) {
    let from = 0;
    const body = new ReadableStream({
      pull(controller) {
        if (from >= bytes.length) return controller.close();
        controller.enqueue(bytes.slice(from, from += step));
      },
    });
    const headers = { "content-type": "multipart/form-data; boundary=edge" };
    const response = await at.raw("PUT", `/object/${at.open}/form`, { body, headers });
    same(response.status, 200, await response.text());
    const fetched = await at.get(`${at.open}/form`);
    same([await fetched.text(), fetched.headers.get("content-type"), fetched.headers.get("cache-control")], [
      file,
      "text/css",
      "max-age=5",
    ]);
  }
  const broken = await at.raw("PUT", `/object/${at.open}/broken`, {
    body: bytes.slice(0, -12),
    headers: { "content-type": "multipart/form-data; boundary=edge" },
  });
  same([broken.ok, (await at.get(`${at.open}/broken`)).status], [false, 400]);
});

storageTest("an existing key is a duplicate unless x-upsert is set", async (at) => {
  const bucket = at.ana.client.storage.from(at.open), key = at.ownKey("twice");
  const first = await bucket.upload(key, "one");
  const headers = { authorization: `Bearer ${at.ana.token}`, apikey: at.stack.publishableKey };
  const again = await at.raw("POST", `/object/${at.open}/${key}`, { body: "two", headers });
  same(await refusal(again), {
    http: 400,
    statusCode: "409",
    error: "Duplicate",
    code: "KeyAlreadyExists",
    message: "The resource already exists",
  });
  same(await (await at.get(`${at.open}/${key}`)).text(), "one");
  same((await bucket.upload(key, "two", { upsert: true })).data!.id, first.data!.id);
  same(await (await at.get(`${at.open}/${key}`)).text(), "two");
  same((await bucket.update(key, "three")).error, null);
  same(await (await at.get(`${at.open}/${key}`)).text(), "three");
});

storageTest("a bucket's limits apply to the announced size and to a form's file", async (at) => {
  const small = await at.bucket("small", {
    public: true,
    fileSizeLimit: "1KB",
    allowedMimeTypes: ["image/*", "text/plain"],
  });
  const tooLarge = {
    http: 400,
    statusCode: "413",
    error: "Payload too large",
    code: "EntityTooLarge",
    message: "The object exceeded the maximum allowed size",
  };
  const type = { "content-type": "text/plain" };
  const send = (body: BodyInit, headers: HeadersInit = type) => at.raw("POST", `/object/${small}/a`, { body, headers });
  same(await refusal(await send("x".repeat(1001))), tooLarge);
  const form = new FormData();
  form.append("", new Blob(["x".repeat(1001)], { type: "text/plain" }));
  same(await refusal(await send(form, {})), tooLarge);
  same(await refusal(await send("{}", { "content-type": "application/json" })), {
    http: 400,
    statusCode: "415",
    error: "invalid_mime_type",
    code: "InvalidMimeType",
    message: "mime type application/json is not supported",
  });
  same((await at.sql`select from storage.objects where bucket_id = ${small}`).length, 0);
  same((await send("x".repeat(1000))).status, 200);
  same(
    (await at.raw("POST", `/object/${small}/b`, { body: "x", headers: { "content-type": "image/webp" } })).status,
    200,
  );
});

storageTest("the placeholder of an empty folder has no bytes, in a bucket of any type", async (at) => {
  const bucket = await at.bucket("folders", { public: false, allowedMimeTypes: ["audio/*"] });
  const put = (body: string) => at.raw("PUT", `/object/${bucket}/new/.emptyFolderPlaceholder`, { body });
  same((await put("")).status, 200);
  same((await refusal(await put("x"))).statusCode, "413");
});

storageTest("policies decide which keys a user may store", async (at) => {
  const unauthorized = "new row violates row-level security policy";
  for (const client of [at.vic.client, at.anon]) {
    const { error } = await client.storage.from(at.open).upload(at.ownKey("theirs"), "x");
    same([error!.message, (error as unknown as { statusCode: string }).statusCode], [unauthorized, "403"]);
  }
  const ownKey = at.ownKey("guarded");
  await at.ana.client.storage.from(at.open).upload(ownKey, "mine");
  const { error } = await at.vic.client.storage.from(at.open).upload(ownKey, "theirs", { upsert: true });
  same(error!.message, unauthorized);
  same(await (await at.get(`${at.open}/${ownKey}`)).text(), "mine");
  const stranger = await fetch(at.url(`/object/${at.open}/x`), { method: "POST", body: "x" });
  same((await refusal(stranger)).message, "headers must have required property 'authorization'");
  const nowhere = await at.ana.client.storage.from("lt-nowhere").upload(ownKey, "x");
  same(nowhere.error!.message, "Bucket not found");
});

storageTest("an upload that a trigger rejects stores nothing and has no internals in the response", async (at) => {
  await at.sql.unsafe(`
    create function public.lt_no_objects() returns trigger language plpgsql set search_path = '' as $$
    begin
      raise sqlstate 'PT409' using message = 'the inside story';
    end $$;
    create trigger lt_no_objects before insert on storage.objects for each row when (new.name = 'refused')
      execute function public.lt_no_objects();
  `).simple();
  try {
    same(await refusal(await at.raw("PUT", `/object/${at.open}/refused`, { body: "x" })), {
      http: 500,
      statusCode: "500",
      error: "DatabaseError",
      code: "DatabaseError",
      message: "database error, code: PT409",
    });
    same((await at.get(`${at.open}/refused`)).status, 400);
  } finally {
    await at.sql.unsafe(`drop trigger lt_no_objects on storage.objects; drop function public.lt_no_objects()`).simple();
  }
});

storageTest("valid keys are stored, invalid ones rejected, and no key is a path", async (at) => {
  const long = "l".repeat(900);
  for (
    const key of [long, `a/${long}`, "..%2f..%2fescape", "%2fabsolute", "a%20b+c,d;e=f@g:h&i$j!k'(l)*", "a//b", "."]
  ) {
    const path = `${at.open}/${key}`;
    if (key === ".") continue;
    same((await at.raw("PUT", `/object/${path}`, { body: key })).status, 200, key);
    same(await (await at.get(path)).text(), key);
  }
  for (const key of ["nul%00", "umlaut-%C3%A4", "quote%22", "back%5Cslash", "hash%23", "percent%25", "%F0%9F%8E%99"]) {
    const { statusCode, error, message } = await refusal(
      await at.raw("PUT", `/object/${at.open}/${key}`, { body: "x" }),
    );
    same([statusCode, error, message], ["400", "InvalidKey", `Invalid key: ${decodeURIComponent(key)}`]);
  }
});

storageTest("concurrent uploads of one key leave one complete object", async (at) => {
  const bodies = [..."abcdefgh"].map((letter) => letter.repeat(200_000));
  const sent = bodies.map((body) => at.raw("PUT", `/object/${at.open}/race`, { body }).then((r) => r.status));
  same(new Set(await Promise.all(sent)), new Set([200]));
  const stored = await (await at.get(`${at.open}/race`)).text();
  ok(bodies.includes(stored));
  const rows = await at.sql`select metadata from storage.objects where bucket_id = ${at.open} and name = 'race'`;
  same(rows.map(({ metadata }) => metadata.eTag), [md5(stored)]);
});

storageTest("concurrent uploads of a new key all succeed, each time", async (at) => {
  const refused: string[] = [];
  for (let n = 0; n < 40; n++) {
    await Promise.all(Array.from({ length: 8 }, async () => {
      const response = await at.raw("PUT", `/object/${at.open}/new-${n}`, { body: "x" });
      const text = await response.text();
      if (response.status !== 200) refused.push(text);
    }));
  }
  same(refused, []);
});

storageTest("an interrupted upload leaves no object and keeps the previous one", async (at) => {
  await at.raw("PUT", `/object/${at.open}/kept`, { body: "whole" });
  const { hostname, port, host, protocol } = new URL(at.stack.url);
  const connect = () =>
    protocol === "https:" ? Deno.connectTls({ hostname, port: 443 }) : Deno.connect({ hostname, port: Number(port) });
  for (const length of ["content-length: 1000000\r\n\r\nhalf", "transfer-encoding: chunked\r\n\r\n4\r\nhalf\r\n"]) {
    for (const key of ["kept", "broken-off"]) {
      const connection = await connect();
      const head = `PUT /storage/v1/object/${at.open}/${key} HTTP/1.1\r\nhost: ${host}\r\n` +
        `apikey: ${at.stack.secretKey}\r\n`;
      await connection.write(new TextEncoder().encode(head + length));
      await new Promise((resolve) => setTimeout(resolve, 50)); // let the service begin to read
      connection.close();
      await new Promise((resolve) => setTimeout(resolve, 50));
    }
  }
  same(await (await at.get(`${at.open}/kept`)).text(), "whole");
  same((await at.sql`select from storage.objects where name = 'broken-off'`).length, 0);
});

storageTest("a client that is still sending receives the error", async (at) => {
  const small = await at.bucket("tiny", { public: false, fileSizeLimit: 10 });
  const response = await at.raw("POST", `/object/${small}/x`, { body: new Uint8Array(16 * 2 ** 20) });
  same((await refusal(response)).statusCode, "413");
  const unknown = await fetch(at.url(`/object/${small}/x`), { method: "POST", body: new Uint8Array(16 * 2 ** 20) });
  same((await refusal(unknown)).statusCode, "400");
});
