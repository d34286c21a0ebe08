// Audio replacements: the previous object, concurrent uploads, and changes while the bytes are stored.
import assert from "node:assert/strict";
import type postgres from "postgres";
import {
  addMember,
  type ApiResponse,
  assertError,
  callRpc,
  type Episode,
  episode,
  person,
  podcast,
  sql,
  stackInfo,
  waitFor,
} from "../harness.ts";
import { audioOf, objectsOf, put } from "./audio.ts";

const show = await podcast("Replaced", "replacer"), account = (await person("replacer")).id;
const ALLOWANCE = 1_073_741_824;

/** Starts uploads, runs a change once they have stored their objects, and then lets them finish. */
async function duringRequest(
  pilots: Episode[],
  change?: (t: postgres.TransactionSql) => Promise<unknown>,
): Promise<ApiResponse[]> {
  const distinct = [...new Set(pilots)];
  const stored = async () => (await Promise.all(distinct.map(objectsOf))).flat().length;
  const before = await stored();
  let responses: Promise<ApiResponse>[] = [];
  await sql.begin(async (t) => {
    await t`select from public.podcasts where id = ${show.id} for update`; // finishing begins with this lock
    responses = pilots.map((pilot) => put(show, pilot, { as: "admin" }));
    await waitFor("all objects are stored", async () => await stored() >= before + pilots.length);
    await change?.(t);
  });
  return await Promise.all(responses);
}

Deno.test("of two concurrent audio uploads to one episode, one succeeds, the other returns 409, and one object is left", async () => {
  const pilot = await episode(show);
  const responses = await duringRequest([pilot, pilot]);
  const [won, lost] = responses.toSorted((a, b) => a.status - b.status);
  assert.equal(won.status, 200, won.text);
  assertError(lost, 409, { code: "CONCURRENT_REPLACEMENT" });
  assert.deepEqual(await objectsOf(pilot), [won.body.path]);
  assert.equal((await audioOf(pilot)).url, won.body.publicUrl);
});

Deno.test("an audio upload returns 403 and leaves no object when the caller loses the role while the bytes are stored", async () => {
  const pilot = await episode(show), admin = await person("admin");
  let response!: Promise<ApiResponse>;
  await sql.begin(async (t) => {
    await t`select from public.podcasts where id = ${show.id} for update`; // finishing begins with this lock
    response = put(show, pilot, { as: "admin" });
    await waitFor("the bytes are stored", async () => (await objectsOf(pilot)).length === 1);
    await t`delete from public.podcast_members where podcast_id = ${show.id} and user_id = ${admin.id}`;
  });
  try {
    assertError(await response, 403);
    assert.deepEqual(await objectsOf(pilot), []);
    assert.equal((await audioOf(pilot)).url, null);
  } finally {
    await addMember(show, admin, "admin");
  }
});

Deno.test("a rejected audio replacement keeps the previous audio and keeps serving it", async () => {
  const pilot = await episode(show);
  const { body: before } = await put(show, pilot, { as: "admin", body: "the first", query: { duration: "7" } });
  const [response] = await duringRequest([pilot], (t) => assertStorageUsed(t, ALLOWANCE));
  await assertStorageUsed(sql, 0);
  assertError(response, 409, { code: "STORAGE_ALLOWANCE_EXCEEDED" });
  assert.deepEqual(await objectsOf(pilot), [before.path]);
  assert.deepEqual(await audioOf(pilot), { url: before.publicUrl, bytes: 9, type: "audio/mpeg", seconds: 7 });
  assert.equal(await (await fetch(before.publicUrl)).text(), "the first");
});

Deno.test("new audio for a published episode keeps the previous object, and the feed references the new one", async () => {
  const pilot = await episode(show);
  const { body: before } = await put(show, pilot, { as: "admin", body: "the first" });
  await callRpc(await person("admin"), "publish_episode", { episode_id: pilot.id });
  const feed = async () => await (await fetch(`${stackInfo.functionsUrl}/public/feeds/${show.slug}.xml`)).text();
  await waitFor("the feed references the audio", async () => (await feed()).includes(before.publicUrl));
  const { body: after } = await put(show, pilot, { as: "admin", body: "the second" });
  await waitFor("the feed references the new audio", async () => (await feed()).includes(after.publicUrl));
  assert.ok(!(await feed()).includes(before.publicUrl));
  assert.deepEqual(await objectsOf(pilot), [before.path, after.path]);
  assert.equal(await (await fetch(before.publicUrl)).text(), "the first");
});

/** Sets the account's storage usage. */
const assertStorageUsed = (t: postgres.Sql | postgres.TransactionSql, bytes: number) =>
  t`update public.billing_accounts set storage_bytes_used = ${bytes} where user_id = ${account}`;
