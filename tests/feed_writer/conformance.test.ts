// Rendered feeds follow the rules of docs/feed-rules.md, for any content of their rows.
import assert from "node:assert/strict";
import { TAXONOMY } from "../../functions/feed_writer/taxonomy.ts";
import { renderHead, renderItem, TAIL } from "../../functions/feed_writer/render.ts";
import { sanitizeShowNotes } from "../../functions/show_notes/sanitize.ts";
import { seededRandom } from "../random.ts";
import { byScale } from "../scale.ts";
import { podcasterRules, rules } from "../../functions/feed_report/check.ts";
import { LANGUAGE } from "../../functions/feed_report/rule.ts";
import { samples } from "../feed_report/samples.ts";
import { advice, violations, wholeFeedRules } from "./conformance.ts";
import { barePodcast, episode, podcast } from "./fixture.ts";

const changed_at = new Date("2026-11-21T08:00:00Z");
const feed = (show = podcast(), episodes = [episode()]) =>
  renderHead({ ...show, changed_at }) + episodes.map((one) => renderItem(one, show)).join("") + TAIL;

Deno.test("a feed with every tag follows every rule", () => assert.deepEqual(violations(feed()), []));

Deno.test("a feed of a podcast with only a title follows every rule", () => {
  const bare = podcast({
    ...{ description: "", author: null, owner_name: null, shown_owner_email: null, categories: [], copyright: null },
    ...{ link: null, is_complete: false, is_blocked: false, apple_verify_token: null, ai_disclosure: null },
    ...{ ...barePodcast, cover_image_url: null, redirect_url: null },
  });
  assert.deepEqual(violations(feed(bare, [])), []);
  assert.deepEqual(advice(feed(bare, []), { hasOwnerEmail: false }), [
    ...["artwork", "category", "show-description", "owner-missing"],
    ...["episodes", "author", "owner-verification"],
  ]);
});

/** Values and a podcast that follow every recommendation. */
const complete = {
  locations: [{ name: "Austin", geo: "geo:30.2711286,-97.7436995", osm: "R113314", country: "US" }],
  images: [{ href: "https://example.com/1.jpg", alt: "An antenna", aspect_ratio: "16/9", width: 1200 }],
};
const exemplary = podcast({ copyright: "Night Trains Ltd", type: "serial", ...complete });

Deno.test("a feed with every field follows every recommendation", () => {
  assert.deepEqual(advice(feed(exemplary, [episode({ episode_type: "full", ...complete })])), []);
});

/** Rows that the constraints allow, with text as users and foreign feeds write it. */
function hostile(seed: number) {
  const { below, one, chance } = seededRandom(seed);
  const shards = [
    ...[
      "<script>alert(1)</script>",
      "<p>",
      "</p>",
      "<b>",
      "&amp;",
      "&",
      "<",
      ">",
      "]]>",
      '"',
      "'",
      "\r\n",
      "\u0000",
      "\u200b",
    ],
    ...["夜 ", "😀", "word ", "x".repeat(500), "&lt;script&gt;", "<!--", "<a href='javascript:x'>", "ü".repeat(900)],
  ];
  const text = (maxShards = 12) => Array.from({ length: 1 + below(maxShards) }, () => one(shards)).join("");
  /** A line of at most 255 characters, as triggers and constraints require. */
  const line = (start = "") => [...start + text(2)].slice(0, 255).join("").replaceAll("\u0000", "").trim();
  const url = () =>
    `https://x.example/${encodeURIComponent(one(["a", "夜", "b c"]))}/${one(["a|b", "é", "1", "{x}"])}?q=${
      one(["1", "ü"])
    }`;
  const maybe = <T>(value: T) => chance(0.5) ? value : null;
  const label = () => [...`a${text(2)}`].slice(0, 128).join("");
  const remote = {
    feed_guid: "29cdca4a-32d8-56ba-b48b-09a011c5daa9",
    feed_url: url(),
    item_guid: text(2),
    title: text(2),
  };
  const recipient = {
    name: text(2),
    type: `a${text(1)}`,
    address: `a${text(1)}`,
    split: one([0, "33.3"]),
    fee: chance(0.5),
  };
  const feedValues = () => ({
    license: maybe(label()),
    license_url: maybe(url()),
    funding: [{ url: url(), text: label() }],
    locations: [{ name: label(), country: "at" }],
    images: [{ href: url(), alt: text(2), purpose: label() }],
    social_interactions: [{ protocol: "nostr", uri: one([url(), "nostr:note1abc"]), account_id: text(2) }],
    value_blocks: [{
      ...{ type: `a${text(1)}`, method: `a${text(1)}`, recipients: [recipient] },
      time_splits: [{ start_time: 0, duration: "1.5", remote_item: remote }],
    }],
    keywords: [line("k")],
    tags: [{ text: line("e"), domain: text(2) }],
  });
  const show = podcast({
    ...feedValues(),
    update_frequency: { text: label(), complete: chance(0.5) },
    podroll: [remote],
    remote_items: [remote],
    publisher: { feed_guid: remote.feed_guid },
    trailers: [{ ...podcast().trailers[0], title: line("t"), audio_url: url(), season_number: maybe(below(3)) }],
    title: line("a"),
    description: text(),
    author: maybe(line()),
    owner_name: maybe(text(2)),
    shown_owner_email: maybe("a@b.example"),
    link: maybe(url()),
    copyright: maybe(line()),
    verify_texts: [{ text: one(["x", "true"]), purpose: one([null, "verify", "ai-content"]) }],
    ai_disclosure: maybe(one(["true", "false", "Music only"])),
    cover_image_url: maybe(url()),
    redirect_url: maybe(url()),
    is_complete: chance(0.5),
    is_blocked: chance(0.5),
    locked: chance(0.5),
    type: one(["episodic", "serial"]),
  });
  const episodes = Array.from({ length: below(5) }, (_, n) => {
    const description = text(20);
    return episode({
      ...feedValues(),
      texts: [{ text: [...text()].slice(0, 4000).join(""), purpose: maybe(label()) }],
      soundbites: [{ start_seconds: below(9), duration_seconds: 0.001, title: label() }],
      content_links: [{ href: url(), text: `a${text(2)}` }],
      alternate_enclosures: [{ type: "audio/opus", title: label(), sources: [{ uri: one([url(), "ipfs://Qm"]) }] }],
      season_name: maybe(label()),
      guid: `guid-${n}`,
      title: line("b"),
      itunes_title: maybe(line("c")),
      is_blocked: chance(0.3),
      subtitle: maybe(text(20)),
      summary: maybe(text(20)),
      link: maybe(url()),
      description,
      show_notes_safe_html: maybe(sanitizeShowNotes(maybe(text(30)) ?? description)),
      season_number: maybe(below(3)),
      episode_number: maybe(below(3)),
      audio_url: url(),
      audio_duration_seconds: maybe(below(3)),
      cover_image_url: maybe(url()),
      chapters_url: maybe(url()),
      transcripts: [{ url: url(), type: "text/vtt", language: maybe("pt-BR"), rel: maybe("captions") }],
      credits: [{
        name: `d${text(3)}`,
        role_label: one(Object.keys(TAXONOMY)) as keyof typeof TAXONOMY,
        avatar_url: maybe(url()),
        external_url: maybe(url()),
      }],
    });
  });
  return feed(show, episodes);
}

Deno.test("hostile feeds follow every rule", () => {
  for (let seed = 1; seed <= byScale(100, 20_000); seed++) {
    assert.equal(violations(hostile(seed)).join("\n"), "", `with seed ${seed}: ${violations(hostile(seed))}`);
  }
});

/** Feeds with one mistake each, by the rule that they violate. */
const mistakes: Record<string, [from: string | RegExp, to: string]> = {
  "rss-version": ['version="2.0"', 'version="0.91"'],
  "channel-required": [/<description>[^<]*<\/description>\n<language>/, "<language>"],
  "links": ["<link>https://nighttrains.example/</link>", "<link>nighttrains</link>"],
  "language": ["<language>en-GB", "<language>english_uk"],
  "dates": ["+0000</pubDate>", "GMT</pubDate>"],
  "self-link": ['rel="self"', 'rel="alternate"'],
  "hub-link": ['href="https://hub.example/', 'href="hub.example/'],
  "namespaces": ["https://podcastindex.org/namespace/1.0", "https://podcastindex.org/namespace/2.0"],
  "description-bytes": ["<description>", `<description>${"ü".repeat(2001)}`],
  "description-safe": ["<description>", "<description>&lt;b&gt;"],
  "notes-safe": ["<content:encoded>", "<content:encoded>&lt;script&gt;"],
  "blank": ["<copyright>© 2026 Night Trains Ltd", "<copyright>"],
  "item-title": ["<title>Paris–Berlin</title>", ""],
  "item-enclosure": ['length="5242880"', 'length="big"'],
  "item-guid": [/<guid.*<\/guid>/, ""],
  "owner": [/<itunes:email>.*<\/itunes:email>/, ""],
  "explicit": ["<itunes:explicit>false", "<itunes:explicit>clean"],
  "image": ['<itunes:image href="https:', '<itunes:image href="ftp:'],
  "categories": ['<itunes:category text="History"/>', '<itunes:category text=""/>'],
  "type": ["<itunes:type>episodic", "<itunes:type>weekly"],
  "new-feed-url": ["<itunes:new-feed-url>https:", "<itunes:new-feed-url>feed:"],
  "numbers": ["<itunes:season>2", "<itunes:season>0"],
  "podcast-guid": ["<podcast:guid>917393e3", "<podcast:guid>xyz"],
  "channel-single": ["<podcast:medium>podcast</podcast:medium>", "<podcast:medium>podcast</podcast:medium>".repeat(2)],
  "podcast-podping": ['usesPodping="true"', 'usesPodping="yes"'],
  "podcast-locked": ["yes</podcast:locked>", "true</podcast:locked>"],
  "podcast-medium": ["<podcast:medium>podcast", "<podcast:medium>mixedL"],
  "podcast-txt": ['purpose="ai-disclosure"', 'purpose="ai-content"'],
  "podcast-funding": ['<podcast:funding url="https:', '<podcast:funding url="x:'],
  "podcast-person": [">Di</podcast:person>", ` href="x">Di</podcast:person>`],
  "podcast-transcript": ['rel="captions"', 'rel="subtitles"'],
  "podcast-chapters": ["application/json+chapters", "text/plain"],
  "podcast-season": ['display="Ch.3"', `display="${"x".repeat(33)}"`],
  "guid-unique": [/<item>[^]*<\/item>/, "$&$&"],
  "item-single": ["<itunes:season>2</itunes:season>", "<itunes:season>2</itunes:season>".repeat(2)],
  "guid-permalink": ['<guid isPermaLink="false">', "<guid>"],
  "podcast-locked-present": [/<podcast:locked.*<\/podcast:locked>/, ""],
  "item-link": [/<link>[^<]*paris-berlin[^<]*<\/link>/, ""],
  "item-pubdate": [/<pubDate>.*<\/pubDate>\n<enclosure/, "<enclosure"],
  "item-type": [/<itunes:episodeType>.*<\/itunes:episodeType>/, ""],
  "show-type": [/<itunes:type>.*<\/itunes:type>/, ""],
  "build-date": [/<lastBuildDate>.*<\/lastBuildDate>/, ""],
  "trimmed": ["<title>Paris", "<title> Paris"],
  "value-length": ["<title>Paris", `<title>${"x".repeat(250)}`],
  "artwork": [/<itunes:image .*cover.jpg"\/>/, ""],
  "artwork-extension": ['cover.jpg"/>', 'cover.webp"/>'],
  "category": [/<itunes:category[^]*<\/itunes:category>\s*<itunes:category[^>]*>/, ""],
  "author": [/<itunes:author>.*<\/itunes:author>/, ""],
  "show-description": ["<description>Sleepers &amp; couchettes, one line at a time.", "<description>Night Trains"],
  "copyright-name": ["<copyright>", "<copyright>Copyright "],
  "episodes": [/<item>[^]*<\/item>/, ""],
  "https": ["<link>https:", "<link>http:"],
  "podcast-guid-v5": ["-5cef-", "-4cef-"],
  "enclosure-type": ["audio.mp3", "audio.ogg"],
  "enclosure-length": ['length="5242880"', 'length="0"'],
  "title-numbers": ["<title>Paris", "<title>Episode 7: Paris"],
  "item-description": [/<description>The description.*<\/description>/, ""],
  "item-duration": [/<itunes:duration>.*<\/itunes:duration>/, ""],
  "item-image": [/<itunes:image [^>]*episode.jpg"\/>/, ""],
  "item-transcript": [/<podcast:transcript [^>]*>/, ""],
  "serial-numbers": [/<itunes:episode>.*<\/itunes:episode>/, ""],
  "owner-verification": [/<itunes:owner>[^]*<podcast:txt purpose="verify">[^<]*<\/podcast:txt>/, ""],
};
const byPodcaster = new Set(podcasterRules.map(({ id }) => id));
for (const [id, [from, to]] of Object.entries(mistakes)) {
  Deno.test(`the checker reports a feed that violates ${id}`, () => {
    const whole = byPodcaster.has(id) ? feed(exemplary, [episode({ episode_type: "full" })]) : feed();
    const broken = whole.replace(from, to);
    assert.notEqual(broken, whole);
    const found = byPodcaster.has(id) ? advice(broken) : violations(broken);
    assert.ok(found.some((one) => one === id || one.startsWith(`${id}:`)), found.join("; "));
  });
}

/** Rules that tests/feed_report/check.test.ts breaks by facts. */
const byFacts = ["owner-missing", "artwork-size", "artwork-elsewhere", "keywords-length", "seek-table"];

Deno.test("a mistake, invalid samples or a fact break each rule", () => {
  const broken = [...Object.keys(mistakes), ...Object.keys(samples), ...byFacts];
  const ids = [...wholeFeedRules, ...rules].map(({ id }) => id);
  assert.deepEqual(ids.filter((id) => !broken.includes(id)), []);
  assert.deepEqual(broken.filter((id) => !ids.includes(id)), []);
});

Deno.test("the checker accepts well-formed BCP 47 language tags only", () => {
  for (
    const tag of ["en", "de-AT", "zh-Hans-TW", "es-419", "sl-rozaj", "sr-Latn-RS", "x-own", "en-x-us", "de-1996", "haw"]
  ) {
    assert.match(tag, LANGUAGE);
  }
  for (const tag of ["", "e", "en_US", "en-", "english-", "en-GB-", "1n", "en--GB", "toolonglang", "true", "english"]) {
    assert.doesNotMatch(tag, LANGUAGE);
  }
});
