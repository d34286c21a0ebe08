// Audio over audio: what happens to the previous object, to races, and to what changes while the bytes are stored.
import assert from "node:assert/strict";
import {
  type Answer,
  at,
  type Episode,
  episode,
  eventually,
  isRefused,
  person,
  podcast,
  sql,
  verb,
} from "../harness.ts";
import { audioOf, objectsOf, put } from "./audio.ts";

const show = await podcast("Replaced");

/** Starts uploads, lets them store their objects, changes something, and only then lets them finish. */
async function meanwhile(
  pilot: Episode,
  uploads: number,
  change: (t: typeof sql) => Promise<unknown>,
): Promise<Answer[]> {
  const stored = (await objectsOf(pilot)).length + uploads;
  const { id } = await person("owner");
  let answers: Promise<Answer>[] = [];
  await sql.begin(async (t) => {
    await t`select from public.billing_accounts where user_id = ${id} for update`; // finish_audio_upload waits for it
    answers = Array.from({ length: uploads }, () => put(show, pilot));
    await eventually("all are stored", async () => (await objectsOf(pilot)).length === stored);
    await change(t as unknown as typeof sql);
  });
  return await Promise.all(answers);
}

Deno.test("Of two uploads that race for one episode one wins, the other gets 409, and one object is left", async () => {
  const pilot = await episode(show);
  const answers = await meanwhile(pilot, 2, () => Promise.resolve());
  const [won, lost] = answers.toSorted((a, b) => a.status - b.status);
  assert.equal(won.status, 200, won.text);
  isRefused(lost, 409, { code: "CONCURRENT_REPLACEMENT" });
  assert.deepEqual(await objectsOf(pilot), [won.body.path]);
  assert.equal((await audioOf(pilot)).url, won.body.publicUrl);
});

Deno.test("Two episodes that race for the last of the allowance: one gets it, the other 409 and leaves no object", async () => {
  const full = await podcast("Racing", "racing"), [one, two] = [await episode(full, "One"), await episode(full, "Two")];
  const { id } = await person("racing");
  await sql`update public.billing_accounts set storage_bytes_used = 1073741824 - 15 where user_id = ${id}`;
  let answers: Promise<Answer>[] = [];
  await sql.begin(async (t) => {
    await t`select from public.billing_accounts where user_id = ${id} for update`;
    answers = [put(full, one), put(full, two)];
    await eventually(
      "both are stored",
      async () => (await objectsOf(one)).length + (await objectsOf(two)).length === 2,
    );
  });
  const statuses = (await Promise.all(answers)).map(({ status }) => status);
  assert.deepEqual(statuses.toSorted(), [200, 409]);
  assert.equal((await objectsOf(one)).length + (await objectsOf(two)).length, 1);
});

Deno.test("An episode that is deleted while its bytes are stored is a 404, and no object is left", async () => {
  const pilot = await episode(show);
  const [answer] = await meanwhile(pilot, 1, (t) => t`delete from public.episodes where id = ${pilot.id}`);
  isRefused(answer, 404);
  assert.deepEqual(await objectsOf(pilot), []);
});

Deno.test("Who loses the role while the bytes are stored gets 403, and the previous audio is kept and served", async () => {
  const pilot = await episode(show);
  const { body: before } = await put(show, pilot, { body: "the first" });
  const { id } = await person("owner");
  const taken = (to: string) =>
    sql`update public.podcast_members set role = ${to} where podcast_id = ${show.id} and user_id = ${id}`;
  await sql`alter table public.podcast_members disable trigger user`;
  try {
    const [answer] = await meanwhile(
      pilot,
      1,
      (t) => t`update public.podcast_members set role = 'member' where podcast_id = ${show.id} and user_id = ${id}`,
    );
    isRefused(answer, 403);
  } finally {
    await taken("owner");
    await sql`alter table public.podcast_members enable trigger user`;
  }
  assert.deepEqual(await objectsOf(pilot), [before.path]);
  assert.equal((await audioOf(pilot)).url, before.publicUrl);
  assert.equal(await (await fetch(before.publicUrl)).text(), "the first");
});

Deno.test("New audio for an episode that was never published removes the previous object", async () => {
  const pilot = await episode(show);
  const { body: before } = await put(show, pilot);
  const { body: after } = await put(show, pilot);
  assert.notEqual(after.path, before.path);
  await eventually("only the new object is left", async () => (await objectsOf(pilot)).join() === after.path);
});

Deno.test("New audio for a published episode keeps the previous object, and the feed names the new one", async () => {
  const pilot = await episode(show);
  const { body: before } = await put(show, pilot, { body: "the first" });
  await verb(await person("owner"), "publish_episode", { episode_id: pilot.id });
  const feed = async () => await (await fetch(`${at.functionsUrl}/public/feeds/${show.slug}.xml`)).text();
  await eventually("the feed names the audio", async () => (await feed()).includes(before.publicUrl));
  const { body: after } = await put(show, pilot, { body: "the second" });
  await eventually("the feed names the new audio", async () => (await feed()).includes(after.publicUrl));
  assert.ok(!(await feed()).includes(before.publicUrl));
  assert.deepEqual(await objectsOf(pilot), [before.path, after.path]);
  assert.equal(await (await fetch(before.publicUrl)).text(), "the first");
});
