// One parser in a process of its own. Measures time (bytes in memory, median of some rounds) or memory (once, from the
// file; the peak over the idle process). Prints JSON.
// parser_process.ts <name> <time|memory> <file> <rounds>
import { readFileSync } from "node:fs";
import { batchJson, parseFeed } from "../../functions/feed_reader/parse.ts";

const [name, what, path, rounds] = Deno.args;
const STEP = 65_536;
const URL = "https://trains.example/feed.xml";

/** Returns the number of items. `bytes` if they are in memory already. */
type Contender = (bytes?: Uint8Array) => Promise<number>;

async function* pieces(bytes: Uint8Array) {
  for (let at = 0; at < bytes.length; at += STEP) yield bytes.subarray(at, at + STEP);
}

async function* file() {
  using handle = await Deno.open(path);
  const piece = new Uint8Array(STEP);
  for (let length; (length = await handle.read(piece)) !== null;) yield piece.slice(0, length);
}

const text = (bytes?: Uint8Array) => new TextDecoder().decode(bytes ?? readFileSync(path));

const contenders: Record<string, () => Promise<Contender>> = {
  // each item as an object, as the others return them
  ours: () =>
    Promise.resolve(async (bytes) => {
      let found = 0;
      const take = () => {
        found++;
        return false;
      };
      await parseFeed(bytes ? pieces(bytes) : file(), { url: URL }, { take, flush: () => Promise.resolve() });
      return found;
    }),
  // as staged: 200 at a time, as JSON
  staged: () =>
    Promise.resolve(async (bytes) => {
      let found = 0;
      const sink = batchJson((_json, items) => Promise.resolve(void (found += items)));
      await parseFeed(bytes ? pieces(bytes) : file(), { url: URL }, sink);
      return found;
    }),
  // reading and decoding alone
  floor: () =>
    Promise.resolve(async (bytes) => {
      const decoder = new TextDecoder();
      let found = 0;
      for await (const piece of bytes ? pieces(bytes) : file()) {
        const text = decoder.decode(piece, { stream: true });
        for (let at = text.indexOf("<item>"); at >= 0; at = text.indexOf("<item>", at + 1)) found++;
      }
      return found;
    }),
  feedsmith: async () => {
    const { parseRssFeed } = await import("feedsmith");
    return (bytes) => Promise.resolve(parseRssFeed(text(bytes)).items!.length);
  },
  "podcast-partytime": async () => {
    const { parseFeed } = await import("podcast-partytime");
    return (bytes) => {
      const feed = parseFeed(text(bytes));
      return Promise.resolve(feed ? feed.items.length : 0);
    };
  },
  "rss-parser": async () => {
    const { default: Parser } = await import("rss-parser");
    return async (bytes) => (await new Parser().parseString(text(bytes))).items.length;
  },
};

const read = await contenders[name]();
let items = 0;
if (what === "time") {
  const bytes = readFileSync(path);
  const times: number[] = [];
  for (let round = -2; round < Number(rounds); round++) { // the first ones warm up
    const startedAt = performance.now();
    items = await read(bytes);
    if (round >= 0) times.push(performance.now() - startedAt);
  }
  const median = times.toSorted((a, b) => a - b)[times.length >> 1];
  console.log(JSON.stringify({ items, perSecond: bytes.length / 1e3 / median }));
} else {
  const kilobytes = (key: string) =>
    Number(new RegExp(`${key}:\\s+(\\d+)`).exec(Deno.readTextFileSync("/proc/self/status"))![1]);
  const idle = kilobytes("VmRSS");
  items = await read();
  console.log(JSON.stringify({ items, over: (kilobytes("VmHWM") - idle) * 1024 }));
}
