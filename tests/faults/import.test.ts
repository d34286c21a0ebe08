// Imports a back catalog from a failing host with workers that are killed repeatedly: every episode is imported once,
// and nothing is left over.
import assert from "node:assert/strict";
import { Buffer } from "node:buffer";
import { startImportStack } from "../worker/import_stack.ts";
import { type Behavior, mp3, renderFeed, startSource } from "../worker/source.ts";
import { startEdgeWorker, startWorker } from "../worker/worker.ts";
import { waitFor } from "../wait_for.ts";
import { randomNumbers } from "../random.ts";
import { byScale } from "../scale.ts";

const EPISODES = byScale(40, 300), KILLS = byScale(5, 36), MB = 1024 * 1024;
/** One file in this many is longer than a part. */
const LONG = byScale(20, 30);

Deno.test({
  name: "an import with repeatedly killed workers and a failing host imports every episode once",
  sanitizeOps: false,
  sanitizeResources: false,
  async fn() {
    const next = randomNumbers(20261128);
    const files = Array.from({ length: EPISODES }, (_, n) => mp3(n % LONG === 7 ? 13 * MB + n : 20_000 + n * 417, n));
    const healed = { now: false };
    let failures = 0;
    const faults = ["500", "503", "reset", "stall", "short", "none", "none", "none"] as const;
    await using source = startSource(({ path }) => {
      if (path === "/feed.xml") {
        return { body: renderFeed(files.map((_, n) => ({ guid: `episode ${n}`, audio: `${n}.mp3` })), source.url) };
      }
      const file = files[Number(path.slice(1, -4))];
      const well: Behavior = { body: file, headers: { "content-type": "audio/mpeg", etag: `"${file.size}"` } };
      const fault = healed.now ? "none" : faults[Math.floor(next() * faults.length)];
      if (fault !== "none") failures++;
      const cut = Math.floor(next() * file.size);
      if (fault === "500") return { status: 500 };
      if (fault === "503") return { status: 503, headers: { "retry-after": "1" } };
      if (fault === "short") return { ...well, cut };
      return fault === "none" ? well : { ...well, cut, then: fault };
    });
    await using stack = await startImportStack([source.host]);
    const { sql, podcastId } = stack;
    const id = await stack.startConfirmed(`${source.url}feed.xml`);
    const statusOf = async () =>
      (await sql<{ status: string }[]>`select status from public.podcast_imports where id = ${id}`)[0].status;

    let struck = 0; // kills that hit an import at work
    for (let kill = 0; kill < KILLS; kill++) {
      const worker = await startWorker(stack.at);
      const before = source.requests.length;
      await waitFor(
        "the worker processes items",
        async () => source.requests.length > before || await statusOf() !== "running",
      );
      await new Promise((resolve) => setTimeout(resolve, next() * 400));
      await worker.kill();
      if (await statusOf() === "running") struck++;
      await stack.endVisibilityTimeouts();
      source.release();
    }
    assert.ok(struck >= byScale(4, 30), `only ${struck} kills came before its end`);
    assert.ok(failures > KILLS, `${failures} failures: the host was too well`);
    {
      await using _worker = await startWorker(stack.at);
      await waitFor("the import ends", async () => {
        source.release(); // stalled responses are not awaited
        await stack.makeMessagesVisible();
        return await statusOf() !== "running" && await isAcknowledged();
      }, 120);
    }

    const standing = await stack.countByStatus(id);
    await assertCounters(standing);
    assert.deepEqual(Object.keys(standing).filter((status) => !["completed", "failed"].includes(status)), []);
    assert.equal((standing.completed ?? 0) + (standing.failed ?? 0), EPISODES);
    for (const { error_message, error_code } of await failed()) {
      assert.equal(error_code, "RETRIES_EXHAUSTED", error_message);
    }

    // the host has recovered, and a retry imports the failed items
    healed.now = true;
    if (standing.failed) {
      const { status, body } = await stack.post(`${id}/retry-failed`);
      assert.equal(status, 200, JSON.stringify(body));
      await using _worker = await startWorker(stack.at);
      await waitFor("the other items finish", async () => {
        await stack.makeMessagesVisible();
        return await statusOf() === "completed" && await isAcknowledged();
      }, 60);
    }
    await assertCounters({ completed: EPISODES });

    const episodes = await sql<{ guid: string; url: string; bytes: number; status: string }[]>`
      select guid, audio_url as url, audio_file_size_bytes::int as bytes, status from public.episodes where podcast_id = ${podcastId}`;
    assert.deepEqual(
      episodes.map(({ guid, bytes, status }) => `${guid}: ${bytes}, ${status}`).sort(),
      files.map(({ size }, n) => `episode ${n}: ${size}, published`).sort(),
    );
    for (const { guid, url } of episodes) {
      const file = files[Number(guid.split(" ")[1])], served = Buffer.from(await (await fetch(url)).arrayBuffer());
      assert.equal(served.length, file.size, guid);
      assert.equal(Buffer.compare(served.subarray(-100_000), lastOf(file)), 0, guid);
    }

    assert.equal((await sql`select from private.import_transfers`).length, 0);
    const [{ drift }] = await sql`
      select count(*)::int as drift from public.billing_accounts a
      where a.storage_bytes_used <> coalesce((select sum(bytes) from private.media_objects m
        where m.account_id = a.user_id and m.released_at is null), 0)`;
    assert.equal(drift, 0);
    await assertNoOrphans();

    async function assertCounters({ completed = 0, failed = 0 }: Record<string, number>) {
      const [row] = await sql`
        select status, total_items, completed_count, failed_count, skipped_count from public.podcast_imports where id = ${id}`;
      const status = !failed ? "completed" : completed ? "partial" : "failed";
      assert.deepEqual({ ...row }, {
        status,
        total_items: EPISODES,
        completed_count: completed,
        failed_count: failed,
        skipped_count: 0,
      });
      assert.deepEqual(await stack.countByStatus(id), { ...completed && { completed }, ...failed && { failed } });
    }

    /** Whether all messages are acknowledged; a worker that is killed after it finished an item leaves its message. */
    async function isAcknowledged() {
      return !(await sql`select from pgmq.q_import_items`).length;
    }

    function failed() {
      return sql`select error_message, error_code from public.podcast_import_items where import_id = ${id} and status = 'failed'`;
    }

    /** Asserts that a sweep a month later deletes every object that no episode references. */
    async function assertNoOrphans() {
      const objects = async () =>
        (await sql<{ name: string }[]>`select name from storage.objects where bucket_id = 'media'`).map(({ name }) =>
          name
        );
      const named = (await sql<{ path: string }[]>`
        select path from private.media_objects where released_at is null
        union all
        select path from private.media_copies`)
        .map(({ path }) => path);
      await sql`update storage.objects set created_at = now() - interval '30 days' where bucket_id = 'media'`;
      await sql`select private.sweep_storage()`;
      await using worker = await startEdgeWorker(stack.at);
      await waitFor("the sweep is finished", async () => {
        await worker.wake("storage_gc");
        return !(await sql`select from pgmq.q_storage_gc`).length;
      });
      assert.deepEqual((await objects()).sort(), named.sort());
    }
  },
});

/** The last bytes of a file, up to 100,000. */
function lastOf(file: ReturnType<typeof mp3>): Buffer {
  const from = Math.max(0, file.size - 100_000), bytes = Buffer.alloc(file.size - from);
  for (let at = from; at < file.size;) {
    const piece = file.from(at);
    bytes.set(piece, at - from);
    at += piece.length;
  }
  return bytes;
}
