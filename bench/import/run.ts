// Items per second of importing 1,000 tiny enclosures from a loopback server, against the floor: the same files only
// fetched and stored, with the same concurrency. Without the queue's pacing (0.25 s per message). Goal: at least 0.6
// of the floor. node local/deno.mjs bench/import/run.ts [items]
import { startImportStack } from "../../tests/worker/import_stack.ts";
import { allBytes, mp3, renderFeed, startSource } from "../../tests/worker/source.ts";
import { startWorker } from "../../tests/worker/worker.ts";

const ITEMS = Number(Deno.args[0] ?? 1000), SIZE = 4096, CONCURRENCY = 4, ROUNDS = 5;
const file = allBytes(mp3(SIZE));
const source = startSource(({ path }) =>
  path === "/feed.xml"
    ? { body: renderFeed(Array.from({ length: ITEMS }, (_, n) => ({ guid: `${n}`, audio: `${n}.mp3` })), source.url) }
    : { body: file, headers: { "content-type": "audio/mpeg" } }
);
const stack = await startImportStack([source.host]);
const { at, sql } = stack;
const rate = (startedAt: number) => ITEMS / (performance.now() - startedAt) * 1000;
const middle = (values: number[]) => values.toSorted((a, b) => a - b)[Math.floor(values.length / 2)];

/** Fetches and stores the same files. */
async function floor(round: number): Promise<number> {
  const headers = { apikey: at.secretKey, authorization: `Bearer ${at.secretKey}`, "content-type": "audio/mpeg" };
  const left = Array.from({ length: ITEMS }, (_, n) => n).values();
  const startedAt = performance.now();
  await Promise.all(Array.from({ length: CONCURRENCY }, async () => {
    for (const n of left) {
      const body = new Uint8Array(await (await fetch(`${source.url}${n}.mp3`)).arrayBuffer());
      const stored = await fetch(`${at.url}/storage/v1/object/media/floor/${round}/${n}.mp3`, {
        method: "POST",
        headers,
        body,
      });
      if (!stored.ok) throw new Error(await stored.text());
      await stored.body?.cancel();
    }
  }));
  return rate(startedAt);
}

/** From the first claimed message to the end of the import. */
async function run(): Promise<number> {
  // as in a new podcast: earlier slugs stay reserved
  await sql`delete from public.episodes where podcast_id = ${stack.podcastId}`;
  await sql`delete from private.episode_slugs where podcast_id = ${stack.podcastId}`;
  const id = await stack.startConfirmed(`${source.url}feed.xml`);
  const requestCount = source.requests.length;
  while (source.requests.length === requestCount) await new Promise((resolve) => setTimeout(resolve, 1));
  const startedAt = Date.now();
  for (;;) {
    const [{ status, finished_at }] =
      await sql`select status, finished_at from public.podcast_imports where id = ${id}`;
    if (status === "completed") return ITEMS / (finished_at.getTime() - startedAt) * 1000;
    if (status !== "running") throw new Error(`The import is ${status}`);
    await new Promise((resolve) => setTimeout(resolve, 100));
  }
}

const worker = await startWorker(at); // for all rounds, as the process of the floor
const runs: number[] = [], floors: number[] = [];
for (let round = 0; round < ROUNDS; round++) {
  floors.push(await floor(round));
  runs.push(await run());
  console.log(`round ${round + 1}: import ${runs[round].toFixed(0)}/s, floor ${floors[round].toFixed(0)}/s`);
}
console.log(
  `import: ${middle(runs).toFixed(0)} items/s; floor: ${middle(floors).toFixed(0)} items/s; ` +
    `ratio ${middle(runs.map((run, round) => run / floors[round])).toFixed(2)}`,
);
await worker.end();
await stack[Symbol.asyncDispose]();
await source[Symbol.asyncDispose]();
Deno.exit(0);
