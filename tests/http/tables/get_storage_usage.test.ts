// get_storage_usage: usage and allowance of the caller's account, by supabase-js and by a plain GET.
import assert from "node:assert/strict";
import { createClient } from "@supabase/supabase-js";
import {
  addMember,
  assertKeys,
  episode,
  person,
  type Podcast,
  podcast,
  sql,
  stackInfo,
  transferTo,
} from "../harness.ts";
import { put as putAudio } from "../api/audio.ts";
import { complete, filled } from "../api/direct_upload.ts";
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

/** The podcast's used bytes. */
const bytesOf = (of: Usage, { id }: Podcast) => of.podcasts.find((podcast) => podcast.id === id)?.usedBytes;

Deno.test("get_storage_usage returns no usage and a gigabyte on the free plan to a user without podcasts", async () => {
  assert.deepEqual(await usage(newUserName("new")), {
    usedBytes: 0,
    limitBytes: 1_073_741_824,
    stagedBytes: 0,
    temporaryBytes: 0,
    podcasts: [],
  });
});

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

Deno.test("get_storage_usage excludes replaced, deleted and cleared files immediately", async () => {
  const owner = newUserName("frees"), show = await podcast("Frees", owner), pilot = await episode(show);
  await uploaded(show, "cover", { body: picture("cover", "png", 90_000) });
  await uploaded(show, "cover", { body: picture("cover", "png", 20_000) });
  await uploaded(show, pilot, { body: picture("episode_cover", "png", 30_000) });
  assert.equal((await usage(owner)).usedBytes, 50_000);
  const { client } = await person(owner);
  await client.from("episodes").update({ cover_image_url: null }).eq("id", pilot.id);
  assert.equal(bytesOf(await usage(owner), show), 20_000);
  await client.from("podcasts").update({ cover_image_url: null }).eq("id", show.id);
  const { podcasts, usedBytes: sum } = await usage(owner);
  assert.deepEqual([sum, podcasts.map(({ usedBytes }) => usedBytes)], [0, [0]]);
});

Deno.test("get_storage_usage counts imported artwork without a podcast on its user", async () => {
  const owner = newUserName("imports"), show = await podcast("Imports", owner), { id } = await person(owner);
  await uploaded(show, "cover", { body: picture("cover", "png", 20_000) });
  await sql`insert into private.media_objects (path, account_id, usage, bytes, content_type, width, height)
    values (${`imports/${id}/${crypto.randomUUID()}.png`}, ${id}, 'temporary', 7000, 'image/png', 1400, 1400)`;
  const seen = await usage(owner);
  assert.deepEqual([seen.usedBytes, seen.temporaryBytes, bytesOf(seen, show)], [27_000, 7000, 20_000]);
});

Deno.test("get_storage_usage counts a direct upload once, before and after its completion", async () => {
  const owner = newUserName("stages"), show = await podcast("Stages", owner), pilot = await episode(show);
  const upload = await filled(show, pilot, "some audio");
  const staged = await usage(owner);
  assert.deepEqual([staged.usedBytes, staged.stagedBytes, bytesOf(staged, show)], [10, 10, 10]);
  assert.equal((await complete(upload.uploadId)).status, 200);
  const done = await usage(owner);
  assert.deepEqual([done.usedBytes, done.stagedBytes, bytesOf(done, show)], [10, 0, 10]);
});

Deno.test("get_storage_usage returns an admin their own account, not that of the podcast's owner", async () => {
  const owner = newUserName("is-owner"), admin = newUserName("is-admin"), show = await podcast("Administered", owner);
  await addMember(show, await person(admin), "admin");
  await uploaded(show, "cover", { body: picture("cover", "png", 20_000) });
  assert.deepEqual(await usage(admin), {
    usedBytes: 0,
    limitBytes: 1_073_741_824,
    stagedBytes: 0,
    temporaryBytes: 0,
    podcasts: [],
  });
  const mine = await podcast("The admin's own", admin);
  await uploaded(mine, "cover", { body: picture("cover", "png", 15_000) });
  assert.deepEqual((await usage(admin)).podcasts.map(({ id, usedBytes }) => [id, usedBytes]), [[mine.id, 15_000]]);
  assert.deepEqual((await usage(owner)).podcasts.map(({ id, usedBytes }) => [id, usedBytes]), [[show.id, 20_000]]);
});

Deno.test("get_storage_usage counts a transferred podcast for its new owner", async () => {
  const first = newUserName("had"), next = newUserName("has"), show = await podcast("Transferred", first);
  await uploaded(show, "cover", { body: picture("cover", "png", 20_000) });
  const { id } = await person(next);
  await addMember(show, { id });
  await transferTo({ id }, show);
  assert.deepEqual([(await usage(first)).usedBytes, (await usage(first)).podcasts], [0, []]);
  const { usedBytes, podcasts } = await usage(next);
  assert.deepEqual([usedBytes, podcasts.map(({ id, usedBytes }) => [id, usedBytes])], [20_000, [[show.id, 20_000]]]);
});

Deno.test("get_storage_usage stays the sum of podcasts and imports under concurrent changes", async () => {
  const owner = newUserName("at-once"),
    shows = [await podcast("At once one", owner), await podcast("At once two", owner)];
  const pilots = await Promise.all(shows.map((show) => episode(show)));
  await Promise.all(shows.flatMap((show, n) =>
    [0, 1, 2].flatMap(() => [
      uploaded(show, "cover"),
      uploaded(show, pilots[n], { format: "jpeg" }),
      uploaded(show, "banner", { format: "webp" }),
    ])
  ));
  const { usedBytes, temporaryBytes, podcasts } = await usage(owner);
  assert.equal(usedBytes, podcasts.reduce((sum, podcast) => sum + podcast.usedBytes, temporaryBytes));
  const [{ stored }] = await sql`select sum((o.metadata ->> 'size')::int)::int as stored from storage.objects o
    join private.media_objects m on m.path = o.name
    where m.released_at is null and m.podcast_id in ${sql(shows.map(({ id }) => id))}`;
  assert.equal(usedBytes, stored);
});

Deno.test("get_storage_usage returns the allowance of the plan", async () => {
  const owner = newUserName("pro"), { id } = await person(owner);
  await sql`update public.billing_accounts set plan_code = 'pro' where user_id = ${id}`;
  assert.equal((await usage(owner)).limitBytes, 107_374_182_400);
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
