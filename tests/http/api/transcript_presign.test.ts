// POST /api/media/transcript/presigned-url: the parameters of an upload, after the upload's own checks.
import assert from "node:assert/strict";
import { assertError, assertKeys, episode, podcast, sendRequest, stackInfo } from "../harness.ts";
import { assertAccessMatrix } from "../access_matrix.ts";
import { CAP, SAMPLES } from "./transcripts.ts";

const path = "/api/media/transcript/presigned-url";
const show = await podcast("Presigned transcripts"), pilot = await episode(show);
const request = {
  podcastId: show.id,
  episodeId: pilot.id,
  contentType: "text/vtt",
  filename: "pilot.vtt",
  fileSize: 1000,
};
const presign = (changes: Record<string, unknown> = {}) =>
  sendRequest({ method: "POST", path, as: "admin", json: { ...request, ...changes } });

assertAccessMatrix(`POST ${path}`, () => Promise.resolve({ path, json: request }), {
  anon: 401,
  stranger: 403,
  member: 403,
});

Deno.test("the transcript presign returns the upload URL and the limits to an admin", async () => {
  for (const [contentType, [, extension]] of Object.entries(SAMPLES)) {
    const { status, body, text } = await presign({ contentType });
    assert.equal(status, 200, text);
    assertKeys(body, "uploadId", "uploadPath", "finalPath", "publicUrl", "maxSize", "acceptedTypes", "uploadEndpoint");
    assert.equal(body.uploadEndpoint, `/api/media/transcript/upload/${body.uploadId}`);
    assert.equal(body.finalPath, `podcasts/${show.id}/e/${pilot.id}/transcripts/${body.uploadId}.${extension}`);
    assert.ok(body.publicUrl.endsWith(`/storage/v1/object/public/media/${body.finalPath}`));
    assert.equal(body.maxSize, CAP);
    assert.deepEqual(body.acceptedTypes, [...Object.keys(SAMPLES), "application/json+chapters"]);
  }
});

Deno.test("the transcript presign names a text file for a type that the client does not know", async () => {
  for (const contentType of ["", "application/octet-stream"]) {
    const { status, body } = await presign({ contentType, filename: "pilot.sbv" });
    assert.equal(status, 200);
    assert.match(body.finalPath, /\.txt$/);
  }
});

Deno.test("the transcript presign returns the chapters document and no path for chapters", async () => {
  const { body } = await presign({ contentType: "application/json+chapters" });
  assert.deepEqual([body.uploadPath, body.finalPath], [null, null]);
  assert.equal(body.publicUrl, `${stackInfo.functionsUrl}/public/chapters/${pilot.id}.json`);
});

Deno.test("the transcript presign rejects invalid fields, types, sizes and episodes as the upload does", async () => {
  for (const name of Object.keys(request)) {
    assertError(await presign({ [name]: undefined }), 400, { details: new RegExp(`^${name}:`) });
  }
  assertError(await presign({ contentType: "audio/mpeg" }), 400, { code: "INVALID_CONTENT_TYPE" });
  assertError(await presign({ fileSize: 0 }), 400);
  assert.equal((await presign({ fileSize: CAP })).status, 200);
  assertError(await presign({ fileSize: CAP + 1 }), 413, { code: "FILE_TOO_LARGE", maxBytes: CAP });
  assertError(await presign({ episodeId: crypto.randomUUID() }), 404);
  assertError(await presign({ podcastId: crypto.randomUUID() }), 404);
});
