// POST /api/media/move-artwork: moves to a podcast, concurrent and repeated moves, and the source afterwards.
import assert from "node:assert/strict";
import { TYPE } from "../../image_fixtures.ts";
import { assertError, assertKeys, person, type Podcast, podcast } from "../harness.ts";
import { assertAccessMatrix } from "../access_matrix.ts";
import {
  assertKept,
  assertServed,
  entry,
  imported,
  importsOf,
  MIN_SIZES,
  MOVE,
  moving,
  podcastWithTeam,
} from "./artwork.ts";
import { temporaryObjects, TYPES } from "./artwork.ts";
import { assertGone, type Format, ledger, named, objects, publicUrl, storageUsed, stored, UUID } from "./images.ts";

const show = await podcast("Moved in"), owners = await imported("owner", "cover");
const request = () =>
  Promise.resolve({ path: MOVE, json: { sourcePath: owners.path, podcastId: show.id, imageType: "cover" } });

assertAccessMatrix(`POST ${MOVE}`, request, { anon: 401, stranger: 403, member: 403 });

Deno.test("moved artwork of each type and format becomes the podcast's image with the same bytes, type and name", async () => {
  const { owner, admin, home, as } = await podcastWithTeam("Moved pictures");
  let paid = 0;
  for (const imageType of TYPES) {
    const formats: Format[] = imageType === "cover" ? ["jpeg", "png"] : ["jpeg", "png", "webp"];
    for (const format of formats) {
      const { path: source, bytes } = await imported(as, imageType, { format });
      assert.equal(await storageUsed(admin), bytes.length);
      const { status, body, text } = await moving(as, source, home, imageType);
      assert.equal(status, 200, text);
      assertKeys(body, "success", "path", "publicUrl");
      assert.equal(body.success, true);
      assert.match(source, new RegExp(`^imports/${as.id}/${UUID}\\.`));
      assert.equal(body.path, `podcasts/${home.id}/images/${imageType}/${source.split("/").at(-1)}`);
      const [url, version] = body.publicUrl.split("?v=");
      assert.equal(url, publicUrl(body.path));
      assert.match(version, /^\d{13}$/);
      assert.equal(await named(home, imageType), body.publicUrl);
      await assertServed(body.publicUrl, bytes, format);
      assert.deepEqual(await entry(body.path), {
        account_id: (await person(owner)).id,
        podcast_id: home.id,
        usage: imageType,
        bytes: bytes.length,
        content_type: TYPE[format],
        ...MIN_SIZES[imageType],
        live: true,
      });

      await assertGone(source);
      assert.deepEqual([await importsOf(admin), await entry(source)], [[], undefined]);
      assert.equal(await storageUsed(admin), 0);
      if (format === formats.at(-1)) paid += bytes.length; // the last one of each image
    }
  }
  assert.equal(await storageUsed(owner), paid);
});

Deno.test("an artwork move accepts another image type than the import's when the image fits it", async () => {
  const { admin, home, as } = await podcastWithTeam("Square and square");
  const { path, bytes } = await imported(as, "cover");
  const { status, body, text } = await moving(as, path, home, "profile");
  assert.equal(status, 200, text);
  await assertServed(body.publicUrl, bytes, "jpeg");
  assert.deepEqual(await importsOf(admin), []);
});

// Repeats

Deno.test("a repeated artwork move returns the first response and changes nothing", async () => {
  const { owner, admin, home, as } = await podcastWithTeam("Moved twice");
  const { path: source, bytes } = await imported(as, "cover");
  const first = await moving(as, source, home, "cover"), column = await named(home, "cover");
  for (let again = 0; again < 3; again++) {
    const { status, body, text } = await moving(as, source, home, "cover");
    assert.equal(status, 200, text);
    assertKeys(body, "success", "path", "publicUrl");
    assert.deepEqual([body.success, body.path], [true, first.body.path]);
    assert.equal(body.publicUrl.split("?v=")[0], publicUrl(first.body.path));
  }
  assert.equal(await named(home, "cover"), column);
  assert.deepEqual(await objects(home), [first.body.path]);
  assert.deepEqual([await storageUsed(admin), await storageUsed(owner)], [0, bytes.length]);
});

Deno.test("concurrent artwork moves to one image all return 200 and leave one object", async () => {
  const { owner, admin, home, as } = await podcastWithTeam("Moved at once");
  for (let round = 0; round < 3; round++) {
    const { path, bytes } = await imported(as, "banner");
    const responses = await Promise.all(Array.from({ length: 6 }, () => moving(as, path, home, "banner")));
    assert.deepEqual(responses.map(({ status, text }) => status === 200 ? 200 : text), Array(6).fill(200));
    assert.equal(new Set(responses.map(({ body }) => body.path)).size, 1);
    const { path: moved } = responses[0].body;
    assert.equal((await named(home, "banner"))!.split("?")[0], publicUrl(moved));
    await assertServed(publicUrl(moved), bytes, "jpeg");
    assert.deepEqual((await ledger(home)).filter(({ live }) => live).map(({ path }) => path), [moved]);
    assert.deepEqual([await importsOf(admin), await storageUsed(admin), await storageUsed(owner)], [
      [],
      0,
      bytes.length,
    ]);
    assert.equal((await objects(home)).length, round + 1);
  }
});

Deno.test("of two concurrent artwork moves to different podcasts, one returns 200, the other 404, and no orphan is left", async () => {
  const { owner, admin, home, as } = await podcastWithTeam("One of two"),
    other = await podcast("The other of two", admin);
  const images = new Map<Podcast, number>([[home, 0], [other, 0]]);
  for (let round = 0; round < 6; round++) {
    const { path, bytes } = await imported(as, "banner");
    const targets = round % 2 ? [home, other] : [other, home];
    const responses = await Promise.all(targets.map((target) => moving(as, path, target, "banner")));
    assert.deepEqual(
      responses.map(({ status }) => status).sort(),
      [200, 404],
      responses.map(({ text }) => text).join("\n"),
    );
    const won = responses.findIndex(({ status }) => status === 200), target = targets[won];
    assertError(responses[1 - won], 404, { error: "Artwork not found" });
    assert.equal(await named(target, "banner"), responses[won].body.publicUrl);
    await assertServed(responses[won].body.publicUrl, bytes, "jpeg");
    images.set(target, images.get(target)! + 1);
    for (const [podcast, count] of images) assert.equal((await objects(podcast)).length, count);
    assert.deepEqual([await importsOf(admin), await temporaryObjects(admin)], [[], []]);
    const paid = target === home ? owner : admin;
    const live = (await ledger(target)).filter(({ live }) => live);
    assert.deepEqual(live.map(({ bytes }) => bytes), [bytes.length]);
    assert.ok(await storageUsed(paid) >= bytes.length);
  }
});

// Earlier, incomplete attempts

Deno.test("an artwork move uses the complete copy of an earlier attempt and deletes an incomplete one", async () => {
  const { admin, home, as } = await podcastWithTeam("Tried before"), whole = await imported(as, "cover");
  const target = (source: string) => `podcasts/${home.id}/images/cover/${source.split("/").at(-1)}`;
  await stored(target(whole.path), whole.bytes, TYPE.jpeg);
  assert.equal((await moving(as, whole.path, home, "cover")).body.path, target(whole.path));
  assert.deepEqual(await importsOf(admin), []);

  const broken = await imported(as, "cover");
  await stored(target(broken.path), broken.bytes.slice(0, 1000), TYPE.jpeg);
  assertError(await moving(as, broken.path, home, "cover"), 500, { code: "SIZE_MISMATCH" });
  assert.deepEqual(await objects(home), [target(whole.path)]);
  await assertKept(admin, broken);
  const { status, body, text } = await moving(as, broken.path, home, "cover");
  assert.equal(status, 200, text);
  await assertServed(body.publicUrl, broken.bytes, "jpeg");
});
