// Start time, from the command to a stack that responds: node local/deno.mjs bench/start.ts
// Goals: from an empty data folder under 6 s, even without built files; a warm start under 2 s.
import { join } from "node:path";
import { startTestStack } from "../tests/stack.ts";

const TIMES = 5;
const folder = await Deno.makeTempDir({ prefix: "castbase-bench-" });
const measured: Record<string, number[]> = { first: [], fresh: [], warm: [], stop: [] };

async function timed(kind: string, work: () => Promise<unknown>) {
  const begun = performance.now();
  await work();
  measured[kind].push(performance.now() - begun);
}

async function start(kind: string, data: string, cache: string) {
  let stack: AsyncDisposable;
  const options = { dataDir: join(folder, data), cache: join(folder, cache), durable: true, watch: true };
  await timed(kind, async () => stack = await startTestStack(options));
  await timed("stop", async () => await stack[Symbol.asyncDispose]());
}

for (let time = 0; time < TIMES; time++) {
  await start("first", `first-${time}`, `cache-${time}`);
  await start("fresh", `fresh-${time}`, "cache-0");
  await start("warm", `fresh-${time}`, "cache-0");
  await Deno.remove(join(folder, `first-${time}`), { recursive: true });
}
await Deno.remove(folder, { recursive: true });

const seconds = (milliseconds: number) => `${(milliseconds / 1000).toFixed(2)} s`;
const report = (what: string, kind: string) => {
  const sorted = measured[kind].toSorted((a, b) => a - b);
  const median = sorted[Math.floor(sorted.length / 2)];
  console.log(`${what.padEnd(44)} ${seconds(median)}   (${seconds(sorted[0])} to ${seconds(sorted.at(-1)!)})`);
};
console.log(`Median of ${TIMES}, fastest and slowest`);
report("empty data folder, empty .cache", "first");
report("empty data folder", "fresh");
report("warm", "warm");
report("stop", "stop");
Deno.exit();
