// Every tag of the registry: its specification, order, value, and absence.
import assert from "node:assert/strict";
import { channelTags } from "../../functions/feed_writer/channel_tags.ts";
import { itemTags } from "../../functions/feed_writer/item_tags.ts";
import { renderHead, renderItem, TAIL } from "../../functions/feed_writer/render.ts";
import { NAMESPACES } from "../../functions/feed_writer/tag.ts";
import { childrenNamed, episode, type Node, parseXml, podcast } from "./fixture.ts";

const changedAt = new Date("2026-11-21T08:00:00Z");

function channel(show = podcast(), episodes = [episode()]): Node {
  const items = episodes.map((one) => renderItem(one, show)).join("");
  return parseXml(renderHead({ ...show, changed_at: changedAt }) + items + TAIL).children[0];
}

/** A tag's occurrences as XML-like values: text, or attributes, or both, children below. */
function values(parent: Node, name: string): unknown[] {
  return childrenNamed(parent, name).map((node) => ({
    ...node.attributes,
    ...node.text && { text: node.text },
    ...Object.fromEntries(node.children.map((child) => [child.name, child.text || child.attributes])),
  }));
}

const text = (value: string) => [{ text: value }];

const expectedOfChannel: Record<string, unknown[]> = {
  "title": text("Night Trains"),
  "link": text("https://nighttrains.example/"),
  "description": text("Sleepers & couchettes, one line at a time."),
  "language": text("en-GB"),
  "copyright": text("© 2026 Night Trains Ltd"),
  "generator": text("Castbase"),
  "lastBuildDate": text("Sat, 21 Nov 2026 08:00:00 +0000"),
  "atom:link": [
    { href: "https://api.example/feeds/night-trains.xml", rel: "self", type: "application/rss+xml" },
    { href: "https://hub.example/?a=1&b=2", rel: "hub" },
  ],
  "itunes:author": text("Ana Kowalska"),
  "itunes:owner": [{ "itunes:name": "Night Trains Ltd", "itunes:email": "ana@example.com" }],
  "itunes:image": [{ href: "https://media.example/cover.jpg" }],
  "itunes:category": [
    { text: "Society & Culture", "itunes:category": { text: "Places & Travel" } },
    { text: "History" },
  ],
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
  "podcast:funding": [{ url: "https://nighttrains.example/give?a=1&b=2", text: "Buy us a ticket" }],
  "podcast:txt": [
    { purpose: "verify", text: "S6lpp-7ZCn8" },
    { purpose: "verify", text: "no purpose given" },
    { purpose: "ai-disclosure", text: "The intro music is machine-made." },
  ],
};

const expectedOfItem: Record<string, unknown[]> = {
  "title": text("Paris–Berlin"),
  "itunes:title": text("Paris to Berlin"),
  "description": text("Thirteen hours & no Wi-Fi."),
  "content:encoded": text('<p>Read <a href="https://example.com/?a=1&amp;b=2">more</a></p>'),
  "link": text("https://api.example/listen/night-trains/paris-berlin"),
  "guid": [{ isPermaLink: "false", text: "urn:episode:1" }],
  "pubDate": text("Fri, 20 Nov 2026 09:00:00 +0000"),
  "enclosure": [{ url: "https://media.example/audio.mp3?x=1&y=2", length: "5242880", type: "audio/mpeg" }],
  "itunes:duration": text("1834"),
  "itunes:explicit": text("true"),
  "itunes:block": text("Yes"),
  "itunes:image": [{ href: "https://media.example/episode.jpg" }],
  "itunes:season": text("2"),
  "itunes:episode": text("7"),
  "itunes:episodeType": text("bonus"),
  "podcast:season": text("2"),
  "podcast:episode": text("7"),
  "podcast:transcript": [{ url: "https://media.example/1.vtt", type: "text/vtt", language: "en", rel: "captions" }],
  "podcast:chapters": [{ url: "https://media.example/chapters.json", type: "application/json+chapters" }],
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
  assert.deepEqual(names, [...Object.keys(expectedOfChannel), "item"]);
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
    funding: [],
    is_complete: false,
    is_blocked: false,
    locked: false,
    verify_texts: [],
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

Deno.test("the feed has no email unless the podcaster publishes it", () => {
  assert.ok(!renderHead(podcast({ shown_owner_email: null })).includes("@"));
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
  assert.deepEqual(values(show, "podcast:txt"), [{ purpose: "verify", text: "S6lpp" }]);
  const [one] = childrenNamed(show, "item");
  assert.deepEqual(values(one, "content:encoded"), []);
  assert.deepEqual(values(one, "itunes:image"), [{ href: "https://media.example/cover.jpg" }]);
});

Deno.test("an episode number 0 is in the podcast namespace only, because Apple counts from 1", () => {
  const [one] = childrenNamed(channel(podcast(), [episode({ season_number: 0, episode_number: 0 })]), "item");
  assert.deepEqual([values(one, "itunes:season"), values(one, "itunes:episode")], [[], []]);
  assert.deepEqual([values(one, "podcast:season"), values(one, "podcast:episode")], [text("0"), text("0")]);
});

Deno.test("URLs typed by users are encoded as URIs", () => {
  const typed = "https://münchen.example/bücher/夜 行%20x|y%z.jpg?q=é{1}#ü";
  const uri = "https://xn--mnchen-3ya.example/b%C3%BCcher/%E5%A4%9C%20%E8%A1%8C%20x%7Cy%25z.jpg?q=%C3%A9%7B1%7D#%C3%BC";
  const read = channel(
    podcast({ link: typed, cover_image_url: typed, funding: [{ url: typed, text: "Give" }] }),
    [
      episode({
        audio_url: typed,
        cover_image_url: typed,
        transcripts: [{ url: typed, type: "x/y" }],
        chapters_url: typed,
        credits: [{ ...episode().credits[0], avatar_url: typed, external_url: typed }],
      }),
      episode({ cover_image_url: null }),
    ],
  );
  assert.deepEqual(values(read, "link"), text(uri));
  const addresses = (parent: Node, name: string) =>
    childrenNamed(parent, name).map(({ attributes }) => attributes.url ?? attributes.href);
  assert.deepEqual(addresses(read, "itunes:image"), [uri]);
  assert.deepEqual(addresses(read, "podcast:funding"), [uri]);
  const [one, other] = childrenNamed(read, "item");
  for (const name of ["enclosure", "itunes:image", "podcast:transcript", "podcast:chapters"]) {
    assert.deepEqual(addresses(one, name), [uri], name);
  }
  const [{ attributes: { img, href } }] = childrenNamed(one, "podcast:person");
  assert.deepEqual([img, href], [uri, uri]);
  assert.deepEqual(addresses(other, "itunes:image"), [uri]);
});
