// Images of chapters: the upload, the chapter that takes its URL, the document, and the deletion.
import assert from "node:assert/strict";
import { assertError, assertKeys, episode, person, podcast, sendRequest, waitFor } from "../harness.ts";
import { assertAccessMatrix } from "../access_matrix.ts";
import { png } from "../../image_fixtures.ts";
import { assertGone, ledger, publicUrl, put, upload, uploaded, UUID } from "./images.ts";

const show = await podcast("Illustrated chapters"), pilot = await episode(show), other = await episode(show);
const query = { imageType: "chapter" }, body = png({ width: 600, height: 338, bytes: 5000 });
const errorStatuses = { anon: 401, stranger: 403, member: 403 } as const;

assertAccessMatrix(
  "PUT /api/media/upload/:uploadId (chapter)",
  () => Promise.resolve(upload(show, pilot, { query, body })),
  errorStatuses,
);

Deno.test("presigned-url of a chapter's image names its limits", async () => {
  const fields = { podcastId: show.id, imageType: "chapter", contentType: "image/webp", filename: "a.webp" };
  const presign = (body: object) =>
    sendRequest({ method: "POST", path: "/api/media/presigned-url", as: "admin", json: body });
  const presigned = await presign({ ...fields, episodeId: pilot.id });
  assert.equal(presigned.status, 200, presigned.text);
  assert.match(presigned.body.finalPath, new RegExp(`^podcasts/${show.id}/e/${pilot.id}/chapters/${UUID}.webp$`));
  assert.equal(presigned.body.maxSize, 2_097_152);
  assert.deepEqual(presigned.body.dimensions, { width: 1400, height: 1400, minWidth: 300, minHeight: 300 });
  assertError(await presign(fields), 400, {
    details: "episodeId: required for an episode_cover or chapter",
  });
});

Deno.test("an uploaded image becomes a chapter's by supabase-js, and is deleted with the last chapter that has it", async () => {
  const response = await put(show, pilot, { query, body });
  assert.equal(response.status, 200, response.text);
  assertKeys(response.body, "success", "path", "publicUrl");
  const { path, publicUrl: url } = response.body;
  assert.match(path, new RegExp(`^podcasts/${show.id}/e/${pilot.id}/chapters/${UUID}.png$`));
  assert.equal(url.split("?v=")[0], publicUrl(path));
  const { client } = await person("admin");
  const chapters = client.from("episode_chapters");
  const inserted = await chapters.insert([
    { episode_id: pilot.id, start_seconds: 0, title: "One", image_url: url },
    { episode_id: pilot.id, start_seconds: 5, title: "Two", image_url: url },
  ]);
  assert.equal(inserted.error, null);
  assert.equal((await chapters.delete().eq("episode_id", pilot.id).eq("start_seconds", 0)).error, null);
  assert.deepEqual((await ledger(show)).filter((row) => row.path === path).map(({ live }) => live), [true]);
  assert.equal((await chapters.update({ image_url: null }).eq("episode_id", pilot.id)).error, null);
  await waitFor("the object is deleted", () => assertGone(path).then(() => true, () => false));
  assert.deepEqual((await ledger(show)).filter((row) => row.path === path), []);
});

Deno.test("a chapter returns 400 IMAGE_NOT_OWNED for the image of another episode", async () => {
  const { publicUrl: image_url } = await uploaded(show, other, { query, body });
  const { client } = await person("admin");
  const { error, status } = await client.from("episode_chapters")
    .insert({ episode_id: pilot.id, start_seconds: 9, title: "x", image_url });
  assert.deepEqual([status, error?.hint], [400, "IMAGE_NOT_OWNED"]);
});

Deno.test("a chapter's image that is small, not an image, or of no episode returns 400", async () => {
  const small = png({ width: 299, height: 300, bytes: 5000 }), text = new TextEncoder().encode("text");
  assertError(await put(show, pilot, { query, body: small }), 400, { code: "DIMENSIONS_TOO_SMALL" });
  assertError(await put(show, pilot, { query, body: text }), 400, { code: "INVALID_CONTENT_TYPE" });
  assertError(await put(show, pilot, { query: { ...query, episodeId: undefined }, body }), 400);
  assertError(await put(show, pilot, { query: { ...query, episodeId: crypto.randomUUID() }, body }), 404);
});
