// Imported artwork is charged to its importer, and to the podcast's owner after a move.
import assert from "node:assert/strict";
import { addMember, assertError, person, podcast } from "../harness.ts";
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
import { served, source, temporaryObjects } from "./artwork.ts";
import { assertStorageUsed, ledger, named, newUserName, objects, storageUsed } from "./images.ts";

Deno.test("an artwork import is charged to the caller without a podcast, and to the owner with one", async () => {
  const [owner, guest] = [newUserName("pays"), newUserName("brings")], drawn = await podcast("Paid for", owner);
  const { id, token, client } = await person(guest);
  await addMember(drawn, { id }, "admin");
  const mine = await imported({ token }, "cover"), theirs = await imported({ token }, "cover", { podcast: drawn });
  assert.deepEqual([await storageUsed(guest), await storageUsed(owner)], [mine.bytes.length, theirs.bytes.length]);
  const usage = async (of: typeof client) => (await of.rpc("get_storage_usage").throwOnError()).data;
  const { usedBytes, temporaryBytes, podcasts } = await usage(client);
  assert.deepEqual({ usedBytes, temporaryBytes, podcasts }, {
    usedBytes: mine.bytes.length,
    temporaryBytes: mine.bytes.length,
    podcasts: [],
  });
  const owners = await usage((await person(owner)).client);
  assert.deepEqual([owners.usedBytes, owners.temporaryBytes], [theirs.bytes.length, 0]);
  assert.equal(owners.podcasts[0].usedBytes, theirs.bytes.length);
});

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

Deno.test("an artwork import to a podcast is checked against its owner's allowance, not the caller's", async () => {
  const [owner, guest] = [newUserName("rich"), newUserName("poor")], drawn = await podcast("Not my bill", owner);
  const { id, token } = await person(guest);
  await addMember(drawn, { id }, "admin");
  await assertStorageUsed(guest, await storageUsed(guest) + await remainingAllowance(guest));
  await imported({ token }, "cover", { podcast: drawn });
  await using from = await source(served("cover", "jpeg", 50_000));
  assertError(await importing({ token }, { url: from.url }), 409, {
    code: "STORAGE_ALLOWANCE_EXCEEDED",
    bytes_used: await storageUsed(guest),
    bytes_limit: await storageUsed(guest),
    bytes_requested: 50_000,
  });
  await assertStorageUsed(guest, 0);
});

Deno.test("of concurrent artwork imports at the limit of the allowance, those that fit are kept and the others leave no object", async () => {
  const me = newUserName("hurried"), { token } = await person(me), size = 50_000;
  const used = await remainingAllowance(me) - 3 * size;
  await assertStorageUsed(me, used);
  await using from = await source(httpResponse(picture("cover", "jpeg", size), { type: "image/jpeg" }));
  const responses = await Promise.all(Array.from({ length: 8 }, () => importing({ token }, { url: from.url })));
  const taken = responses.filter(({ status }) => status === 200).map(({ body }) => body.path);
  assert.equal(taken.length, 3, responses.map(({ text }) => text).join("\n"));
  for (const { status, body, text } of responses.filter(({ status }) => status !== 200)) {
    assert.deepEqual([status, body.code], [409, "STORAGE_ALLOWANCE_EXCEEDED"], text);
  }
  assert.deepEqual((await importsOf(me)).sort(), taken.sort());
  assert.deepEqual((await temporaryObjects(me)).sort(), taken);
  assert.equal(await storageUsed(me), used + 3 * size);
  await assertStorageUsed(me, 3 * size); // the ledger's sum
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

Deno.test("an owner with a full account may move imported artwork to their own podcast", async () => {
  const me = newUserName("brimful"), home = await podcast("Brimful", me), as = await person(me);
  const { path, bytes } = await imported(as, "cover"), full = await storageUsed(me) + await remainingAllowance(me);
  await assertStorageUsed(me, full);
  const { status, text } = await moving(as, path, home, "cover");
  assert.equal(status, 200, text);
  assert.equal(await storageUsed(me), full);
  await assertStorageUsed(me, bytes.length); // the ledger's sum
});
