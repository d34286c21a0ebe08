// Reads documents that make a careless reader buffer everything, or read it repeatedly. bounds.test.ts runs this in a
// process with a small heap, which a reader that keeps what it has read exhausts.
import { batchItems, FeedError, parseFeed } from "../../functions/feed_reader/parse.ts";
import { toBytes } from "./reading.ts";

const SIZE = 4_000_000;
const PIECE = 65_536;

/** A text repeated up to a size, as bytes. */
async function* repeatUpTo(begin: string, again: string, size: number) {
  const bytes = toBytes(again.repeat(Math.ceil(PIECE / again.length)));
  yield toBytes(begin);
  for (let at = 0; at < size; at += bytes.length) yield bytes;
}

const floods: Record<string, [begin: string, again: string]> = {
  "an endless CDATA section": ["<item><guid>1</guid><description><![CDATA[", "no end "],
  "an endless comment": ["<!--", "no end - -- "],
  "an endless tag": ["<item ", "a "],
  "an endless quote": ['<item a="', "b "],
  "an endless text": ["<item><title>", "no end "],
  "endless attributes": ["<item>", `<enclosure url="${"x".repeat(60_000)}"/>`],
  "elements in elements": ["", "<a>"],
  "closing tags without open elements": ["", "</a>"],
  "items in items": ["", "<item>"],
  "beginnings of tags": ["", "<a "],
  "beginnings of tags with quotes": ["", '<a b="'],
  "beginnings of closing tags": ["", "</a"],
  "beginnings of declarations": ["", "<!a<?a"],
  "beginnings of document types": ["", "<!DOCTYPE a [ >"],
  "false ends of document types": ["<!DOCTYPE a [ >", `]${" ".repeat(1000)}`],
  "images before a file": ["<item>", '<enclosure url="https://a.example/c.jpg"/>'],
  "unclosed quotes": ["<item>", `<enclosure ${'url="a b="c '.repeat(4000)}/>`],
  "closing tags in a CDATA section": ["<item><title><![CDATA[", `</title${" ".repeat(1000)}`],
  "beginnings of CDATA sections": ["<item><title>", "<![CDATA["],
  "empty CDATA sections": ["<item><title>", "<![CDATA[]]>"],
  "ampersands": ["<item><title>", "&"],
  "ampersands and one end": [`<item><title>ž${"&".repeat(900_000)};`, "</title>"],
  "namespaces": ["", '<a xmlns:a="b" xmlns="c">'],
  "namespaces inside hundreds of others": [
    `<a ${Array.from({ length: 500 }, (_, n) => `xmlns:p${n}="u"`).join(" ")}>`,
    '<a xmlns:q="b"/>',
  ],
  "an endless namespace URL": ["", `<a xmlns="${"/".repeat(60_000)}a"/>`],
  "endless prefixes": ["", Array.from({ length: 5000 }, (_, n) => `<p${n}:a/>`).join("")],
  "endless escaped tags": [
    "",
    `<item><guid>1</guid><description><![CDATA[${"&lt;a ".repeat(160_000)}]]></description></item>`,
  ],
  "brackets": ["<item><title><![CDATA[", "]]"],
  "persons": ["", "<podcast:person>A</podcast:person>"],
  "elements to carry": ["<item><guid>1</guid>", '<x:a xmlns:x="u" b="&lt;">1</x:a>'],
  "one element to carry": ["<item><guid>1</guid><podcast:order>", "<note a='1'>&lt;</note>"],
  "an element to carry outside of items": ["<podcast:order>", "<item><guid>1</guid></item>"],
  "namespaces in an element to carry": [
    "<item><guid>1</guid><podcast:order>",
    `<a ${Array.from({ length: 2000 }, (_, n) => `xmlns:p${n}="u${n}" p${n}:a=""`).join(" ")}/>`,
  ],
  "default namespaces in an element to carry": [
    `<item ${Array.from({ length: 2000 }, (_, n) => `xmlns:ns${n}="u"`).join(" ")}><podcast:order>`,
    '<a xmlns="v"/>',
  ],
  "unknown and repeated attributes": ["<item>", `<guid ${'a="" isPermaLink="" '.repeat(2500)}/>`],
  "addresses": ["<item><guid>1</guid><podcast:order>", "a@b.example "],
  "beginnings of addresses": ["<item><guid>1</guid><podcast:order>", "a@b."],
  "at signs": ["<item><guid>1</guid><generator>", "@"],
  "unsafe beginnings": ["<item><guid>1</guid><podcast:order>", "&lt;a on "],
  "texts between elements": ["<item><guid>1</guid>", "x<title/>"],
  "image sets": ["<item><guid>1</guid>", `<podcast:images srcset="${"https://a.example/1.jpg 1w, ".repeat(2000)}"/>`],
  "value blocks": [
    "<item><podcast:value>",
    '<podcast:valueTimeSplit startTime="1"><podcast:remoteItem/></podcast:valueTimeSplit>',
  ],
  "spaces": ["<item><pubDate>", " "],
  "letters of a date": ["<item><pubDate>", "Wed, "],
};

for (const [what, [begin, again]] of Object.entries(floods)) {
  const body = repeatUpTo(`<rss><channel>${begin}`, again, SIZE);
  const started = performance.now();
  await parseFeed(body, { url: "https://show.example/feed.xml" }, batchItems(() => Promise.resolve())).catch(
    (error) => {
      if (!(error instanceof FeedError)) throw new Error(what, { cause: error });
    },
  );
  console.log(`${what}: ${Math.round(performance.now() - started)} ms`);
}
