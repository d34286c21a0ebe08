// Imported artwork is charged to its importer, and to the podcast's owner after a move.
import assert from "node:assert/strict";
import { assertError, person, podcast } from "../harness.ts";
import {
  assertKept,
  httpResponse,
  imported,
  importing,
  importsOf,
  moving,
  picture,
  podcastWithTeam,
  remainingAllowance,
} from "./artwork.ts";
import { source, temporaryObjects } from "./artwork.ts";
import { assertStorageUsed, ledger, named, newUserName, objects, storageUsed } from "./images.ts";

Deno.test("an artwork import accepts the last byte of the allowance, and returns 409 and leaves no object one byte over it", async () => {
  for (const isTemporary of [true, false]) {
    const me = newUserName("full"), drawn = await podcast("Full", me), { token } = await person(me);
    const size = 50_000, bytes = picture("cover", "jpeg", size), used = await remainingAllowance(me) - size;
    await using from = await source(httpResponse(bytes, { type: "image/jpeg" }));
    const json = { url: from.url, podcastId: isTemporary ? undefined : drawn.id };
    await assertStorageUsed(me, used + 1);
    assertError(await importing({ token }, json), 409, {
      code: "STORAGE_ALLOWANCE_EXCEEDED",
      bytes_used: used + 1,
      bytes_limit: used + size,
      bytes_requested: size,
    });
    assert.deepEqual([...await importsOf(me), ...await objects(drawn)], []);
    assert.deepEqual([...await temporaryObjects(me), ...await ledger(drawn)], []);
    assert.equal(await named(drawn, "cover"), null);

    await assertStorageUsed(me, used);
    const { status, text } = await importing({ token }, json);
    assert.equal(status, 200, text);
    assert.equal(await storageUsed(me), used + size);
    await assertStorageUsed(me, size); // the ledger's sum
  }
});

Deno.test("an artwork move charges the podcast's owner, and returns 409 and keeps the import over the owner's allowance", async () => {
  const { owner, admin, home, as } = await podcastWithTeam("Full house"), mine = await imported(as, "cover");
  const used = await remainingAllowance(owner) - mine.bytes.length;
  await assertStorageUsed(owner, used + 1);
  assertError(await moving(as, mine.path, home, "cover"), 409, { code: "STORAGE_ALLOWANCE_EXCEEDED" });
  assert.deepEqual([await objects(home), await ledger(home), await named(home, "cover")], [[], [], null]);
  assert.equal(await storageUsed(owner), used + 1);
  await assertKept(admin, mine);

  await assertStorageUsed(owner, used);
  assert.equal((await moving(as, mine.path, home, "cover")).status, 200);
  assert.deepEqual([await storageUsed(owner), await storageUsed(admin)], [used + mine.bytes.length, 0]);
  await assertStorageUsed(owner, mine.bytes.length); // the ledger's sum
});
