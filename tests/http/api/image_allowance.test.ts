// Images and the storage allowance of the owner's account: charged like audio, to the byte.
import assert from "node:assert/strict";
import { addMember, type ApiResponse, assertError, episode, person, type Podcast, podcast } from "../harness.ts";
import { put as putAudio } from "./audio.ts";
import { duringRequest, type Format, ledger, named, objects, picture, storageUsed } from "./images.ts";
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

Deno.test("an image replacement counts the bytes it frees: the same size fits into a full account, one byte more does not", async () => {
  const owner = newUserName("replaces"), show = await podcast("Full, replaced", owner), pilot = await episode(show);
  for (const place of ["cover", pilot] as const) {
    const imageType = typeof place === "string" ? place : "episode_cover";
    const query = { episodeId: pilot.id }; // ignored for the podcast's cover
    const drawn = (bytes: number, format: Format = "jpeg") => ({
      query,
      format,
      body: picture(imageType, format, bytes),
    });
    await assertStorageUsed(owner, ALLOWANCE - 50_000);
    await uploaded(show, place, drawn(50_000));
    await uploaded(show, place, drawn(50_000, "png"));
    assertRejected(await put(show, place, drawn(50_001)), ALLOWANCE, 50_001);
    await uploaded(show, place, drawn(20_000));
    assert.equal(await storageUsed(owner), ALLOWANCE - 30_000);
    assertRejected(await put(show, "banner", { body: picture("banner", "png", 30_001) }), ALLOWANCE - 30_000, 30_001);
  }
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

Deno.test("concurrent image uploads never exceed the allowance, and rejected ones leave no object", async () => {
  const owner = newUserName("races"), shows = [await podcast("Races one", owner), await podcast("Races two", owner)];
  const [one, two] = [await episode(shows[0]), await episode(shows[1])];
  await assertStorageUsed(owner, ALLOWANCE - 3 * 40_000);
  const places = [[shows[0], "cover"], [shows[0], one], [shows[1], "cover"], [shows[1], two]] as const;
  const responses = await Promise.all(
    [...places, ...places].map(([show, place]) =>
      put(show as Podcast, place, {
        body: picture(typeof place === "string" ? place : "episode_cover", "png", 40_000),
      })
    ),
  );
  for (const response of responses) {
    if (response.status !== 200) {
      assertError(response, 409, { code: "STORAGE_ALLOWANCE_EXCEEDED", ...amounts(response) });
    }
  }
  const live = (await Promise.all(shows.map(ledger))).flat().filter(({ live }) => live);
  assert.equal(live.length, 3);
  assert.equal(await storageUsed(owner), ALLOWANCE);
  const known = (await Promise.all(shows.map(ledger))).flat().map(({ path }) => path);
  assert.deepEqual((await Promise.all(shows.map((show) => objects(show)))).flat().sort(), known.sort());
});

/** The byte counts of an error; only one that precedes the storing has them. */
function amounts({ body: { bytes_used, bytes_limit, bytes_requested } }: ApiResponse) {
  return bytes_used === undefined ? {} : { bytes_used, bytes_limit, bytes_requested };
}

Deno.test("an admin's upload is charged to the owner, and audio and images count together", async () => {
  const owner = newUserName("pays"), show = await podcast("Paid by its owner", owner), pilot = await episode(show);
  const admin = newUserName("uploads");
  await addMember(show, await person(admin), "admin");
  const as = { token: (await person(admin)).token };
  await putAudio(show, pilot, { as, body: new Uint8Array(1000) });
  await uploaded(show, pilot, { as, body: picture("episode_cover", "png", 20_000) });
  await uploaded(show, "banner", { as, body: picture("banner", "webp", 10_000), format: "webp" });
  assert.equal(await storageUsed(owner), 31_000);
  assert.equal(await storageUsed(admin), 0);
});
