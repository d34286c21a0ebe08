// POST /api/media/audio/direct-upload/complete: the staged object becomes the episode's audio.
import assert from "node:assert/strict";
import { assertError, assertKeys, episode, person, podcast, sql } from "../harness.ts";
import { assertAccessMatrix } from "../access_matrix.ts";
import { audioOf, objectsOf, TYPES } from "./audio.ts";
import { encoded, tus } from "../../parity/storage/tus.ts";
import { complete, fill, filled, opened, path, stagedOf } from "./direct_upload.ts";

const show = await podcast("Completed"), matrix = await episode(show);
const open = await filled(show, matrix);
const request = () => Promise.resolve({ path: `${path}/complete`, json: { uploadId: open.uploadId } });

assertAccessMatrix(`POST ${path}/complete`, request, { anon: 401, stranger: 403, member: 403 });

Deno.test("a completed direct upload becomes the episode's audio with measured size and declared type, under its final key", async () => {
  for (const [contentType, extension] of Object.entries(TYPES)) {
    const pilot = await episode(show), upload = await opened(show, pilot, { contentType, fileSize: 60_000 });
    const bytes = crypto.getRandomValues(new Uint8Array(50_000));
    assert.notEqual(await fill(upload, bytes, { "content-type": "text/html" }), 200, "nothing but audio is staged");
    // the type and cache header of the client's request are not served
    const type = contentType === "audio/wav" ? "audio/mpeg" : "audio/wav";
    assert.equal(await fill(upload, bytes, { "content-type": type, "cache-control": "max-age=1" }), 200);
    const staged = await fetch(upload.publicUrl.replace(`media/${upload.finalPath}`, `staging/${upload.uploadPath}`));
    await staged.body?.cancel();
    assert.equal(staged.ok, false, "what is staged is not public");
    const early = await fetch(upload.publicUrl);
    await early.body?.cancel();
    assert.equal(early.ok, false, "nothing is served before it is completed");

    const { status, body, text } = await complete(upload.uploadId, { duration: 61 });
    assert.equal(status, 200, text);
    assertKeys(body, "success", "path", "publicUrl", "fileSize", "contentType", "durationSeconds");
    assert.deepEqual(body, {
      success: true,
      path: upload.finalPath,
      publicUrl: upload.publicUrl,
      fileSize: 50_000, // not the declared 60,000
      contentType,
      durationSeconds: 61,
    });
    assert.deepEqual(await audioOf(pilot), { url: upload.publicUrl, bytes: 50_000, type: contentType, seconds: 61 });
    assert.ok(upload.finalPath.endsWith(`.${extension}`));
    assert.deepEqual(await objectsOf(pilot), [upload.finalPath]);
    assert.equal((await stagedOf(show)).includes(upload.uploadPath), false, "the staged object is deleted");

    const served = await fetch(upload.publicUrl);
    assert.deepEqual(new Uint8Array(await served.arrayBuffer()), bytes);
    assert.equal(served.headers.get("content-type"), contentType);
    assert.equal(served.headers.get("cache-control"), "public, max-age=31536000, immutable");
  }
});

Deno.test("a repeated completion returns the same response and does not change the episode", async () => {
  const pilot = await episode(show), { uploadId, finalPath } = await filled(show, pilot);
  const first = await complete(uploadId, { duration: 61 });
  await sql`update private.direct_uploads set ended_at = now() - interval '20 hours' where id = ${uploadId}`;
  const audio = await audioOf(pilot);
  for (const again of [{ duration: 61 }, {}, { duration: 5 }]) {
    const { status, body, text } = await complete(uploadId, again);
    assert.equal(status, 200, text);
    assert.deepEqual(body, first.body);
  }
  assert.deepEqual(await audioOf(pilot), audio);
  assert.deepEqual(await objectsOf(pilot), [finalPath]);
});

Deno.test("concurrent completions of one upload all return 200 and leave one object", async () => {
  for (let round = 0; round < 5; round++) {
    const pilot = await episode(show), upload = await filled(show, pilot, new Uint8Array(300_000));
    const responses = await Promise.all(Array.from({ length: 8 }, () => complete(upload.uploadId, { duration: 61 })));
    assert.deepEqual(responses.map(({ status, text }) => status === 200 ? 200 : text), Array(8).fill(200));
    assert.equal(new Set(responses.map(({ text }) => text)).size, 1);
    assert.deepEqual(await objectsOf(pilot), [upload.finalPath]);
    assert.equal((await (await fetch(upload.publicUrl)).arrayBuffer()).byteLength, 300_000);
    assert.equal((await stagedOf(show)).includes(upload.uploadPath), false);
  }
});

Deno.test("a completion returns 404 for an unknown upload, and 400 naming an invalid id", async () => {
  assertError(await complete(crypto.randomUUID()), 404);
  for (const uploadId of ["1", 7, null, undefined] as string[]) {
    assertError(await complete(uploadId), 400, { details: /^uploadId:/ });
  }
  for (const duration of [-1, 1.5, "61", 2_147_483_648]) {
    assertError(await complete(open.uploadId, { duration }), 400, { details: /^duration:/ });
  }
});

Deno.test("supabase-js uploads with the token alone", async () => {
  const pilot = await episode(show),
    { uploadId, uploadPath, token, publicUrl } = await opened(show, pilot, {
      fileSize: 60_000,
    });
  const { client } = await person("admin");
  const bytes = crypto.getRandomValues(new Uint8Array(60_000));
  const { error } = await client.storage.from("staging").uploadToSignedUrl(
    uploadPath,
    token,
    new Blob([bytes], { type: "audio/mpeg" }),
    { cacheControl: "60", contentType: "audio/mpeg" },
  );
  assert.equal(error, null);
  const { status, body, text } = await complete(uploadId);
  assert.equal(status, 200, text);
  assert.deepEqual([body.fileSize, body.durationSeconds], [60_000, null]);
  const served = await fetch(publicUrl);
  assert.equal(served.headers.get("cache-control"), "public, max-age=31536000, immutable");
  assert.deepEqual(new Uint8Array(await served.arrayBuffer()), bytes);
});

Deno.test("a direct upload may be sent in parts, with the resumable protocol and the same token", async () => {
  const pilot = await episode(show),
    { uploadId, uploadPath, token, resumableUrl, publicUrl } = await opened(show, pilot);
  const signed = { "x-signature": token }, type = "application/offset+octet-stream";
  const created = await tus("POST", resumableUrl, {
    ...signed,
    "upload-length": "11",
    "upload-metadata": encoded({ bucketName: "staging", objectName: uploadPath, contentType: "audio/mpeg" }),
  });
  assert.equal(created.status, 201, await created.text());
  const place = created.headers.get("location")!;
  for (const [offset, part] of [["0", "hello "], ["6", "world"]]) {
    assertError(await complete(uploadId), 409, { code: "UPLOAD_NOT_RECEIVED" });
    const sent = await tus("PATCH", place, { ...signed, "content-type": type, "upload-offset": offset }, part);
    assert.equal(sent.status, 204, await sent.text());
  }
  const { status, body, text } = await complete(uploadId);
  assert.equal(status, 200, text);
  assert.equal(body.fileSize, 11);
  assert.equal(await (await fetch(publicUrl)).text(), "hello world");
});
