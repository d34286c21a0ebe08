// How long an import of 130 tiny episodes takes, from its confirmation to its end, to the queue's pacing of a quarter of
// a second each. With functions as on the platform, which the database wakes. Goal: at most 1.1 times.
// node local/deno.mjs bench/import/pacing.ts [items]
import { startImportStack } from "../../tests/worker/import_stack.ts";
import { allBytes, mp3, renderFeed, startSource } from "../../tests/worker/source.ts";
import { startEdgeWorker } from "../../tests/worker/worker.ts";

const ITEMS = Number(Deno.args[0] ?? 130), PACE_MS = 250, GOAL = 1.1;
const file = allBytes(mp3(4096));
const source = startSource(({ path }) =>
  path === "/feed.xml"
    ? { body: renderFeed(Array.from({ length: ITEMS }, (_, n) => ({ guid: `${n}`, audio: `${n}.mp3` })), source.url) }
    : { body: file, headers: { "content-type": "audio/mpeg" } }
);
await using stack = await startImportStack([source.host]);
const { sql, post, podcastId } = stack;
await using worker = await startEdgeWorker(stack.at);
const { data: { importId } } =
  (await post("podcast", { podcast_id: podcastId, feed_url: `${source.url}feed.xml` })).body;
await post(`${importId}/confirm`, { applyDetectedEpisodeNumbers: false, limit: null });
const startedAt = Date.now();
await worker.wake();
// as cron does, while messages are visible
const cron = setInterval(async () => {
  const visible = await sql`select from pgmq.q_import_items where vt <= clock_timestamp() limit 1`;
  if (visible.length) await worker.wake();
}, 5000);
for (;;) {
  const [{ status, finished_at }] = await sql`
    select status, finished_at from public.podcast_imports where id = ${importId}`;
  if (status === "completed") {
    const took = finished_at.getTime() - startedAt, ratio = took / (ITEMS * PACE_MS);
    console.log(
      `${ITEMS} tiny episodes: ${(took / 1000).toFixed(1)} s, ${ratio.toFixed(2)} of the pacing, goal ${GOAL}`,
    );
    clearInterval(cron);
    Deno.exit(ratio <= GOAL ? 0 : 1);
  }
  if (status !== "running") throw new Error(`The import is ${status}`);
  await new Promise((resolve) => setTimeout(resolve, 100));
}
