// Reading a feed of 1,000 and of 10,000 items (6.7 and 67 MB), beside feedsmith, podcast-partytime and rss-parser on the
// same files in one run, each in a process of its own. Memory is the peak over the idle process. Goals: 2.5 times
// feedsmith, 5 times podcast-partytime, at most 40 MB over idle at 67 MB. Then the real feeds, where that folder is.
// node local/deno.mjs bench/import/parse.ts [folder of feeds]
import { join } from "node:path";
import { parseFeed } from "../../functions/_shared/rss/parse.ts";
import { writeFeed } from "./feed.ts";

const PEERS = ["feedsmith", "podcast-partytime", "rss-parser"];
const SIZES = [{ items: 1_000, rounds: 15 }, { items: 10_000, rounds: 3 }];

async function measured(name: string, what: "time" | "memory", path: string, rounds: number) {
  const script = new URL("./contender.ts", import.meta.url).pathname;
  const args = ["run", "--allow-all", "--no-check", script, name, what, path, String(rounds)];
  const { success, stdout, stderr } = await new Deno.Command(Deno.execPath(), { args }).output();
  if (!success) return new TextDecoder().decode(stderr).trim().split("\n")[0];
  return JSON.parse(new TextDecoder().decode(stdout)) as { items: number; perSecond?: number; over?: number };
}

const folder = await Deno.makeTempDir();
try {
  for (const { items, rounds } of SIZES) {
    const path = join(folder, `${items}.xml`);
    const size = await writeFeed(path, items);
    console.log(`\n${items.toLocaleString("en")} items, ${(size / 1e6).toFixed(1)} MB`);
    const speeds = new Map<string, number>();
    for (const name of ["ours", ...PEERS]) {
      const time = await measured(name, "time", path, rounds);
      const memory = await measured(name, "memory", path, rounds);
      if (typeof time === "string" || typeof memory === "string") {
        console.log(`  ${name.padEnd(18)} fails: ${typeof time === "string" ? time : memory}`);
        continue;
      }
      if (time.items !== items || memory.items !== items) throw new Error(`${name} finds ${time.items} items`);
      speeds.set(name, time.perSecond!);
      const ratio = speeds.get("ours")! / time.perSecond!;
      const columns = [
        `${time.perSecond!.toFixed(0).padStart(5)} MB/s`,
        `${(memory.over! / 1e6).toFixed(0).padStart(5)} MB over idle`,
        name === "ours" ? "" : `ours is ${ratio.toFixed(1)} times as fast`,
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
    return await parseFeed(body, { url: "https://feed.example/" }, { onItems: () => Promise.resolve() });
  };
  try {
    await once();
    const began = performance.now();
    const { items, warnings } = await once();
    const told = warnings.map(({ code, count }) => `${code} ${count}`).join(", ");
    console.log(
      `  ${name.padEnd(24)}${String(items).padStart(5)} items in ${(performance.now() - began).toFixed(0)} ms  ${told}`,
    );
  } catch (error) {
    console.log(`  ${name.padEnd(24)}${(error as { code?: string }).code}`);
  }
}
