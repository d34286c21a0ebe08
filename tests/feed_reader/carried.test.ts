// Carried elements: their canonical form, which our feed can have as it is.
import assert from "node:assert/strict";
import { assertCarried } from "./carried.ts";
import { COMPLETE_ITEM, item, readFeedText, readItem, rss, warningCodes } from "./reading.ts";

const X = 'xmlns:x="urn:example:x"';

/** An item's content, and what is carried of it. */
const forms: Record<string, [inside: string, ...carried: string[]]> = {
  "an author's name as a creator, because RSS has addresses there": [
    "<author>Ana &amp; Bo</author>",
    '<dc:creator xmlns:dc="http://purl.org/dc/elements/1.1/">Ana &amp; Bo</dc:creator>',
  ],
  "URLs in the form that browsers send": [
    '<comments> https://a.example/ü?a[]=1 </comments><atom:link rel="payment" href="https://a.example/1 2"/>',
    "<comments>https://a.example/%C3%BC?a%5B%5D=1</comments>",
    '<atom:link rel="payment" href="https://a.example/1%202"/>',
  ],
  "an element without the attributes that it may not have": [
    '<media:thumbnail url="https://a.example/1.jpg" width="wide" height="9" foo="1" podcast:a="2" xml:lang="de"/>',
    '<media:thumbnail xmlns:media="http://search.yahoo.com/mrss/" url="https://a.example/1.jpg" height="9" ' +
    'podcast:a="2" xml:lang="de"/>',
  ],
  "an element of a namespace that our feed declares": [
    '<itunes:author>Ana</itunes:author><podcast:chat server="irc.example" protocol="irc"/>',
    "<itunes:author>Ana</itunes:author>",
    '<podcast:chat server="irc.example" protocol="irc"/>',
  ],
  "a known namespace behind another prefix": [
    '<i:author xmlns:i="http://www.itunes.com/DTDs/Podcast-1.0.dtd">Ana</i:author>',
    "<itunes:author>Ana</itunes:author>",
  ],
  "a known namespace that our feed does not declare": [
    '<media:thumbnail url="https://a.example/a.jpg"/>',
    '<media:thumbnail xmlns:media="http://search.yahoo.com/mrss/" url="https://a.example/a.jpg"/>',
  ],
  "a well-known prefix without a declaration": [
    "<dc:creator>Ana</dc:creator>",
    '<dc:creator xmlns:dc="http://purl.org/dc/elements/1.1/">Ana</dc:creator>',
  ],
  "an unknown namespace, declared once where it is used": [
    `<x:a ${X} x:b="1"><x:c/><y:d xmlns:y="urn:example:y">2</y:d><y:e xmlns:y="urn:example:z"/></x:a>`,
    `<x:a ${X} x:b="1"><x:c/><y:d xmlns:y="urn:example:y">2</y:d><y:e xmlns:y="urn:example:z"/></x:a>`,
  ],
  "a prefix with another meaning inside": [
    `<x:a ${X}><x:a xmlns:x="urn:example:other"><x:b/></x:a><x:b/></x:a>`,
    `<x:a ${X}><x:a xmlns:x="urn:example:other"><x:b/></x:a><x:b/></x:a>`,
  ],
  "a default namespace": [
    `<note xmlns="urn:example:note" a="1"><deep/><c xmlns="urn:example:c">2</c></note>`,
    `<ns1:note xmlns:ns1="urn:example:note" a="1"><ns1:deep/><ns2:c xmlns:ns2="urn:example:c">2</ns2:c></ns1:note>`,
  ],
  "a namespace with an ampersand": [
    '<z:a xmlns:z="https://z.example/?a&amp;b"/>',
    '<z:a xmlns:z="https://z.example/?a&amp;b"/>',
  ],
  "an element without a namespace": [
    "<comments>https://a.example/1</comments>",
    "<comments>https://a.example/1</comments>",
  ],
  "comments, instructions and CDATA": [
    "<podcast:order>a<!-- no --><?no no?><![CDATA[ <b> & ]]]]><![CDATA[> ]]></podcast:order>",
    "<podcast:order>a &lt;b&gt; &amp; ]]&gt; </podcast:order>",
  ],
  "references": [
    "<podcast:order a='&quot;&#39;&eacute;'>&eacute;&nbsp;&#x1F600;&unknown; A & B</podcast:order>",
    `<podcast:order a="&quot;'é">é\u00a0😀&amp;unknown; A &amp; B</podcast:order>`,
  ],
  "odd attributes": [
    `<podcast:order A=1 b = '<"' xml:lang="en" c>2</podcast:order>`,
    '<podcast:order A="1" b="&lt;&quot;" xml:lang="en">2</podcast:order>',
  ],
  "an element that ends with its item": [`<x:a ${X}><x:b>1`, `<x:a ${X}><x:b>1</x:b></x:a>`],
  "an empty element": ["<podcast:order></podcast:order>", "<podcast:order/>"],
  "a link of another relation": [
    '<atom:link rel="payment" href="https://pay.example/?a&amp;b"/>',
    '<atom:link rel="payment" href="https://pay.example/?a&amp;b"/>',
  ],
};

for (const [what, [inside, ...carried]] of Object.entries(forms)) {
  Deno.test(`parseFeed carries ${what}`, async () => {
    const { extraTags } = await readItem(COMPLETE_ITEM + inside);
    assert.deepEqual(extraTags, carried);
    extraTags.forEach(assertCarried);
  });
}

Deno.test("parseFeed repairs the nesting of a carried element with a warning", async () => {
  const found = await readItem(`${COMPLETE_ITEM}<x:a ${X}><x:b><x:c>1</x:b>2</x:a>`);
  assert.deepEqual(found.extraTags, [`<x:a ${X}><x:b><x:c>1</x:c></x:b>2</x:a>`]);
  assert.ok(warningCodes(found).includes("TAG_UNCLOSED"));
});

Deno.test("parseFeed expands the document's own entities in carried elements", async () => {
  const { read } = await readFeedText(
    `<!DOCTYPE rss [<!ENTITY who "Ana &#38; Co">]><rss><channel>${
      item("One", '<podcast:order by="&who;">&who;</podcast:order>')
    }</channel></rss>`,
  );
  assert.deepEqual(read[0].extraTags, ['<podcast:order by="Ana &amp; Co">Ana &amp; Co</podcast:order>']);
});

Deno.test("parseFeed carries the same from any chunks", async () => {
  const inside = `<x:a ${X} b="&amp;">Ünï &amp; <![CDATA[more & ]]>&eacute;<x:c/> end</x:a>`;
  const whole = await readItem(COMPLETE_ITEM + inside);
  for (const piece of [1, 2, 3, 7, 50]) {
    assert.deepEqual((await readItem(COMPLETE_ITEM + inside, { piece })).extraTags, whole.extraTags);
  }
  assert.deepEqual(whole.extraTags, [`<x:a ${X} b="&amp;">Ünï &amp; more &amp; é<x:c/> end</x:a>`]);
});

Deno.test("parseFeed carries at most 100 elements and 64 KB of an item and reports the others", async () => {
  const many = await readItem("<podcast:order>1</podcast:order>".repeat(103));
  assert.equal(many.extraTags.length, 100);
  assert.deepEqual(many.losses, Array(3).fill({ path: "podcast:order", reason: "LIMIT", excerpt: "1" }));
  const large = await readItem(
    `<podcast:order>${"é".repeat(15_000)}</podcast:order>`.repeat(3) + "<podcast:order>small</podcast:order>",
  );
  assert.deepEqual(large.extraTags.map(({ length }) => length), [15_031, 15_031, 36]);
  assert.ok(new TextEncoder().encode(JSON.stringify(large.extraTags)).length <= 65_536);
  assert.deepEqual(large.losses, [{ path: "podcast:order", reason: "LIMIT", excerpt: `${"é".repeat(80)}…` }]);
  const huge = await readItem(
    `<podcast:order>${"<podcast:x>1</podcast:x>".repeat(300_000)}</podcast:order><podcast:order>small</podcast:order>`,
  );
  assert.deepEqual([huge.extraTags, huge.losses.map(({ reason }) => reason)], [
    ["<podcast:order>small</podcast:order>"],
    ["LIMIT"],
  ]);
});

Deno.test("parseFeed carries elements of the channel before and after its items", async () => {
  const { channel } = await readFeedText(
    rss(
      `<podcast:order>1</podcast:order>${
        item("One", "<podcast:order>no</podcast:order>")
      }<podcast:order>2</podcast:order>`,
    ),
  );
  assert.deepEqual(channel.extraTags, ["<podcast:order>1</podcast:order>", "<podcast:order>2</podcast:order>"]);
});

Deno.test("parseFeed carries the channel's summary and subtitle, even if they are the description", async () => {
  const texts = "<itunes:summary>S &amp; &lt;b&gt;T&lt;/b&gt;</itunes:summary><itunes:subtitle>D</itunes:subtitle>";
  const { channel } = await readFeedText(rss(`<description>D</description>${texts}${item("One")}`));
  assert.deepEqual(channel.extraTags.join(""), texts);
});

Deno.test("parseFeed shortens the channel's carried summary to 4,000 bytes and its subtitle to 255 characters", async () => {
  const { channel } = await readFeedText(rss(
    `<description>D</description><itunes:summary>${"ü".repeat(2500)}</itunes:summary><itunes:subtitle>${
      "s".repeat(300)
    }</itunes:subtitle>${item("One")}`,
  ));
  assert.deepEqual(channel.extraTags, [
    `<itunes:summary>${"ü".repeat(1998)}…</itunes:summary>`,
    `<itunes:subtitle>${"s".repeat(254)}…</itunes:subtitle>`,
  ]);
  assert.deepEqual(channel.losses.map(({ path, reason }) => [path, reason]), [
    ["itunes:summary", "LIMIT"],
    ["itunes:subtitle", "LIMIT"],
  ]);
});
