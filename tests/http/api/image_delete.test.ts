// DELETE /api/media/image/{podcastId}/{imageType}: clears the column and deletes every object of the image.
import assert from "node:assert/strict";
import { assertError, assertKeys, type Podcast, podcast, type RequestOptions, sendRequest } from "../harness.ts";
import { assertAccessMatrix } from "../access_matrix.ts";
import { assertGone, duringRequest, ledger, named, objects, plant, profile, put, uploaded } from "./images.ts";

const path = (podcast: Podcast, imageType: string) => `/api/media/image/${podcast.id}/${imageType}`;
const remove = (podcast: Podcast, imageType: string, as: RequestOptions["as"] = "admin") =>
  sendRequest({ method: "DELETE", path: path(podcast, imageType), as });
/** Deletes the image and asserts the count. */
async function assertRemoved(
  podcast: Podcast,
  imageType: string,
  deletedCount: number,
  as: RequestOptions["as"] = "admin",
) {
  const { status, body, text } = await remove(podcast, imageType, as);
  assert.equal(status, 200, text);
  assertKeys(body, "success", "deletedCount");
  assert.deepEqual(body, { success: true, deletedCount });
}

const show = await podcast("Its images deleted");
assertAccessMatrix(
  "DELETE /api/media/image/:podcastId/:imageType",
  () => Promise.resolve({ path: path(show, "cover") }),
  { anon: 401, stranger: 403, member: 403 },
);

for (const imageType of ["cover", "header", "banner"] as const) {
  Deno.test(`deleting an image clears its column and removes its object at once (${imageType})`, async () => {
    const show = await podcast(`A ${imageType}`);
    const { path } = await uploaded(show, imageType);
    await assertRemoved(show, imageType, 1);
    assert.equal(await named(show, imageType), null);
    assert.deepEqual(await objects(show), []);
    assert.deepEqual(await ledger(show), []);
    await assertGone(path);
  });
}

Deno.test("deleting a profile image clears its column and removes its object", async () => {
  const show = await podcast("A profile"), path = await profile(show);
  assert.ok(await named(show, "profile"));
  await assertRemoved(show, "profile", 1);
  assert.equal(await named(show, "profile"), null);
  await assertGone(path);
});

Deno.test("deleting an image that does not exist returns 200 with count 0, also when repeated", async () => {
  const show = await podcast("Nothing there");
  for (const imageType of ["cover", "header", "banner", "profile"]) await assertRemoved(show, imageType, 0);
  await uploaded(show, "cover");
  await assertRemoved(show, "cover", 1, "owner");
  await assertRemoved(show, "cover", 0, "owner");
});

Deno.test("deleting an image with a foreign URL clears the column and counts 0", async () => {
  const show = await podcast("Elsewhere"), other = await podcast("Not to be deleted");
  const { path, publicUrl } = await uploaded(other, "cover");
  for (const url of ["https://images.example/c.jpg", publicUrl]) {
    await plant("podcasts", show, url);
    await assertRemoved(show, "cover", 0);
    assert.equal(await named(show, "cover"), null);
  }
  assert.deepEqual(await objects(other), [path]);
});

Deno.test("deleting an image returns 400 naming an episode cover, an unknown image type or an invalid id", async () => {
  for (const imageType of ["episode_cover", "artwork", "Cover", "cover%20"]) {
    assertError(await remove(show, imageType), 400, { details: /^imageType:/ });
  }
  assertError(await sendRequest({ method: "DELETE", path: "/api/media/image/mine/cover", as: "admin" }), 400, {
    details: /^podcastId:/,
  });
});

Deno.test("deleting an image of an unknown podcast returns 404", async () => {
  assertError(await remove({ ...show, id: crypto.randomUUID() }, "cover"), 404);
});

Deno.test("an image whose upload finishes after the deletion stays", async () => {
  const show = await podcast("Deleted meanwhile, images");
  const response = await duringRequest(
    show,
    () => put(show, "cover"),
    (t) => t`update public.podcasts set cover_image_url = null where id = ${show.id}`,
  );
  assert.equal(response.status, 200, response.text);
  assert.equal(await named(show, "cover"), response.body.publicUrl);
  assert.deepEqual(await objects(show), [response.body.path]);
});
