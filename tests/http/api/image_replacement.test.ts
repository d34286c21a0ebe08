// Image replacements: which objects stay, what is charged, and changes while the bytes are stored.
import assert from "node:assert/strict";
import { type ApiResponse, assertError, type Episode, episode, person, podcast } from "../harness.ts";
import { assertGone, coversOf, duringRequest, type Format, ledger, named, objects, storageUsed } from "./images.ts";
import { newUserName, picture, publicUrl, put, uploaded } from "./images.ts";

const sizeOf = async (path: string) => (await (await fetch(publicUrl(path))).arrayBuffer()).byteLength;

Deno.test("an episode has exactly one cover object after replacements in any format", async () => {
  const owner = newUserName("cover"), show = await podcast("Covered", owner), pilot = await episode(show);
  let before: string | undefined;
  for (const format of ["png", "jpeg", "png", "png", "jpeg"] as Format[]) {
    const body = picture("episode_cover", format);
    const { path, publicUrl } = await uploaded(show, pilot, { format, body });
    assert.deepEqual(await coversOf(show, pilot), [path]);
    assert.equal(await named(show, pilot), publicUrl);
    assert.deepEqual((await ledger(show)).filter(({ live }) => live), [{ path, bytes: body.length, live: true }]);
    assert.equal(await storageUsed(owner), body.length);
    if (before) await assertGone(before);
    before = path;
  }
});

Deno.test("a replaced podcast image is still served for cached feeds but no longer charged", async () => {
  for (const place of ["cover", "header", "banner"] as const) {
    const owner = newUserName("replaces"),
      show = await podcast(`Replaced ${place}`, owner),
      body = picture(place, "jpeg");
    const one = await uploaded(show, place), two = await uploaded(show, place, { format: "jpeg", body });
    assert.deepEqual(await objects(show), [one.path, two.path]);
    assert.deepEqual((await ledger(show)).map(({ path, live }) => [path, live]), [[one.path, false], [two.path, true]]);
    assert.equal(await storageUsed(owner), body.length);
    assert.ok(await sizeOf(one.path) > 0);
    assert.equal(await named(show, place), two.publicUrl);
  }
});

// Changes while the bytes are stored

Deno.test("an image upload returns 403 and leaves no object when the caller loses the role while the bytes are stored", async () => {
  const show = await podcast("Demoted meanwhile"), pilot = await episode(show), { id } = await person("admin");
  for (const place of ["banner", pilot] as ("banner" | Episode)[]) {
    const response: ApiResponse = await duringRequest(
      show,
      () => put(show, place),
      (t) => t`update public.podcast_members set role = 'member' where podcast_id = ${show.id} and user_id = ${id}`,
    );
    assertError(response, 403);
    assert.deepEqual(await objects(show), []);
    assert.equal(await named(show, place), null);
    const { error } = await (await person("owner")).client.from("podcast_members").update({ role: "admin" })
      .match({ podcast_id: show.id, user_id: id });
    assert.equal(error, null);
  }
});
