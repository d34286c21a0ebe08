// Memory over idle of importing a file of 500 MB: the resident set of the functions' process, sampled every few
// milliseconds. Goal: at most 20 MB. node local/deno.mjs bench/import/memory.ts [megabytes]
import { startImportStack } from "../../tests/worker/import_stack.ts";
import { mp3, renderFeed, startSource } from "../../tests/worker/source.ts";
import { startEdgeWorker } from "../../tests/worker/worker.ts";
import { importedIn } from "../../tests/worker/memory.ts";

const MB = 1024 * 1024, SIZE = Number(Deno.args[0] ?? 500) * MB;
const source = startSource(({ path }) =>
  path === "/feed.xml"
    ? { body: renderFeed([{ guid: "small", audio: "small.mp3" }, { guid: "large", audio: "large.mp3" }], source.url) }
    : { body: mp3(path === "/large.mp3" ? SIZE : 1000), headers: { "content-type": "audio/mpeg", etag: '"one"' } }
);
const stack = await startImportStack([source.host]);
const worker = await startEdgeWorker(stack.at);
const { idle, peak, seconds } = await importedIn(stack, worker, source);
console.log(
  `${SIZE / MB} MB in ${seconds.toFixed(1)} s: ${((peak - idle) / MB).toFixed(1)} MB over ${
    (idle / MB).toFixed(1)
  } MB idle (goal: at most 20)`,
);
await worker[Symbol.asyncDispose]();
await stack[Symbol.asyncDispose]();
await source[Symbol.asyncDispose]();
Deno.exit(0);
