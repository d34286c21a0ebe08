// POST /api/media/presigned-url: the parameters of an image upload, after the upload's own checks.
import assert from "node:assert/strict";
import { TYPE } from "../../image_fixtures.ts";
import { assertError, assertKeys, episode, podcast, sendRequest } from "../harness.ts";
import { assertAccessMatrix } from "../access_matrix.ts";
import { EXTENSION, type ImageType, publicUrl, SPEC, TYPES, UUID } from "./images.ts";

const path = "/api/media/presigned-url";
const show = await podcast("Presigned images"), pilot = await episode(show);
const request = { podcastId: show.id, imageType: "cover", contentType: "image/png", filename: "cover.png" };
const presign = (changes: Record<string, unknown> = {}, as: "owner" | "admin" = "admin") =>
  sendRequest({ method: "POST", path, as, json: { ...request, ...changes } });
/** The members that this type needs besides the common ones. */
const place = (imageType: ImageType) =>
  imageType === "episode_cover" ? { imageType, episodeId: pilot.id } : { imageType };

assertAccessMatrix(`POST ${path}`, () => Promise.resolve({ path, json: request }), {
  anon: 401,
  stranger: 403,
  member: 403,
});

Deno.test("the image presign returns the upload URL and the limits for each type and format", async () => {
  for (const imageType of TYPES) {
    for (const format of SPEC[imageType].formats) {
      const { status, body, text } = await presign({ ...place(imageType), contentType: TYPE[format] });
      assert.equal(status, 200, text);
      assertKeys(body, "uploadId", "uploadPath", "finalPath", "publicUrl", "maxSize", "dimensions", "uploadEndpoint");
      assert.match(body.uploadId, new RegExp(`^${UUID}$`));
      const folder = imageType === "episode_cover" ? `e/${pilot.id}/images` : `images/${imageType}`;
      assert.match(body.finalPath, new RegExp(`^podcasts/${show.id}/${folder}/${UUID}\\.${EXTENSION[format]}$`));
      assert.equal(body.uploadPath, body.finalPath);
      const [url, version] = body.publicUrl.split("?v=");
      assert.equal(url, publicUrl(body.finalPath));
      assert.match(version, /^\d{13}$/);
      assert.equal(body.maxSize, SPEC[imageType].maxSize);
      assert.deepEqual(body.dimensions, SPEC[imageType].dimensions);
      assert.equal(body.uploadEndpoint, `/api/media/upload/${body.uploadId}`);
    }
  }
});

Deno.test("the image presign returns 400 naming a missing or invalid field, or the formats of the type", async () => {
  assertError(await presign({ contentType: "image/webp" }), 400, {
    error: "Invalid content type",
    code: "INVALID_CONTENT_TYPE",
    details: /image\/jpeg, image\/png/,
  });
  assertError(await presign({ imageType: "episode_cover" }), 400, { details: /^episodeId:/ });
  for (const name of Object.keys(request)) {
    assertError(await presign({ [name]: undefined }), 400, { details: new RegExp(`^${name}:`) });
  }
  const wrong = {
    podcastId: ["1", 5, null],
    episodeId: ["not-an-id", 5],
    imageType: ["", "Cover", "artwork", "profile", 1, null],
    contentType: [7, null],
    filename: ["", 7, "a\0b", "half \ud83d"],
  };
  for (const [name, values] of Object.entries(wrong)) {
    for (const value of values) {
      assertError(await presign({ [name]: value }), 400, { details: new RegExp(`^${name}:`) });
    }
  }
});

Deno.test("the image presign returns 404 for an episode of another podcast and for unknown ids", async () => {
  const other = await podcast("Another with images"), theirs = await episode(other);
  assertError(await presign({ podcastId: crypto.randomUUID() }), 404);
  assertError(await presign({ ...place("episode_cover"), episodeId: theirs.id }), 404);
  assertError(await presign({ ...place("episode_cover"), episodeId: crypto.randomUUID() }), 404);
  assertError(await presign({ ...place("episode_cover"), podcastId: other.id }), 404);
});
