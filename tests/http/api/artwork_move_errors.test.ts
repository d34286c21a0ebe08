// POST /api/media/move-artwork: rejected moves, which leave the import unchanged.
import assert from "node:assert/strict";
import { assertError, person, podcast, sendRequest } from "../harness.ts";
import {
  type ArtworkType,
  assertKept,
  imported,
  importsOf,
  MOVE,
  moving,
  picture,
  podcastWithTeam,
} from "./artwork.ts";
import { temporaryObjects } from "./artwork.ts";
import { type Format, makeImage, named, newUserName, objects } from "./images.ts";

Deno.test("an artwork move returns 400 naming a missing or malformed parameter", async () => {
  const wrong = {
    sourcePath: [undefined, null, "", 1, "a".repeat(1025)],
    podcastId: [undefined, null, "1", ""],
    imageType: [undefined, null, "episode_cover", "Cover", ""],
  };
  for (const [name, values] of Object.entries(wrong)) {
    for (const value of values) {
      const json = {
        sourcePath: `imports/${crypto.randomUUID()}/${crypto.randomUUID()}.jpg`,
        podcastId: crypto.randomUUID(),
        imageType: "cover",
        [name]: value,
      };
      const details = new RegExp(`^${name}:`);
      assertError(await sendRequest({ method: "POST", path: MOVE, as: "owner", json }), 400, { details });
    }
  }
});

Deno.test("an artwork move returns 403 for another user's artwork, whether it exists or not", async () => {
  const { home, as } = await podcastWithTeam("Wants what others have"),
    name = newUserName("other"),
    other = await person(name);
  const theirs = await imported(other, "cover");
  for (const path of [theirs.path, `imports/${other.id}/${crypto.randomUUID()}.jpg`]) {
    assertError(await moving(as, path, home, "cover"), 403, { error: "This artwork belongs to another user" });
  }
  await assertKept(name, theirs);
  const mine = await podcast("Of the other", name);
  assert.equal((await moving(other, theirs.path, mine, "cover")).status, 200);
  assertError(await moving(as, theirs.path, home, "cover"), 403);
  assert.deepEqual([await objects(home), await named(home, "cover")], [[], null]);
});

Deno.test("an artwork move returns 404 for a path that is not an import of the caller, however it is written", async () => {
  const { admin, home, as } = await podcastWithTeam("No such path"), other = await person(newUserName("neighbor"));
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
    // an object of the podcast is not this import, regardless of its path
    ...[cover.path, `imports/${as.id}/../../${cover.path}`, `x/${file}`, `${file}`, `imports/${as.id}/x/${file}`],
  ];
  for (const path of paths) {
    const response = await moving(as, path, home, "cover");
    assert.equal(response.status, 404, `${path}: ${response.text}`);
    assertError(response, 404, { error: "Artwork not found" });
  }
  assert.deepEqual(await objects(home), [cover.path]);
  assert.deepEqual([await importsOf(admin), await temporaryObjects(admin)], [[mine.path], [mine.path]]);
});

Deno.test("an artwork move returns 400 and keeps the import when the image does not fit the type", async () => {
  const small = { error: "Image dimensions too small", code: "DIMENSIONS_TOO_SMALL" };
  const ratio = { error: "Invalid aspect ratio", code: "INVALID_ASPECT_RATIO" };
  const cases: [ArtworkType, Format, Uint8Array, ArtworkType, object][] = [
    ["profile", "jpeg", picture("profile"), "cover", {
      ...small,
      details: "200 × 200 pixels; images of type cover must be at least 1400 × 1400",
    }],
    ["header", "jpeg", makeImage.jpeg({ width: 8960, height: 1400 }), "cover", {
      ...ratio,
      details: /aspect ratio of 1:1/,
    }],
    ["cover", "jpeg", picture("cover"), "banner", { ...ratio, details: /aspect ratio of 1.91:1 \(±5%\)$/ }],
    ["profile", "webp", makeImage.webp({ width: 1400, height: 1400 }), "cover", {
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
    const { admin, home, as } = await podcastWithTeam("Does not fit");
    const { path } = await imported(as, imageType, { format, bytes });
    assertError(await moving(as, path, home, target), 400, { ...expected });
    assert.deepEqual([await importsOf(admin), await temporaryObjects(admin), await objects(home)], [
      [path],
      [path],
      [],
    ]);
    assert.equal((await moving(as, path, home, imageType)).status, 200, "it may go where it fits");
  }
});
