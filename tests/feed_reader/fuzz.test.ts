// Randomly damaged feeds, from seeds that a failure prints: each is read or rejected with the same result in chunks of
// any size, and the result can be stored.
import assert from "node:assert/strict";
import { FeedError } from "../../functions/feed_reader/parse.ts";
import { seededRandom } from "../random.ts";
import { byScale } from "../scale.ts";
import { assertCarried } from "./carried.ts";
import { item, readFeedText, rss, toBytes } from "./reading.ts";

const SAMPLES = [
  rss(
    '<itunes:owner><itunes:email>a@a.example</itunes:email></itunes:owner><atom:link rel="next" href="/2"/>' +
      Array.from(
        { length: 4 },
        (_, n) =>
          item(
            `Épisode ${n} &amp; more`,
            `<description><![CDATA[<p>One – “two” 🎧</p>]]></description>
          <content:encoded>&lt;p&gt;${
              "ž".repeat(50)
            }&lt;/p&gt;</content:encoded><itunes:duration>1:0${n}:00</itunes:duration>
          <podcast:person role='host' img="a.jpg">Ana</podcast:person><podcast:soundbite startTime="1.5" duration="2"/>
          <x:note xmlns:x="urn:x" x:level="1">A<!-- b --><x:deep a="&quot;">&lt;c&gt;</x:deep></x:note>
          <podcast:value type="a" method="b"><podcast:valueRecipient type="c" address="d" split="1"/></podcast:value>
          <media:rating scheme="urn:simple">adult</media:rating><x:odd>1</x:odd> stray`,
          ),
      ).join("\n"),
  ),
  `<!DOCTYPE rss [<!ENTITY a "b">]><!-- c --><rdf:RDF><channel><title>Show</title></channel>${
    item("A") + item("B")
  }</rdf:RDF>`,
  `\ufeff<RSS><Channel>${
    item("A", '<enclosure url=x length=1 type="audio/mpeg"/>')
  }<ITEM><GUID>2</GUID></ITEM></Channel></RSS>`,
  `<feed xmlns="http://www.w3.org/2005/Atom" xml:base="https://a.example/" xml:lang="de"><title>Show</title><entry><id>1</id>
    <link rel="enclosure" href="1.mp3" type="audio/mpeg" length="1"/><content type="xhtml"><h:div
    xmlns:h="http://www.w3.org/1999/xhtml"><h:p>One</h:p></h:div></content></entry><entry><id>2</id></entry></feed>`,
].map(toBytes);

/** Fragments with a meaning at most positions. */
const SYNTAX = [
  "<",
  ">",
  "</",
  "/>",
  "&",
  "&#",
  "&#x0;",
  "&amp;",
  ";",
  '"',
  "'",
  "=",
  "<![CDATA[",
  "]]>",
  "]]",
  "<!--",
  "-->",
  "<!",
  "<?",
  "<item>",
  "</item>",
  "<title>",
  "</title>",
  "</channel>",
  "<channel>",
  "<rss>",
  "</rss>",
  "<guid>",
  "<a b='",
  'xmlns:itunes="x"',
  "\0",
  "\u0007",
  "\ufffe",
  "\ud7ff",
  "<!DOCTYPE x [",
  "&lt;p&gt;",
  "<p>",
  "<br/>",
  "\r",
  "\n",
  "e",
  "0",
  "99999999999999999999",
].map(toBytes);

function damaged(seed: number): Uint8Array {
  const { below, one } = seededRandom(seed);
  let feed = one(SAMPLES);
  const spliced = (at: number, removed: number, added: Uint8Array) => {
    const bytes = new Uint8Array([...feed.subarray(0, at), ...added, ...feed.subarray(at + removed)]);
    feed = bytes;
  };
  for (let damages = 1 + below(6); damages > 0; damages--) {
    const at = below(feed.length + 1);
    one([
      () => spliced(at, 0, one(SYNTAX)),
      () => spliced(at, below(20), one(SYNTAX)),
      () => spliced(at, 1, Uint8Array.of(below(256))),
      () => spliced(at, below(200), new Uint8Array()),
      () => spliced(at, 0, feed.slice(below(feed.length), below(feed.length))),
      () => spliced(at, feed.length, new Uint8Array()),
      () => spliced(at, 0, one(SAMPLES).slice(below(300))),
    ])();
  }
  return feed;
}

/** The result, or the message of the error. */
async function outcome(feed: Uint8Array, piece: number, contentType?: string) {
  try {
    const { channel, itemCount, nextPage, read, warnings } = await readFeedText(feed, {
      piece,
      maxBatchItems: 2,
      contentType,
    });
    const warningCounts = warnings.map(({ code, count }) => `${code} ${count}`).sort(); // their order depends on the chunks
    return { channel, itemCount, nextPage, read, warningCounts };
  } catch (error) {
    if (!(error instanceof FeedError)) throw error;
    return error.message;
  }
}

// deno-lint-ignore no-control-regex -- the expression matches control characters on purpose
const UNSTORABLE = /[\u0000-\u0008\u000b\u000c\u000e-\u001f]/;

const FRACTIONS = ["startSeconds", "durationSeconds", "split", "startTime", "duration", "bitrate"];

/** Asserts that every text can be stored and every value has its type. */
function assertSound(value: unknown, key = ""): void {
  if (typeof value === "string") {
    assert.ok(value.isWellFormed() && value !== "" && value === value.trim(), `${key}: ${JSON.stringify(value)}`);
    assert.ok(!UNSTORABLE.test(value), `${key}: ${JSON.stringify(value)}`);
    if (key === "pubDate") assert.equal(new Date(value).toISOString(), value);
    if (key === "extraTags") assertCarried(value);
    if (["url", "link", "image", "chapters", "href", "img", "nextPage"].includes(key)) {
      assert.match(value, /^https?:\/\//i);
    }
  } else if (typeof value === "number") {
    assert.ok(Number.isFinite(value) && value >= 0, `${key}: ${value}`);
    if (!FRACTIONS.includes(key)) assert.ok(Number.isSafeInteger(value), `${key}: ${value}`);
  } else if (value && typeof value === "object") {
    for (const [name, member] of Object.entries(value)) assertSound(member, Array.isArray(value) ? key : name);
  }
}

Deno.test("parseFeed reads randomly damaged feeds alike in chunks of any size, and the result can be stored", async () => {
  const count = byScale(600, 150_000);
  let read = 0;
  for (let seed = 1; seed <= count; seed++) {
    try {
      const feed = damaged(seed);
      const { below, one } = seededRandom(seed);
      const contentType = one([undefined, undefined, "text/xml; charset=iso-8859-1", "x; charset=utf-16"]);
      const first = await outcome(feed, 100_000, contentType);
      assert.deepEqual(await outcome(feed, 1 + below(50), contentType), first);
      if (typeof first === "string") continue;
      read++;
      assertSound(first);
      assert.equal(new Set(first.read.map(({ guid }) => guid)).size, first.itemCount);
    } catch (cause) {
      throw new Error(`with seed ${seed}`, { cause });
    }
  }
  assert.ok(read > count / 2 && read < count, `${read} of ${count} are read: a claim about both`);
});
