// POST /api/media/move-artwork: rejected moves, which leave the import unchanged.
import assert from "node:assert/strict";
import { assertError, person, podcast, sendRequest } from "../harness.ts";
import { assertKept, imported, importsOf, MOVE, moving, podcastWithTeam } from "./artwork.ts";
import { temporaryObjects } from "./artwork.ts";
import { named, newUserName, objects } from "./images.ts";

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

Deno.test("an artwork move returns 404 for a path that is not an import of the caller", async () => {
  const { admin, home, as } = await podcastWithTeam("No such path"), mine = await imported(as, "cover");
  const cover = await imported(as, "cover", { podcast: home });
  for (const path of [`imports/${as.id}/${crypto.randomUUID()}.jpg`, `./${mine.path}`, mine.publicUrl, cover.path]) {
    assertError(await moving(as, path, home, "cover"), 404, { error: "Artwork not found" });
  }
  assert.deepEqual(await objects(home), [cover.path]);
  assert.deepEqual([await importsOf(admin), await temporaryObjects(admin)], [[mine.path], [mine.path]]);
});

Deno.test("an artwork move returns 400 and keeps the import when the image does not fit the type", async () => {
  const { admin, home, as } = await podcastWithTeam("Does not fit"), mine = await imported(as, "profile");
  assertError(await moving(as, mine.path, home, "cover"), 400, {
    error: "Image dimensions too small",
    code: "DIMENSIONS_TOO_SMALL",
    details: "200 × 200 pixels; images of type cover must be at least 1400 × 1400",
  });
  assert.deepEqual([await objects(home), await named(home, "cover")], [[], null]);
  await assertKept(admin, mine);
});
