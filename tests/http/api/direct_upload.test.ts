// POST /api/media/audio/direct-upload: permissions, limits and signed URLs for audio that is too large for a function.
import assert from "node:assert/strict";
import { assertError, assertKeys, episode, person, podcast, type RequestOptions, stackInfo } from "../harness.ts";
import { assertAccessMatrix } from "../access_matrix.ts";
import { TYPES } from "./audio.ts";
import { begin, beginBody, opened, path, stagedOf } from "./direct_upload.ts";

const show = await podcast("Directly"), pilot = await episode(show);
const request = () => Promise.resolve({ path, json: beginBody(show, pilot) });

assertAccessMatrix(`POST ${path}`, request, { anon: 401, stranger: 403, member: 403 });

Deno.test("beginning a direct upload returns the signed URL, the token and the resumable endpoint to an admin and the owner", async () => {
  for (const as of ["admin", "owner"] as const) {
    for (const [contentType, extension] of Object.entries(TYPES)) {
      const requestedAt = Date.now();
      const { status, body, text } = await begin(show, pilot, { contentType }, as);
      assert.equal(status, 200, text);
      assertKeys(
        body,
        "uploadId",
        "uploadUrl",
        "uploadPath",
        "token",
        "resumableUrl",
        "finalPath",
        "publicUrl",
        "contentType",
        "maxSize",
        "expiresAt",
        "completeEndpoint",
      );
      assert.match(body.uploadId, /^[0-9a-f-]{36}$/);
      const file = `[0-9a-f-]{36}\\.${extension}`;
      assert.match(body.uploadPath, new RegExp(`^uploads/${show.id}/${file}$`));
      assert.match(body.finalPath, new RegExp(`^podcasts/${show.id}/e/${pilot.id}/audio/${file}$`));
      assert.equal(body.publicUrl, `${stackInfo.url}/storage/v1/object/public/media/${body.finalPath}`);
      const signed = `${stackInfo.url}/storage/v1/object/upload/sign/staging/${body.uploadPath}`;
      assert.equal(body.uploadUrl, `${signed}?token=${body.token}`);
      assert.equal(body.resumableUrl, `${stackInfo.url}/storage/v1/upload/resumable/sign`);
      assert.deepEqual([body.contentType, body.maxSize], [contentType, 524_288_000]);
      assert.equal(body.completeEndpoint, `${path}/complete`);
      assert.match(body.expiresAt, /^\d{4}-\d\d-\d\dT\d\d:\d\d:\d\dZ$/);
      const hours = (Date.parse(body.expiresAt) - requestedAt) / 3_600_000;
      assert.ok(hours > 1.9 && hours < 2.1, `${hours} hours`);
    }
  }
});

Deno.test("a direct upload may declare 500 MB and not one byte more", async () => {
  assert.equal((await begin(show, pilot, { fileSize: 524_288_000 })).status, 200);
  assertError(await begin(show, pilot, { fileSize: 524_288_001 }), 400, {
    code: "FILE_TOO_LARGE",
    maxBytes: 524_288_000,
  });
  for (const fileSize of [0, -1]) assertError(await begin(show, pilot, { fileSize }), 400);
});

Deno.test("beginning a direct upload returns 400 naming a missing or malformed field or another type", async () => {
  for (const name of Object.keys(beginBody(show, pilot))) {
    assertError(await begin(show, pilot, { [name]: undefined }), 400, { details: new RegExp(`^${name}:`) });
  }
  const wrong = { podcastId: ["1", null], episodeId: [7], contentType: [7], filename: ["", 7], fileSize: [1.5, "9"] };
  for (const [name, values] of Object.entries(wrong)) {
    for (const value of values) {
      assertError(await begin(show, pilot, { [name]: value }), 400, { details: new RegExp(`^${name}:`) });
    }
  }
  for (const contentType of ["image/png", "audio/ogg", "audio/MPEG", ""]) {
    assertError(await begin(show, pilot, { contentType }), 400, { code: "INVALID_CONTENT_TYPE" });
  }
});

Deno.test("beginning a direct upload returns 404 for an unknown episode and podcast", async () => {
  assertError(await begin(show, { ...pilot, id: crypto.randomUUID() }), 404);
  assertError(await begin({ ...show, id: crypto.randomUUID() }, pilot), 404);
});

Deno.test("a direct upload's token stores one object under its own key and nothing elsewhere", async () => {
  const place = await episode(show), upload = await opened(show, place);
  const put = async (url: string) => {
    const response = await fetch(url, { method: "PUT", headers: { "content-type": "audio/mpeg" }, body: "x" });
    await response.body?.cancel();
    return response.ok;
  };
  const { uploadUrl, uploadPath, finalPath, token } = upload;
  assert.equal(await put(uploadUrl.replace(uploadPath, finalPath)), false, "not under the final key");
  assert.equal(await put(uploadUrl.replace(uploadPath, `uploads/${show.id}/mine.mp3`)), false, "nor another one");
  assert.equal(
    await put(uploadUrl.replace(token, `${token.slice(0, -4)}AAAA`)),
    false,
    "nor with a token of one's own",
  );
  assert.equal(await put(uploadUrl.split("?")[0]), false, "nor without one");
  assert.equal(await put(uploadUrl), true);
  assert.equal(await put(uploadUrl), false, "and not twice");
  assert.deepEqual((await stagedOf(show)).filter((name) => name === uploadPath), [uploadPath]);
});

Deno.test("users may not write to the bucket with an access token, with either API key", async () => {
  const { uploadPath, finalPath } = await opened(show, pilot);
  for (const as of ["owner", "admin", "anon"] as const) {
    for (const key of [uploadPath, finalPath]) {
      const response = await write(key, as);
      assert.ok(response.status >= 400 && response.status < 500, `${as}, ${key}: ${response.status}`);
    }
  }
});

async function write(key: string, as: RequestOptions["as"]): Promise<Response> {
  const token = as === "anon" ? stackInfo.publishableKey : (await person(as as string)).token;
  const response = await fetch(`${stackInfo.url}/storage/v1/object/media/${key}`, {
    method: "POST",
    headers: { apikey: stackInfo.publishableKey, authorization: `Bearer ${token}`, "content-type": "audio/mpeg" },
    body: "x",
  });
  await response.body?.cancel();
  return response;
}
