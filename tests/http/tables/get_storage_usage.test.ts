// get_storage_usage: usage and allowance of the caller's account, by supabase-js and by a plain GET.
import assert from "node:assert/strict";
import { createClient } from "@supabase/supabase-js";
import { assertKeys, episode, person, podcast, stackInfo } from "../harness.ts";
import { put as putAudio } from "../api/audio.ts";
import { newUserName, picture, uploaded } from "../api/images.ts";

interface Usage {
  usedBytes: number;
  limitBytes: number;
  stagedBytes: number;
  temporaryBytes: number;
  podcasts: { id: string; slug: string; title: string; usedBytes: number }[];
}

async function usage(name: string): Promise<Usage> {
  const { data, error, status } = await (await person(name)).client.rpc("get_storage_usage");
  assert.equal(error, null);
  assert.equal(status, 200);
  return data;
}

/** A plain GET request, as clients without supabase-js send it. */
async function get(token?: string): Promise<{ status: number; body: Usage & { code?: string } }> {
  const response = await fetch(`${stackInfo.url}/rest/v1/rpc/get_storage_usage`, {
    headers: { apikey: stackInfo.publishableKey, ...token && { authorization: `Bearer ${token}` } },
  });
  return { status: response.status, body: await response.json() };
}

Deno.test("get_storage_usage returns an owner the account's sum and each podcast's share, largest first", async () => {
  const owner = newUserName("stores"), shows = [await podcast("Small", owner), await podcast("Large", owner)];
  const empty = await podcast("Empty", owner), pilot = await episode(shows[1]);
  await uploaded(shows[0], "banner", { body: picture("banner", "png", 10_000) });
  await uploaded(shows[1], "cover", { body: picture("cover", "png", 20_000) });
  await uploaded(shows[1], pilot, { body: picture("episode_cover", "jpeg", 30_000), format: "jpeg" });
  await putAudio(shows[1], pilot, { as: "admin", body: new Uint8Array(5000) });
  const seen = await usage(owner);
  assertKeys(seen, "usedBytes", "limitBytes", "stagedBytes", "temporaryBytes", "podcasts");
  assert.equal(seen.usedBytes, 65_000);
  assert.equal(seen.temporaryBytes, 0);
  assert.deepEqual(seen.podcasts, [
    { id: shows[1].id, slug: shows[1].slug, title: "Large", usedBytes: 55_000 },
    { id: shows[0].id, slug: shows[0].slug, title: "Small", usedBytes: 10_000 },
    { id: empty.id, slug: empty.slug, title: "Empty", usedBytes: 0 },
  ]);
  assert.deepEqual(await get((await person(owner)).token), { status: 200, body: seen });
});

Deno.test("get_storage_usage requires a login", async () => {
  const anon = createClient(stackInfo.url, stackInfo.publishableKey, {
    auth: { persistSession: false, autoRefreshToken: false },
  });
  const { status, error } = await anon.rpc("get_storage_usage");
  assert.deepEqual([status, error?.code], [401, "42501"]);
  const { status: plain, body } = await get();
  assert.deepEqual([plain, body.code], [401, "42501"]);
});
