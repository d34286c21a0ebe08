// Image replacements: which objects stay, what is charged, and changes while the bytes are stored.
import assert from "node:assert/strict";
import {
  addMember,
  type ApiResponse,
  assertError,
  callRpc,
  type Episode,
  episode,
  person,
  podcast,
  scheduleDeletion,
} from "../harness.ts";
import { put as putAudio } from "./audio.ts";
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

Deno.test("a published episode has exactly one cover object after a replacement", async () => {
  const show = await podcast("Published cover"), pilot = await episode(show);
  await putAudio(show, pilot);
  await callRpc(await person("admin"), "publish_episode", { episode_id: pilot.id });
  const one = await uploaded(show, pilot), two = await uploaded(show, pilot, { format: "jpeg" });
  assert.deepEqual(await coversOf(show, pilot), [two.path]);
  await assertGone(one.path);
});

Deno.test("replacing an episode's cover keeps the covers of other episodes", async () => {
  const show = await podcast("Two covers"), [one, two] = [await episode(show, "One"), await episode(show, "Two")];
  const first = await uploaded(show, one), second = await uploaded(show, two);
  const shows = await uploaded(show, "cover");
  await uploaded(show, two, { format: "jpeg" });
  assert.deepEqual(await coversOf(show, one), [first.path]);
  assert.equal(await named(show, one), first.publicUrl);
  assert.equal(await named(show, "cover"), shows.publicUrl);
  await assertGone(second.path);
});

Deno.test("of eight concurrent episode covers one is left, referenced by the column and charged", async () => {
  const owner = newUserName("raced"), show = await podcast("Raced covers", owner), pilot = await episode(show);
  for (let round = 0; round < 3; round++) {
    const formats: Format[] = ["png", "jpeg", "png", "jpeg", "jpeg", "png", "jpeg", "png"];
    const responses = await Promise.all(formats.map((format) => put(show, pilot, { format })));
    for (const { status, text } of responses) assert.equal(status, 200, text);
    const won = await named(show, pilot), kept = await coversOf(show, pilot);
    assert.equal(kept.length, 1);
    assert.equal(won!.split("?")[0], publicUrl(kept[0]));
    assert.ok(responses.some(({ body }) => body.publicUrl === won));
    assert.deepEqual((await ledger(show)).filter(({ live }) => live).map(({ path }) => path), kept);
    assert.equal(await storageUsed(owner), await sizeOf(kept[0]));
  }
});

Deno.test("of eight concurrent podcast covers all are stored, and one is referenced and charged", async () => {
  const owner = newUserName("raced-show"), show = await podcast("Raced show", owner);
  const responses = await Promise.all(
    ["png", "jpeg", "png", "jpeg", "jpeg", "png", "jpeg", "png"].map((format) =>
      put(show, "cover", { format: format as Format })
    ),
  );
  for (const { status, text } of responses) assert.equal(status, 200, text);
  const won = await named(show, "cover");
  assert.ok(responses.some(({ body }) => body.publicUrl === won));
  const live = (await ledger(show)).filter(({ live }) => live);
  assert.deepEqual(live.map(({ path }) => publicUrl(path)), [won!.split("?")[0]]);
  assert.equal(await storageUsed(owner), live[0].bytes);
  assert.equal((await objects(show)).length, 8);
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

Deno.test("an image upload returns 404 and leaves no object when the episode is deleted while the bytes are stored", async () => {
  const show = await podcast("Deleted meanwhile"), pilot = await episode(show);
  const response = await duringRequest(
    show,
    () => put(show, pilot),
    (t) => t`delete from public.episodes where id = ${pilot.id}`,
  );
  assertError(response, 404);
  assert.deepEqual(await objects(show), []);
});

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

Deno.test("an image upload returns 409 and leaves no object when the podcast is scheduled for deletion while the bytes are stored", async () => {
  const show = await podcast("Leaving meanwhile");
  const response = await duringRequest(
    show,
    () => put(show, "header"),
    (t) => scheduleDeletion(show, t),
  );
  assertError(response, 409, { code: "PODCAST_PENDING_DELETION" });
  assert.deepEqual(await objects(show), []);
});

Deno.test("an image upload is charged to the new owner when the podcast is transferred while the bytes are stored", async () => {
  const [first, next] = [newUserName("gives-away"), newUserName("takes-over")], { id } = await person(next);
  const show = await podcast("Moved meanwhile", first), body = picture("banner");
  await addMember(show, { id });
  const response = await duringRequest(
    show,
    () => put(show, "banner", { body }),
    (t) => t`update public.podcasts set owner_id = ${id} where id = ${show.id}`,
  );
  assert.equal(response.status, 200, response.text);
  assert.equal(await storageUsed(first), 0);
  assert.equal(await storageUsed(next), body.length);
});
