// Feeds that take long: what counts is waiting for their server, and a request leaves a long feed to the worker.
import assert from "node:assert/strict";
import { Buffer } from "node:buffer";
import { createWaitLimit } from "../../functions/imports/wait_limit.ts";
import { timeBudget } from "../../functions/worker/run_limits.ts";
import { createFeedDatabase, makePodcast } from "../feed_writer/feed_database.ts";
import { renderFeed, startSource } from "../worker/source.ts";

const pause = (ms: number) => new Promise((resolve) => setTimeout(resolve, ms));

Deno.test("createWaitLimit counts waiting for a server, and not what the reader does in between", async () => {
  const wait = createWaitLimit(200);
  let left = 5;
  const body = new ReadableStream<Uint8Array>({
    pull: (controller) => left-- ? controller.enqueue(new Uint8Array(1)) : controller.close(),
  });
  for await (const _chunk of wait.read(body)) await pause(100);
  assert.equal(wait.signal.aborted, false);
});

Deno.test("createWaitLimit ends what waits longer in all, with TIMEOUT", async () => {
  const wait = createWaitLimit(50);
  await wait.count(pause(30));
  const aborted = new Promise((_, reject) => wait.signal.addEventListener("abort", () => reject(wait.signal.reason)));
  await assert.rejects(wait.count(aborted), { code: "TIMEOUT", message: "The server took too long to respond" });
});

Deno.test({
  name: "claimAndStageFeed leaves a feed to the worker when its time is over, which is longer for few items",
  sanitizeOps: false,
  sanitizeResources: false,
  async fn() {
    await using database = await createFeedDatabase();
    const { sql } = database, COUNT = 1000;
    await using source = startSource(() => ({
      body: Buffer.from(
        renderFeed(Array.from({ length: COUNT }, (_, n) => ({ guid: `${n}`, audio: "a.mp3" })), "http://a.example/"),
      ),
    }));
    await sql`select private.set_setting('fetch_allowed_hosts', ${source.host})`;
    const { claimAndStageFeed } = await import("../../functions/imports/claim_and_stage_feed.ts");
    const { readImportFeedJob } = await import("../../functions/worker/jobs/read_import_feed.ts");
    const { drain } = await import("../../functions/worker/loop.ts");
    const podcastId = await makePodcast(sql), url = `${source.url}feed.xml`;
    const start = async () => {
      await sql`delete from public.podcast_imports`;
      const [{ id }] = await sql`
        insert into public.podcast_imports (podcast_id, feed_url) values (${podcastId}, ${url}) returning id`;
      await sql`select private.enqueue('import_feeds', ${sql.json({ type: "import_feed", import_id: id })}, 5)`;
      return id;
    };
    assert.equal(
      JSON.parse(await claimAndStageFeed(await start(), { maxMs: 0, maxItems: COUNT })).status,
      "preview",
    );
    const handOver = async (limits: Parameters<typeof claimAndStageFeed>[1]) => {
      const importId = await start();
      const { totalItems, ...result } = JSON.parse(await claimAndStageFeed(importId, limits));
      assert.deepEqual(result, { importId, status: "pending" });
      await drain(readImportFeedJob as Parameters<typeof drain>[0], timeBudget(60_000));
      const rows = await sql`select status, total_items from public.podcast_imports where id = ${importId}`;
      assert.deepEqual([...rows], [{ status: "preview", total_items: COUNT }]);
      assert.deepEqual([...await sql`select from pgmq.q_import_feeds`], []);
      return totalItems;
    };
    const staged = await handOver({ maxMs: 0, maxItems: 300 });
    assert.ok(staged > 300 && staged < COUNT, `${staged}`);
    assert.equal(await handOver({ maxTotalMs: 0 }), 0);
  },
});
