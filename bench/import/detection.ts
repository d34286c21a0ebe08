// Episode numbers of real feeds, against numbers written down by hand (bench/import/truth, by SHA-256 of the GUID),
// beside two baselines that also take the publisher's number first: one regular expression for labels, and the first
// number of the title. The feeds lie beside the repository, because their text is other people's; without them the
// bench says so. Goal: at least 98 % exact per feed on average, under 0.5 % wrong. `--misses` lists what is not exact.
// node local/deno.mjs bench/import/detection.ts [folder of the feeds] [--misses]
import { pathToFileURL } from "node:url";
import { parseFeed } from "../../functions/_shared/rss/parse.ts";
import { detectEpisodeNumbers } from "../../functions/_shared/rss/numbers/detect.ts";
import type { NumberedItem } from "../../functions/_shared/rss/numbers/types.ts";

const folder = Deno.args.find((each) => !each.startsWith("--"));
const FEEDS = folder ? pathToFileURL(`${folder}/`) : new URL("../../../shared/feeds/", import.meta.url);
const TRUTH = new URL("truth/", import.meta.url);

/** Every second feed by name was looked at while detection was made; the others only when it was finished. */
const DEVELOPMENT = ["1865", "al-de", "changing-the-tide", "cre-de", "giantbomb", "launched", "themnshow"];
const TEST = ["99pi", "beginnen-nl", "codetime-zh", "davanac-fr", "homegrown-hits", "mobilepeople-ru", "unlocked"];

type Numbers = Map<string, number>;
type Way = (items: NumberedItem[]) => Numbers;

const each = (read: (title: string) => number | undefined): Way => (items) =>
  new Map(items.flatMap(({ guid, title, episode }) => {
    const number = episode ?? read(title ?? "");
    return number === undefined ? [] : [[guid, number]];
  }));
const first = (pattern: RegExp) => (title: string) => {
  const digits = pattern.exec(title)?.[1];
  return digits === undefined ? undefined : Number(digits);
};
const WAYS: Record<string, Way> = {
  "consensus": (items) => new Map(Object.entries(detectEpisodeNumbers(items).numbers)),
  "label regex": each(first(/(?:\b(?:episode|ep|folge|s\d+e)|#)[\s.:#-]*(\d+)/i)),
  "first number": each(first(/(\d+)/)),
};

async function* bytesOf(path: URL) {
  yield* (await Deno.open(path)).readable;
}

async function itemsOf(name: string): Promise<NumberedItem[]> {
  const items = new Map<string, NumberedItem>();
  const onItems = (batch: NumberedItem[]) => Promise.resolve(batch.forEach((item) => items.set(item.guid, item)));
  await parseFeed(bytesOf(new URL(`${name}.xml`, FEEDS)), { url: `https://feeds.invalid/${name}` }, { onItems });
  return [...items.values()];
}

async function hash(guid: string): Promise<string> {
  const digest = await crypto.subtle.digest("SHA-256", new TextEncoder().encode(guid));
  return [...new Uint8Array(digest)].map((byte) => byte.toString(16).padStart(2, "0")).join("");
}

interface Score {
  exact: number;
  wrong: number;
  of: number;
}

async function score(name: string): Promise<Record<string, Score>> {
  const truth: Record<string, number | null> = JSON.parse(await Deno.readTextFile(new URL(`${name}.json`, TRUTH)));
  const items = await itemsOf(name);
  const known = new Map<string, number | null>();
  for (const { guid } of items) {
    const number = truth[await hash(guid)];
    if (number === undefined) throw new Error(`bench/import/truth/${name}.json does not know ${guid}`);
    known.set(guid, number);
  }
  return Object.fromEntries(
    Object.entries(WAYS).map(([way, detect]) => {
      const found = detect(items);
      const exact = items.filter(({ guid }) => (found.get(guid) ?? null) === known.get(guid)).length;
      const wrong = items.filter(({ guid }) => found.has(guid) && found.get(guid) !== known.get(guid)).length;
      if (way === "consensus" && Deno.args.includes("--misses")) {
        for (const { guid, title } of items) {
          const [got, wanted] = [found.get(guid) ?? null, known.get(guid)];
          if (got !== wanted) console.log(`  ${name}: ${got}, not ${wanted}: ${title}`);
        }
      }
      return [way, { exact, wrong, of: items.length }];
    }),
  );
}

const percent = (share: number) => `${(100 * share).toFixed(2).padStart(6)} %`;
const line = (name: string, scores: [exact: number, wrong: number][]) =>
  console.log(name.padEnd(27) + scores.map(([exact, wrong]) => `${percent(exact)} ${percent(wrong)}   `).join(""));

async function measure(set: string, names: string[]): Promise<Record<string, Score>[]> {
  console.log(`\n${set.padEnd(27)}${Object.keys(WAYS).map((way) => `${way}: exact, wrong`.padEnd(23)).join("")}`);
  const all: Record<string, Score>[] = [];
  for (const name of names) {
    const scores = await score(name);
    all.push(scores);
    line(
      `  ${name} (${scores.consensus.of})`,
      Object.values(scores).map(({ exact, wrong, of }) => [exact / of, wrong / of]),
    );
  }
  summed(`  ${set}, per feed`, all);
  return all;
}

/** Exact: the mean of the feeds. Wrong: the mean of the feeds too, so that a long feed hides nothing. */
function summed(name: string, all: Record<string, Score>[]) {
  const mean = (share: (score: Score) => number, way: string) =>
    all.reduce((sum, scores) => sum + share(scores[way]), 0) / all.length;
  line(name, Object.keys(WAYS).map((way) => [mean((s) => s.exact / s.of, way), mean((s) => s.wrong / s.of, way)]));
}

const isThere = await Deno.stat(FEEDS).then(() => true, () => false);
if (!isThere) {
  console.log(`There are no feeds to measure with: ${FEEDS.pathname} is not there.`);
} else {
  const development = await measure("development", DEVELOPMENT);
  const test = await measure("test", TEST);
  console.log();
  summed("all feeds", [...development, ...test]);
}
