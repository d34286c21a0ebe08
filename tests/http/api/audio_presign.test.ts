// POST /api/media/audio/presigned-url: the parameters of an upload, after the upload's own checks.
import assert from "node:assert/strict";
import { assertError, assertKeys, episode, podcast, sendRequest } from "../harness.ts";
import { assertAccessMatrix } from "../access_matrix.ts";
import { CAP, TYPES } from "./audio.ts";

const path = "/api/media/audio/presigned-url";
const show = await podcast("Presigned"), pilot = await episode(show);
const request = {
  podcastId: show.id,
  episodeId: pilot.id,
  contentType: "audio/mpeg",
  filename: "pilot.mp3",
  fileSize: 1000,
};
const presign = (changes: Record<string, unknown> = {}) =>
  sendRequest({ method: "POST", path, as: "admin", json: { ...request, ...changes } });

assertAccessMatrix(`POST ${path}`, () => Promise.resolve({ path, json: request }), {
  anon: 401,
  stranger: 403,
  member: 403,
});

Deno.test("the audio presign returns the upload URL and the limits to an admin", async () => {
  for (const [contentType, extension] of Object.entries(TYPES)) {
    const { status, body, text } = await presign({ contentType });
    assert.equal(status, 200, text);
    assertKeys(body, "uploadId", "uploadPath", "finalPath", "publicUrl", "maxSize", "acceptedTypes", "uploadEndpoint");
    assert.match(body.uploadId, /^[0-9a-f-]{36}$/);
    assert.equal(body.uploadEndpoint, `/api/media/audio/upload/${body.uploadId}`);
    assert.match(body.finalPath, new RegExp(`^podcasts/${show.id}/e/${pilot.id}/audio/[0-9a-f-]{36}\\.${extension}$`));
    assert.ok(body.publicUrl.endsWith(`/storage/v1/object/public/media/${body.finalPath}`));
    assert.equal(body.maxSize, 524_288_000);
    assert.deepEqual(body.acceptedTypes, Object.keys(TYPES));
  }
});

Deno.test("the audio presign returns 400 naming a missing or invalid field", async () => {
  for (const name of Object.keys(request)) {
    assertError(await presign({ [name]: undefined }), 400, { details: new RegExp(`^${name}:`) });
  }
  const wrong = {
    podcastId: ["1", 5, null],
    episodeId: ["not-an-id"],
    contentType: [7, null],
    filename: ["", 7, "a\0b", "half \ud83d"],
    fileSize: [1.5, "1000"],
  };
  for (const [name, values] of Object.entries(wrong)) {
    for (const value of values) {
      assertError(await presign({ [name]: value }), 400, { details: new RegExp(`^${name}:`) });
    }
  }
});

Deno.test("the audio presign rejects other types and sizes with the upload's codes", async () => {
  for (const contentType of ["image/png", "audio/ogg", ""]) {
    assertError(await presign({ contentType }), 400, { code: "INVALID_CONTENT_TYPE" });
  }
  assertError(await presign({ fileSize: 524_288_001 }), 400, { code: "FILE_TOO_LARGE", maxBytes: 524_288_000 });
  for (const fileSize of [-1, 0]) assertError(await presign({ fileSize }), 400);
});

Deno.test("the audio presign accepts the maximum size and returns 413 for one byte more", async () => {
  assert.equal((await presign({ fileSize: CAP })).status, 200);
  assertError(await presign({ fileSize: CAP + 1 }), 413, { code: "FILE_TOO_LARGE", maxBytes: CAP });
  assertError(await presign({ fileSize: 524_288_000 }), 413, { code: "FILE_TOO_LARGE", maxBytes: CAP });
});

Deno.test("the audio presign returns 404 for an episode of another podcast and for unknown ids", async () => {
  const other = await podcast("Another"), theirs = await episode(other);
  assertError(await presign({ episodeId: theirs.id }), 404);
  assertError(await presign({ episodeId: crypto.randomUUID() }), 404);
  assertError(await presign({ podcastId: crypto.randomUUID() }), 404);
});
