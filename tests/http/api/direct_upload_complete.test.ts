// POST /api/media/audio/direct-upload/complete: the staged object becomes the episode's audio.
import assert from "node:assert/strict";
import {
  addMember,
  assertError,
  assertKeys,
  callRpc,
  episode,
  person,
  podcast,
  sendRequest,
  sql,
  stackInfo,
  waitFor,
} from "../harness.ts";
import { assertAccessMatrix } from "../access_matrix.ts";
import { audioOf, objectsOf, put, TYPES } from "./audio.ts";
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

Deno.test("the second completion of two uploads begun together returns 409 and leaves no object", async () => {
  const pilot = await episode(show), lost = await filled(show, pilot, "lost");
  await leased(lost); // without the lease the second direct upload replaces it
  const won = await filled(show, pilot, "won");
  assert.equal((await complete(won.uploadId)).status, 200);
  for (let tries = 0; tries < 2; tries++) {
    assertError(await complete(lost.uploadId), 409, { code: "CONCURRENT_REPLACEMENT" });
  }
  assert.equal((await audioOf(pilot)).url, won.publicUrl);
  assert.deepEqual(await objectsOf(pilot), [won.finalPath]);
  await waitFor("the staged object is deleted", async () => !(await stagedOf(show)).includes(lost.uploadPath));
});

Deno.test("a repeated completion returns 409 after its audio was replaced", async () => {
  const pilot = await episode(show), first = await filled(show, pilot);
  assert.equal((await complete(first.uploadId)).status, 200);
  const second = await filled(show, pilot, "the second");
  assert.equal((await complete(second.uploadId)).status, 200);
  assertError(await complete(first.uploadId), 409, { code: "CONCURRENT_REPLACEMENT" });
  assert.equal((await audioOf(pilot)).url, second.publicUrl);
});

Deno.test("a completion over the allowance returns 409, keeps the previous audio, and succeeds once the upload fits", async () => {
  const full = await podcast("Completed full", "direct-completed-full"), pilot = await episode(full);
  const { id } = await person("direct-completed-full");
  const assertStorageUsed = (bytes: number) =>
    sql`update public.billing_accounts set storage_bytes_used = ${bytes} where user_id = ${id}`;
  const { body: before } = await put(full, pilot, { as: "admin", body: "ten bytes!" });
  const upload = await filled(full, pilot, "these are 18 bytes");
  await assertStorageUsed(1_073_741_824 - 7);
  assertError(await complete(upload.uploadId), 409, {
    code: "STORAGE_ALLOWANCE_EXCEEDED",
    bytes_used: 1_073_741_817,
    bytes_limit: 1_073_741_824,
    bytes_requested: 18,
  });
  assert.equal((await audioOf(pilot)).url, before.publicUrl);
  assert.deepEqual(await objectsOf(pilot), [before.path]);
  await assertStorageUsed(1_073_741_824 - 8); // eight free bytes, and the ten of the replaced audio
  assert.equal((await complete(upload.uploadId)).status, 200);
  assert.equal((await audioOf(pilot)).url, upload.publicUrl);
});

Deno.test("a completion before the transfer returns 409 and may be repeated later", async () => {
  const pilot = await episode(show), upload = await opened(show, pilot);
  assertError(await complete(upload.uploadId), 409, { code: "UPLOAD_NOT_RECEIVED" });
  await fill(upload);
  assert.equal((await complete(upload.uploadId)).status, 200);
});

Deno.test("a completion returns 400 for an empty object", async () => {
  const pilot = await episode(show), upload = await filled(show, pilot, "");
  assertError(await complete(upload.uploadId), 400, { code: "EMPTY_BODY" });
  assert.deepEqual(await objectsOf(pilot), []);
  assert.equal((await audioOf(pilot)).url, null);
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

Deno.test("only admins of the podcast's team may complete an upload", async () => {
  const elsewhere = await person("direct-elsewhere");
  await podcast("Elsewhere", "direct-elsewhere");
  assertError(await complete(open.uploadId, { as: { token: elsewhere.token } }), 403);
  assert.deepEqual(await objectsOf(matrix), []);
  assert.equal((await audioOf(matrix)).url, null);
});

Deno.test("a completion returns 403 to a removed admin, and the owner may complete the upload", async () => {
  const left = await podcast("Left", "direct-left"), pilot = await episode(left), upload = await filled(left, pilot);
  const owner = await person("direct-left"), { id } = await person("admin");
  await sql`delete from public.podcast_members where podcast_id = ${left.id} and user_id = ${id}`;
  assertError(await complete(upload.uploadId), 403);
  await addMember(left, { id });
  assertError(await complete(upload.uploadId), 403);
  assert.equal((await complete(upload.uploadId, { as: { token: owner.token } })).status, 200);
  assert.deepEqual(await objectsOf(pilot), [upload.finalPath]);
});

Deno.test("a completion returns 404 after its episode was deleted", async () => {
  const pilot = await episode(show), upload = await filled(show, pilot);
  const { error } = await (await person("admin")).client.from("episodes").delete().eq("id", pilot.id);
  assert.equal(error, null);
  assertError(await complete(upload.uploadId), 404);
  assert.deepEqual(await objectsOf(pilot), []);
});

/** Leases the upload, as a completion in progress does. */
const leased = ({ uploadId }: { uploadId: string }) =>
  sql`update private.direct_uploads set lease_expires_at = now() + interval '1 minute' where id = ${uploadId}`;
const staged = async ({ uploadPath }: { uploadPath: string }) => (await stagedOf(show)).includes(uploadPath);

Deno.test("a second direct upload for an episode replaces the first, whose completion returns 409 and whose object is deleted", async () => {
  const pilot = await episode(show), first = await filled(show, pilot, "first");
  const second = await filled(show, pilot, "second");
  await waitFor("the first object is deleted", async () => !await staged(first));
  assertError(await complete(first.uploadId), 409, { code: "CONCURRENT_REPLACEMENT" });
  assert.equal((await complete(second.uploadId)).status, 200);
  assert.deepEqual(await objectsOf(pilot), [second.finalPath]);
});

Deno.test("a direct upload that takes three hours can be completed, however often the sweep runs", async () => {
  const pilot = await episode(show), upload = await opened(show, pilot);
  await sql`update private.direct_uploads set created_at = now() - interval '3 hours' where id = ${upload.uploadId}`;
  await sql`select private.sweep_staging()`;
  await fill(upload);
  await sql`select private.sweep_staging()`;
  assert.equal((await complete(upload.uploadId)).status, 200);
});

Deno.test("a completion returns 400 for an object larger than declared, ends the upload and deletes the object", async () => {
  const pilot = await episode(show), upload = await opened(show, pilot, { fileSize: 9 });
  await fill(upload, "some audio");
  for (let tries = 0; tries < 2; tries++) {
    assertError(await complete(upload.uploadId), 400, { code: "UPLOAD_LARGER_THAN_DECLARED", maxBytes: 9 });
  }
  await waitFor("the object is deleted", async () => !await staged(upload));
  assert.deepEqual([(await audioOf(pilot)).url, await objectsOf(pilot)], [null, []]);
});

Deno.test("a later sweep deletes an object that a signed URL stores after the completion", async () => {
  const pilot = await episode(show), upload = await filled(show, pilot);
  assert.equal((await complete(upload.uploadId)).status, 200);
  assert.equal(await fill(upload, "again"), 200);
  // a sweep skips the object until the completion's message is acknowledged
  await waitFor("the object is deleted", async () => {
    await sql`select private.sweep_staging()`;
    return !await staged(upload);
  });
  assert.equal(await (await fetch(upload.publicUrl)).text(), "some audio");
});

Deno.test("a direct upload that was not completed within a day returns 404, and its staged object is deleted", async () => {
  const pilot = await episode(show), upload = await filled(show, pilot);
  await sql`update private.direct_uploads set created_at = now() - interval '25 hours' where id = ${upload.uploadId}`;
  await sql`select private.sweep_staging()`;
  await waitFor("the staged object is deleted", async () => !(await stagedOf(show)).includes(upload.uploadPath));
  assertError(await complete(upload.uploadId), 404);
});

Deno.test("a direct upload replaces the audio of a published episode, and the feed references the new audio", async () => {
  const pilot = await episode(show);
  const { body: before } = await put(show, pilot, { as: "admin", body: "the first" });
  await callRpc(await person("admin"), "publish_episode", { episode_id: pilot.id });
  const feed = async () => await (await fetch(`${stackInfo.functionsUrl}/public/feeds/${show.slug}.xml`)).text();
  await waitFor("the feed references the audio", async () => (await feed()).includes(before.publicUrl));
  const { uploadId, publicUrl, finalPath } = await filled(show, pilot, "the second");
  assert.equal((await complete(uploadId)).status, 200);
  await waitFor("the feed references the new audio", async () => (await feed()).includes(publicUrl));
  assert.ok(!(await feed()).includes(before.publicUrl));
  assert.deepEqual(await objectsOf(pilot), [before.path, finalPath]);
  assert.equal(await (await fetch(before.publicUrl)).text(), "the first", "cached feeds still find the previous one");
});

Deno.test("a direct upload for an episode that was never public deletes the previous object at once", async () => {
  const pilot = await episode(show);
  await put(show, pilot, { as: "admin" });
  const { uploadId, finalPath } = await filled(show, pilot);
  assert.equal((await complete(uploadId)).status, 200);
  await waitFor("one object is left", async () => (await objectsOf(pilot)).join() === finalPath);
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

Deno.test("completing a direct upload returns 400 for a body that is not a JSON object", async () => {
  const headers = { "content-type": "application/json" };
  for (const body of ["", "{", "[]", "null"]) {
    assertError(await sendRequest({ method: "POST", path: `${path}/complete`, as: "admin", headers, body }), 400);
  }
});
