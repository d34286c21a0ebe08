// Every tag of the registry: its specification, order, value, and absence.
import assert from "node:assert/strict";
import { channelTags } from "../../functions/feed_writer/channel_tags.ts";
import { itemTags } from "../../functions/feed_writer/item_tags.ts";
import { renderHead, renderItem, TAIL } from "../../functions/feed_writer/render.ts";
import { NAMESPACES } from "../../functions/feed_writer/tag.ts";
import { bareEpisode, barePodcast, childrenNamed, episode, type Node, parseXml, podcast } from "./fixture.ts";

const changedAt = new Date("2026-11-21T08:00:00Z");

function channel(show = podcast(), episodes = [episode()]): Node {
  const items = episodes.map((one) => renderItem(one, show)).join("");
  return parseXml(renderHead({ ...show, changed_at: changedAt }) + items + TAIL).children[0];
}

/** An element as an object: attributes, text, and below their name the children; several of a name are a list. */
function value({ attributes, text, children }: Node): Record<string, unknown> {
  const below = Object.groupBy(children, ({ name }) => name);
  const inner = Object.entries(below).map(([name, nodes]) => {
    const found = nodes!.map((node) =>
      Object.keys(node.attributes).length + node.children.length ? value(node) : node.text
    );
    return [name, found.length > 1 ? found : found[0]];
  });
  return { ...attributes, ...text && { text }, ...Object.fromEntries(inner) };
}

/** A tag's occurrences. */
const values = (parent: Node, name: string) => childrenNamed(parent, name).map(value);

const text = (value: string) => [{ text: value }];

const expectedOfBoth: Record<string, unknown[]> = {
  "category": [{ text: "Railways" }, { domain: "https://directory.example/", text: "1765" }],
  "itunes:keywords": text("trains,night travel"),
  "podcast:license": [{ url: "https://example.org/mypodcastlicense/full.pdf", text: "my-podcast-license-v1" }],
  "podcast:location": [
    { rel: "creator", geo: "geo:30.2711286,-97.7436995", osm: "R113314", country: "US", text: "Austin" },
    { text: "Birmingham Civil Rights Museum" },
  ],
  "podcast:image": [
    {
      "href": "https://example.com/images/ep1/pci_landscape-massive.jpg",
      "alt": "An antenna emanating signal waves",
      "aspect-ratio": "16/9",
      "width": "1200",
      "height": "675",
      "type": "image/jpeg",
      "purpose": "artwork social",
    },
    { href: "https://example.com/images/ep1/pci_square-massive.mp4", alt: "The waves move", type: "video/mp4" },
  ],
  "podcast:funding": [{ url: "https://nighttrains.example/give?a=1&b=2", text: "Buy us a ticket" }],
  "podcast:socialInteract": [
    {
      priority: "1",
      protocol: "activitypub",
      uri: "https://podcastindex.social/@dave/105079274766075912",
      accountId: "@dave",
      accountUrl: "https://podcastindex.social/@dave",
    },
    { protocol: "disabled" },
  ],
};

const valueOfChannel = {
  "type": "lightning",
  "method": "keysend",
  "suggested": "0.00000005000",
  "podcast:valueRecipient": [
    { name: "Alice (Podcaster)", type: "node", address: "02d5c1bf8b940dc9cadca86d1b0a3c37", split: "95" },
    {
      name: "Hosting Provider",
      type: "lnaddress",
      address: "host@example.com",
      split: "5",
      customKey: "696969",
      customValue: "x",
      fee: "true",
    },
  ],
};

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

const expectedOfItem: Record<string, unknown[]> = {
  "title": text("Paris–Berlin"),
  "itunes:title": text("Paris to Berlin"),
  "description": text("Thirteen hours & no Wi-Fi."),
  "itunes:summary": text("The description."),
  "content:encoded": text('<p>Read <a href="https://example.com/?a=1&amp;b=2">more</a></p>'),
  "link": text("https://api.example/listen/night-trains/paris-berlin"),
  "guid": [{ isPermaLink: "false", text: "urn:episode:1" }],
  "pubDate": text("Fri, 20 Nov 2026 09:00:00 +0000"),
  "enclosure": [{ url: "https://media.example/audio.mp3?x=1&y=2", length: "5242880", type: "audio/mpeg" }],
  "category": expectedOfBoth["category"],
  "itunes:duration": text("1834"),
  "itunes:explicit": text("true"),
  "itunes:block": text("Yes"),
  "itunes:image": [{ href: "https://media.example/episode.jpg" }],
  "itunes:season": text("2"),
  "itunes:episode": text("7"),
  "itunes:episodeType": text("bonus"),
  "itunes:keywords": expectedOfBoth["itunes:keywords"],
  "podcast:season": [{ name: "Egyptology: The 19th Century", text: "2" }],
  "podcast:episode": [{ display: "Ch.3", text: "7" }],
  "podcast:transcript": [{ url: "https://media.example/1.vtt", type: "text/vtt", language: "en", rel: "captions" }],
  "podcast:chapters": [{ url: "https://media.example/chapters.json", type: "application/json+chapters" }],
  "podcast:soundbite": [
    { startTime: "73", duration: "60" },
    { startTime: "1234.5", duration: "42.25", text: "Why the Podcast Namespace Matters" },
  ],
  "podcast:alternateEnclosure": [
    {
      "type": "video/mp4",
      "length": "7924786",
      "bitrate": "511276.52",
      "height": "720",
      "lang": "en-US",
      "title": "Standard",
      "rel": "video",
      "codecs": "avc1.42E01E, mp4a.40.2",
      "default": "false",
      "podcast:source": [
        { uri: "https://example.com/file-720.mp4" },
        { uri: "ipfs://QmX33FYehk6ckGQ6g1D9D3FqZPix5JpKstKQKbaS8quUFb" },
        { uri: "https://example.com/file-720.torrent", contentType: "application/x-bittorrent" },
      ],
      "podcast:integrity": { type: "sri", value: "sha384-ExVqijgYHm15PqQqdXfW95x+Rs6C+d6E/ICxyQOeFevnxNLR" },
    },
    {
      "type": "application/x-mpegURL",
      "length": "0",
      "podcast:source": { uri: "https://example.com/master.m3u8" },
    },
  ],
  "podcast:contentLink": [{
    href: "https://www.youtube.com/watch?v=example",
    text: "Watch this episode on YouTube!",
  }],
  "podcast:license": expectedOfBoth["podcast:license"],
  "podcast:location": expectedOfBoth["podcast:location"],
  "podcast:image": expectedOfBoth["podcast:image"],
  "podcast:person": [
    {
      group: "Cast",
      role: "Host",
      img: "https://media.example/ana.jpg?s=1&t=2",
      href: "https://ana.example/",
      text: "Ana Kowalska",
    },
    { group: "Cast", role: "Co-Host", text: "Bo & Cy" },
    { group: "Cast", role: "Guest", text: "Di" },
    { group: "Creative Direction", role: "Producer", text: "Ed" },
    { group: "Audio Post-Production", role: "Composer", text: "Flo" },
    { group: "Audio Post-Production", role: "Audio Editor", text: "Gus" },
  ],
  "podcast:funding": expectedOfBoth["podcast:funding"],
  "podcast:socialInteract": expectedOfBoth["podcast:socialInteract"],
  "podcast:value": [{
    ...valueOfChannel,
    "podcast:valueTimeSplit": [
      {
        "startTime": "330",
        "duration": "53.5",
        "remoteStartTime": "174",
        "remotePercentage": "95",
        "podcast:remoteItem": {
          feedGuid: "a94f5cc9-8c58-55fc-91fe-a324087a655b",
          itemGuid: "https://podcastindex.org/podcast/4148683#3",
          medium: "music",
        },
      },
      {
        "startTime": "63",
        "duration": "388",
        "podcast:valueRecipient": { name: "Jimbob (Guest)", type: "node", address: "02dd306e68c46681", split: "10" },
      },
    ],
  }],
  "podcast:txt": [
    { purpose: "release", text: "2022-10-26T04:45:30.742Z" },
    { purpose: "ai-content", text: "true" },
  ],
};

Deno.test("every tag has a declared namespace and a link to its specification", () => {
  for (const { name, spec } of [...channelTags, ...itemTags]) {
    const prefix = name.includes(":") ? name.split(":")[0] : undefined;
    assert.ok(!prefix || prefix in NAMESPACES, name);
    assert.match(spec, /^https:\/\/\S+[#/]\S+$/, name);
  }
});

Deno.test("no tag is registered twice", () => {
  for (const registry of [channelTags, itemTags] as { name: string }[][]) {
    assert.equal(new Set(registry.map(({ name }) => name)).size, registry.length);
  }
});

Deno.test("the tests cover exactly the registered tags", () => {
  assert.deepEqual(Object.keys(expectedOfChannel), channelTags.map(({ name }) => name));
  assert.deepEqual(Object.keys(expectedOfItem), itemTags.map(({ name }) => name));
});

for (const [name, expected] of Object.entries(expectedOfChannel)) {
  Deno.test(`the channel has ${name}`, () => assert.deepEqual(values(channel(), name), expected));
}

for (const [name, expected] of Object.entries(expectedOfItem)) {
  Deno.test(`an item has ${name}`, () => assert.deepEqual(values(childrenNamed(channel(), "item")[0], name), expected));
}

Deno.test("tags are in registry order, and every namespace is declared", () => {
  const show = channel();
  const names = show.children.map(({ name }) => name).filter((name, i, list) => name !== list[i - 1]);
  assert.deepEqual(names, [...Object.keys(expectedOfChannel), "media:rating", "item"]);
  const root = parseXml(renderHead(podcast()) + TAIL);
  assert.equal(root.attributes.version, "2.0");
  for (const [prefix, url] of Object.entries(NAMESPACES)) assert.equal(root.attributes[`xmlns:${prefix}`], url);
});

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
    deletion_redirect_url: null,
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

Deno.test("an episode with only audio has the required tags and no empty one", () => {
  const bare = childrenNamed(
    channel(podcast({ cover_image_url: null }), [episode({
      itunes_title: null,
      is_blocked: false,
      summary: null,
      description: "",
      show_notes_safe_html: null,
      season_number: null,
      episode_number: null,
      audio_duration_seconds: null,
      cover_image_url: null,
      transcripts: [],
      chapters_url: null,
      credits: [],
      ...bareEpisode,
    })]),
    "item",
  )[0];
  assert.deepEqual(bare.children.map(({ name }) => name), [
    ...["title", "itunes:title", "link", "guid", "pubDate", "enclosure", "itunes:explicit", "itunes:episodeType"],
  ]);
});

Deno.test("an episode without itunes_title uses its title as itunes:title", () => {
  const [one] = childrenNamed(channel(podcast(), [episode({ itunes_title: null })]), "item");
  assert.deepEqual(values(one, "itunes:title"), text("Paris–Berlin"));
});

Deno.test("a person without a visible name is left out", () => {
  const [host, cohost] = episode().credits;
  const credits = [{ ...host, name: " \u200b\u0007" }, cohost];
  const [one] = childrenNamed(channel(podcast(), [episode({ credits })]), "item");
  assert.deepEqual(values(one, "podcast:person"), [{ group: "Cast", role: "Co-Host", text: "Bo & Cy" }]);
});

Deno.test("a person's name is truncated to 128 characters", () => {
  const rendered = (name: string) => {
    const credits = [{ ...episode().credits[1], name }];
    return childrenNamed(childrenNamed(channel(podcast(), [episode({ credits })]), "item")[0], "podcast:person")[0]
      .text;
  };
  assert.equal(rendered("😀".repeat(128)), "😀".repeat(128));
  assert.equal(rendered("😀".repeat(129)), `${"😀".repeat(127)}…`);
  assert.equal(rendered(`${" ".repeat(190)}Ana`), "Ana");
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

Deno.test("an episode without artwork uses the podcast's", () => {
  const [one] = childrenNamed(channel(podcast(), [episode({ cover_image_url: null })]), "item");
  assert.deepEqual(values(one, "itunes:image"), [{ href: "https://media.example/cover.jpg" }]);
});

Deno.test("itunes:summary is a description that neither the description tag nor the notes have", () => {
  const rendered = (changes: Parameters<typeof episode>[0]) =>
    values(childrenNamed(channel(podcast(), [episode(changes)]), "item")[0], "itunes:summary");
  const notes = "<p>In <b>short</b>: The description. And more.</p>";
  assert.deepEqual(rendered({}), [{ text: "The description." }]);
  assert.deepEqual(rendered({ show_notes_safe_html: null }), [{ text: "The description." }]);
  assert.deepEqual(rendered({ show_notes_safe_html: notes }), []);
  assert.deepEqual(rendered({ summary: null }), []);
  assert.deepEqual(rendered({ summary: "<p>The description.</p>" }), []);
  assert.deepEqual(rendered({ description: " " }), []);
});

Deno.test("podcast:episode is the decimal number of an episode without an integer one", () => {
  const rendered = (changes: Parameters<typeof episode>[0]) =>
    values(childrenNamed(channel(podcast(), [episode(changes)]), "item")[0], "podcast:episode");
  assert.deepEqual(rendered({ episode_number: null, episode_display: "315.5" }), [{ text: "315.5" }]);
  assert.deepEqual(rendered({ episode_number: 7, episode_display: "315.5" }), [{ display: "315.5", text: "7" }]);
  assert.deepEqual(rendered({ episode_number: null, episode_display: "Ch. 3" }), []);
});

Deno.test("the description is the summary, else the description, else the notes as text", () => {
  const rendered = (changes: Parameters<typeof episode>[0]) =>
    childrenNamed(childrenNamed(channel(podcast(), [episode(changes)]), "item")[0], "description").map(({ text }) =>
      text
    );
  assert.deepEqual(rendered({ summary: null }), ["The description."]);
  assert.deepEqual(rendered({ summary: "\u200b \u0007" }), ["The description."]);
  assert.deepEqual(rendered({ summary: "", description: "", show_notes_safe_html: "<p>Notes &amp; <b>more</b></p>" }), [
    "Notes & more",
  ]);
  assert.deepEqual(rendered({ summary: "", description: "", show_notes_safe_html: "<p>&nbsp;</p><img src='x'>" }), []);
  const [long] = rendered({ summary: "", description: "", show_notes_safe_html: `<p>${"Wort ".repeat(100_000)}</p>` });
  assert.ok(long.length > 3990 && long.length <= 4000 && long.endsWith("…"), long.slice(-20));
});

Deno.test("invisible text omits its tag or uses the fallback", () => {
  const blank = " \u0000\u0007\u00ad\u061c\u200b\u2066\u200f\ufeff\u00a0\ud800\n";
  const show = channel(
    podcast({
      description: blank,
      author: blank,
      owner_name: blank,
      shown_owner_email: null,
      copyright: blank,
      link: blank,
      verify_texts: [{ text: blank }, { text: "S6lpp", purpose: blank }],
      ai_disclosure: blank,
      apple_verify_token: blank,
    }),
    [episode({ show_notes_safe_html: blank, cover_image_url: blank })],
  );
  for (const tag of ["itunes:author", "itunes:owner", "copyright", "itunes:applepodcastsverify"]) {
    assert.deepEqual(values(show, tag), [], tag);
  }
  assert.deepEqual(values(show, "description"), text("Night Trains"));
  assert.deepEqual(values(show, "link"), text("https://api.example/listen/night-trains"));
  assert.deepEqual(values(show, "podcast:txt"), text("S6lpp"));
  const [one] = childrenNamed(show, "item");
  assert.deepEqual(values(one, "content:encoded"), []);
  assert.deepEqual(values(one, "itunes:image"), [{ href: "https://media.example/cover.jpg" }]);
});

Deno.test("an episode number 0 is in the podcast namespace only, because Apple counts from 1", () => {
  const [one] = childrenNamed(channel(podcast(), [episode({ season_number: 0, episode_number: 0 })]), "item");
  assert.deepEqual([values(one, "itunes:season"), values(one, "itunes:episode")], [[], []]);
  assert.deepEqual([values(one, "podcast:season"), values(one, "podcast:episode")], [
    [{ name: "Egyptology: The 19th Century", text: "0" }],
    [{ display: "Ch.3", text: "0" }],
  ]);
});

Deno.test("a season name and an episode display without a number leave their tags out", () => {
  const [one] = childrenNamed(channel(podcast(), [episode({ season_number: null, episode_number: null })]), "item");
  assert.deepEqual([values(one, "podcast:season"), values(one, "podcast:episode")], [[], []]);
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

Deno.test("URLs typed by users are encoded as URIs", () => {
  const typed = "https://münchen.example/bücher/夜 行%20x|y%z.jpg?q=é{1}#ü";
  const uri = "https://xn--mnchen-3ya.example/b%C3%BCcher/%E5%A4%9C%20%E8%A1%8C%20x%7Cy%25z.jpg?q=%C3%A9%7B1%7D#%C3%BC";
  const read = channel(
    podcast({
      link: typed,
      cover_image_url: typed,
      funding: [{ url: typed, text: "Give" }],
      license_url: typed,
      images: [{ href: typed }],
      social_interactions: [{ protocol: "activitypub", uri: typed, account_url: typed }],
      podroll: [{ feed_guid: "x", feed_url: typed }],
      trailers: [{ ...podcast().trailers[0], audio_url: typed }],
    }),
    [
      episode({
        audio_url: typed,
        cover_image_url: typed,
        transcripts: [{ url: typed, type: "x/y" }],
        chapters_url: typed,
        credits: [{ ...episode().credits[0], avatar_url: typed, external_url: typed }],
        content_links: [{ href: typed, text: "Watch" }],
        alternate_enclosures: [{ type: "x/y", sources: [{ uri: typed }] }],
      }),
      episode({ cover_image_url: null }),
    ],
  );
  assert.deepEqual(values(read, "link"), text(uri));
  const addresses = (parent: Node, name: string) =>
    childrenNamed(parent, name).map(({ attributes }) => attributes.url ?? attributes.href);
  assert.deepEqual(addresses(read, "itunes:image"), [uri]);
  for (const name of ["podcast:funding", "podcast:license", "podcast:image", "podcast:trailer"]) {
    assert.deepEqual(addresses(read, name), [uri], name);
  }
  assert.deepEqual(values(read, "image").map(({ url, link }) => [url, link]), [[uri, uri]]);
  assert.deepEqual(values(read, "podcast:podroll"), [{ "podcast:remoteItem": { feedGuid: "x", feedUrl: uri } }]);
  assert.deepEqual(values(read, "podcast:socialInteract"), [{ protocol: "activitypub", uri, accountUrl: uri }]);
  const [one, other] = childrenNamed(read, "item");
  assert.deepEqual(values(one, "podcast:alternateEnclosure"), [{ type: "x/y", "podcast:source": { uri } }]);
  for (const name of ["enclosure", "itunes:image", "podcast:transcript", "podcast:chapters", "podcast:contentLink"]) {
    assert.deepEqual(addresses(one, name), [uri], name);
  }
  const [{ attributes: { img, href } }] = childrenNamed(one, "podcast:person");
  assert.deepEqual([img, href], [uri, uri]);
  assert.deepEqual(addresses(other, "itunes:image"), [uri]);
});
