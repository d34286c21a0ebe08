// Tags of the channel: values of each, and when one is left out.
import assert from "node:assert/strict";
import { channelTags } from "../../functions/feed_writer/channel_tags.ts";
import { renderHead } from "../../functions/feed_writer/render.ts";
import { barePodcast, podcast } from "./fixture.ts";
import { channel, expectedOfBoth, text, valueOfChannel, values } from "./tag_values.ts";

const expectedOfChannel: Record<string, unknown[]> = {
  "title": text("Night Trains"),
  "link": text("https://nighttrains.example/"),
  "description": text("Sleepers & couchettes, one line at a time."),
  "language": text("en-GB"),
  "copyright": text("© 2026 Night Trains Ltd"),
  "generator": text("Castbase"),
  "pubDate": text("Fri, 20 Nov 2026 09:00:00 +0000"),
  "lastBuildDate": text("Sat, 21 Nov 2026 08:00:00 +0000"),
  "atom:link": [
    { href: "https://api.example/feeds/night-trains.xml", rel: "self", type: "application/rss+xml" },
    { href: "https://hub.example/?a=1&b=2", rel: "hub" },
  ],
  "category": expectedOfBoth["category"],
  "image": [{ url: "https://media.example/cover.jpg", title: "Night Trains", link: "https://nighttrains.example/" }],
  "itunes:author": text("Ana Kowalska"),
  "itunes:owner": [{ "itunes:name": "Night Trains Ltd", "itunes:email": "ana@example.com" }],
  "itunes:image": [{ href: "https://media.example/cover.jpg" }],
  "itunes:category": [
    { text: "Society & Culture", "itunes:category": { text: "Places & Travel" } },
    { text: "History" },
  ],
  "itunes:keywords": expectedOfBoth["itunes:keywords"],
  "itunes:explicit": text("false"),
  "itunes:type": text("episodic"),
  "itunes:complete": text("Yes"),
  "itunes:block": text("Yes"),
  "itunes:new-feed-url": text("https://new-home.example/feed?show=night&trains"),
  "itunes:applepodcastsverify": text("05124"),
  "podcast:guid": text("917393e3-1b1e-5cef-ace4-edaa54e1f810"),
  "podcast:locked": [{ owner: "ana@example.com", text: "yes" }],
  "podcast:medium": text("podcast"),
  "podcast:podping": [{ usesPodping: "true" }],
  "podcast:block": [{ text: "yes" }, { id: "google", text: "no" }, { id: "amazon", text: "yes" }],
  "podcast:license": expectedOfBoth["podcast:license"],
  "podcast:location": expectedOfBoth["podcast:location"],
  "podcast:image": expectedOfBoth["podcast:image"],
  "podcast:person": [{ group: "Cast", role: "Host", href: "https://ana.example/", text: "Ana Kowalska" }],
  "podcast:funding": expectedOfBoth["podcast:funding"],
  "podcast:trailer": [{
    url: "https://example.org/trailers/season4teaser.mp4",
    pubdate: "Thu, 01 Apr 2021 13:00:00 +0000",
    length: "12345678",
    type: "video/mp4",
    season: "4",
    text: "Season 4: Race for the Whitehouse",
  }],
  "podcast:updateFrequency": [{
    complete: "false",
    dtstart: "2023-08-28T00:00:00.000Z",
    rrule: "FREQ=WEEKLY;INTERVAL=2;BYDAY=MO;COUNT=10",
    text: "Every other Monday for 10 episodes starting on Aug 28, 2023",
  }],
  "podcast:podroll": [{
    "podcast:remoteItem": [
      {
        feedGuid: "29cdca4a-32d8-56ba-b48b-09a011c5daa9",
        feedUrl: "https://rss.buzzsprout.com/231452.rss",
        title: "Buzzcast",
      },
      { feedGuid: "396d9ae0-da7e-5557-b894-b606231fa3ea" },
    ],
  }],
  "podcast:publisher": [{
    "podcast:remoteItem": {
      feedGuid: "003af0a0-6a45-55cf-b765-68e3d349551a",
      feedUrl: "https://agilesetmedia.com/assets/static/feeds/publisher.xml",
      medium: "publisher",
    },
  }],
  "podcast:remoteItem": [{
    feedGuid: "917393e3-1b1e-5cef-ace4-edaa54e1f810",
    itemGuid: "asdf089j0-ep240-20230510",
    medium: "music",
  }],
  "podcast:socialInteract": expectedOfBoth["podcast:socialInteract"],
  "podcast:value": [valueOfChannel],
  "podcast:txt": [
    { purpose: "verify", text: "S6lpp-7ZCn8" },
    { text: "no purpose given" },
    { purpose: "ai-disclosure", text: "The intro music is machine-made." },
  ],
};

Deno.test("the tests cover exactly the registered tags of the channel", () => {
  assert.deepEqual(Object.keys(expectedOfChannel), channelTags.map(({ name }) => name));
});

for (const [name, expected] of Object.entries(expectedOfChannel)) {
  Deno.test(`the channel has ${name}`, () => assert.deepEqual(values(channel(), name), expected));
}

Deno.test("a podcast with only a title has the required tags and no empty one", () => {
  const bare = channel(podcast({
    description: "",
    author: null,
    owner_name: null,
    shown_owner_email: null,
    categories: [],
    copyright: null,
    link: null,
    ...barePodcast,
    is_complete: false,
    is_blocked: false,
    locked: false,
    apple_verify_token: null,
    ai_disclosure: null,
    cover_image_url: null,
    redirect_url: null,
    hub_url: null,
    uses_podping: false,
  }));
  assert.deepEqual(bare.children.map(({ name }) => name), [
    ...["title", "link", "description", "language", "generator", "lastBuildDate", "atom:link"],
    ...["itunes:explicit", "itunes:type", "podcast:guid", "podcast:locked", "podcast:medium", "item"],
  ]);
  assert.deepEqual(values(bare, "link"), text("https://api.example/listen/night-trains"));
  assert.deepEqual(values(bare, "description"), text("Night Trains"));
  assert.deepEqual(values(bare, "podcast:locked"), text("no"));
});

Deno.test("a podcast without a description whose title is only markup has the title's text as its description", () => {
  const show = channel(podcast({ ...barePodcast, title: "<b></b>", description: "" }));
  assert.deepEqual(values(show, "description"), text("&lt;b>&lt;/b>"));
});

Deno.test("location codes are upper case, a disabled thread has only its protocol, and amounts have no exponent", () => {
  const show = channel(podcast({
    locations: [{ name: "Wien", osm: "r109166", country: "at" }],
    social_interactions: [{ protocol: "disabled", uri: "https://a.example/1", account_id: "@a", priority: 1 }],
    value_blocks: [{
      ...{ type: "lightning", method: "keysend", suggested: 5e-8 },
      recipients: [{ type: "node", address: "02d5", split: 0 }, { type: "node", address: "02d6", split: 33.3 }],
    }],
  }));
  assert.deepEqual(values(show, "podcast:location"), [{ osm: "R109166", country: "AT", text: "Wien" }]);
  assert.deepEqual(values(show, "podcast:socialInteract"), [{ protocol: "disabled" }]);
  assert.deepEqual(values(show, "podcast:value"), [{
    ...{ type: "lightning", method: "keysend", suggested: "0.00000005" },
    "podcast:valueRecipient": [
      { type: "node", address: "02d5", split: "0" },
      { type: "node", address: "02d6", split: "33.3" },
    ],
  }]);
});

Deno.test("the feed has no email unless the podcaster publishes it", () => {
  assert.ok(!renderHead(podcast({ ...barePodcast, shown_owner_email: null })).includes("@"));
});

Deno.test("a feed without the owner's email has no itunes:owner", () => {
  for (const shown_owner_email of [null, " "]) {
    assert.deepEqual(values(channel(podcast({ shown_owner_email })), "itunes:owner"), []);
  }
});

Deno.test("podcast:txt with the purpose ai-content is true or false, and free text has another purpose", () => {
  const texts = (changes: Parameters<typeof podcast>[0]) =>
    values(channel(podcast({ verify_texts: [], ai_disclosure: null, ...changes })), "podcast:txt");
  for (const text of ["true", "false"]) {
    assert.deepEqual(texts({ ai_disclosure: text }), [{ purpose: "ai-content", text }]);
    assert.deepEqual(texts({ verify_texts: [{ text, purpose: "ai-content" }] }), [{ purpose: "ai-content", text }]);
  }
  assert.deepEqual(texts({ ai_disclosure: "Music only" }), [{ purpose: "ai-disclosure", text: "Music only" }]);
  assert.deepEqual(texts({ verify_texts: [{ text: "Music only", purpose: "ai-content" }] }), []);
});

Deno.test("podcast:block of all directories follows is_blocked", () => {
  const blocks = (changes: Parameters<typeof podcast>[0]) => values(channel(podcast(changes)), "podcast:block");
  assert.deepEqual(blocks({ is_blocked: false, directory_blocks: [] }), []);
  assert.deepEqual(blocks({ is_blocked: true, directory_blocks: [] }), text("yes"));
  assert.deepEqual(blocks({ is_blocked: false }), [{ id: "google", text: "no" }, { id: "amazon", text: "yes" }]);
});

Deno.test("the title of a trailer is truncated to 128 characters", () => {
  const trailers = [{ ...podcast().trailers[0], title: "😀".repeat(129), season_number: null }];
  const [trailer] = values(channel(podcast({ trailers })), "podcast:trailer");
  assert.deepEqual([trailer.text, trailer.season], [`${"😀".repeat(127)}…`, undefined]);
});

Deno.test("channel tags are in registry order, before the items", () => {
  const names = channel().children.map(({ name }) => name).filter((name, i, list) => name !== list[i - 1]);
  assert.deepEqual(names, [...Object.keys(expectedOfChannel), "media:rating", "item"]);
});
