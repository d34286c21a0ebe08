// Lossless reading: each element and attribute of a feed is modelled, carried or listed as lost.
import assert from "node:assert/strict";
import { join } from "node:path";
import { repository } from "../../local/host/project.ts";
import { seededRandom } from "../random.ts";
import { byScale } from "../scale.ts";
import { assertAccounted, resolveBases } from "./accounting.ts";
import { elementsOf, type Node, parseTree } from "./carried.ts";
import { generateAtomFeed, generateFeed } from "./generated_feed.ts";
import { readFeedText } from "./reading.ts";

async function assertFeedAccounted(xml: string | Uint8Array, tree: Node): Promise<number> {
  const { channel, read } = await readFeedText(xml, { piece: 10_000 });
  const isAtom = tree.local === "feed";
  const node = isAtom ? tree : elementsOf(tree).find(({ local }) => local === "channel")!;
  let parts = assertAccounted(node, channel, false, isAtom);
  const items = elementsOf(node).filter(({ local }) => local === (isAtom ? "entry" : "item"));
  for (const item of read) parts += assertAccounted(items[item.position], item, true, isAtom);
  return parts;
}

for (
  const [what, generate, count] of [
    ["feeds", generateFeed, byScale(500, 2000)],
    ["Atom feeds", generateAtomFeed, byScale(200, 1000)],
  ] as const
) {
  Deno.test(`parseFeed accounts for each element and attribute of generated ${what}`, async () => {
    let parts = 0;
    for (let seed = 1; seed <= count; seed++) {
      const xml = generate(seededRandom(seed));
      try {
        parts += await assertFeedAccounted(xml, resolveBases(parseTree(xml)));
      } catch (cause) {
        throw new Error(`with seed ${seed}: ${(cause as Error).message}\n${xml}`, { cause });
      }
    }
    assert.ok(parts > 25 * count, `${parts} parts`);
  });
}

/** Real feeds, which the repository does not hold. */
const folder = join(repository, "../shared/feeds");
const names = (() => {
  try {
    return [...Deno.readDirSync(folder)].map(({ name }) => name).sort();
  } catch {
    return [];
  }
})();
if (!names.length) console.log(`tests/feed_reader/accounting.test.ts: no real feeds, because ${folder} does not exist`);

for (const name of names) {
  const bytes = Deno.readFileSync(join(folder, name));
  let tree: Node | undefined;
  try {
    tree = parseTree(new TextDecoder().decode(bytes));
  } catch {
    continue; // an independent parser reads only what is well-formed
  }
  Deno.test(`parseFeed accounts for each element and attribute of the real feed ${name}`, async () => {
    assert.ok(await assertFeedAccounted(bytes, tree) > 20);
  });
}
