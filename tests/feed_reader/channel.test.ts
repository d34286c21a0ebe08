// The channel: every element, including those that prove ownership.
import assert from "node:assert/strict";
import type { Channel } from "../../functions/feed_reader/feed.ts";
import { item, readFeedText, rss } from "./reading.ts";

const channelOf = async (inside: string) => (await readFeedText(rss(inside + item("One")))).channel;

Deno.test("parseFeed keeps itunes:new-feed-url of another address, and reports it", async () => {
  const newFeedUrlOf = async (url: string) => {
    const { newFeedUrl, losses } = await channelOf(`<itunes:new-feed-url>${url}</itunes:new-feed-url>`);
    assert.deepEqual(losses.map(({ path, reason }) => [path, reason]), [["itunes:new-feed-url", "REDIRECT"]]);
    return newFeedUrl;
  };
  assert.equal(await newFeedUrlOf(" https://b.example/feed?a=1&amp;b=2 "), "https://b.example/feed?a=1&b=2");
  assert.equal(await newFeedUrlOf("http://"), null);
  assert.equal(await newFeedUrlOf("https://show.example/feed.xml"), null);
  assert.equal(await newFeedUrlOf("http://show.example/feed.xml/#top"), null);
});

Deno.test("parseFeed reads every supported element of the channel", async () => {
  const channel = await channelOf(`
    <description>About &lt;b&gt;trains&lt;/b&gt;</description><link>https://a.example/</link><language>en-GB</language>
    <itunes:author>Ana</itunes:author>
    <itunes:owner><itunes:name>Ana Z.</itunes:name><itunes:email> ana@a.example </itunes:email></itunes:owner>
    <podcast:locked owner="owner@a.example">yes</podcast:locked>
    <podcast:txt purpose="verify">castbase-verify-1</podcast:txt><podcast:txt>plain</podcast:txt>
    <podcast:txt purpose="ai-content">true</podcast:txt>
    <podcast:txt purpose="applepodcastsverify">no: the tag counts</podcast:txt>
    <itunes:applepodcastsverify>apple-1</itunes:applepodcastsverify>
    <podcast:guid>917393e3-1b1e-5cef-ace4-edaa54e1f810</podcast:guid><podcast:medium>podcast</podcast:medium>
    <itunes:category text="Society &amp; Culture"><itunes:category text="Places &amp;amp; Travel"/></itunes:category>
    <itunes:category text="History"/>
    <itunes:explicit>no</itunes:explicit><itunes:type>Serial</itunes:type>
    <image><url>https://a.example/small.jpg</url><title>No</title><link>https://no.example/</link></image>
    <itunes:image href="https://a.example/cover.jpg"/><copyright>© Ana</copyright>
    <lastBuildDate>Wed, 01 May 2024 10:00:00 GMT</lastBuildDate>
    <podcast:funding url="https://a.example/give">Give</podcast:funding>
    <podcast:person role="host">Ana</podcast:person>`);
  assert.deepEqual(channel, {
    title: "Show",
    description: "About <b>trains</b>",
    link: "https://a.example/",
    language: "en-GB",
    author: "Ana",
    ownerName: "Ana Z.",
    ownerEmail: "ana@a.example",
    locked: true,
    lockedOwner: "owner@a.example",
    verifyTexts: [{ text: "castbase-verify-1", purpose: "verify" }, { text: "plain", purpose: null }],
    appleVerifyToken: "apple-1",
    aiDisclosure: "true",
    podcastGuid: "917393e3-1b1e-5cef-ace4-edaa54e1f810",
    medium: "podcast",
    categories: [
      { category: "Society & Culture", subcategory: "Places & Travel" },
      { category: "History", subcategory: null },
    ],
    explicit: false,
    type: "serial",
    image: "https://a.example/cover.jpg",
    copyright: "© Ana",
    lastBuildDate: "2024-05-01T10:00:00.000Z",
    funding: [{ url: "https://a.example/give", text: "Give" }],
    persons: [{ name: "Ana", role: "host", group: null, img: null, href: null }],
    isBlocked: null,
    directoryBlocks: [],
    isComplete: null,
    newFeedUrl: null,
    locations: [],
    license: null,
    licenseUrl: null,
    updateFrequency: null,
    podroll: [],
    remoteItems: [],
    publisher: null,
    images: [],
    rssImage: { url: "https://a.example/small.jpg", title: "No", link: "https://no.example/" },
    socialInteractions: [],
    valueBlocks: [],
    keywords: [],
    tags: [],
    extraTags: [],
    losses: [
      { path: "lastBuildDate", reason: "REPLACED_BY_OURS", excerpt: "Wed, 01 May 2024 10:00:00 GMT" },
      { path: "podcast:txt", reason: "REPEATED", excerpt: "no: the tag counts" },
    ],
  });
});

Deno.test("parseFeed returns null or empty values for missing channel elements", async () => {
  const present = Object.entries(await channelOf("")).filter(([, value]) =>
    value !== null && !(Array.isArray(value) && !value.length)
  );
  assert.deepEqual(present, [["title", "Show"]]);
});

Deno.test("parseFeed reads the Apple token from podcast:txt when its own tag is missing", async () => {
  const { appleVerifyToken, verifyTexts } = await channelOf(
    '<podcast:txt purpose="applepodcastsverify">apple-2</podcast:txt>',
  );
  assert.equal(appleVerifyToken, "apple-2");
  assert.deepEqual(verifyTexts, []);
});

Deno.test("parseFeed reads the AI disclosure of a feed of ours, which has another purpose", async () => {
  const { channel } = await readFeedText(
    rss(`<podcast:txt purpose="ai-disclosure">AI music</podcast:txt>${item("One")}`),
  );
  assert.deepEqual([channel.aiDisclosure, channel.verifyTexts], ["AI music", []]);
});

Deno.test("parseFeed uses the RSS image when itunes:image is missing", async () => {
  assert.equal((await channelOf("<image><url>/small.jpg</url></image>")).image, "https://show.example/small.jpg");
});

Deno.test("parseFeed reads channel elements after the items, and none inside them", async () => {
  const { channel } = await readFeedText(rss(
    item("One", '<podcast:locked owner="no@a.example">yes</podcast:locked><podcast:txt>no</podcast:txt>') +
      '<podcast:locked owner="yes@a.example">no</podcast:locked>',
  ));
  assert.deepEqual([channel.locked, channel.lockedOwner, channel.verifyTexts], [false, "yes@a.example", []]);
});

Deno.test("parseFeed truncates channel texts that repeat between items", async () => {
  const long = `<podcast:person>${"x".repeat(300_000)}</podcast:person>`;
  const { channel, itemCount } = await readFeedText(
    rss(Array.from({ length: 40 }, (_, n) => long + item(`${n}`)).join("")),
  );
  assert.equal(itemCount, 40);
  assert.ok(JSON.stringify(channel).length < 4_100_000, `${JSON.stringify(channel).length}`);
});

Deno.test("parseFeed warns once when channel lists exceed their limit", async () => {
  const kinds: Record<string, (channel: Channel) => unknown[]> = {
    "<podcast:person>Ana</podcast:person>": ({ persons }) => persons,
    '<podcast:funding url="https://a.example/"/>': ({ funding }) => funding,
    "<podcast:txt>a</podcast:txt>": ({ verifyTexts }) => verifyTexts,
    '<itunes:category text="Arts"/>': ({ categories }) => categories,
  };
  for (const [element, kept] of Object.entries(kinds)) {
    for (const [count, warningCount] of [[500, 0], [550, 1]]) {
      const { channel, warnings } = await readFeedText(rss(element.repeat(count) + item("One")));
      assert.equal(kept(channel).length, 500);
      assert.deepEqual(warnings.map(({ code, count }) => [code, count]), warningCount ? [["LIST_TRUNCATED", 1]] : []);
    }
  }
  const inner = `<itunes:category text="Arts">${'<itunes:category text="Food"/>'.repeat(501)}</itunes:category>`;
  const { channel, codes } = await readFeedText(rss(inner + item("One")));
  assert.deepEqual([channel.categories.length, codes], [500, ["LIST_TRUNCATED"]]);
});
