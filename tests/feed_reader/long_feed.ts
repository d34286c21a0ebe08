// Runs as a process: reads a generated feed of 20,000 items and 100 MB, or a compressed file, in batches as for staging,
// and prints the number of items and the bytes used over the idle process.
// long_feed.ts [file]
import { batchJson, parseFeed } from "../../functions/feed_reader/parse.ts";

const ITEMS = 20_000;
const notes = `<p>Night trains – “one line at a time”. ${"sleeper couchette border station platform ".repeat(115)}</p>`;

export async function* longFeed(): AsyncGenerator<Uint8Array> {
  const encoder = new TextEncoder();
  yield encoder.encode("<rss><channel><title>Show</title>");
  for (let n = 0; n < ITEMS; n++) {
    yield encoder.encode(
      `<item><guid>${n}</guid><title>Part ${n} &amp; more</title><pubDate>Wed, 01 May 2024 10:00:00 GMT</pubDate>` +
        `<enclosure url="https://a.example/${n}.mp3" length="5" type="audio/mpeg"/><description><![CDATA[${notes}]]>` +
        "</description></item>\n",
    );
  }
  yield encoder.encode("</channel></rss>");
}

async function* pieces(path: string) {
  using file = await Deno.open(path);
  const piece = new Uint8Array(65_536);
  for (let length; (length = await file.read(piece)) !== null;) yield piece.slice(0, length);
}

if (import.meta.main) {
  const [path] = Deno.args;
  const used = () => Deno.memoryUsage().rss;
  const idle = used();
  let peak = idle;
  let found = 0;
  const sink = batchJson((_json, items) => {
    found += items;
    peak = Math.max(peak, used());
    return Promise.resolve();
  });
  const about = { url: "https://show.example/", contentEncoding: path ? "gzip" : null };
  await parseFeed(path ? pieces(path) : longFeed(), about, sink);
  console.log(JSON.stringify({ found, over: Math.max(peak, used()) - idle }));
}
