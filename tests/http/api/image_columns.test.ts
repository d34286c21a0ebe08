// Image columns written through supabase-js: an object stays and is charged while its own column references it.
import assert from "node:assert/strict";
import {
  addMember,
  callRpc,
  type Episode,
  episode,
  person,
  type Podcast,
  podcast,
  sql,
  transferTo,
  waitFor,
} from "../harness.ts";
import { put as putAudio } from "./audio.ts";
import {
  assertGone,
  assertStorageUsed,
  coversOf,
  ledger,
  newUserName,
  objects,
  picture,
  plant,
  publicUrl,
  storageUsed,
  uploaded,
} from "./images.ts";

const admin = await person("admin");
const ELSEWHERE = "https://images.example/cover.jpg";

/** Updates the row as an admin; returns the error, if any. */
async function set(place: Podcast | Episode, table: "podcasts" | "episodes", changes: Record<string, string | null>) {
  const { data, error } = await admin.client.from(table).update(changes).eq("id", place.id).select("id");
  if (!error) assert.equal(data.length, 1);
  return error;
}
const live = async (show: Podcast) => (await ledger(show)).filter(({ live }) => live).map(({ path }) => path);
const assertServed = async (path: string) => {
  const { status, body } = await fetch(publicUrl(path));
  await body?.cancel();
  assert.equal(status, 200);
};

Deno.test("clearing an episode's cover releases its object, which is no longer charged", async () => {
  const owner = newUserName("cleared"), show = await podcast("Cleared cover", owner), pilot = await episode(show);
  const { path } = await uploaded(show, pilot);
  assert.equal(await set(pilot, "episodes", { cover_image_url: null }), null);
  assert.deepEqual(await live(show), []);
  assert.equal(await storageUsed(owner), 0);
  await waitFor("the object is deleted", async () => (await coversOf(show, pilot)).length === 0);
  await assertGone(path);
});

Deno.test("replacing an episode's cover with a foreign URL releases its object", async () => {
  const owner = newUserName("foreign-cover"), show = await podcast("Foreign cover", owner), pilot = await episode(show);
  await uploaded(show, pilot);
  assert.equal(await set(pilot, "episodes", { cover_image_url: ELSEWHERE }), null);
  assert.equal(await storageUsed(owner), 0);
  await waitFor("the object is deleted", async () => (await coversOf(show, pilot)).length === 0);
});

Deno.test("another ?v= in the URL of the same object does not release it", async () => {
  const owner = newUserName("versions"),
    show = await podcast("Another version", owner),
    pilot = await episode(show),
    body = picture("cover");
  const cover = await uploaded(show, pilot, { body }),
    banner = await uploaded(show, "banner", { body: picture("banner") });
  const before = await storageUsed(owner);
  for (const end of ["", "?v=1", "?v=2#top"]) {
    assert.equal(await set(pilot, "episodes", { cover_image_url: publicUrl(cover.path) + end }), null);
    assert.equal(await set(show, "podcasts", { banner_image_url: publicUrl(banner.path) + end }), null);
    assert.deepEqual((await live(show)).sort(), [cover.path, banner.path].sort());
    assert.equal(await storageUsed(owner), before);
  }
  await assertServed(cover.path);
});

for (const column of ["cover", "header", "banner"] as const) {
  Deno.test(`a cleared podcast image is no longer charged, and is charged when it is referenced again (${column})`, async () => {
    const owner = newUserName(`clears-${column}`), show = await podcast(`Cleared ${column}`, owner);
    const { path, publicUrl } = await uploaded(show, column), bytes = await storageUsed(owner);
    assert.ok(bytes > 0);
    for (const instead of [null, ELSEWHERE]) {
      assert.equal(await set(show, "podcasts", { [`${column}_image_url`]: instead }), null);
      assert.deepEqual([await live(show), await storageUsed(owner)], [[], 0]);
      await assertServed(path); // kept until the sweep, because cached feeds reference it
      assert.equal(await set(show, "podcasts", { [`${column}_image_url`]: publicUrl }), null);
      assert.deepEqual([await live(show), await storageUsed(owner)], [[path], bytes]);
    }
  });
}

Deno.test("restoring the previous podcast cover charges it and releases the newer one", async () => {
  const owner = newUserName("goes-back"),
    show = await podcast("Back again", owner),
    small = picture("cover", "png", 10_000);
  const one = await uploaded(show, "cover", { body: small });
  const two = await uploaded(show, "cover", { body: picture("cover", "jpeg", 90_000), format: "jpeg" });
  assert.equal(await storageUsed(owner), 90_000);
  assert.equal(await set(show, "podcasts", { cover_image_url: one.publicUrl }), null);
  assert.deepEqual([await live(show), await storageUsed(owner)], [[one.path], 10_000]);
  await assertServed(two.path);
});

Deno.test("a released image cannot be referenced again when it no longer fits the allowance", async () => {
  const owner = newUserName("no-way-back"), show = await podcast("No way back", owner);
  const { publicUrl } = await uploaded(show, "cover");
  assert.equal(await set(show, "podcasts", { cover_image_url: null }), null);
  await assertStorageUsed(owner, 1_073_741_824);
  const error = await set(show, "podcasts", { cover_image_url: publicUrl });
  assert.deepEqual([error?.code, error?.hint], ["PT409", "STORAGE_ALLOWANCE_EXCEEDED"]);
  assert.deepEqual(await live(show), []);
});

Deno.test("a podcast image released under one owner and referenced again under the next is charged to the next", async () => {
  const [first, next] = [newUserName("hands-over"), newUserName("is-handed")],
    show = await podcast("Handed over", first);
  const { id } = await person(next);
  const { publicUrl } = await uploaded(show, "header"), bytes = await storageUsed(first);
  const { path } = await uploaded(show, "cover"), all = await storageUsed(first);
  assert.equal(await set(show, "podcasts", { header_image_url: null }), null);
  await addMember(show, { id });
  await transferTo({ id }, show);
  assert.deepEqual([await storageUsed(first), await storageUsed(next)], [0, all - bytes]);
  assert.equal(await set(show, "podcasts", { header_image_url: publicUrl }), null);
  assert.deepEqual([await storageUsed(first), await storageUsed(next)], [0, all]);
  await assertServed(path);
});

Deno.test("an image column rejects the object of another podcast, episode or image and names the operation that copies it", async () => {
  const show = await podcast("Mine", newUserName("names-theirs")), pilot = await episode(show);
  const theirs = await podcast("Theirs", newUserName("is-named"));
  const foreign = await uploaded(theirs, "cover"), cover = await uploaded(show, "cover");
  const own = await uploaded(show, pilot), second = await episode(show);
  const artwork = publicUrl(`imports/${admin.id}/${crypto.randomUUID()}.jpg`);
  const assertRejected = async (
    place: Podcast | Episode,
    table: "podcasts" | "episodes",
    column: string,
    url: string,
    copies: RegExp,
  ) => {
    const error = await set(place, table, { [column]: url });
    assert.deepEqual([error?.code, error?.hint], ["PT400", "IMAGE_NOT_OWNED"], `${column}: ${url}`);
    assert.match(error!.message, new RegExp(`^${column} `));
    assert.match(error!.details, copies);
  };
  for (const url of [foreign.publicUrl, own.publicUrl]) {
    await assertRejected(show, "podcasts", "cover_image_url", url, /import-artwork/);
  }
  await assertRejected(show, "podcasts", "header_image_url", cover.publicUrl, /import-artwork/);
  await assertRejected(show, "podcasts", "cover_image_url", artwork, /move-artwork/);
  for (const url of [foreign.publicUrl, cover.publicUrl, own.publicUrl, artwork]) {
    await assertRejected(second, "episodes", "cover_image_url", url, /PUT \/api\/media\/upload/);
  }
});

Deno.test("a row that references another row's object stays editable, and neither charges nor keeps that object", async () => {
  const [me, them] = [newUserName("has-named"), newUserName("was-named")];
  const mine = await podcast("Named before", me), theirs = await podcast("Theirs before", them);
  const { path, publicUrl } = await uploaded(theirs, "cover"), bytes = await storageUsed(them);
  await plant("podcasts", mine, publicUrl);
  const { data, error } = await admin.client.from("podcasts").update({ title: "Renamed", cover_image_url: publicUrl })
    .eq("id", mine.id).select("title");
  assert.deepEqual([error, data], [null, [{ title: "Renamed" }]]);
  assert.deepEqual([await storageUsed(me), await storageUsed(them)], [0, bytes]);
  assert.equal(await set(mine, "podcasts", { cover_image_url: null }), null);
  assert.deepEqual([await live(theirs), await storageUsed(them)], [[path], bytes]);
});

Deno.test("an object's path on another host is a foreign URL and releases the object", async () => {
  const owner = newUserName("evil"), show = await podcast("Evil host", owner), { path } = await uploaded(show, "cover");
  assert.equal(await set(show, "podcasts", { cover_image_url: `https://evil.example/${path}` }), null);
  assert.deepEqual([await live(show), await storageUsed(owner)], [[], 0]);
});

Deno.test("deleting an episode deletes its cover", async () => {
  const owner = newUserName("deletes"),
    show = await podcast("Deleted episodes", owner),
    [draft, published] = [await episode(show), await episode(show)];
  const shows = await uploaded(show, "cover"), bytes = await storageUsed(owner);
  await Promise.all([uploaded(show, draft), uploaded(show, published), putAudio(show, published, { as: "admin" })]);
  await callRpc(admin, "publish_episode", { episode_id: published.id });
  const kept = await objects(show, `e/${published.id}/`);
  for (const { id } of [draft, published]) {
    assert.equal((await admin.client.from("episodes").delete().eq("id", id)).error, null);
  }
  assert.deepEqual([await live(show), await storageUsed(owner)], [[shows.path], bytes]);
  await waitFor("the draft's cover is deleted", async () => (await coversOf(show, draft)).length === 0);
  assert.deepEqual(await objects(show, `e/${published.id}/`), kept, "what was public waits for the sweep");
});

Deno.test("members and non-members may not write image columns", async () => {
  const show = await podcast("Guarded images"), pilot = await episode(show);
  for (const by of [await person("member"), await person("stranger")]) {
    for (const [table, id] of [["podcasts", show.id], ["episodes", pilot.id]]) {
      const { data } = await by.client.from(table).update({ cover_image_url: ELSEWHERE }).eq("id", id).select("id");
      assert.deepEqual(data, []);
    }
  }
  const [{ url }] = await sql`select cover_image_url as url from public.podcasts where id = ${show.id}`;
  assert.equal(url, null);
});
