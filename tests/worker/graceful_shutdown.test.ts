// The standalone worker receives a signal while it transfers episodes.
import assert from "node:assert/strict";
import { waitFor } from "../wait_for.ts";
import { startPausedSource } from "./paused_source.ts";
import { startImportStack } from "./import_stack.ts";
import { mp3 } from "./source.ts";
import { startWorker } from "./worker.ts";

const PAUSED = ["one", "two", "three", "four"]; // the concurrency of import_items

Deno.test({
  name: "a standalone worker finishes its transfers after a signal, claims no further messages, and exits",
  sanitizeOps: false,
  sanitizeResources: false,
  async fn() {
    const file = mp3(200_000);
    const names = [...PAUSED, "five"];
    await using source = startPausedSource(Object.fromEntries(names.map((name) => [name, file])), 100_000);
    await using stack = await startImportStack([source.host]);
    const { sql } = stack;
    const id = await stack.startConfirmed(source.feedUrl);
    await using worker = await startWorker(stack.at);
    await waitFor("four are on their way", () => source.underway() === PAUSED.length, 40);

    const ending = worker.end();
    source.release();
    assert.deepEqual(await ending, { success: true, code: 0, signal: null });

    const items = await sql`
      select i.guid, i.status, i.attempts, e.status as episode, e.audio_file_size_bytes::int as bytes
      from public.podcast_import_items i left join public.episodes e on e.id = i.episode_id
      where i.import_id = ${id} order by i.position`;
    assert.deepEqual(items.map((row) => ({ ...row })), [
      ...PAUSED.map((guid) => ({ guid, status: "completed", attempts: 1, episode: "published", bytes: 200_000 })),
      { guid: "five", status: "pending", attempts: 0, episode: null, bytes: null },
    ]);
    assert.deepEqual(source.requests.map(({ name }) => name).sort(), [...PAUSED].sort());
    const [left, ...more] = await sql`select read_ct::int as reads, vt <= now() as "isDue" from pgmq.q_import_items`;
    assert.deepEqual([left.reads, left.isDue, more.length], [0, true, 0]);
  },
});
