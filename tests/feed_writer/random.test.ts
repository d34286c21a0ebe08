// Random rows from seeds that a failure prints: the feed is well-formed and contains the rows' values.
import { Buffer } from "node:buffer";
import assert from "node:assert/strict";
import { gunzipSync } from "node:zlib";
import { plainDescription } from "../../functions/feed_writer/description.ts";
import { checkChannel, checkItem } from "../../functions/feed_report/check.ts";
import { combineChecksums, compressPart, GZIP_HEADER, gzipTrailer } from "../../functions/feed_writer/gzip.ts";
import { TAXONOMY } from "../../functions/feed_writer/taxonomy.ts";
import { truncate } from "../../functions/text/plain_text.ts";
import { aloneInFeed, renderHead, renderItem, TAIL } from "../../functions/feed_writer/render.ts";
import { toUri } from "../../functions/text/uri.ts";
import { isPresent, stripForbidden } from "../../functions/text/xml_text.ts";
import { childrenNamed, episode, type Node, parseXml, podcast } from "./fixture.ts";
import { seededRandom } from "../random.ts";
import { byScale } from "../scale.ts";
import { drawFeedValues } from "./shape_values.ts";

/** Texts for rows, including those that XML must escape or forbids. */
function drawRows(seed: number) {
  const random = seededRandom(seed);
  const { below, one, chance } = random;
  const shards = [
    "&",
    "<",
    ">",
    '"',
    "'",
    "]]>",
    "<![CDATA[",
    "</item>",
    "&amp;",
    "&#x0;",
    "\r\n",
    "\t",
    "\u0000",
    "😀",
  ];
  const text = () =>
    Array.from(
      { length: 1 + below(30) },
      () => chance(0.4) ? one(shards) : String.fromCharCode(below(chance(0.7) ? 0x80 : 0x10000)),
    ).join("");
  return { random, below, one, text, maybe: <T>(value: T) => chance(0.5) ? value : null };
}

Deno.test("feeds of random rows are well-formed and contain the rows' values", () => {
  for (let seed = 1; seed <= byScale(80, 5000); seed++) {
    try {
      assertFeedMatches(seed);
    } catch (cause) {
      throw new Error(`with seed ${seed}`, { cause });
    }
  }
});

function assertFeedMatches(seed: number) {
  const { random, below, one, text, maybe } = drawRows(seed);
  const drawValues = (of: "podcast" | "episode") => ({ ...drawFeedValues(random, of), extra_tags: [] });
  const show = podcast({
    ...drawValues("podcast"),
    title: text(),
    description: text(),
    author: maybe(text()),
    owner_name: maybe(text()),
    shown_owner_email: maybe(text()),
    categories: Array.from({ length: below(4) }, () => ({ category: text(), subcategory: maybe(text()) })),
    copyright: maybe(text()),
    explicit: one([true, false]),
    funding: Array.from({ length: below(3) }, () => ({ url: text(), text: text() })),
    verify_texts: Array.from({ length: below(3) }, () => ({ text: text(), purpose: maybe(text()) })),
    ai_disclosure: maybe(text()),
    cover_image_url: maybe(text()),
  });
  const episodes = Array.from({ length: below(6) }, () =>
    episode({
      ...drawValues("episode"),
      title: text(),
      itunes_title: maybe(text()),
      subtitle: maybe(text()),
      summary: maybe(text()),
      link: maybe(text()),
      show_notes_safe_html: maybe(text()),
      guid: text(),
      audio_url: text(),
      cover_image_url: maybe(text()),
      transcripts: Array.from({ length: below(3) }, () => ({ url: text(), type: text(), language: maybe(text()) })),
      credits: Array.from({ length: below(4) }, () => ({
        name: text(),
        role_label: one(Object.keys(TAXONOMY)) as keyof typeof TAXONOMY,
        avatar_url: maybe(text()),
        external_url: maybe(text()),
      })),
    }));
  const texts = [renderHead(show), ...episodes.map((each) => renderItem(each, show)), TAIL];
  const findings = [
    ...checkChannel(`${texts[0]}${TAIL}`, {}),
    ...texts.slice(1, -1).flatMap((item) => checkItem(aloneInFeed(item), {})),
  ];
  assert.ok(!findings.some(({ rule }) => rule === "well-formed"));
  for (const { excerpt = "" } of findings) {
    assert.ok([...excerpt].length <= 200 && excerpt.isWellFormed() && !excerpt.includes("\0"), excerpt);
  }
  const parts = texts.map(compressPart);
  const gzip = Buffer.concat([GZIP_HEADER, ...parts.map((p) => p.deflated), gzipTrailer(combineChecksums(parts))]);
  assert.equal(gunzipSync(gzip).toString(), texts.join(""));

  const channel = parseXml(gunzipSync(gzip).toString()).children[0];
  assertText(channel, "title", show.title);
  assertText(channel, "description", plainDescription(show.description, show.title) ?? null);
  assertText(channel, "itunes:author", show.author);
  assertText(channel, "copyright", show.copyright);
  assertText(channel, "itunes:explicit", String(show.explicit));
  assertAttributes(channel, "itunes:image", "href", [toUri(show.cover_image_url)]);
  assertAttributes(channel, "itunes:category", "text", show.categories.map(({ category }) => category));
  assertAttributes(channel, "podcast:funding", "url", show.funding.map(({ url }) => toUri(url)));
  const items = childrenNamed(channel, "item");
  assert.equal(items.length, episodes.length);
  for (const [i, each] of episodes.entries()) {
    assertText(items[i], "title", each.title);
    assertText(items[i], "itunes:title", isPresent(each.itunes_title) ? each.itunes_title : each.title);
    assertText(items[i], "guid", each.guid);
    assertText(items[i], "content:encoded", each.show_notes_safe_html);
    assertAttributes(items[i], "enclosure", "url", [toUri(each.audio_url)]);
    assertAttributes(items[i], "itunes:image", "href", [
      toUri(isPresent(each.cover_image_url) ? each.cover_image_url : show.cover_image_url),
    ]);
    assertAttributes(items[i], "podcast:transcript", "url", each.transcripts.map(({ url }) => toUri(url)));
    const people = each.credits.filter(({ name }) => isPresent(name));
    assert.deepEqual(
      childrenNamed(items[i], "podcast:person").map(({ text }) => text),
      people.map(({ name }) => stripForbidden(truncate(name.trim(), 128))),
    );
    assertAttributes(items[i], "podcast:person", "img", people.map(({ avatar_url }) => toUri(avatar_url)));
    assertAttributes(items[i], "podcast:person", "href", people.map(({ external_url }) => toUri(external_url)));
  }
}

function assertText(parent: Node, name: string, value: string | null) {
  assert.deepEqual(
    childrenNamed(parent, name).map((node) => node.text),
    isPresent(value) ? [stripForbidden(value)] : [],
    name,
  );
}

/** In an attribute, a parser turns line ends and tabs into spaces (XML 1.0, 3.3.3). */
function assertAttributes(parent: Node, name: string, attribute: string, values: (string | null)[]) {
  const expected = values.filter(isPresent).map((value) => stripForbidden(value).replace(/[\n\t]/g, " "));
  const found = childrenNamed(parent, name).map((node) => node.attributes[attribute]).filter(isPresent);
  assert.deepEqual(found, expected, name);
}
