// xml:base: the base of relative URLs inside its element.
import assert from "node:assert/strict";
import { resolveAttributes } from "../../functions/feed_reader/xml_base.ts";
import { readFeedText, readItem, rss } from "./reading.ts";

const NAMESPACES =
  'xmlns:podcast="https://podcastindex.org/namespace/1.0" xmlns:media="http://search.yahoo.com/mrss/" ' +
  'xmlns:itunes="http://www.itunes.com/dtds/podcast-1.0.dtd" xmlns:atom="http://www.w3.org/2005/Atom"';
const file = '<enclosure url="e1.mp3?a=1&amp;b=2" type="audio/mpeg" length="5"/>';

/** Bases of the document, the channel, the item and the enclosure, and the resolved enclosure. */
const nested: [bases: [string?, string?, string?, string?], url: string][] = [
  [[], "https://show.example/e1.mp3?a=1&b=2"],
  [["https://a.example/dir/"], "https://a.example/dir/e1.mp3?a=1&b=2"],
  [["https://a.example/dir/", "audio/"], "https://a.example/dir/audio/e1.mp3?a=1&b=2"],
  [["https://a.example/dir/", "audio/", "../item/"], "https://a.example/dir/item/e1.mp3?a=1&b=2"],
  [["https://a.example/", undefined, undefined, "http://b.example/x?y"], "http://b.example/e1.mp3?a=1&b=2"],
  [[undefined, undefined, "/item/"], "https://show.example/item/e1.mp3?a=1&b=2"],
  [["https://a.example/", "javascript:alert(1)"], "https://a.example/e1.mp3?a=1&b=2"],
  [["https://a.example/", `https://b.example/${"b".repeat(494)}`], "https://b.example/e1.mp3?a=1&b=2"],
  [["https://a.example/", `https://b.example/${"b".repeat(495)}`], "https://a.example/e1.mp3?a=1&b=2"],
];

for (const [bases, url] of nested) {
  Deno.test(`parseFeed resolves an enclosure against the bases ${JSON.stringify(bases).slice(0, 80)}`, async () => {
    const [root, channel, item, own] = bases.map((base) => base === undefined ? "" : ` xml:base="${base}"`);
    const { read, codes } = await readFeedText(
      `<rss version="2.0"${root ?? ""}><channel${channel ?? ""}><title>Show</title><item${item ?? ""}><guid>1</guid>` +
        `${file.replace(" type", `${own ?? ""} type`)}</item></channel></rss>`,
    );
    assert.equal(read[0].enclosure?.url, url);
    assert.deepEqual(read[0].losses, []);
    assert.equal(codes.includes("URL_RELATIVE"), !bases.length);
  });
}

Deno.test("parseFeed resolves texts, attributes and carried elements against xml:base, and absolute URLs stay", async () => {
  const found = await readItem(
    '<link>notes/1</link><itunes:image href="c.jpg"/><podcast:person href="/ana" img="https://b.example/a.jpg">Ana' +
      '</podcast:person><podcast:contentLink href="nostr:abc">x</podcast:contentLink>' +
      '<podcast:license url="x">y</podcast:license><media:thumbnail url="t.jpg"/>' +
      '<podcast:chapters url="c.json" xml:base="chapters/"/>',
    { attributes: `${NAMESPACES} xml:base="https://a.example/dir/"` },
  );
  assert.equal(found.link, "https://a.example/dir/notes/1");
  assert.equal(found.image, "https://a.example/dir/c.jpg");
  assert.equal(found.chapters, "https://a.example/dir/chapters/c.json");
  assert.deepEqual(found.persons.map(({ href, img }) => [href, img]), [[
    "https://a.example/ana",
    "https://b.example/a.jpg",
  ]]);
  assert.deepEqual(found.contentLinks, [{ href: "nostr:abc", text: "x" }]);
  assert.deepEqual([found.license, found.licenseUrl], ["y", null]);
  assert.match(found.extraTags[0], /url="https:\/\/a\.example\/dir\/t\.jpg"/);
  assert.deepEqual(found.losses.map(({ path, reason }) => [path, reason]), [
    ["podcast:license/@url", "INVALID"],
  ]);
});

Deno.test("parseFeed resolves the next page and the channel's image against xml:base", async () => {
  const { channel, nextPage } = await readFeedText(rss(
    '<image><url>c.jpg</url></image><atom:link rel="next" href="?page=2"/><item><guid>1</guid></item>',
    `${NAMESPACES} xml:base="https://a.example/feed"`,
  ));
  assert.deepEqual([channel.rssImage?.url, nextPage], ["https://a.example/c.jpg", "https://a.example/feed?page=2"]);
});

Deno.test("parseFeed reports an xml:base that is not an http or https URL", async () => {
  const found = await readItem('<podcast:person xml:base="file:///etc/" href="passwd.txt">Ana</podcast:person>', {
    attributes: NAMESPACES,
  });
  assert.equal(found.persons[0].href, "https://show.example/passwd.txt");
  assert.deepEqual(found.losses, [
    { path: "podcast:person/@xml:base", reason: "INVALID", excerpt: "file:///etc/" },
  ]);
});

Deno.test("parseFeed resolves 20 relative sources of podcast:images against xml:base", async () => {
  const srcset = Array.from({ length: 25 }, (_, n) => `/${n}.jpg ${n + 1}w`).join(", ");
  const { images } = await readItem(`<podcast:images srcset="${srcset}"/>`, {
    attributes: `${NAMESPACES} xml:base="https://a.example/"`,
  });
  const hosts = images.map(({ href }) => new URL(href as string).host);
  assert.deepEqual(hosts, [...Array(20).fill("a.example"), ...Array(5).fill("show.example")]);
});

Deno.test("resolveAttributes resolves 20 relative URLs of an element, and srcset of no other one", () => {
  const absolute = ["url", "https://b.example/", "url"] as [string, string, string];
  const relative = Array.from({ length: 25 }, (_, n) => [`p${n}:url`, `/${n}`, `p${n}:url`] as typeof absolute);
  const found = resolveAttributes("x", [absolute, ["srcset", "/a, /b", "srcset"], ...relative], "https://a.example/");
  assert.deepEqual(found.map(([, value]) => value), [
    "https://b.example/",
    "/a, /b",
    ...relative.map(([, value], n) => n < 20 ? `https://a.example${value}` : value),
  ]);
});

Deno.test("parseFeed resolves against at most 512 characters of the document's URL: without its query, or its origin", async () => {
  const long = "b".repeat(512);
  const bases = { "dir/feed?a": "dir/e1", [`dir/feed?${long}`]: "dir/e1", [`${long}/feed`]: "e1" };
  for (const [path, file] of Object.entries(bases)) {
    const inside = '<enclosure url="e1.mp3" type="audio/mpeg" length="5"/>';
    const { enclosure } = await readItem(inside, { url: `https://a.example/${path}` });
    assert.equal(enclosure?.url, `https://a.example/${file}.mp3`);
  }
  const url = `https://a.example/feed?${long}`;
  const moved = `<itunes:new-feed-url>${url}</itunes:new-feed-url><item><guid>1</guid></item>`;
  const { channel } = await readFeedText(rss(moved, NAMESPACES), { url });
  assert.equal(channel.newFeedUrl, null);
});
