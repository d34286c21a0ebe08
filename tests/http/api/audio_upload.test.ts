// PUT /api/media/audio/upload/{uploadId}: accepted and rejected uploads, the order of the errors, and the served audio.
import assert from "node:assert/strict";
import { assertError, assertKeys, episode, person, podcast, sendRequest, stackInfo } from "../harness.ts";
import { assertAccessMatrix } from "../access_matrix.ts";
import { audioOf, CAP, objectsOf, put, TYPES, upload } from "./audio.ts";

const show = await podcast("Uploaded"), matrix = await episode(show);

assertAccessMatrix("PUT /api/media/audio/upload/:uploadId", () => Promise.resolve(upload(show, matrix)), {
  anon: 401,
  stranger: 403,
  member: 403,
});

Deno.test("an admin's audio upload becomes the episode's audio with the measured size, under a key from the server", async () => {
  for (const [type, extension] of Object.entries(TYPES)) {
    const pilot = await episode(show),
      request = upload(show, pilot, { type, as: "admin", query: { duration: "61" } });
    const { status, body, text } = await sendRequest(request);
    assert.equal(status, 200, text);
    assertKeys(body, "success", "path", "publicUrl", "fileSize", "contentType", "durationSeconds");
    assert.equal(body.success, true);
    assert.match(body.path, new RegExp(`^podcasts/${show.id}/e/${pilot.id}/audio/[0-9a-f-]{36}\\.${extension}$`));
    assert.ok(!body.path.includes(request.path.match(/upload\/([0-9a-f-]{36})/)![1]), "the uploadId is not the key");
    assert.equal(body.publicUrl, `${stackInfo.url}/storage/v1/object/public/media/${body.path}`);
    assert.deepEqual([body.fileSize, body.contentType, body.durationSeconds], [10, type, 61]);
    assert.deepEqual(await audioOf(pilot), { url: body.publicUrl, bytes: 10, type, seconds: 61 });
    assert.deepEqual(await objectsOf(pilot), [body.path]);
  }
});

Deno.test("an audio upload stores a null duration without the parameter, and accepts 0", async () => {
  const pilot = await episode(show);
  assert.equal((await put(show, pilot)).body.durationSeconds, null);
  assert.equal((await put(show, pilot, { query: { duration: "0" } })).body.durationSeconds, 0);
});

Deno.test("uploaded audio is served at its public URL with type, cache header, ranges and validators", async () => {
  const pilot = await episode(show);
  const bytes = crypto.getRandomValues(new Uint8Array(50_000));
  const { body } = await put(show, pilot, { body: bytes });
  const whole = await fetch(body.publicUrl);
  assert.deepEqual(new Uint8Array(await whole.arrayBuffer()), bytes);
  assert.equal(whole.headers.get("content-type"), "audio/mpeg");
  assert.equal(whole.headers.get("cache-control"), "public, max-age=31536000, immutable");
  const part = await fetch(body.publicUrl, { headers: { range: "bytes=100-199" } });
  assert.equal(part.status, 206);
  assert.equal(part.headers.get("content-range"), "bytes 100-199/50000");
  assert.deepEqual(new Uint8Array(await part.arrayBuffer()), bytes.slice(100, 200));
  const again = await fetch(body.publicUrl, { headers: { "if-none-match": whole.headers.get("etag")! } });
  assert.equal(again.status, 304);
  await again.body?.cancel();
});

Deno.test("an audio upload returns 400 naming a missing or malformed parameter", async () => {
  const pilot = await episode(show);
  const wrong = {
    podcastId: [undefined, "1", ""],
    episodeId: [undefined, "not-an-id"],
    filename: [undefined, ""],
    duration: ["-1", "1.5", "", "1e3", "0x10", "a minute", "99999999999"],
  };
  for (const [name, values] of Object.entries(wrong)) {
    for (const value of values) {
      assertError(await put(show, pilot, { query: { [name]: value } }), 400, { details: new RegExp(`^${name}:`) });
    }
  }
  const request = upload(show, pilot);
  assertError(await sendRequest({ ...request, path: request.path.replace(/[0-9a-f-]{36}/, "mine") }), 400, {
    details: /^uploadId:/,
  });
  assert.deepEqual(await objectsOf(pilot), []);
});

Deno.test("an audio upload returns 400 for other content types, regardless of the filename", async () => {
  const pilot = await episode(show);
  for (
    const type of [
      "audio/ogg",
      "image/png",
      "text/plain",
      "application/octet-stream",
      "multipart/form-data",
      "audio/mpeg3",
    ]
  ) {
    assertError(await put(show, pilot, { type }), 400, { error: "Invalid content type" });
  }
  const request = upload(show, pilot, { body: new Uint8Array(3) });
  assertError(await sendRequest({ ...request, headers: {} }), 400, { error: "Invalid content type" });
  assert.equal(
    (await put(show, pilot, { type: "Audio/MPEG; x=y" })).status,
    200,
    "case and parameters make no difference",
  );
});

Deno.test("an audio upload returns 400 for an empty body", async () => {
  const pilot = await episode(show);
  assertError(await put(show, pilot, { body: new Uint8Array() }), 400, { code: "EMPTY_BODY" });
  assertError(await put(show, pilot, { body: stream() }), 400, { code: "EMPTY_BODY" });
  assert.deepEqual(await objectsOf(pilot), []);
});

Deno.test("an audio upload accepts 5,242,880 bytes, with a length or streamed", async () => {
  const pilot = await episode(show);
  for (const body of [new Uint8Array(CAP), stream(CAP)]) {
    const response = await put(show, pilot, { body });
    assert.equal(response.status, 200, response.text);
    assert.equal(response.body.fileSize, CAP);
  }
});

Deno.test("an audio upload over the cap returns 413 and leaves no object, with a length or streamed", async () => {
  const pilot = await episode(show);
  for (const body of [new Uint8Array(CAP + 1), stream(CAP + 1), stream(3 * CAP)]) {
    assertError(await put(show, pilot, { body }), 413, { code: "FILE_TOO_LARGE", maxBytes: CAP });
  }
  assert.deepEqual(await objectsOf(pilot), []);
  assert.equal((await audioOf(pilot)).url, null);
});

Deno.test("an audio upload over the cap returns 401, 403 or 404 before 413", async () => {
  const pilot = await episode(show), body = new Uint8Array(CAP + 1);
  assertError(await put(show, pilot, { body, as: "anon" }), 401);
  assertError(await put(show, pilot, { body, as: "stranger" }), 403);
  assertError(await put(show, pilot, { body, as: "member" }), 403);
  assertError(await put(show, { ...pilot, id: crypto.randomUUID() }, { body }), 404);
  assertError(await put(show, pilot, { body, type: "text/plain" }), 400);
});

/** Reads to the end of a JSON body: the connection stays open while the server expects more bytes. */
async function untilJson(connection: Deno.TcpConn): Promise<string> {
  let text = "";
  for await (const chunk of connection.readable.values({ preventCancel: true })) {
    text += new TextDecoder().decode(chunk);
    if (/\r\n\r\n\{.*\}$/s.test(text)) break;
  }
  return text;
}

/** Sends a raw request to the gateway; returns the first status other than 1xx, and the whole text. */
async function raw(headers: string[], body = new Uint8Array(), path = upload(show, matrix).path) {
  const { token } = await person("owner"), { hostname, port, pathname } = new URL(stackInfo.functionsUrl);
  using connection = await Deno.connect({ hostname, port: Number(port) });
  const responseText = untilJson(connection);
  const head = [`PUT ${pathname}${path} HTTP/1.1`, "host: x", "connection: close", `authorization: Bearer ${token}`];
  const writer = connection.writable.getWriter();
  await writer.write(new TextEncoder().encode([...head, "content-type: audio/mpeg", ...headers, "", ""].join("\r\n")));
  if (body.length) await writer.write(body).catch(() => {});
  const text = await responseText;
  return { status: Number(/^HTTP\/1.1 ([2-5]\d\d)/m.exec(text)?.[1]), text };
}

Deno.test("an audio upload with Expect: 100-continue returns 200, or 413 over the cap", async () => {
  const pilot = await episode(show), { path } = upload(show, pilot);
  const expecting = (size: number) =>
    raw([`content-length: ${size}`, "expect: 100-continue"], new Uint8Array(size), path);
  assert.equal((await expecting(2_000_000)).status, 200);
  assert.equal((await expecting(CAP + 1)).status, 413);
});

Deno.test("an audio upload returns 413 for a Content-Length beyond any safe integer", async () => {
  const { status, text } = await raw(["content-length: 9999999999999999999"]);
  assert.equal(status, 413, text);
  assert.match(text, /"code":"FILE_TOO_LARGE"/);
});

Deno.test("an audio upload returns 413 before the client sends the body", async () => {
  const { status, text } = await raw([`content-length: ${CAP + 1}`]);
  assert.equal(status, 413, text);
});

/** A body of this size without a length. */
function stream(size = 0): ReadableStream<Uint8Array> {
  return new ReadableStream({
    pull(controller) {
      if (size === 0) return controller.close();
      const chunk = new Uint8Array(Math.min(size, 65_536));
      size -= chunk.length;
      controller.enqueue(chunk);
    },
  });
}
