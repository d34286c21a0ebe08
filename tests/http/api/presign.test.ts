// POST /api/media/…presigned-url: the parameters of an upload, after the upload's own checks.
import assert from "node:assert/strict";
import { TYPE } from "../../image_fixtures.ts";
import { assertError, assertKeys, episode, podcast, sendRequest, stackInfo } from "../harness.ts";
import { assertAccessMatrix } from "../access_matrix.ts";
import { CAP, TYPES as AUDIO_TYPES } from "./audio.ts";
import { EXTENSION, publicUrl, SPEC, TYPES, UUID } from "./images.ts";
import { SAMPLES } from "./transcripts.ts";

const AUDIO = "/api/media/audio/presigned-url", IMAGE = "/api/media/presigned-url";
const TRANSCRIPT = "/api/media/transcript/presigned-url";
const show = await podcast("Presigned"), pilot = await episode(show), ids = { podcastId: show.id, episodeId: pilot.id };
const valid: Record<string, object> = {
  [AUDIO]: { ...ids, contentType: "audio/mpeg", filename: "pilot.mp3", fileSize: 1000 },
  [IMAGE]: { podcastId: show.id, imageType: "cover", contentType: "image/png", filename: "cover.png" },
  [TRANSCRIPT]: { ...ids, contentType: "text/vtt", filename: "pilot.vtt", fileSize: 1000 },
};
const presign = (path: string, changes: Record<string, unknown> = {}) =>
  sendRequest({ method: "POST", path, as: "admin", json: { ...valid[path], ...changes } });

for (const [path, json] of Object.entries(valid)) {
  assertAccessMatrix(`POST ${path}`, () => Promise.resolve({ path, json }), { anon: 401, stranger: 403, member: 403 });

  Deno.test(`POST ${path} returns 400 naming a missing or invalid field, and 404 for an unknown podcast`, async () => {
    const wrong = {
      podcastId: ["1", 5, null],
      episodeId: ["not-an-id", 5],
      imageType: ["", "Cover", "artwork", "profile", 1, null],
      contentType: [7, null],
      filename: ["", 7, "a\0b", "half \ud83d"],
      fileSize: [1.5, "1000"],
    };
    for (const name of Object.keys(json)) {
      for (const value of [undefined, ...wrong[name as keyof typeof wrong]]) {
        assertError(await presign(path, { [name]: value }), 400, { details: new RegExp(`^${name}:`) });
      }
    }
    assertError(await presign(path, { contentType: "video/mp4" }), 400, { code: "INVALID_CONTENT_TYPE" });
    assertError(await presign(path, { podcastId: crypto.randomUUID() }), 404);
  });

  if (path === IMAGE) continue;
  Deno.test(`POST ${path} returns 413 over the maximum size, and 404 for an unknown episode`, async () => {
    assert.equal((await presign(path, { fileSize: CAP })).status, 200);
    assertError(await presign(path, { fileSize: CAP + 1 }), 413, { code: "FILE_TOO_LARGE", maxBytes: CAP });
    for (const fileSize of [-1, 0]) assertError(await presign(path, { fileSize }), 400);
    assertError(await presign(path, { episodeId: crypto.randomUUID() }), 404);
  });
}

for (
  const [path, folder, maxSize, types] of [
    [AUDIO, "audio", 524_288_000, AUDIO_TYPES],
    [TRANSCRIPT, "transcripts", CAP, Object.fromEntries(Object.entries(SAMPLES).map(([type, [, ext]]) => [type, ext]))],
  ] as const
) {
  Deno.test(`POST ${path} returns the upload URL and the limits for each type`, async () => {
    for (const [contentType, extension] of Object.entries(types)) {
      const { status, body, text } = await presign(path, { contentType });
      assert.equal(status, 200, text);
      const { uploadId, uploadPath, finalPath, acceptedTypes, ...rest } = body;
      assert.equal(uploadPath, finalPath);
      assert.match(finalPath, new RegExp(`^podcasts/${show.id}/e/${pilot.id}/${folder}/${UUID}\\.${extension}$`));
      const others = path === AUDIO ? [] : ["application/json+chapters"];
      assert.deepEqual(acceptedTypes, [...Object.keys(types), ...others]);
      const uploadEndpoint = path.replace("presigned-url", `upload/${uploadId}`);
      assert.deepEqual(rest, { publicUrl: publicUrl(finalPath), maxSize, uploadEndpoint });
    }
  });
}

Deno.test("the image presign returns the upload URL and the limits for each type and format", async () => {
  for (const imageType of TYPES) {
    const { formats, maxSize, dimensions } = SPEC[imageType];
    const place = imageType === "episode_cover" ? { imageType, episodeId: pilot.id } : { imageType };
    for (const format of formats) {
      const { status, body, text } = await presign(IMAGE, { ...place, contentType: TYPE[format] });
      assert.equal(status, 200, text);
      assertKeys(body, "uploadId", "uploadPath", "finalPath", "publicUrl", "maxSize", "dimensions", "uploadEndpoint");
      const folder = imageType === "episode_cover" ? `e/${pilot.id}/images` : `images/${imageType}`;
      assert.match(body.finalPath, new RegExp(`^podcasts/${show.id}/${folder}/${UUID}\\.${EXTENSION[format]}$`));
      assert.equal(body.uploadPath, body.finalPath);
      assert.match(body.publicUrl.replace(publicUrl(body.finalPath), ""), /^\?v=\d{13}$/);
      assert.deepEqual([body.maxSize, body.dimensions], [maxSize, dimensions]);
      assert.equal(body.uploadEndpoint, `/api/media/upload/${body.uploadId}`);
    }
  }
  assertError(await presign(IMAGE, { imageType: "episode_cover" }), 400, { details: /^episodeId:/ });
  assertError(await presign(IMAGE, { contentType: "image/webp" }), 400, { details: /image\/jpeg, image\/png/ });
});

Deno.test("the audio presign returns 400 over 500 MB, which no upload accepts", async () => {
  const expected = { code: "FILE_TOO_LARGE", maxBytes: 524_288_000 };
  assertError(await presign(AUDIO, { fileSize: 524_288_001 }), 400, expected);
});

Deno.test("the transcript presign names a text file for an unknown type, and the document of chapters", async () => {
  const { body: unknown } = await presign(TRANSCRIPT, { contentType: "", filename: "pilot.sbv" });
  assert.match(unknown.finalPath, /\.txt$/);
  const { body } = await presign(TRANSCRIPT, { contentType: "application/json+chapters" });
  assert.deepEqual([body.uploadPath, body.finalPath], [null, null]);
  assert.equal(body.publicUrl, `${stackInfo.functionsUrl}/public/chapters/${pilot.id}.json`);
});
