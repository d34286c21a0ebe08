// get_storage_usage: usage and allowance of the caller's account, by supabase-js and by a plain GET.
import assert from "node:assert/strict";
import { assertKeys, episode, person, podcast, stackInfo } from "../harness.ts";
import { put as putAudio } from "../api/audio.ts";
import { newUserName, picture, uploaded } from "../api/images.ts";

Deno.test("get_storage_usage returns an owner the account's sum and each podcast's share, largest first", async () => {
  const owner = newUserName("stores"), shows = [await podcast("Small", owner), await podcast("Large", owner)];
  const empty = await podcast("Empty", owner), pilot = await episode(shows[1]);
  await uploaded(shows[0], "banner", { body: picture("banner", "png", 10_000) });
  await uploaded(shows[1], "cover", { body: picture("cover", "png", 20_000) });
  await uploaded(shows[1], pilot, { body: picture("episode_cover", "jpeg", 30_000), format: "jpeg" });
  await putAudio(shows[1], pilot, { as: "admin", body: new Uint8Array(5000) });
  const { client, token } = await person(owner), { data: seen } = await client.rpc("get_storage_usage").throwOnError();
  assertKeys(seen, "usedBytes", "limitBytes", "stagedBytes", "temporaryBytes", "podcasts");
  assert.equal(seen.usedBytes, 65_000);
  assert.equal(seen.temporaryBytes, 0);
  assert.deepEqual(seen.podcasts, [
    { id: shows[1].id, slug: shows[1].slug, title: "Large", usedBytes: 55_000 },
    { id: shows[0].id, slug: shows[0].slug, title: "Small", usedBytes: 10_000 },
    { id: empty.id, slug: empty.slug, title: "Empty", usedBytes: 0 },
  ]);
  const headers = { apikey: stackInfo.publishableKey, authorization: `Bearer ${token}` };
  const response = await fetch(`${stackInfo.url}/rest/v1/rpc/get_storage_usage`, { headers });
  assert.deepEqual([response.status, await response.json()], [200, seen], "a plain GET");
});
