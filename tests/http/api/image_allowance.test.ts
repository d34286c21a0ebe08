// Images and the storage allowance of the owner's account: charged like audio, to the byte.
import assert from "node:assert/strict";
import { type ApiResponse, assertError, episode, podcast } from "../harness.ts";
import { duringRequest, ledger, named, objects, picture, storageUsed } from "./images.ts";
import { assertStorageUsed, newUserName, put, uploaded } from "./images.ts";

const ALLOWANCE = 1_073_741_824;
const assertRejected = (response: ApiResponse, used: number, expected: number) =>
  assertError(response, 409, {
    code: "STORAGE_ALLOWANCE_EXCEEDED",
    bytes_used: used,
    bytes_limit: ALLOWANCE,
    bytes_requested: expected,
  });

Deno.test("an image upload returns 409 with the byte counts over the allowance, and accepts its last byte", async () => {
  const owner = newUserName("full"), show = await podcast("Full", owner), pilot = await episode(show);
  await assertStorageUsed(owner, ALLOWANCE - 50_000);
  for (const place of ["cover", "header", "banner", pilot] as const) {
    const imageType = typeof place === "string" ? place : "episode_cover";
    assertRejected(await put(show, place, { body: picture(imageType, "png", 50_001) }), ALLOWANCE - 50_000, 50_001);
    assert.equal(await named(show, place), null);
  }
  assert.deepEqual([await objects(show), await ledger(show)], [[], []]);
  await uploaded(show, "cover", { body: picture("cover", "png", 50_000) });
  assert.equal(await storageUsed(owner), ALLOWANCE);
});

Deno.test("an image upload returns 409 and removes its object when the allowance is used up while the bytes are stored", async () => {
  const owner = newUserName("filled-meanwhile"), show = await podcast("Filled meanwhile", owner);
  const pilot = await episode(show);
  for (const place of ["cover", pilot] as const) {
    const { path, publicUrl } = await uploaded(show, place), before = await objects(show);
    const response = await duringRequest(
      show,
      () => put(show, place),
      (t) => assertStorageUsed(owner, ALLOWANCE + 100_000, t),
    );
    assertError(response, 409, { code: "STORAGE_ALLOWANCE_EXCEEDED" });
    assert.deepEqual(await objects(show), before);
    assert.equal(await named(show, place), publicUrl);
    assert.ok((await ledger(show)).some((row) => row.path === path && row.live), "the one before is the image still");
    await assertStorageUsed(
      owner,
      (await ledger(show)).filter(({ live }) => live).reduce((sum, { bytes }) => sum + bytes, 0),
    );
  }
});
