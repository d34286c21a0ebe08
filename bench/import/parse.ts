// Parses feeds of 1,000 and 10,000 items (6.7 and 67 MB), against feedsmith, podcast-partytime and rss-parser on the
// same files in one run, each in its own process. `ours` returns each item as an object, as they do; `staged` also builds
// batches of JSON; `floor` decodes the text and searches for "<item>". A ratio is the median of the turns. Memory is the
// peak over the idle process. Goals:
// 2.5 times feedsmith, 5 times podcast-partytime, at most 40 MB over idle at 67 MB. Then real feeds.
// node local/deno.mjs bench/import/parse.ts [folder of feeds]
import { join } from "node:path";
import { batchItems, parseFeed } from "../../functions/feed_reader/parse.ts";
import { writeFeed } from "./feed.ts";

const PEERS = ["feedsmith", "podcast-partytime", "rss-parser"];
const SIZES = [{ items: 1_000, rounds: 15, turns: 5 }, { items: 10_000, rounds: 1, turns: 3 }];

interface Measures {
  items: number;
  perSecond?: number;
  over?: number;
}

async function measured(name: string, what: "time" | "memory", path: string, items: number, rounds: number) {
  const script = new URL("./parser_process.ts", import.meta.url).pathname;
  const args = ["run", "--allow-all", "--no-check", script, name, what, path, String(rounds)];
  const { success, stdout, stderr } = await new Deno.Command(Deno.execPath(), { args }).output();
  if (!success) throw new Error(`${name}: ${new TextDecoder().decode(stderr)}`);
  const measures: Measures = JSON.parse(new TextDecoder().decode(stdout));
  if (measures.items !== items) throw new Error(`${name} finds ${measures.items} items`);
  return measures;
}

const median = (numbers: number[]) => numbers.toSorted((a, b) => a - b)[numbers.length >> 1];

const folder = await Deno.makeTempDir();
try {
  for (const { items, rounds, turns } of SIZES) {
    const path = join(folder, `${items}.xml`);
    const size = await writeFeed(path, items);
    console.log(`\n${items.toLocaleString("en")} items, ${(size / 1e6).toFixed(1)} MB`);
    const names = ["ours", "staged", ...PEERS, "floor"];
    const speeds = new Map<string, number[]>(names.map((name) => [name, []]));
    for (let turn = 0; turn < turns; turn++) { // by turns, so that other load on the machine affects all alike
      for (const name of names) speeds.get(name)!.push((await measured(name, "time", path, items, rounds)).perSecond!);
    }
    for (const name of names) {
      const { over } = await measured(name, "memory", path, items, rounds);
      const ratio = median(speeds.get("ours")!.map((speed, turn) => speed / speeds.get(name)![turn]));
      const columns = [
        `${median(speeds.get(name)!).toFixed(0).padStart(5)} MB/s`,
        `${(over! / 1e6).toFixed(0).padStart(5)} MB over idle`,
        PEERS.includes(name) ? `ours is ${ratio.toFixed(1)} times as fast` : "",
      ];
      console.log(`  ${name.padEnd(18)}${columns.join("  ")}`);
    }
  }
} finally {
  await Deno.remove(folder, { recursive: true });
}

const [real] = Deno.args;
if (real) console.log();
for (const { name } of real ? [...Deno.readDirSync(real)].sort((a, b) => a.name < b.name ? -1 : 1) : []) {
  const bytes = await Deno.readFile(join(real, name));
  const once = async () => {
    const body = new Blob([bytes]).stream();
    return await parseFeed(body, { url: "https://feed.example/" }, batchItems(() => Promise.resolve()));
  };
  try {
    await once();
    const startedAt = performance.now();
    const { itemCount, warnings } = await once();
    const summary = warnings.map(({ code, count }) => `${code} ${count}`).join(", ");
    console.log(
      `  ${name.padEnd(24)}${String(itemCount).padStart(5)} items in ${
        (performance.now() - startedAt).toFixed(0)
      } ms  ${summary}`,
    );
  } catch (error) {
    console.log(`  ${name.padEnd(24)}${(error as { code?: string }).code}`);
  }
}
