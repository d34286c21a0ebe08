// Atom feeds (RFC 4287): the same podcast as in RSS.
import assert from "node:assert/strict";
import { readFeed } from "../../functions/feed_reader/pages.ts";
import { batchItems } from "../../functions/feed_reader/parse.ts";
import { inChunks, readFeedText, toBytes, warningCodes } from "./reading.ts";

const NAMESPACES = 'xmlns="http://www.w3.org/2005/Atom" xmlns:itunes="http://www.itunes.com/dtds/podcast-1.0.dtd" ' +
  'xmlns:podcast="https://podcastindex.org/namespace/1.0"';
const FILE = '<link rel="enclosure" type="audio/mpeg" href="https://a.example/1.mp3?a=1&amp;b=2" length="5"/>';

export const atom = (inside: string, attributes = NAMESPACES) =>
  `<?xml version="1.0"?>\n<feed ${attributes}><title>Show</title>${inside}</feed>`;
const entry = (inside: string) => `<entry><id>urn:uuid:1</id>${inside}</entry>`;
const readEntry = async (inside: string) => (await readFeedText(atom(entry(inside)))).read[0];

Deno.test("parseFeed reads an entry of Atom as an item", async () => {
  const found = await readEntry(
    `<title>Night &amp;amp; trains</title><published>2024-05-01T12:00:00+02:00</published>` +
      `<updated>2024-05-02T10:00:00Z</updated>${FILE}<link href="https://a.example/one"/>` +
      `<summary>Short</summary><content type="html">&lt;p&gt;Long &amp;amp; rich&lt;/p&gt;</content>` +
      `<category term="trains" label="Trains" scheme="https://a.example/tags"/>` +
      `<itunes:duration>61</itunes:duration><podcast:person role="host">Ana</podcast:person>`,
  );
  assert.equal(found.guid, "urn:uuid:1");
  assert.equal(found.title, "Night & trains");
  assert.equal(found.pubDate, "2024-05-01T10:00:00.000Z");
  assert.deepEqual(found.enclosure, { url: "https://a.example/1.mp3?a=1&b=2", type: "audio/mpeg", length: 5 });
  assert.equal(found.link, "https://a.example/one");
  assert.equal(found.description, "Short");
  assert.equal(found.content, "<p>Long &amp; rich</p>");
  assert.deepEqual(found.tags, [{ text: "Trains", domain: "https://a.example/tags" }]);
  assert.deepEqual([found.durationSeconds, found.persons[0].name], [61, "Ana"]);
  assert.deepEqual(found.losses.map(({ path, reason }) => `${path} ${reason}`), [
    "atom:category/@term NO_PLACE",
    "atom:updated REPLACED_BY_OURS",
  ]);
  assert.deepEqual(warningCodes(found), ["DOUBLE_ESCAPED"]);
});

Deno.test("parseFeed reads the channel of an Atom feed", async () => {
  const { channel, codes } = await readFeedText(atom(
    '<subtitle type="html">&lt;b&gt;About&lt;/b&gt; trains</subtitle><id>urn:uuid:0</id><updated>2024-05-02T10:00:00Z</updated>' +
      "<author><name>Ana</name><uri>https://a.example/ana</uri><email>ana@a.example</email></author>" +
      "<icon>https://a.example/i.png</icon><logo>https://a.example/l.png</logo><rights>© Ana</rights>" +
      '<link rel="self" href="https://a.example/feed"/><link href="https://a.example/" title="Home"/>' +
      '<link rel="alternate" type="application/rss+xml" href="https://a.example/rss"/>' +
      '<link rel="payment" href="https://a.example/pay"/><generator uri="https://g.example/">G</generator>' +
      '<category term="trains"/><podcast:medium>music</podcast:medium>' + entry(FILE),
    `${NAMESPACES} xml:lang="de" foo="1"`,
  ));
  const { title, description, language, author, ownerEmail, image, rssImage, copyright, link, tags, medium } = channel;
  assert.deepEqual({ title, description, language, author, ownerEmail, image, copyright, link, medium }, {
    title: "Show",
    description: "<b>About</b> trains",
    language: "de",
    author: "Ana",
    ownerEmail: null,
    image: "https://a.example/l.png",
    copyright: "© Ana",
    link: "https://a.example/",
    medium: "music",
  });
  assert.deepEqual([rssImage, tags, channel.lastBuildDate], [
    { url: "https://a.example/l.png" },
    [{ text: "trains" }],
    "2024-05-02T10:00:00.000Z",
  ]);
  assert.deepEqual(channel.extraTags, ['<atom:link rel="payment" href="https://a.example/pay"/>']);
  assert.deepEqual(channel.losses.map(({ path, reason }) => `${path} ${reason}`), [
    "@foo UNKNOWN_ATTRIBUTE",
    "atom:id REPLACED_BY_OURS",
    "atom:author/atom:uri NO_PLACE",
    "atom:author/atom:email PRIVATE_ADDRESS",
    "atom:link SELF_LINK",
    "atom:link/@title NO_PLACE",
    "atom:link SELF_LINK",
    "atom:generator REPLACED_BY_OURS",
    "atom:updated REPLACED_BY_OURS",
    "atom:icon NO_PLACE",
  ]);
  assert.doesNotMatch(JSON.stringify(channel), /ana@/);
  assert.deepEqual(codes, ["TITLE_MISSING", "DATE_MISSING", "DATE_ESTIMATED"]);
});

/** Text constructs as content, and as a title. */
const texts: Record<string, [construct: string, html: string, line: string]> = {
  "plain text": ["<?>One &amp; two", "One & two", "One & two"],
  "plain text with signs of markup": ['<? type="text">1 &lt; 2 &amp; 3', "1 &lt; 2 &amp; 3", "1 < 2 & 3"],
  "HTML": ['<? type="html">&lt;b&gt;One&lt;/b&gt; &amp;amp; two', "<b>One</b> &amp; two", "One & two"],
  "HTML in CDATA": ['<? type="html"><![CDATA[<b>One</b> &amp; two]]>', "<b>One</b> &amp; two", "One & two"],
  "XHTML": [
    '<? type="xhtml"><div xmlns="http://www.w3.org/1999/xhtml"><b>One</b> &amp; two<br/></div>',
    "<b>One</b> &amp; two<br/>",
    "One & two",
  ],
  "XHTML with a prefix": [
    '<? type="xhtml"><h:div xmlns:h="http://www.w3.org/1999/xhtml"><h:b>One</h:b> &amp; two<h:br/></h:div>',
    "<b>One</b> &amp; two<br/>",
    "One & two",
  ],
};

for (const [what, [construct, html, line]] of Object.entries(texts)) {
  Deno.test(`parseFeed reads ${what} in Atom's content, summary and title`, async () => {
    const element = (name: string) => `${construct.replace("<?", `<${name}`)}</${name}>`;
    const found = await readEntry(element("title") + element("summary") + element("content"));
    assert.deepEqual([found.content, found.description, found.title], [html, html, line]);
    assert.ok(!warningCodes(found).includes("MARKUP_UNESCAPED"));
  });
}

Deno.test("parseFeed reports content of Atom that is not text", async () => {
  const found = await readEntry(
    '<content type="image/png">iVBORw0</content><summary type="text/html">&lt;i&gt;a&lt;/i&gt;</summary>',
  );
  assert.deepEqual([found.content, found.description], [null, "<i>a</i>"]);
  assert.deepEqual(found.losses, [{ path: "atom:content", reason: "INVALID", excerpt: "image/png: iVBORw0" }]);
  const linked = await readEntry('<content type="audio/mpeg" src="https://a.example/2.mp3"/>');
  assert.deepEqual(linked.losses, [{ path: "atom:content", reason: "ENCLOSURE", excerpt: "https://a.example/2.mp3" }]);
});

Deno.test("parseFeed chooses among several enclosures of an entry as among those of an item", async () => {
  const image = '<link rel="enclosure" type="image/png" href="https://a.example/1.png"/>';
  const video = '<link rel="http://www.iana.org/assignments/relation/enclosure" href="https://a.example/1.mp4"/>';
  const found = await readEntry(image + video + FILE);
  assert.equal(found.enclosure?.url, "https://a.example/1.mp3?a=1&b=2");
  assert.deepEqual(found.losses.map(({ path, reason, excerpt }) => [path, reason, excerpt]), [
    ["atom:link", "ENCLOSURE", "https://a.example/1.png"],
    ["atom:link", "ENCLOSURE", "https://a.example/1.mp4"],
  ]);
  assert.ok(warningCodes(found).includes("ENCLOSURE_MULTIPLE"));
});

Deno.test("parseFeed reads no entry within an element that it does not know as an item", async () => {
  const { read, channel } = await readFeedText(
    atom(`<x:related xmlns:x="urn:x"><entry><id>urn:uuid:2</id></entry><entry/> <x:end/></x:related>${entry(FILE)}`),
  );
  assert.deepEqual(read.map(({ guid }) => guid), ["urn:uuid:1"]);
  assert.deepEqual([...channel.extraTags, ...channel.losses.map(({ path }) => path)], ["x:related"]);
});

Deno.test("parseFeed reads an entry without an enclosure as an item without one", async () => {
  const found = await readEntry('<title>One</title><link href="https://a.example/1"/>');
  assert.equal(found.enclosure, null);
  assert.ok(warningCodes(found).includes("ENCLOSURE_MISSING"));
});

Deno.test("parseFeed carries authors and licenses of an entry, and nothing that an item of RSS may not have", async () => {
  const found = await readEntry(
    "<author><name>Ana</name></author><contributor><name>Bob</name><email>bob@b.example</email></contributor>" +
      '<rights>CC</rights><link rel="license" href="https://a.example/cc"/><odd>1</odd>',
  );
  assert.deepEqual(found.extraTags, [
    "<atom:author><atom:name>Ana</atom:name></atom:author>",
    '<atom:link rel="license" href="https://a.example/cc"/>',
  ]);
  assert.deepEqual(found.losses.map(({ path, reason }) => [path, reason]), [
    ["atom:rights", "NO_PLACE"],
    ["atom:odd", "UNKNOWN_ELEMENT"],
    ["atom:contributor", "PRIVATE_ADDRESS"],
  ]);
});

Deno.test("parseFeed uses the updated date and the icon of Atom when there is no other", async () => {
  const { channel, read } = await readFeedText(atom(
    `<icon>i.png</icon>${entry(`<updated>2024-05-02T10:00:00.5Z</updated>${FILE}`)}`,
    `${NAMESPACES} xml:base="https://a.example/dir/"`,
  ));
  assert.equal(read[0].pubDate, "2024-05-02T10:00:00.000Z");
  assert.deepEqual(read[0].losses, []);
  assert.equal(channel.image, "https://a.example/dir/i.png");
});

for (
  const [what, document] of [
    [
      "a prefix for Atom",
      `<a:feed xmlns:a="http://www.w3.org/2005/Atom"><a:title>Show</a:title><a:entry><a:id>1</a:id>` +
      `<a:title>One</a:title></a:entry></a:feed>`,
    ],
    ["no namespace", "<feed><title>Show</title><entry><id>1</id><title>One</title></entry></feed>"],
  ]
) {
  Deno.test(`parseFeed reads an Atom feed with ${what}`, async () => {
    const { channel, read } = await readFeedText(document);
    assert.deepEqual([channel.title, read[0].guid, read[0].title], ["Show", "1", "One"]);
  });
}

Deno.test("parseFeed reads a truncated Atom feed up to its last complete entry, in chunks of any size", async () => {
  const whole = atom(entry(`<title>One</title>${FILE}`) + entry("<title>Two</title>").replace(":1", ":2"));
  for (const piece of [1, 7, 1000]) {
    const found = await readFeedText(whole.split("<title>Two")[0], { piece });
    assert.deepEqual(found.read.map(({ title }) => title), ["One"]);
    assert.ok(found.codes.includes("DOCUMENT_TRUNCATED"));
  }
});

Deno.test("readFeed follows the pages of an Atom feed", async () => {
  const pages: Record<string, string> = {
    "https://a.example/feed": atom(`<link rel="next" href="?page=2"/>${entry("<title>One</title>")}`),
    "https://a.example/feed?page=2": atom(entry("<title>Two</title>").replace(":1", ":2")),
  };
  const titles: (string | null)[] = [];
  const sink = batchItems((items) => Promise.resolve(void titles.push(...items.map(({ title }) => title))));
  const fetchPage = (url: string) =>
    Promise.resolve({ url, headers: new Headers(), body: inChunks(toBytes(pages[url])) });
  const { itemCount } = await readFeed("https://a.example/feed", fetchPage, sink);
  assert.deepEqual([titles, itemCount], [["One", "Two"], 2]);
});
