// Runs as a process: buffers the detection input of 20,000 items with titles of 9 KB, detects their numbers, and prints
// their count and the bytes used over the idle process.
import { createDetectionBuffer } from "../../functions/imports/detection_buffer.ts";
import { detectEpisodeNumbers } from "../../functions/episode_numbers/detect.ts";
import type { FeedItem } from "../../functions/feed_reader/feed.ts";

const ITEMS = 20_000;
const used = () => Deno.memoryUsage().rss;
const words = "sleeper couchette border station platform ";

export function item(n: number): FeedItem {
  return {
    guid: `https://show.example/episodes/${n}`,
    title: `Episode ${n}: ${words.repeat(220)} ${n}`,
    pubDate: new Date(Date.UTC(2000, 0, n)).toISOString(),
    season: null,
    episode: null,
    episodeType: null,
  } as FeedItem;
}

if (import.meta.main) {
  detectEpisodeNumbers([item(1), item(2), item(3)]);
  const idle = used();
  let peak = idle;
  const sampler = setInterval(() => peak = Math.max(peak, used()), 5);
  const numbered = createDetectionBuffer();
  for (let n = 1; n <= ITEMS; n++) {
    numbered.add(item(n));
    if (n % 200 === 0) peak = Math.max(peak, used());
  }
  const { numbers } = detectEpisodeNumbers(numbered.list());
  clearInterval(sampler);
  peak = Math.max(peak, used());
  const found = Object.values(numbers).filter((number, n) => number === n + 1).length;
  console.log(JSON.stringify({ found, over: peak - idle }));
}
