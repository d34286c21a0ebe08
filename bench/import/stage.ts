// POST /api/imports/podcast with an uncompressed feed of 10,000 items (67 MB): time from request to preview, and memory
// of the functions. Against feedsmith, which reads the whole feed and inserts the same items one by one, and against
// parsing without storing. Goal: 6 times feedsmith, with no more memory than parsing alone. Compressed, it takes a tenth
// longer. A feed whose items have a dozen more elements, of the podcast namespace and unknown ones, may take 1.5 times as
// long.
// node local/deno.mjs bench/import/stage.ts
import { join } from "node:path";
import { parseRssFeed } from "feedsmith";
import { safeFetch } from "../../functions/safe_fetch/safe_fetch.ts";
import { batchJson, parseFeed } from "../../functions/feed_reader/parse.ts";
import { allow } from "../../tests/http/api/artwork.ts";
import { startFunctions } from "../../tests/functions.ts";
import { startHttpServer } from "../../tests/http_server.ts";
import { person, podcast, sql, stackInfo } from "../../tests/http/harness.ts";
import { median } from "../feed/large_podcast.ts";
import { writeFeed } from "./feed.ts";

const ITEMS = 10_000;
const ROUNDS = 5;
const MB = 1024 * 1024;

await using functions = await startFunctions(stackInfo);
const { token } = await person("admin");
const folder = await Deno.makeTempDir();
const sizes: Record<string, number> = {
  "/feed.xml": await writeFeed(join(folder, "feed.xml"), ITEMS),
  "/extras.xml": await writeFeed(join(folder, "extras.xml"), ITEMS, { hasExtras: true }),
};
const server = startHttpServer(async ({ url }) => {
  const { pathname } = new URL(url);
  const { readable } = await Deno.open(join(folder, pathname));
  return new Response(readable, {
    headers: {
      "content-type": "application/rss+xml",
      "content-length": String(sizes[pathname]),
      "content-encoding": "identity", // else Deno compresses it, in the time that is measured
    },
  });
});
const url = `${server.url}/feed.xml`, extrasUrl = `${server.url}/extras.xml`;
await allow(new URL(url).host);

/** CPU time of the functions' process and the database, in milliseconds. */
async function worked(): Promise<number> {
  const [{ pids }] = await sql`
    select array_agg(pid) as pids from pg_stat_activity where application_name = 'functions' and backend_type = 'client backend'`;
  const ticks = [functions.pid, ...pids].map((pid) => {
    const [, fields] = Deno.readTextFileSync(`/proc/${pid}/stat`).split(") ");
    const [user, system] = fields.split(" ").slice(11, 13);
    return Number(user) + Number(system);
  });
  return 10 * ticks.reduce((sum, each) => sum + each, 0);
}

const resident = () => Number(Deno.readTextFileSync(`/proc/${functions.pid}/statm`).split(" ")[1]) * 4096;

/** The whole request. */
async function staged(url: string): Promise<number> {
  const show = await podcast("Staged");
  const idle = resident();
  let peak = idle;
  const sampler = setInterval(() => peak = Math.max(peak, resident()), 5);
  const before = await worked(), startedAt = performance.now();
  const response = await fetch(`${functions.url}/api/imports/podcast`, {
    method: "POST",
    headers: { authorization: `Bearer ${token}`, "content-type": "application/json" },
    body: JSON.stringify({ podcast_id: show.id, feed_url: url }),
  });
  const text = await response.text();
  const took = performance.now() - startedAt;
  clearInterval(sampler);
  if (response.status !== 200) throw new Error(text);
  const { data } = JSON.parse(text);
  if (data.totalItems !== ITEMS || data.status !== "preview") throw new Error(text.slice(0, 500));
  work.push(await worked() - before);
  memory.push((Math.max(peak, resident()) - idle) / MB);
  await sql`delete from public.podcast_imports where podcast_id = ${show.id}`;
  return took;
}

/** Without a streaming parser: parse everything, then insert one by one. */
async function oneByOne(): Promise<number> {
  const show = await podcast("One by one");
  const [{ id }] = await sql`
    insert into public.podcast_imports (podcast_id, feed_url) values (${show.id}, ${url}) returning id`;
  const startedAt = performance.now();
  const { items = [] } = parseRssFeed(await (await fetch(url)).text());
  let position = 0;
  for (const item of items) {
    await sql`
      insert into public.podcast_import_items (import_id, podcast_id, position, guid, title, published_at, parsed_payload)
      values (${id}, ${show.id}, ${position++}, ${item.guid!.value!}, ${item.title!}, ${item.pubDate as string},
        ${JSON.stringify(item)}::text::jsonb)`;
  }
  const took = performance.now() - startedAt;
  if (position !== ITEMS) throw new Error(`feedsmith finds ${position} items`);
  await sql`delete from public.podcast_imports where id = ${id}`;
  return took;
}

/** Fetches and parses without storing. */
async function readOnly(url: string): Promise<number> {
  const startedAt = performance.now();
  const { body } = await safeFetch(url, {
    timeoutMs: 20_000,
    allowedHosts: [new URL(url).host],
    userAgent: "Bench/1.0",
  });
  await parseFeed(body, { url }, batchJson(() => Promise.resolve()));
  return performance.now() - startedAt;
}

const memory: number[] = [], work: number[] = [], workWithExtras: number[] = [];
const times: Record<string, number[]> = { staged: [], extras: [], read: [], readExtras: [] };
await staged(url); // everything is loaded once
memory.length = work.length = 0;
for (let round = 0; round < ROUNDS; round++) { // by turns, so that other load on the machine affects all alike
  times.extras.push(await staged(extrasUrl));
  workWithExtras.push(work.pop()!);
  times.staged.push(await staged(url));
  times.read.push(await readOnly(url));
  times.readExtras.push(await readOnly(extrasUrl));
}
const peer = await oneByOne();
const seconds = (ms: number) => `${(ms / 1000).toFixed(2)} s`;
console.log(`${ITEMS.toLocaleString("en")} items, ${(sizes["/feed.xml"] / 1e6).toFixed(1)} MB`);
console.log(`  request to preview          ${seconds(median(times.staged))}`);
console.log(
  `  work in that                ${seconds(median(work))} of a core, the functions' and the database's together`,
);
console.log(`  memory over idle            ${Math.max(...memory).toFixed(0)} MB at most`);
console.log(
  `  with extras, ${(sizes["/extras.xml"] / 1e6).toFixed(1)} MB        ${seconds(median(times.extras))}: ` +
    `${(median(times.extras) / median(times.staged)).toFixed(2)} times as long (goal: 1.5), ` +
    `${(median(workWithExtras) / median(work)).toFixed(2)} times the work`,
);
console.log(
  `  feedsmith, single inserts   ${seconds(peer)}: ${(peer / median(times.staged)).toFixed(1)} times as long (goal: 6)`,
);
console.log(
  `  reading alone               ${seconds(median(times.read))}, with extras ${seconds(median(times.readExtras))}`,
);
await server[Symbol.asyncDispose]();
await Deno.remove(folder, { recursive: true });
await functions[Symbol.asyncDispose]();
await sql.end();
Deno.exit(0);
