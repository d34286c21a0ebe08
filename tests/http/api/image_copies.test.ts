// Copies of images: the worker makes them of each stored image, /v1 names them, and they end with their original.
import assert from "node:assert/strict";
import { decodeImage } from "../../../functions/media/copies/codecs.ts";
import { callRpc, episode, person, type Podcast, podcast, sendRequest, sql, stackInfo, waitFor } from "../harness.ts";
import { png } from "../../image_fixtures.ts";
import { BLUE, colorsOf, GREEN, isNear, pngOf, quadrants, RED, YELLOW } from "../../media/copies/pictures.ts";
import { startWorker } from "../../worker/worker.ts";
import { byToken, invite } from "./guest_email.ts";
import { assertGone, FOREVER, newUserName, publicUrl, storageUsed, uploaded } from "./images.ts";
import { put as putAudio } from "./audio.ts";

const colors = [RED, GREEN, BLUE, YELLOW];
const picture = (side = 1400) => pngOf(quadrants(side, side), { colorType: 3 });

const slugOf = async ({ id }: Podcast) => (await sql`select slug from public.podcasts where id = ${id}`)[0].slug;
const copyPaths = (show: Podcast, path: string) =>
  ["160.webp", "640.webp", "640.jpg"].map((name) =>
    `podcasts/${show.id}/derived/${/([^/]+)\.\w+$/.exec(path)![1]}/${name}`
  );

async function storedCopies({ id }: Podcast): Promise<string[]> {
  const rows = await sql<{ name: string }[]>`select name from storage.objects
    where starts_with(name, ${`podcasts/${id}/derived/`}) order by name`;
  return rows.map(({ name }) => name);
}

const recordedCopies = async (path: string) =>
  (await sql<{ path: string }[]>`select path from private.media_copies where original_path = ${path} order by path`)
    .map((row) => row.path);

const copied = (show: Podcast, path: string) =>
  waitFor("the copies are made", async () => {
    const waiting = await sql`select from pgmq.q_image_derivatives where message ->> 'path' = ${path}`;
    return waiting.length === 0 && (await recordedCopies(path)).join() === copyPaths(show, path).sort().join();
  }, 60);

async function assertCopies(
  copies: { url: string; type: string; width: number; height: number }[],
  show: Podcast,
  path: string,
) {
  const [small, webp, jpeg] = copyPaths(show, path).map(publicUrl);
  assert.deepEqual(copies, [
    { url: small, type: "image/webp", width: 160, height: 160 },
    { url: webp, type: "image/webp", width: 640, height: 640 },
    { url: jpeg, type: "image/jpeg", width: 640, height: 640 },
  ]);
  for (const { url, type, width } of copies) {
    const response = await fetch(url);
    assert.deepEqual(
      [response.status, response.headers.get("content-type"), response.headers.get("cache-control")],
      [200, type, FOREVER],
    );
    const pixels = await decodeImage(new Uint8Array(await response.arrayBuffer()), type as "image/webp");
    assert.equal(pixels.width, width);
    assert.ok(isNear(colorsOf(pixels), colors), JSON.stringify(colorsOf(pixels)));
  }
}

Deno.test("a cover and an episode's cover get copies, for /v1 and guest pages, not for its feed or charges", async () => {
  const owner = newUserName("copies"), show = await podcast("Copied covers", owner), pilot = await episode(show);
  const { token } = await person(owner), as = { token };
  const cover = await uploaded(show, "cover", { body: picture(), as });
  const own = await uploaded(show, pilot, { body: picture(1500), as });
  await putAudio(show, pilot, { as });
  await callRpc(await person(owner), "publish_episode", { episode_id: pilot.id });
  await Promise.all([copied(show, cover.path), copied(show, own.path)]);
  const slug = await slugOf(show);
  const { body: podcastBody } = await sendRequest({ method: "GET", path: `/public/v1/podcasts/${slug}`, as: "anon" });
  await assertCopies(podcastBody.data.coverCopies, show, cover.path);
  const { body: list } = await sendRequest({ method: "GET", path: `/public/v1/podcasts/${slug}/episodes`, as: "anon" });
  await assertCopies(list.data[0].coverCopies, show, own.path);
  const { token: accessToken } = await invite(pilot, {}, as);
  const guestPage = await byToken("/episode", accessToken);
  await assertCopies(guestPage.body.data.podcast.coverCopies, show, cover.path);
  await assertCopies(guestPage.body.data.episode.coverCopies, show, own.path);
  await waitFor("the feed names the original images and no copy", async () => {
    const { text } = await sendRequest({ method: "GET", path: `/public/feeds/${slug}.xml`, as: "anon" });
    return [cover, own].every(({ path }) => text.includes(publicUrl(path))) && !text.includes("/derived/");
  });
  const [{ bytes }] =
    await sql`select sum(bytes)::int as bytes from private.media_objects where podcast_id = ${show.id}`;
  assert.equal(await storageUsed(owner), bytes);
});

Deno.test("deleting an image deletes its copies at once, and counts the image only", async () => {
  const show = await podcast("Copies that end"), { path } = await uploaded(show, "cover", { body: picture() });
  await copied(show, path);
  const { body } = await sendRequest({ method: "DELETE", path: `/api/media/image/${show.id}/cover`, as: "admin" });
  assert.deepEqual(body, { success: true, deletedCount: 1 });
  assert.deepEqual([await storedCopies(show), await recordedCopies(path)], [[], []]);
  for (const copy of copyPaths(show, path)) await assertGone(copy);
});

Deno.test("an image that cannot be decoded ends in the dead-letter queue, and is not enqueued again", async () => {
  const show = await podcast("Not decoded");
  const body = png({ width: 1400, height: 1400, bytes: 50_000 }); // valid up to its data
  const damaged = body.slice();
  damaged.fill(0x55, body.length - 200, body.length - 12);
  const { path } = await uploaded(show, "cover", { body: damaged });
  const dead = () =>
    sql`select message ->> 'error' as error from pgmq.q_image_derivatives_dlq
    where message -> 'message' ->> 'path' = ${path}`;
  const isQueued = async () =>
    (await sql`select from pgmq.q_image_derivatives where message ->> 'path' = ${path}`).length > 0;
  await waitFor("the messages are handled", async () => !await isQueued(), 60);
  assert.ok((await dead()).length >= 1); // the others find the image rejected, unless two workers read it at once
  for (const { error } of await dead()) assert.match(error, new RegExp(`${path} cannot be decoded: .`));
  await sql`delete from pgmq.q_image_derivatives_dlq where message -> 'message' ->> 'path' = ${path}`;
  await sql`select private.enqueue_missing_image_copies(max_images => 100000)`;
  assert.deepEqual([await isQueued(), await storedCopies(show)], [false, []]);
});

Deno.test("an image that lacks copies gets them from the job that looks for such images", async () => {
  const show = await podcast("From before"), { path } = await uploaded(show, "cover", { body: picture() });
  await copied(show, path);
  await sql`delete from private.media_copies where original_path = ${path}`;
  await sql`update private.media_objects set copies_ended_at = null where path = ${path}`;
  await sql`select private.enqueue_missing_image_copies(max_images => 100000)`;
  await copied(show, path);
});

/** A large image, of which only a standalone worker makes copies. */
async function large(title: string) {
  const show = await podcast(title),
    { path } = await uploaded(show, "cover", { body: png({ width: 3010, height: 3010 }) });
  return { show, path };
}

const visible = () => sql`update pgmq.q_large_images set vt = now() where vt > now()`;

/** Runs `change` once a worker of its own has stored a copy and waits to record it. */
async function beforeRecording(path: string, change: (kill: () => Promise<void>) => Promise<unknown>, ending?: string) {
  const worker = await startWorker(stackInfo, ["large_images"]);
  await sql.begin(async (t) => {
    await t`select from private.media_objects where path = ${path} for update`;
    await waitFor("a copy waits to be recorded", async () => {
      const waiting = await sql`select from pg_stat_activity
        where wait_event_type = 'Lock' and query like '%finish_image_copy%'`;
      return waiting.length > 0;
    }, 60);
    await change(worker.kill);
    if (ending) await t.unsafe(ending, [path]);
  });
  return worker;
}

Deno.test("a standalone worker makes the copies of a large image, also after one died before it recorded a copy", async () => {
  const { show, path } = await large("Large");
  await using _ = await beforeRecording(path, async (kill) => {
    await kill();
    await sql`select pg_terminate_backend(pid) from pg_stat_activity
      where wait_event_type = 'Lock' and query like '%finish_image_copy%'`; // it continues without its client
    assert.equal((await storedCopies(show)).length, 1);
  });
  assert.deepEqual(await recordedCopies(path), []);
  await visible();
  await using _worker = await startWorker(stackInfo, ["large_images"]);
  await copied(show, path);
  assert.deepEqual(await storedCopies(show), copyPaths(show, path).sort());
});

Deno.test("a copy that is stored after its original was deleted is deleted", async () => {
  const { show, path } = await large("Gone meanwhile");
  await using _ = await beforeRecording(path, async () => {}, "delete from private.media_objects where path = $1");
  await waitFor("the copy is deleted", async () => (await storedCopies(show)).length === 0);
  assert.deepEqual(await recordedCopies(path), []);
  await waitFor("the messages are acknowledged", async () => {
    await visible();
    return (await sql`select from pgmq.q_large_images where message ->> 'path' = ${path}`).length === 0;
  });
});
