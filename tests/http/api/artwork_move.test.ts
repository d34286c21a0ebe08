// POST /api/media/move-artwork: imported artwork finds its podcast; what becomes of the source, of races and of repeats.
import assert from "node:assert/strict";
import { TYPE } from "../../pictures.ts";
import { ask, at, eventually, hasExactly, isRefused, person, type Podcast, podcast, sql } from "../harness.ts";
import { verb } from "../harness.ts";
import { isReachable, refuses } from "../refuses.ts";
import { entry, imported, importsOf, isServed, LEAST, MOVE, moving, picture, room, temporaries } from "./artwork.ts";
import { type ArtworkType, TYPES } from "./artwork.ts";
import { put as putAudio } from "./audio.ts";
import { charged, draw, type Format, isGone, ledger, named, objects, publicUrl, someone, stored } from "./images.ts";
import { uses, UUID } from "./images.ts";

const show = await podcast("Moved in"), owners = await imported("owner", "cover");
const request = () =>
  Promise.resolve({ path: MOVE, json: { sourcePath: owners.path, podcastId: show.id, imageType: "cover" } });

refuses(`POST ${MOVE}`, request, { anon: 401, stranger: 403, member: 403 });
isReachable(`POST ${MOVE}`, request);

/** Somebody with a podcast and an admin on it, whom nobody else asks for. */
async function household(title: string) {
  const owner = someone("host"), admin = someone("helper"), home = await podcast(title, owner);
  const { email } = await person(admin);
  await verb(await person(owner), "add_podcast_member", { podcast_id: home.id, email, role: "admin" });
  return { owner, admin, home, as: await person(admin) };
}

/** The import is as it was: stored, charged, and waiting. */
async function isKept(name: string, { path, bytes }: { path: string; bytes: Uint8Array }) {
  assert.deepEqual(await importsOf(name), [path]);
  assert.deepEqual(await temporaries(name), [path]);
  assert.equal(await charged(name), bytes.length);
  await isServed(publicUrl(path), bytes, "jpeg");
}

Deno.test("Moved artwork of each type and format is the podcast's image: same bytes, type and name, kept forever", async () => {
  const { owner, admin, home, as } = await household("Moved pictures");
  let paid = 0;
  for (const imageType of TYPES) {
    const formats: Format[] = imageType === "cover" ? ["jpeg", "png"] : ["jpeg", "png", "webp"];
    for (const format of formats) {
      const { path: source, bytes } = await imported(as, imageType, { format });
      assert.equal(await charged(admin), bytes.length);
      const { status, body, text } = await moving(as, source, home, imageType);
      assert.equal(status, 200, text);
      hasExactly(body, "success", "path", "publicUrl");
      assert.equal(body.success, true);
      assert.match(source, new RegExp(`^imports/${as.id}/${UUID}\\.`));
      assert.equal(body.path, `podcasts/${home.id}/images/${imageType}/${source.split("/").at(-1)}`);
      const [url, version] = body.publicUrl.split("?v=");
      assert.equal(url, publicUrl(body.path));
      assert.match(version, /^\d{13}$/);
      assert.equal(await named(home, imageType), body.publicUrl);
      await isServed(body.publicUrl, bytes, format);
      assert.deepEqual(await entry(body.path), {
        account_id: (await person(owner)).id,
        podcast_id: home.id,
        purpose: imageType,
        bytes: bytes.length,
        content_type: TYPE[format],
        ...LEAST[imageType],
        live: true,
      });

      await isGone(source);
      assert.deepEqual([await importsOf(admin), await entry(source)], [[], undefined]);
      assert.equal(await charged(admin), 0);
      if (format === formats.at(-1)) paid += bytes.length; // the last of each place
    }
  }
  assert.equal(await charged(owner), paid);
});

Deno.test("An owner may move, and the podcast's other images stay as they were", async () => {
  const { owner, home } = await household("One of four"), as = await person(owner);
  const banner = await imported(as, "banner", { podcast: home }), header = await imported(as, "header");
  const { status, body, text } = await moving(as, header.path, home, "header");
  assert.equal(status, 200, text);
  assert.equal(await named(home, "banner"), banner.publicUrl);
  assert.equal(await named(home, "header"), body.publicUrl);
  assert.deepEqual([await named(home, "cover"), await named(home, "profile")], [null, null]);
  assert.deepEqual(await objects(home), [banner.path, body.path]);
});

Deno.test("Artwork that is moved over an image lets that go: kept for cached feeds, charged no more", async () => {
  const { owner, home, as } = await household("Moved over");
  const before = await imported(as, "cover", { podcast: home }), next = await imported(as, "cover", { format: "png" });
  const { body } = await moving(as, next.path, home, "cover");
  assert.deepEqual(await objects(home), [before.path, body.path]);
  assert.deepEqual((await ledger(home)).map(({ path, live }) => [path, live]), [[before.path, false], [
    body.path,
    true,
  ]]);
  assert.equal(await charged(owner), next.bytes.length);
});

Deno.test("The feed of a published show names the cover that was moved to it", async () => {
  const { owner, home } = await household("Heard and moved"), as = await person(owner);
  const pilot = await verb<{ id: string; slug: string }>(as, "create_episode", { podcast_id: home.id, title: "Pilot" });
  await putAudio(home, pilot, { as });
  await verb(as, "publish_episode", { episode_id: pilot.id });
  const { path } = await imported(as, "cover"), { body } = await moving(as, path, home, "cover");
  await eventually(`the feed names ${body.publicUrl}`, async () => {
    const feed = await (await fetch(`${at.functionsUrl}/public/feeds/${home.slug}.xml`)).text();
    return feed.split("<item>")[0].includes(`<itunes:image href="${body.publicUrl}"`);
  });
});

Deno.test("An image may become one of another type, when it fits that", async () => {
  const { admin, home, as } = await household("Square and square");
  const { path, bytes } = await imported(as, "cover");
  const { status, body, text } = await moving(as, path, home, "profile");
  assert.equal(status, 200, text);
  await isServed(body.publicUrl, bytes, "jpeg");
  assert.deepEqual(await importsOf(admin), []);
});

// Repeats

Deno.test("A repeated move answers as the first one did, however often, and changes nothing", async () => {
  const { owner, admin, home, as } = await household("Moved twice");
  const { path: source, bytes } = await imported(as, "cover");
  const first = await moving(as, source, home, "cover"), column = await named(home, "cover");
  for (let again = 0; again < 3; again++) {
    const { status, body, text } = await moving(as, source, home, "cover");
    assert.equal(status, 200, text);
    hasExactly(body, "success", "path", "publicUrl");
    assert.deepEqual([body.success, body.path], [true, first.body.path]);
    assert.equal(body.publicUrl.split("?v=")[0], publicUrl(first.body.path));
  }
  assert.equal(await named(home, "cover"), column);
  assert.deepEqual(await objects(home), [first.body.path]);
  assert.deepEqual([await charged(admin), await charged(owner)], [0, bytes.length]);
});

Deno.test("What was moved is not there for another place, another podcast, or once it is replaced: 404", async () => {
  const { admin, home, as } = await household("Moved once"), other = await podcast("Wants it too", admin);
  const { path } = await imported(as, "cover"), { body } = await moving(as, path, home, "cover");
  isRefused(await moving(as, path, home, "profile"), 404);
  isRefused(await moving(as, path, other, "cover"), 404);
  const next = await imported(as, "cover", { podcast: home });
  isRefused(await moving(as, path, home, "cover"), 404);
  assert.equal(await named(home, "cover"), next.publicUrl);
  assert.deepEqual([await objects(home), await objects(other)], [[body.path, next.path], []]);
});

Deno.test("Of several moves at once to one place all hear that it is done, and there is one object", async () => {
  const { owner, admin, home, as } = await household("Moved at once");
  for (let round = 0; round < 3; round++) {
    const { path, bytes } = await imported(as, "banner");
    const answers = await Promise.all(Array.from({ length: 6 }, () => moving(as, path, home, "banner")));
    assert.deepEqual(answers.map(({ status, text }) => status === 200 ? 200 : text), Array(6).fill(200));
    assert.equal(new Set(answers.map(({ body }) => body.path)).size, 1);
    const { path: moved } = answers[0].body;
    assert.equal((await named(home, "banner"))!.split("?")[0], publicUrl(moved));
    await isServed(publicUrl(moved), bytes, "jpeg");
    assert.deepEqual((await ledger(home)).filter(({ live }) => live).map(({ path }) => path), [moved]);
    assert.deepEqual([await importsOf(admin), await charged(admin), await charged(owner)], [[], 0, bytes.length]);
    assert.equal((await objects(home)).length, round + 1);
  }
});

Deno.test("Of two moves at once to two podcasts one is done and the other a 404, and no object is stray", async () => {
  const { owner, admin, home, as } = await household("One of two"), other = await podcast("The other of two", admin);
  const images = new Map<Podcast, number>([[home, 0], [other, 0]]);
  for (let round = 0; round < 6; round++) {
    const { path, bytes } = await imported(as, "banner");
    const targets = round % 2 ? [home, other] : [other, home];
    const answers = await Promise.all(targets.map((target) => moving(as, path, target, "banner")));
    assert.deepEqual(
      answers.map(({ status }) => status).sort(),
      [200, 404],
      answers.map(({ text }) => text).join("\n"),
    );
    const won = answers.findIndex(({ status }) => status === 200), target = targets[won];
    isRefused(answers[1 - won], 404, { error: "Artwork not found" });
    assert.equal(await named(target, "banner"), answers[won].body.publicUrl);
    await isServed(answers[won].body.publicUrl, bytes, "jpeg");
    images.set(target, images.get(target)! + 1);
    for (const [podcast, count] of images) assert.equal((await objects(podcast)).length, count);
    assert.deepEqual([await importsOf(admin), await temporaries(admin)], [[], []]);
    const paid = target === home ? owner : admin;
    const live = (await ledger(target)).filter(({ live }) => live);
    assert.deepEqual(live.map(({ bytes }) => bytes), [bytes.length]);
    assert.ok(await charged(paid) >= bytes.length);
  }
});

Deno.test("Of two moves at once to two places of one podcast one is done and the other a 404", async () => {
  const { admin, home, as } = await household("Two places");
  let moved = 0;
  for (let round = 0; round < 4; round++) {
    const { path } = await imported(as, "cover");
    const answers = await Promise.all((["cover", "profile"] as const).map((place) => moving(as, path, home, place)));
    assert.deepEqual(
      answers.map(({ status }) => status).sort(),
      [200, 404],
      answers.map(({ text }) => text).join("\n"),
    );
    assert.equal((await objects(home)).length, ++moved);
    assert.deepEqual(await importsOf(admin), []);
  }
});

// Refusals

Deno.test("A parameter that is missing or malformed is a 400 that names it", async () => {
  const wrong = {
    sourcePath: [undefined, null, "", 1, "a".repeat(1025)],
    podcastId: [undefined, null, "1", ""],
    imageType: [undefined, null, "episode_cover", "Cover", ""],
  };
  for (const [name, values] of Object.entries(wrong)) {
    for (const value of values) {
      const json = { sourcePath: owners.path, podcastId: show.id, imageType: "cover", [name]: value };
      const details = new RegExp(`^${name}:`);
      isRefused(await ask({ method: "POST", path: MOVE, as: "owner", json }), 400, { details });
    }
  }
});

Deno.test("Someone else's artwork is not moved, whether it exists or not: 403", async () => {
  const { home, as } = await household("Wants what others have"), name = someone("other"), other = await person(name);
  const theirs = await imported(other, "cover");
  for (const path of [theirs.path, `imports/${other.id}/${crypto.randomUUID()}.jpg`]) {
    isRefused(await moving(as, path, home, "cover"), 403, { error: "This artwork was imported by someone else" });
  }
  await isKept(name, theirs);
  const mine = await podcast("Of the other", name);
  assert.equal((await moving(other, theirs.path, mine, "cover")).status, 200);
  isRefused(await moving(as, theirs.path, home, "cover"), 403);
  assert.deepEqual([await objects(home), await named(home, "cover")], [[], null]);
});

Deno.test("A path that is no import of the caller's is a 404, however it is written", async () => {
  const { admin, home, as } = await household("No such path"), other = await person(someone("neighbour"));
  const mine = await imported(as, "cover"), theirs = await imported(other, "cover");
  const [name, uuid] = [mine.path.split("/")[2], crypto.randomUUID()];
  const cover = await imported(as, "cover", { podcast: home }), file = cover.path.split("/").at(-1);
  const paths = [
    ...[`imports/${as.id}/${uuid}.jpg`, `imports/${as.id}/`, "imports/", ".", "..", "x", "/", "%", "cover.jpg"],
    ...[`/${mine.path}`, `media/${mine.path}`, `./${mine.path}`, `${mine.path}/`, `${mine.path}?v=1`, `${mine.path} `],
    ...[mine.path.toUpperCase(), mine.path.replace("/", "//"), mine.path.replace("jpg", "png"), mine.publicUrl],
    ...[`imports/${as.id}/../${other.id}/${theirs.path.split("/")[2]}`, `imports/${as.id}/../${as.id}/${name}`],
    ...[
      `imports/${as.id}/%2e%2e/${other.id}/${name}`,
      `imports/${as.id}\\${name}`,
      `imports/%/${name}`,
      `imports/_/${name}`,
    ],
    ...[`../media/${mine.path}`, `podcasts/../${mine.path}`, `uploads/${home.id}/${uuid}.mp3`],
    // what is the podcast's already was never this import, whatever it is called
    ...[cover.path, `imports/${as.id}/../../${cover.path}`, `x/${file}`, `${file}`, `imports/${as.id}/x/${file}`],
  ];
  for (const path of paths) {
    const answer = await moving(as, path, home, "cover");
    assert.equal(answer.status, 404, `${path}: ${answer.text}`);
    isRefused(answer, 404, { error: "Artwork not found" });
  }
  assert.deepEqual(await objects(home), [cover.path]);
  assert.deepEqual([await importsOf(admin), await temporaries(admin)], [[mine.path], [mine.path]]);
});

Deno.test("Artwork goes to no podcast where one is no admin, to none that is not there, to none on its way out", async () => {
  const { owner, admin, home, as } = await household("Leaving, moved to"), mine = await imported(as, "cover");
  const joined = await podcast("Only joined", owner), foreign = await podcast("Foreign", owner);
  await verb(await person(owner), "add_podcast_member", { podcast_id: joined.id, email: as.email, role: "member" });
  await sql`update public.podcasts set status = 'pending_deletion' where id = ${home.id}`;
  isRefused(await moving(as, mine.path, joined, "cover"), 403);
  isRefused(await moving(as, mine.path, foreign, "cover"), 403);
  isRefused(await moving(as, mine.path, { ...home, id: crypto.randomUUID() }, "cover"), 404, {
    error: "Podcast not found",
  });
  isRefused(await moving(as, mine.path, home, "cover"), 409, { code: "PODCAST_PENDING_DELETION" });
  for (const podcast of [home, joined, foreign]) assert.deepEqual(await objects(podcast), []);
  await isKept(admin, mine);
});

Deno.test("Artwork that does not fit where it is to go is a 400 in the contract's words, and stays", async () => {
  const small = { error: "Image dimensions too small", code: "DIMENSIONS_TOO_SMALL" };
  const ratio = { error: "Invalid aspect ratio", code: "INVALID_ASPECT_RATIO" };
  const cases: [ArtworkType, Format, Uint8Array, ArtworkType, object][] = [
    ["profile", "jpeg", picture("profile"), "cover", {
      ...small,
      details: "200 x 200 pixels; a cover needs at least 1400 x 1400",
    }],
    ["header", "jpeg", draw.jpeg({ width: 8960, height: 1400 }), "cover", { ...ratio, details: /ratio of 1:1/ }],
    ["cover", "jpeg", picture("cover"), "banner", { ...ratio, details: /ratio of 1.91:1, give or take 5 %$/ }],
    ["profile", "webp", draw.webp({ width: 1400, height: 1400 }), "cover", {
      error: "Invalid content type",
      code: "INVALID_CONTENT_TYPE",
      details: "Accepted for cover: image/jpeg, image/png",
    }],
    ["cover", "jpeg", picture("cover", "jpeg", 2_097_153), "profile", {
      error: "File too large",
      code: "FILE_TOO_LARGE",
      maxBytes: 2_097_152,
    }],
  ];
  for (const [imageType, format, bytes, target, expected] of cases) {
    const { admin, home, as } = await household("Does not fit");
    const { path } = await imported(as, imageType, { format, bytes });
    isRefused(await moving(as, path, home, target), 400, { ...expected });
    assert.deepEqual([await importsOf(admin), await temporaries(admin), await objects(home)], [[path], [path], []]);
    assert.equal((await moving(as, path, home, imageType)).status, 200, "it may go where it fits");
  }
});

Deno.test("Artwork that nobody moved for a day is swept, and then a 404", async () => {
  const { admin, home, as } = await household("Too late"), { path } = await imported(as, "cover");
  await sql`update private.media_objects set created_at = now() - interval '25 hours' where path = ${path}`;
  await sql`select private.sweep_storage()`;
  isRefused(await moving(as, path, home, "cover"), 404, { error: "Artwork not found" });
  await eventually("the object is gone", async () => (await importsOf(admin)).length === 0);
  isRefused(await moving(as, path, home, "cover"), 404, { error: "Artwork not found" });
  assert.deepEqual(await objects(home), []);
});

// Allowances

Deno.test("A move charges the podcast's owner; over their allowance it is a 409, and the import stays", async () => {
  const { owner, admin, home, as } = await household("Full house"), mine = await imported(as, "cover");
  const used = await room(owner) - mine.bytes.length;
  await uses(owner, used + 1);
  isRefused(await moving(as, mine.path, home, "cover"), 409, { code: "ALLOWANCE_EXCEEDED" });
  assert.deepEqual([await objects(home), await ledger(home), await named(home, "cover")], [[], [], null]);
  assert.equal(await charged(owner), used + 1);
  await isKept(admin, mine);

  await uses(owner, used);
  assert.equal((await moving(as, mine.path, home, "cover")).status, 200);
  assert.deepEqual([await charged(owner), await charged(admin)], [used + mine.bytes.length, 0]);
  await uses(owner, mine.bytes.length); // what the ledger has
});

Deno.test("Whose account is full may still move their own artwork to their own podcast", async () => {
  const me = someone("brimful"), home = await podcast("Brimful", me), as = await person(me);
  const { path, bytes } = await imported(as, "cover"), full = await charged(me) + await room(me);
  await uses(me, full);
  const { status, text } = await moving(as, path, home, "cover");
  assert.equal(status, 200, text);
  assert.equal(await charged(me), full);
  await uses(me, bytes.length); // what the ledger has
});

// What an earlier try left, or could not do

Deno.test("A copy that an earlier try left is taken as it is; one that is not whole goes, and the next try moves", async () => {
  const { admin, home, as } = await household("Tried before"), whole = await imported(as, "cover");
  const target = (source: string) => `podcasts/${home.id}/images/cover/${source.split("/").at(-1)}`;
  await stored(target(whole.path), whole.bytes, TYPE.jpeg);
  assert.equal((await moving(as, whole.path, home, "cover")).body.path, target(whole.path));
  assert.deepEqual(await importsOf(admin), []);

  const broken = await imported(as, "cover");
  await stored(target(broken.path), broken.bytes.slice(0, 1000), TYPE.jpeg);
  isRefused(await moving(as, broken.path, home, "cover"), 500, { code: "SIZE_MISMATCH" });
  assert.deepEqual(await objects(home), [target(whole.path)]);
  await isKept(admin, broken);
  const { status, body, text } = await moving(as, broken.path, home, "cover");
  assert.equal(status, 200, text);
  await isServed(body.publicUrl, broken.bytes, "jpeg");
});
