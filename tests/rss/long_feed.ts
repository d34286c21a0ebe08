// In a process of its own: reads a feed of 20,000 items and 100 MB as it is made, in batches as they are staged, and prints
// how many items there were and the bytes that it took over the idle process.
import { jsonBatches, parseFeed } from "../../functions/_shared/rss/parse.ts";

const ITEMS = 20_000;
const notes = `<p>Night trains – “one line at a time”. ${"sleeper couchette border station platform ".repeat(115)}</p>`;
const encoder = new TextEncoder();
let size = 0;

async function* feed() {
  const piece = (text: string) => {
    const bytes = encoder.encode(text);
    size += bytes.length;
    return bytes;
  };
  yield piece("<rss><channel><title>Show</title>");
  for (let n = 0; n < ITEMS; n++) {
    yield piece(
      `<item><guid>${n}</guid><title>Part ${n} &amp; more</title><pubDate>Wed, 01 May 2024 10:00:00 GMT</pubDate>` +
        `<enclosure url="https://a.example/${n}.mp3" length="5" type="audio/mpeg"/><description><![CDATA[${notes}]]>` +
        "</description></item>\n",
    );
  }
  yield piece("</channel></rss>");
}

const used = () => Deno.memoryUsage().rss;
const idle = used();
let most = idle;
let found = 0;
const sink = jsonBatches((_json, items) => {
  found += items;
  most = Math.max(most, used());
  return Promise.resolve();
});
await parseFeed(feed(), { url: "https://show.example/" }, sink);
console.log(JSON.stringify({ found, size, over: Math.max(most, used()) - idle }));
