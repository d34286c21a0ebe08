// Measures the memory of importing a large file in the functions' process.
import assert from "node:assert/strict";
import { waitFor } from "../wait_for.ts";
import type { ImportStack } from "./import_stack.ts";
import type { Source } from "./source.ts";
import type { startEdgeWorker } from "./worker.ts";

/** Imports the source's feed, the episode `small` first, which loads every module that an import needs. */
export async function importedIn(
  stack: ImportStack,
  worker: Awaited<ReturnType<typeof startEdgeWorker>>,
  source: Source,
) {
  const { sql } = stack;
  const id = await stack.startConfirmed(`${source.url}feed.xml`);
  const isDone = async (guid: string) => {
    const [{ status, error_message: error }] = await sql`
      select status, error_message from public.podcast_import_items where import_id = ${id} and guid = ${guid}`;
    assert.ok(["pending", "processing", "completed"].includes(status), `${guid}: ${status}, ${error}`);
    return status === "completed";
  };
  await sql`update pgmq.q_import_items q set vt = now() + interval '1 hour' where message ->> 'import_item_id' = (
    select i.id::text from public.podcast_import_items i where i.import_id = ${id} and i.guid = 'large')`;
  await worker.wake();
  await waitFor("the small one is there", () => isDone("small"));

  const resident = () => Number(Deno.readTextFileSync(`/proc/${worker.pid}/statm`).split(" ")[1]) * 4096;
  await new Promise((resolve) => setTimeout(resolve, 1000));
  const idle = resident(), startedAt = performance.now();
  let peak = idle;
  const sampler = setInterval(() => peak = Math.max(peak, resident()), 2);
  await stack.makeMessagesVisible();
  await worker.wake();
  await waitFor("the large one is there", () => isDone("large"), 120);
  clearInterval(sampler);
  return { id, idle, peak, seconds: (performance.now() - startedAt) / 1000 };
}
