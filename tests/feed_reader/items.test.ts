// Items: identity, media files, and every other element.
import assert from "node:assert/strict";
import type { FeedItem } from "../../functions/feed_reader/feed.ts";
import { COMPLETE_ITEM, item, readFeedText, readItem, rss, warningCodes } from "./reading.ts";

Deno.test("parseFeed reads every supported element of an item", async () => {
  const found = await readItem(`
    <title>Paris</title><itunes:title>By night</itunes:title><link>https://a.example/1</link><description>Short</description>
    <content:encoded><![CDATA[<p>Long</p>]]></content:encoded><itunes:summary>Sum</itunes:summary>
    <itunes:subtitle> Sub
 title </itunes:subtitle>${COMPLETE_ITEM}<itunes:duration>1:01</itunes:duration><itunes:season>2</itunes:season><itunes:episode>7</itunes:episode>
    <itunes:episodeType>Trailer</itunes:episodeType><itunes:explicit>yes</itunes:explicit><itunes:block>Yes</itunes:block>
    <itunes:image href="https://a.example/1.jpg?a&amp;b"/><itunes:keywords>trains, night ,trains</itunes:keywords>
    <category domain="https://a.example/topics">Travel</category>
    <podcast:person role="guest" group="cast" img="ana.jpg" href="https://a.example/ana">Ana &amp; Co</podcast:person>
    <podcast:person>Ben</podcast:person><podcast:person role="host"></podcast:person>
    <podcast:transcript url="https://a.example/1.vtt" type="text/vtt" language="fr" rel="captions"/>
    <podcast:transcript type="text/html"/>
    <podcast:chapters url="https://a.example/1.json" type="application/json+chapters"/>`);
  assert.deepEqual(found, {
    position: 0,
    guid: "only",
    title: "Paris",
    itunesTitle: "By night",
    link: "https://a.example/1",
    description: "Short",
    content: "<p>Long</p>",
    summary: "Sum",
    subtitle: "Sub title",
    pubDate: "2024-05-01T10:00:00.000Z",
    enclosure: { url: "https://a.example/1.mp3", length: 5, type: "audio/mpeg" },
    durationSeconds: 61,
    season: 2,
    episode: 7,
    episodeType: "trailer",
    explicit: true,
    isBlocked: true,
    image: "https://a.example/1.jpg?a&b",
    persons: [
      {
        name: "Ana & Co",
        role: "guest",
        group: "cast",
        img: "https://show.example/ana.jpg",
        href: "https://a.example/ana",
      },
      { name: "Ben", role: null, group: null, img: null, href: null },
    ],
    transcripts: [{ url: "https://a.example/1.vtt", type: "text/vtt", language: "fr", rel: "captions" }],
    chapters: "https://a.example/1.json",
    simpleChapters: [],
    seasonName: null,
    episodeDisplay: null,
    soundbites: [],
    locations: [],
    license: null,
    licenseUrl: null,
    images: [],
    socialInteractions: [],
    valueBlocks: [],
    alternateEnclosures: [],
    contentLinks: [],
    funding: [],
    texts: [],
    keywords: ["trains", "night"],
    tags: [{ text: "Travel", domain: "https://a.example/topics" }],
    extraTags: [],
    losses: [
      { path: "podcast:person", reason: "INVALID", excerpt: 'role="host"' },
      { path: "podcast:transcript", reason: "INVALID", excerpt: 'type="text/html"' },
    ],
    warnings: found.warnings,
  });
  assert.deepEqual(warningCodes(found), ["URL_RELATIVE"]);
});

Deno.test("parseFeed returns null or empty values for missing item elements", async () => {
  const { warnings, ...found } = await readItem("");
  assert.deepEqual(
    Object.entries(found).filter(([, value]) => value !== null && !(Array.isArray(value) && !value.length)),
    [["position", 0], ["guid", "only"]],
  );
  assert.deepEqual(warningCodes({ warnings }), [
    "ENCLOSURE_MISSING",
    "TITLE_MISSING",
    "DATE_MISSING",
    "DATE_ESTIMATED",
  ]);
});

Deno.test("parseFeed falls back to the podcast namespace, and to Media RSS for the file", async () => {
  const found = await readItem(
    '<podcast:season name="Two">2</podcast:season><podcast:episode display="Ch. 3">3</podcast:episode>' +
      '<media:group><media:content url="https://a.example/1.mp3" fileSize="9" type="audio/mpeg"/></media:group>',
  );
  assert.deepEqual([found.season, found.episode], [2, 3]);
  assert.deepEqual(found.enclosure, { url: "https://a.example/1.mp3", length: 9, type: "audio/mpeg" });
});

Deno.test("parseFeed uses dc:date when pubDate is invalid", async () => {
  const attributes = 'xmlns:dc="http://purl.org/dc/elements/1.1/"';
  const found = await readItem("<pubDate>?</pubDate><dc:date>2024-05-01T10:00:00Z</dc:date>", { attributes });
  assert.equal(found.pubDate, "2024-05-01T10:00:00.000Z");
  assert.ok(warningCodes(found).includes("DATE_INVALID"));
});

const FILE = '<enclosure url="https://a.example/1.mp3" length="5" type="audio/mpeg"/>';

/** Content of an item, its GUID, and whether there is a warning. */
const guids: Record<string, [item: string, guid: string, isMissing: boolean]> = {
  "unchanged": ["<guid>  urn:Ünï-007 a&amp;b  </guid>", "urn:Ünï-007 a&b", false],
  "unchanged when it looks like a number": ["<guid>007</guid>", "007", false],
  "unchanged when it looks like an exponent": ["<guid>1e5</guid>", "1e5", false],
  "unchanged when it is a URL": ["<guid>HTTPS://A.example/?a=b%20c</guid>", "HTTPS://A.example/?a=b%20c", false],
  "from the enclosure URL when it is missing": [
    `<title>T</title><link>https://a.example/t</link>${FILE}`,
    "https://a.example/1.mp3",
    true,
  ],
  "from the enclosure URL when it is blank": [`<guid> </guid>${FILE}`, "https://a.example/1.mp3", true],
  "from the link without an enclosure": [
    "<title>T</title><link>https://a.example/t</link>",
    "https://a.example/t",
    true,
  ],
  "from the title without anything else": ["<title>T</title>", "T", true],
};

for (const [what, [inside, guid, isMissing]] of Object.entries(guids)) {
  Deno.test(`parseFeed reads the GUID ${what}`, async () => {
    const { read } = await readFeedText(rss(`<item>${inside}</item>`));
    assert.equal(read[0].guid, guid);
    assert.equal(warningCodes(read[0]).includes("GUID_MISSING"), isMissing);
  });
}

const rdf = (inside: string) =>
  `<rdf:RDF xmlns:rdf="http://www.w3.org/1999/02/22-rdf-syntax-ns#" xmlns="http://purl.org/rss/1.0/">${inside}</rdf:RDF>`;

Deno.test("parseFeed reads rdf:about of RSS 1.0 as the GUID, unless the item has another", async () => {
  const about = 'rdf:about="https://a.example/?p=1&amp;q=2"';
  const { channel, read } = await readFeedText(rdf(
    `<channel rdf:about="https://a.example/"><title>Show</title><image rdf:resource="https://a.example/i.png"/></channel>` +
      `<image rdf:about="https://a.example/i.png"><url>https://a.example/i.png</url></image>` +
      `<item ${about}><title>One</title>${COMPLETE_ITEM}</item>` +
      `<item rdf:about="https://a.example/2"><title>Two</title><guid>two</guid>${COMPLETE_ITEM}</item>`,
  ));
  assert.deepEqual(read.map(({ guid, link }) => [guid, link]), [
    ["https://a.example/?p=1&q=2", "https://a.example/?p=1&q=2"],
    ["two", null],
  ]);
  assert.deepEqual(read[0].losses, []);
  assert.deepEqual(warningCodes(read[0]), []);
  assert.deepEqual(read[1].losses, [{ path: "@rdf:about", reason: "REPEATED", excerpt: "https://a.example/2" }]);
  assert.deepEqual(channel.rssImage, { url: "https://a.example/i.png" });
  assert.deepEqual(channel.losses.map(({ path, reason }) => [path, reason]), [
    ["@rdf:about", "REPLACED_BY_OURS"],
    ["image/@rdf:resource", "REPLACED_BY_OURS"],
    ["image/@rdf:about", "REPLACED_BY_OURS"],
  ]);
});

Deno.test("parseFeed skips an item without any identifier with a warning", async () => {
  const { read, codes } = await readFeedText(rss(`<item><description>?</description></item>${item("One")}`));
  assert.deepEqual(read.map(({ title, position }) => [title, position]), [["One", 1]]);
  assert.deepEqual(codes, ["ITEM_UNIDENTIFIED"]);
});

Deno.test("parseFeed reads each text of an item as its own value", async () => {
  const { description, summary, subtitle } = await readItem(
    "<description>Long</description><itunes:subtitle>Short</itunes:subtitle>",
  );
  assert.deepEqual([description, summary, subtitle], ["Long", null, "Short"]);
});

Deno.test("parseFeed uses a permalink GUID as the missing link, and no other GUID", async () => {
  const link = async (guid: string) => (await readFeedText(rss(`<item>${guid}</item>`))).read[0].link;
  assert.equal(await link("<guid>https://a.example/1</guid>"), "https://a.example/1");
  assert.equal(await link('<guid isPermaLink="false">https://a.example/1</guid>'), null);
});

const dated = (guid: string, title: string, date: string) =>
  `<item><guid>${guid}</guid><title>${title}</title>${COMPLETE_ITEM.replace("01 May", date)}</item>`;

Deno.test("parseFeed keeps the newest of several items with one GUID, across batches", async () => {
  const filler = item("Other");
  const feed = rss(
    dated("a", "a old", "01 May") + dated("b", "b new", "09 May") + filler + dated("b", "b old", "01 May") +
      dated("a", "a new", "08 May") + dated("a", "a older", "02 May") + dated("c", "c first", "01 May") +
      dated("c", "c same day", "01 May"),
  );
  for (const maxBatchItems of [1, 2, 3, 200]) {
    const { channel, read, batches, itemCount, warnings } = await readFeedText(feed, { maxBatchItems });
    assert.deepEqual(channel.losses.map(({ path, reason, excerpt }) => [path, reason, excerpt]), [
      ["item", "DUPLICATE", "b (b old)"],
      ["item", "DUPLICATE", "a"],
      ["item", "DUPLICATE", "a (a older)"],
      ["item", "DUPLICATE", "c (c same day)"],
    ]);
    assert.deepEqual(read.map(({ title }) => title).sort(), ["Other", "a new", "b new", "c first"]);
    assert.equal(itemCount, 4);
    assert.equal(warnings.find(({ code }) => code === "GUID_DUPLICATE")?.count, 4);
    for (const batch of batches) {
      assert.ok(batch.length <= maxBatchItems);
      assert.equal(new Set(batch.map(({ guid }) => guid)).size, batch.length);
    }
    assert.ok(warningCodes(read.find(({ title }) => title === "a new")!).includes("GUID_DUPLICATE"));
  }
});

const enclosure = (url: string, type?: string, length?: string) =>
  `<enclosure url="${url}"${type === undefined ? "" : ` type="${type}"`}${
    length === undefined ? "" : ` length="${length}"`
  }/>`;
const AUDIO = { url: "https://a.example/1.mp3", type: "audio/mpeg", length: 5 };
const audio = enclosure(AUDIO.url, AUDIO.type, "5");

/** Content of an item, its file, and the warnings. */
const files: Record<string, [enclosures: string, file: unknown, codes: string[]]> = {
  "a file": [audio, AUDIO, []],
  "an image before its file": [enclosure("https://a.example/1.jpg", "image/jpeg", "1") + audio, AUDIO, []],
  "two audio files": [audio + enclosure("https://a.example/2.mp3", "audio/mpeg", "6"), AUDIO, ["ENCLOSURE_MULTIPLE"]],
  "a video before its audio file": [enclosure("https://a.example/1.mp4", "video/mp4", "1") + audio, AUDIO, [
    "ENCLOSURE_MULTIPLE",
  ]],
  "a torrent before its audio file": [
    enclosure("https://a.example/1", "application/x-bittorrent", "1") + audio,
    AUDIO,
    [
      "ENCLOSURE_MULTIPLE",
    ],
  ],
  "a video alone": [
    enclosure("https://a.example/1.mp4", "video/mp4", "1"),
    { url: "https://a.example/1.mp4", type: "video/mp4", length: 1 },
    [],
  ],
  "an image alone": [enclosure("https://a.example/1.jpg", "image/jpeg", "1"), null, ["ENCLOSURE_MISSING"]],
  "an image recognized by its name": [enclosure("https://a.example/1.JPG?x=1", undefined, "1"), null, [
    "ENCLOSURE_MISSING",
  ]],
  "an image with another type, and its audio file in Media RSS": [
    enclosure("https://a.example/1.png", "application/octet-stream", "1") + audio.replace("enclosure", "media:content"),
    AUDIO,
    [],
  ],
  "a file whose URL mentions an image": [
    enclosure(`${AUDIO.url}?cover=1.jpg`, AUDIO.type, "5"),
    { ...AUDIO, url: `${AUDIO.url}?cover=1.jpg` },
    [],
  ],
  "120 images before its file": [
    enclosure("https://a.example/1.jpg", "image/jpeg", "1").repeat(120) + audio,
    AUDIO,
    [],
  ],
  "120 images in Media RSS before its file": [
    (enclosure("https://a.example/1.jpg", "image/jpeg", "1").repeat(120) + audio).replaceAll(
      "enclosure",
      "media:content",
    ),
    AUDIO,
    [],
  ],
  "120 torrents before its file": [
    enclosure("https://a.example/1", "application/x-bittorrent", "1").repeat(120) + audio,
    AUDIO,
    ["ENCLOSURE_MULTIPLE"],
  ],
  "a quote closed by the next attribute's quote": [
    `<enclosure url="${AUDIO.url} length="5" type="audio/mpeg"/>`,
    AUDIO,
    [],
  ],
  "a quote closed by the last attribute's quote": [
    `<enclosure length="5" url='${AUDIO.url} type='audio/mpeg'/>`,
    AUDIO,
    [],
  ],
  "a URL with spaces and equals signs": [
    `<enclosure url="https://a.example/a b=c d=" length="5" type="audio/mpeg"/>`,
    { ...AUDIO, url: "https://a.example/a%20b=c%20d=" },
    ["URL_WHITESPACE"],
  ],
  "an invalid URL before its file": [enclosure("mailto:a@a.example") + audio, AUDIO, ["URL_INVALID"]],
  "a file without a URL": [enclosure(" ", "audio/mpeg", "1"), null, ["ENCLOSURE_MISSING"]],
  "an image, and its audio file in Media RSS": [
    enclosure("https://a.example/1.jpg", "image/jpeg", "1") + audio.replace("enclosure", "media:content"),
    AUDIO,
    [],
  ],
  "a file, and another in Media RSS": [
    audio + '<media:content url="https://a.example/2.mp3" type="audio/mpeg"/>',
    AUDIO,
    [],
  ],
  "no length": [enclosure(AUDIO.url, AUDIO.type), { ...AUDIO, length: null }, ["LENGTH_INVALID"]],
  "length 0": [enclosure(AUDIO.url, AUDIO.type, "0"), { ...AUDIO, length: null }, ["LENGTH_INVALID"]],
  "a length in words": [enclosure(AUDIO.url, AUDIO.type, "5 MB"), { ...AUDIO, length: null }, ["LENGTH_INVALID"]],
  "a negative length": [enclosure(AUDIO.url, AUDIO.type, "-1"), { ...AUDIO, length: null }, ["LENGTH_INVALID"]],
  "no type": [enclosure(AUDIO.url, undefined, "5"), { ...AUDIO, type: null }, ["MEDIA_TYPE_UNEXPECTED"]],
  "an invalid type": [enclosure(AUDIO.url, "mp3", "5"), { ...AUDIO, type: null }, ["MEDIA_TYPE_UNEXPECTED"]],
  "an unexpected type": [
    enclosure(AUDIO.url, "Application/Octet-Stream", "5"),
    { ...AUDIO, type: "application/octet-stream" },
    [
      "MEDIA_TYPE_UNEXPECTED",
    ],
  ],
  "a type with parameters": [enclosure(AUDIO.url, "AUDIO/MPEG; charset=x", "5"), AUDIO, []],
  "an audio file with a text type": [enclosure(AUDIO.url, "text/html", "5"), { ...AUDIO, type: "text/html" }, [
    "MEDIA_TYPE_UNEXPECTED",
  ]],
  "a relative URL with white space": [
    enclosure("\n/1.mp3 ", "audio/mpeg", "5"),
    { ...AUDIO, url: "https://show.example/1.mp3" },
    ["URL_WHITESPACE", "URL_RELATIVE"],
  ],
  "attributes without order, quotes or case": [
    `<enclosure TYPE=audio/mpeg Length='5'\n URL = "https://a.example/1.mp3" />`,
    AUDIO,
    [],
  ],
  "an attribute that mentions others": [
    `<enclosure title="no url='https://b.example/' > here" url="https://a.example/1.mp3" length="5" type="audio/mpeg"></enclosure>`,
    AUDIO,
    [],
  ],
  "an unclosed quote": [`<enclosure url="https://a.example/1.mp3>${audio}`, AUDIO, [
    "ENCLOSURE_MULTIPLE",
    "TAG_UNCLOSED",
  ]],
};

for (const [what, [enclosures, file, codes]] of Object.entries(files)) {
  Deno.test(`parseFeed chooses the right media file of an item with ${what}`, async () => {
    const found = await readItem(`<title>T</title><pubDate>2024-05-01T10:00:00Z</pubDate>${enclosures}`);
    assert.deepEqual(found.enclosure, file);
    assert.deepEqual(warningCodes(found).filter((code) => code !== "DATE_NONSTANDARD").sort(), codes.sort());
  });
}

Deno.test("parseFeed truncates an item that repeats an element endlessly", async () => {
  const long = "x".repeat(300_000);
  const found = await readItem(
    `<description>${long.repeat(5)}</description>${`<podcast:person>${long}</podcast:person>`.repeat(50)}`,
  );
  assert.equal(found.description?.length, 1_000_000);
  assert.ok(JSON.stringify(found).length < 4_100_000, `${JSON.stringify(found).length}`);
  assert.ok(warningCodes(found).includes("TEXT_TRUNCATED"));
});

Deno.test("parseFeed warns once when an item's lists exceed their limit", async () => {
  const kinds: Record<string, (found: FeedItem) => unknown[]> = {
    "<podcast:person>Ana</podcast:person>": ({ persons }) => persons,
    '<podcast:transcript url="https://a.example/1.vtt"/>': ({ transcripts }) => transcripts,
  };
  for (const [element, kept] of Object.entries(kinds)) {
    const full = await readItem(COMPLETE_ITEM + element.repeat(500));
    assert.deepEqual([kept(full).length, warningCodes(full)], [500, ["TITLE_MISSING"]]);
    const over = await readItem(COMPLETE_ITEM + element.repeat(550));
    assert.deepEqual([kept(over).length, warningCodes(over)], [500, ["LIST_TRUNCATED", "TITLE_MISSING"]]);
  }
  const words = Array.from({ length: 501 }, (_, n) => n);
  const tagged = await readItem(words.map((n) => `<category>${n}</category>`).join(""));
  assert.ok(tagged.tags.length === 500 && warningCodes(tagged).includes("LIST_TRUNCATED"));
  const { keywords, losses, warnings } = await readItem(`<itunes:keywords>${words.join()}</itunes:keywords>`);
  assert.ok(keywords.length === 500 && warningCodes({ warnings }).includes("LIST_TRUNCATED"));
  assert.deepEqual(losses, [
    { path: "itunes:keywords", reason: "LIMIT", excerpt: "500" },
    // those that the feed's tag does not hold
    { path: "itunes:keywords", reason: "LIMIT", excerpt: `${words.slice(88, 500).join(", ").slice(0, 80)}…` },
  ]);
});

Deno.test("parseFeed warns when an attribute exceeds the item's limit", async () => {
  const texts = `<description>${"x".repeat(1_000_000)}</description>` +
    ["content:encoded", "itunes:summary", "itunes:subtitle"].map((name) => `<${name}>${"x".repeat(999_990)}</${name}>`)
      .join("");
  const found = await readItem(`${texts}<itunes:image href="https://a.example/1.jpg"/>`);
  assert.deepEqual([found.image, warningCodes(found).includes("TEXT_TRUNCATED")], [null, true]);
});
