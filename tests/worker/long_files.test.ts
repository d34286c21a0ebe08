// Files that take longer than one run may transfer, or has time for.
import assert from "node:assert/strict";
import { Buffer } from "node:buffer";
import { waitFor } from "../wait_for.ts";
import { startPausedSource } from "./paused_source.ts";
import { type ImportStack, startImportStack } from "./import_stack.ts";
import { type File, mp3, renderFeed, startSource } from "./source.ts";
import { drainOnce, startWorker } from "./worker.ts";

const MB = 1024 * 1024;

/** The only item of an import, once it is an episode. */
async function imported({ sql }: ImportStack, id: string) {
  return await waitFor("the episode is imported", async () => {
    const [item] = await sql<{ status: string; error: string | null; attempts: number; url: string; bytes: number }[]>`
      select i.status, i.error_message as error, i.attempts, e.audio_url as url, e.audio_file_size_bytes::int as bytes
      from public.podcast_import_items i left join public.episodes e on e.id = i.episode_id where i.import_id = ${id}`;
    return ["pending", "processing"].includes(item.status) ? undefined : item;
  }, 60);
}

/** Compares chunk by chunk, without buffering the file. */
async function assertServed(url: string, file: File) {
  const response = await fetch(url);
  assert.equal(response.status, 200);
  let at = 0;
  for await (const bytes of response.body!) {
    for (let done = 0; done < bytes.length;) {
      const expected = file.from(at + done).subarray(0, bytes.length - done);
      assert.ok(expected.length && Buffer.compare(bytes.subarray(done, done + expected.length), expected) === 0);
      done += expected.length;
    }
    at += bytes.length;
  }
  assert.equal(at, file.size);
}

const test = (name: string, fn: () => Promise<void>) =>
  Deno.test({ name, fn, sanitizeOps: false, sanitizeResources: false });

test("a file of more than 60 MB is transferred by several runs, each of which resumes the last one", async () => {
  const file = mp3(66 * MB);
  await using source = startSource(({ path }) =>
    path === "/long"
      ? { body: file, headers: { "content-type": "audio/mpeg", etag: '"one"' } }
      : { body: renderFeed([{ guid: "long", audio: "long" }], source.url) }
  );
  await using stack = await startImportStack([source.host]);
  await using _worker = await startWorker(stack.at);
  const { url, ...item } = await imported(stack, await stack.startConfirmed(`${source.url}feed.xml`));
  assert.deepEqual(item, { status: "completed", error: null, attempts: 1, bytes: 66 * MB });
  const requests = source.requests.filter(({ path }) => path === "/long");
  assert.deepEqual(requests.map(({ range }) => range), [null, `bytes=${60 * MB}-`]);
  await assertServed(url, file);
});

test("a run at its deadline keeps the received chunks of a file, and another resumes it", async () => {
  const file = mp3(13 * MB);
  await using source = startPausedSource({ long: file }, 7 * MB);
  await using stack = await startImportStack([source.host]);
  const id = await stack.startConfirmed(source.feedUrl);
  const findTransfers = () =>
    stack.sql<{ received_bytes: number; total_bytes: number }[]>`
      select received_bytes::int, total_bytes::int from private.import_transfers`;
  const storing = waitFor("a chunk is stored", async () => (await findTransfers())[0]?.received_bytes === 6 * MB, 60);
  await drainOnce(stack.at, storing);
  const transfers = await findTransfers();
  assert.deepEqual(transfers.map((row) => ({ ...row })), [{ received_bytes: 6 * MB, total_bytes: 13 * MB }]);

  source.release();
  await stack.makeMessagesVisible();
  await drainOnce(stack.at);
  const { url, ...item } = await imported(stack, id);
  assert.deepEqual(item, { status: "completed", error: null, attempts: 1, bytes: 13 * MB });
  assert.deepEqual(source.requests.map(({ range }) => range), [null, `bytes=${6 * MB}-`]);
  await assertServed(url, file);
});
