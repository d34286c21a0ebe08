// Enclosures of hundreds of megabytes are read in parts in little memory of the functions, and reading stops at the
// size limit.
import assert from "node:assert/strict";
import { Buffer } from "node:buffer";
import { importedIn } from "../worker/memory.ts";
import { startImportStack } from "../worker/import_stack.ts";
import { type Behavior, mp3, renderFeed, startSource } from "../worker/source.ts";
import { startEdgeWorker, startWorker } from "../worker/worker.ts";
import { waitFor } from "../wait_for.ts";
import { byScale } from "../scale.ts";

const MB = 1024 * 1024, SIZE = byScale(64 * MB, 500 * MB), LIMIT = 500 * MB;
const manners: Record<string, Behavior> = {};
const serving = (items: string[]) =>
  startSource(({ path }) =>
    path === "/feed.xml"
      ? { body: renderFeed(items.map((guid) => ({ guid, audio: `${guid}.mp3` })), source.url) }
      : manners[path]
  );
let source: ReturnType<typeof startSource>;

Deno.test({
  name: "the worker imports an enclosure of hundreds of megabytes in bounded memory",
  sanitizeOps: false,
  sanitizeResources: false,
  async fn() {
    await using own = source = serving(["small", "large"]);
    const file = mp3(SIZE), headers = { "content-type": "audio/mpeg", etag: '"one"' };
    Object.assign(manners, { "/small.mp3": { body: mp3(1000), headers }, "/large.mp3": { body: file, headers } });
    await using stack = await startImportStack([own.host]);
    await using worker = await startEdgeWorker(stack.at);
    const { idle, peak } = await importedIn(stack, worker, own);
    assert.ok(peak - idle < 24 * MB, `${Math.round((peak - idle) / MB)} MB more than idle`);

    const [{ url, bytes }] = await stack.sql`
      select audio_url as url, audio_file_size_bytes::int as bytes from public.episodes where guid = 'large'`;
    assert.equal(bytes, SIZE);
    const from = SIZE - 100_000;
    const end = await fetch(url, { headers: { range: `bytes=${from}-` } });
    assert.equal(end.status, 206);
    assert.equal(Buffer.compare(Buffer.from(await end.arrayBuffer()), file.from(from)), 0);
  },
});

Deno.test({
  name: "an enclosure over the size limit is skipped, and no part of it is kept",
  ignore: byScale(0, 1) === 0, // its source has to send 500 MB first
  sanitizeOps: false,
  sanitizeResources: false,
  async fn() {
    await using own = source = serving(["endless"]);
    manners["/endless.mp3"] = {
      body: mp3(LIMIT + 100 * MB),
      headers: { "content-type": "audio/mpeg" },
      omitsLength: true,
    };
    await using stack = await startImportStack([own.host]);
    await using _worker = await startWorker(stack.at);
    const id = await stack.startConfirmed(`${own.url}feed.xml`);
    await waitFor("the item is skipped", async () => (await stack.countByStatus(id)).skipped_oversize === 1, 120);
    assert.ok(own.requests.at(-1)!.sent < LIMIT + 50 * MB, `${own.requests.at(-1)!.sent} bytes were sent`);
    const objects = await stack.sql`select from storage.objects where name like ${`podcasts/${stack.podcastId}/%`}`;
    assert.equal(objects.length, 0);
    assert.equal((await stack.sql`select from private.import_transfers`).length, 0);
  },
});
