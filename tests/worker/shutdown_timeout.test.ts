// The standalone worker receives a signal while an episode's transfer is stalled.
import assert from "node:assert/strict";
import { waitFor } from "../wait_for.ts";
import { startPausedSource } from "./paused_source.ts";
import { startImportStack } from "./import_stack.ts";
import { mp3 } from "./source.ts";
import { drainOnce, startWorker } from "./worker.ts";

const MB = 1024 * 1024;

Deno.test({
  name: "a standalone worker abandons a slow transfer after a signal, and another worker resumes it",
  sanitizeOps: false,
  sanitizeResources: false,
  async fn() {
    await using source = startPausedSource({ long: mp3(13 * MB) }, 7 * MB);
    await using stack = await startImportStack([source.host]);
    const { sql } = stack;
    const id = await stack.startConfirmed(source.feedUrl);
    await using worker = await startWorker(stack.at);
    await waitFor("a part is stored", async () => {
      return (await sql`select from private.import_transfers where received_bytes = ${6 * MB}`).length;
    }, 40);
    assert.deepEqual(await worker.end(), { success: true, code: 0, signal: null });
    assert.deepEqual(await stack.countByStatus(id), { processing: 1 });

    source.release();
    await stack.endVisibilityTimeouts();
    await drainOnce(stack.at);
    assert.deepEqual(await stack.countByStatus(id), { completed: 1 });
    assert.deepEqual(source.requests.map(({ range }) => range), [null, `bytes=${6 * MB}-`]);
  },
});
