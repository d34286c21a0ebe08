// The elements of the podcast namespace, of RSS and of Podlove that hold more than one value.
import assert from "node:assert/strict";
import type { Channel, FeedItem } from "../../functions/feed_reader/feed.ts";
import { COMPLETE_ITEM, item, readFeedText, readItem, rss, warningCodes } from "./reading.ts";

const channelOf = async (inside: string) => (await readFeedText(rss(inside + item("One")))).channel;

const GUID = "917393e3-1b1e-5cef-ace4-edaa54e1f810";
const LOCATION =
  '<podcast:location rel="creator" geo="geo:48.2,16.4" osm="R109166" country="AT">Vienna</podcast:location>';
const VALUE = `<podcast:value type="lightning" method="keysend" suggested="0.00000005000">
  <podcast:valueRecipient name="Ana &amp; Co" type="node" address="02d5" split="95" customKey="696969" customValue="x"/>
  <podcast:valueRecipient type="lnaddress" address="host@pay.example" split="5" fee="true"/>
  <podcast:valueTimeSplit startTime="60" duration="237.5" remoteStartTime="12" remotePercentage="95">
    <podcast:remoteItem feedGuid="${GUID}" itemGuid="song-1" medium="music"/></podcast:valueTimeSplit>
  <podcast:valueTimeSplit startTime="330" duration="53">
    <podcast:valueRecipient name="Guest" type="node" address="03ae" split="100"/></podcast:valueTimeSplit>
</podcast:value>`;

/** Elements that items and channels have, and the members that they become. */
const shared: Record<string, [inside: string, members: Partial<FeedItem & Channel>]> = {
  "podcast:location": [`${LOCATION}<podcast:location>Linz</podcast:location>`, {
    locations: [
      { name: "Vienna", rel: "creator", geo: "geo:48.2,16.4", osm: "R109166", country: "AT" },
      { name: "Linz" },
    ],
  }],
  "podcast:license": ['<podcast:license url="/license.pdf">cc-by-4.0</podcast:license>', {
    license: "cc-by-4.0",
    licenseUrl: "https://show.example/license.pdf",
  }],
  "podcast:image": [
    '<podcast:image href="/wide.jpg" alt="A train" aspect-ratio="16/9" width="1600" height="900" type="image/jpeg" purpose="social hero"/>',
    {
      images: [{
        href: "https://show.example/wide.jpg",
        alt: "A train",
        aspectRatio: "16/9",
        width: 1600,
        height: 900,
        type: "image/jpeg",
        purpose: "social hero",
      }],
    },
  ],
  "podcast:images": [
    '<podcast:images srcset="https://a.example/a,b.jpg 1500w,\n https://a.example/c.jpg 300w,https://a.example/d.jpg"/>',
    {
      images: [
        { href: "https://a.example/a,b.jpg", width: 1500 },
        { href: "https://a.example/c.jpg", width: 300 },
        { href: "https://a.example/d.jpg" },
      ],
    },
  ],
  "podcast:socialInteract": [
    '<podcast:socialInteract priority="1" protocol="activitypub" uri="https://social.example/@ana/1" accountId="@ana" accountUrl="https://social.example/@ana"/>' +
    '<podcast:socialInteract protocol="nostr" uri="nostr:note1abc"/><podcast:socialInteract protocol="disabled"/>',
    {
      socialInteractions: [
        {
          protocol: "activitypub",
          uri: "https://social.example/@ana/1",
          accountId: "@ana",
          accountUrl: "https://social.example/@ana",
          priority: 1,
        },
        { protocol: "nostr", uri: "nostr:note1abc" },
        { protocol: "disabled" },
      ],
    },
  ],
  "podcast:value": [
    VALUE +
    '<podcast:value type="b" method="c"><podcast:valueRecipient type="d" address="e" split="0.5"/></podcast:value>',
    {
      valueBlocks: [{
        type: "lightning",
        method: "keysend",
        suggested: "0.00000005000",
        recipients: [
          { name: "Ana & Co", type: "node", address: "02d5", split: 95, customKey: "696969", customValue: "x" },
          { type: "lnaddress", address: "host@pay.example", split: 5, fee: true },
        ],
        timeSplits: [
          {
            startTime: 60,
            duration: 237.5,
            remoteStartTime: 12,
            remotePercentage: 95,
            remoteItem: { feedGuid: GUID, itemGuid: "song-1", medium: "music" },
          },
          {
            startTime: 330,
            duration: 53,
            recipients: [{ name: "Guest", type: "node", address: "03ae", split: 100 }],
          },
        ],
      }, { type: "b", method: "c", recipients: [{ type: "d", address: "e", split: 0.5 }] }],
    },
  ],
  "podcast:funding": ['<podcast:funding url="https://a.example/give">Give</podcast:funding>', {
    funding: [{ url: "https://a.example/give", text: "Give" }],
  }],
  "itunes:keywords": ["<itunes:keywords>trains, night ,trains</itunes:keywords>", { keywords: ["trains", "night"] }],
  "category": ['<category domain="urn:topics">Travel</category><category>Night &amp; day</category>', {
    tags: [{ text: "Travel", domain: "urn:topics" }, { text: "Night & day" }],
  }],
};

for (const [name, [inside, members]] of Object.entries(shared)) {
  Deno.test(`parseFeed reads ${name} of an item and of the channel without a loss`, async () => {
    for (const found of [await readItem(COMPLETE_ITEM + inside), await channelOf(inside)]) {
      const read = Object.keys(members).map((key) => [key, found[key as keyof typeof found]]);
      assert.deepEqual(Object.fromEntries(read), members);
      assert.deepEqual([found.losses, found.extraTags], [[], []]);
    }
  });
}

const items: Record<string, [inside: string, members: Partial<FeedItem>]> = {
  "podcast:season with a name": ['<podcast:season name="Race 2020">3</podcast:season>', {
    season: 3,
    seasonName: "Race 2020",
  }],
  "podcast:episode with a display": ['<podcast:episode display="Ch. 3">204</podcast:episode>', {
    episode: 204,
    episodeDisplay: "Ch. 3",
  }],
  "a decimal podcast:episode": ["<podcast:episode>315.5</podcast:episode>", { episode: null, episodeDisplay: "315.5" }],
  "podcast:soundbite": [
    '<podcast:soundbite startTime="73.0" duration="60"/>' +
    '<podcast:soundbite startTime="1234.5" duration="42.25">Why trains</podcast:soundbite>',
    {
      soundbites: [
        { startSeconds: 73, durationSeconds: 60 },
        { startSeconds: 1234.5, durationSeconds: 42.25, title: "Why trains" },
      ],
    },
  ],
  "podcast:contentLink": ['<podcast:contentLink href="https://video.example/1">Watch</podcast:contentLink>', {
    contentLinks: [{ href: "https://video.example/1", text: "Watch" }],
  }],
  "podcast:txt": ['<podcast:txt purpose="ai-content">true</podcast:txt><podcast:txt>plain</podcast:txt>', {
    texts: [{ text: "true", purpose: "ai-content" }, { text: "plain" }],
  }],
  "podcast:alternateEnclosure": [
    `<podcast:alternateEnclosure type="audio/opus" length="32400000000" bitrate="160707.74" height="1080" lang="en" title="High" rel="hd" codecs="opus" default="true">
      <podcast:source uri="https://a.example/1.opus"/><podcast:source uri="ipfs://Qmabc" contentType="audio/opus"/>
      <podcast:integrity type="sri" value="sha384-abc"/></podcast:alternateEnclosure>
     <podcast:alternateEnclosure type="application/x-mpegURL" length="0"><podcast:source uri="/m.m3u8"/></podcast:alternateEnclosure>`,
    {
      alternateEnclosures: [{
        type: "audio/opus",
        length: 32_400_000_000,
        bitrate: 160707.74,
        height: 1080,
        lang: "en",
        title: "High",
        rel: "hd",
        codecs: "opus",
        default: true,
        sources: [{ uri: "https://a.example/1.opus" }, { uri: "ipfs://Qmabc", contentType: "audio/opus" }],
        integrity: { type: "sri", value: "sha384-abc" },
      }, { type: "application/x-mpegURL", length: 0, sources: [{ uri: "https://show.example/m.m3u8" }] }],
    },
  ],
  "psc:chapters": [
    `<psc:chapters version="1.2" xmlns:psc="http://podlove.org/simple-chapters"><psc:chapter start="0" title="Intro"/>
     <psc:chapter start="01:02:03.456" title="Ünï &amp; more" href="https://a.example/c" image="/c.jpg"/></psc:chapters>`,
    {
      simpleChapters: [
        { startSeconds: 0, title: "Intro" },
        {
          startSeconds: 3723.456,
          title: "Ünï & more",
          href: "https://a.example/c",
          image: "https://show.example/c.jpg",
        },
      ],
    },
  ],
};

for (const [name, [inside, members]] of Object.entries(items)) {
  Deno.test(`parseFeed reads ${name} of an item without a loss`, async () => {
    const found = await readItem(COMPLETE_ITEM + inside);
    const read = Object.keys(members).map((key) => [key, found[key as keyof typeof found]]);
    assert.deepEqual(Object.fromEntries(read), members);
    assert.deepEqual([found.losses, found.extraTags], [[], []]);
    assert.ok(!warningCodes(found).includes("NUMBER_INVALID"));
  });
}

const remote = (more = "") => `<podcast:remoteItem feedGuid="${GUID}"${more}/>`;
const channels: Record<string, [inside: string, members: Partial<Channel>]> = {
  "podcast:updateFrequency": [
    '<podcast:updateFrequency complete="false" dtstart="2023-08-28" rrule="FREQ=WEEKLY">Weekly</podcast:updateFrequency>',
    { updateFrequency: { text: "Weekly", complete: false, dtstart: "2023-08-28", rrule: "FREQ=WEEKLY" } },
  ],
  "podcast:podroll": [
    `<podcast:podroll>${remote(' feedUrl="https://b.example/f" title="B"')}${remote()}</podcast:podroll>`,
    { podroll: [{ feedGuid: GUID, feedUrl: "https://b.example/f", title: "B" }, { feedGuid: GUID }] },
  ],
  "podcast:remoteItem": [remote(' itemGuid="i" medium="music"'), {
    remoteItems: [{ feedGuid: GUID, itemGuid: "i", medium: "music" }],
  }],
  "podcast:publisher": [
    `<podcast:publisher>${remote(' medium="publisher" feedUrl="https://b.example/p"')}</podcast:publisher>`,
    { publisher: { feedGuid: GUID, feedUrl: "https://b.example/p" } },
  ],
  "podcast:block": [
    '<podcast:block>yes</podcast:block><podcast:block id="google">no</podcast:block><podcast:block id="amazon">yes</podcast:block>',
    { isBlocked: true, directoryBlocks: [{ id: "google", isBlocked: false }, { id: "amazon", isBlocked: true }] },
  ],
  "itunes:block and itunes:complete": ["<itunes:block>Yes</itunes:block><itunes:complete>Yes</itunes:complete>", {
    isBlocked: true,
    isComplete: true,
  }],
  "RSS's image": [
    "<image><url>/c.jpg</url><title>T</title><link>https://a.example/</link><width>144</width><height>100</height>" +
    "<description>D</description></image>",
    {
      rssImage: {
        url: "https://show.example/c.jpg",
        title: "T",
        link: "https://a.example/",
        width: 144,
        height: 100,
        description: "D",
      },
    },
  ],
};

for (const [name, [inside, members]] of Object.entries(channels)) {
  Deno.test(`parseFeed reads ${name} of the channel without a loss`, async () => {
    const found = await channelOf(inside);
    const read = Object.keys(members).map((key) => [key, found[key as keyof typeof found]]);
    assert.deepEqual(Object.fromEntries(read), members);
    assert.deepEqual([found.losses, found.extraTags], [[], []]);
  });
}

Deno.test("parseFeed keeps 500 entries of each nested list and reports the others", async () => {
  const source = '<podcast:source uri="https://a.example/1"/>';
  const { alternateEnclosures, losses, warnings } = await readItem(
    `<podcast:alternateEnclosure type="a/b">${source.repeat(503)}</podcast:alternateEnclosure>`,
  );
  assert.equal(alternateEnclosures[0].sources.length, 500);
  assert.deepEqual(losses.map(({ path, reason }) => [path, reason]), [
    ...Array(3).fill(["podcast:alternateEnclosure/podcast:source", "LIMIT"]),
  ]);
  assert.ok(warningCodes({ warnings }).includes("LIST_TRUNCATED"));
});
