// The largest feed: 25,000 items in 65 MB. How long POST /api/imports/podcast takes, whether it hands the feed over to
// the worker and how long that takes, and the calls on such an import. node local/deno.mjs bench/import/large.ts [items]
import { join } from "node:path";
import { startHttpServer } from "../../tests/http_server.ts";
import { startImportStack } from "../../tests/worker/import_stack.ts";
import { startEdgeWorker } from "../../tests/worker/worker.ts";
import { writeFeed } from "./feed.ts";

const ITEMS = Number(Deno.args[0] ?? 25_000), MB = 1024 * 1024;
const path = join(await Deno.makeTempDir(), "feed.xml");
const size = await writeFeed(path, ITEMS, { noteChars: 1100 });
await using server = startHttpServer(async () => {
  const { readable } = await Deno.open(path);
  const headers = {
    "content-type": "application/rss+xml",
    "content-length": `${size}`,
    "content-encoding": "identity",
  };
  return new Response(readable, { headers });
});
await using stack = await startImportStack([new URL(server.url).host]);
await using worker = await startEdgeWorker(stack.at);
const { sql, podcastId } = stack;

/** Prints how long a step takes. */
async function timed<T>(title: string, run: () => Promise<T>): Promise<T> {
  const from = performance.now(), result = await run();
  console.log(`${title}: ${((performance.now() - from) / 1000).toFixed(2)} s`);
  return result;
}

console.log(`${ITEMS} items, ${(size / MB).toFixed(0)} MB`);
const started = await timed(
  "start",
  () => stack.post("podcast", { podcast_id: podcastId, feed_url: `${server.url}/feed.xml` }),
);
if (started.status !== 200) throw new Error(JSON.stringify(started.body));
const { importId, status, totalItems } = started.body.data;
console.log(`${status}, ${totalItems} items`);
/** Waits until the worker has read the feed. */
async function read(): Promise<void> {
  for (let n = 0;; n++) {
    if (n % 10 === 0) await worker.wake("import_feeds");
    await new Promise((resolve) => setTimeout(resolve, 500));
    const [row] = await sql`select status, total_items, error_message from public.podcast_imports`;
    if (row.status !== "pending") return console.log(row.status, row.total_items, row.error_message ?? "");
  }
}
if (status === "pending") await timed("the worker", read);
const claims = `{"sub": "${stack.ownerId}", "role": "authenticated"}`;
const asOwner = (call: string) =>
  sql.begin(async (as) => {
    await as`select set_config('request.jwt.claims', ${claims}, true)`;
    await as`set local role authenticated`;
    return await as.unsafe(`select length(public.${call}::text) as bytes`);
  });
await timed("get_import", () => asOwner(`get_import('${importId}')`));
await timed("get_import_report", () => asOwner(`get_import_report('${importId}')`));
await timed("confirm_import", () => asOwner(`confirm_import('${importId}')`));
await timed("cancel_import", () => asOwner(`cancel_import('${importId}')`));
await timed("delete", () => sql`delete from public.podcast_imports where id = ${importId}`);

await asOwner(`start_import('${podcastId}', '${server.url}/feed.xml')`);
await timed("the worker, after an RPC call", read);
Deno.exit(0);
