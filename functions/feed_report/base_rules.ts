/** Rules of RSS, PSP-1 and Apple that every rendered feed follows. */
import { CATEGORIES } from "./apple_categories.ts";
import {
  anyRule,
  atMostOnce,
  BOOLEAN,
  bytes,
  channelRule,
  INTEGER,
  isBlank,
  isDate,
  isLanguage,
  isLonger,
  isMailbox,
  isOtherThan,
  isUri,
  itemRule,
  MEDIA_TYPE,
  oneOf,
  POSITIVE,
  problem,
  required,
  type Rule,
  tags,
  textOf,
  wrong,
} from "./rule.ts";
import type { Node } from "./xml_tree.ts";

const ALLOWED_TAG =
  /^<\/?(?:p|br|hr|div|span|h[1-6]|blockquote|pre|a|b|strong|i|em|u|s|del|ins|sub|sup|small|mark|code|kbd|q|cite|abbr|ul|ol|li|dl|dt|dd|img|figure|figcaption|table|caption|thead|tbody|tfoot|tr|th|td)[\s>]/i;
const UNSAFE_URL = /(?:href|src)="(?!https?:|mailto:|tel:)/i;
const EVENT_HANDLER = /\son\w+=/i;
const hasEventHandler = (tag: string) => EVENT_HANDLER.test(tag) && EVENT_HANDLER.test(tag.replace(/"[^"]*"/g, ""));

/** The first tag of HTML that is not in the allow-list of show notes. */
function unsafeTag(html: string): string | undefined {
  for (const [tag] of html.matchAll(/<[^<>]*>?/g)) {
    if (!ALLOWED_TAG.test(tag) || UNSAFE_URL.test(tag) || hasEventHandler(tag)) return tag;
  }
}

const linksTo = (channel: Node, relation: string) =>
  tags(channel, "atom:link").filter(({ attributes: { rel } }) => rel === relation);

/** Links between the pages of a feed. */
const PAGE_RELATIONS = ["first", "previous", "next", "last"];

/** Prefixes of the tags that the service writes; a carried tag of another namespace may be empty. */
const isOurs = (name: string) => /^(?:(?:atom|content|itunes|podcast):|[^:]+$)/.test(name);

const CHANNEL_SINGLES = [
  ...["copyright", "generator", "image", "language", "lastBuildDate", "pubDate"],
  ...["author", "block", "complete", "image", "keywords", "owner", "type"].map((name) => `itunes:${name}`),
  ...["guid", "license", "locked", "medium", "podping", "podroll", "publisher", "updateFrequency"].map((name) =>
    `podcast:${name}`
  ),
];
const ITEM_SINGLES = [
  ...["content:encoded", "description"],
  ...["block", "duration", "episode", "image", "keywords", "season", "title"].map((name) => `itunes:${name}`),
  ...["chapters", "episode", "license", "season"].map((name) => `podcast:${name}`),
];

/** White space that private.normalize_line trims. */
const UNTRIMMED = /^[ \t-\r\u0085\u00a0\u2028\u2029]|[ \t-\r\u0085\u00a0\u2028\u2029]$/;

const DESCRIPTIONS = ["description", "itunes:summary"];

/** Values of PSP-1 without a limit of their own. */
const SHORT_VALUES = ["title", "copyright", "category", "itunes:title", "itunes:author"];

export const baseRules: Rule[] = [
  channelRule("channel-required", (channel) => required(channel, "title", "link", "description")),
  channelRule("language", (channel) => [
    ...required(channel, "language"),
    ...wrong(channel, "language", ({ text }) => !isLanguage(text)),
  ]),
  channelRule("self-link", (channel) => {
    const { length } = linksTo(channel, "self");
    return length === 1
      ? linksTo(channel, "self").filter(({ attributes: { href, type } }) =>
        type !== "application/rss+xml" || !isUri(href)
      ).map(problem)
      : [{ tag: "atom:link", excerpt: `${length} times rel="self"` }];
  }),
  channelRule(
    "hub-link",
    (channel) => linksTo(channel, "hub").filter(({ attributes: { href } }) => !isUri(href)).map(problem),
  ),
  channelRule(
    "page-links",
    (channel) =>
      PAGE_RELATIONS.flatMap((relation) => {
        const links = linksTo(channel, relation);
        return [...links.slice(1), ...links.slice(0, 1).filter(({ attributes: { href } }) => !isUri(href))];
      }).map(problem),
  ),
  channelRule(
    "owner",
    (channel) => wrong(channel, "itunes:owner", (owner) => !isMailbox(textOf(owner, "itunes:email"))),
  ),
  channelRule(
    "categories",
    (channel) =>
      tags(channel, "itunes:category").filter(({ attributes: { text }, children }) =>
        !CATEGORIES.has(text) || children.length > 1 ||
        children.some((child) => !CATEGORIES.get(text)!.includes(child.attributes.text))
      ).map(({ name, attributes: { text }, children }) => ({
        tag: name,
        excerpt: [text, ...children.map((child) => child.attributes.text)].join(" > "),
      })),
  ),
  channelRule("new-feed-url", (channel) => [
    ...atMostOnce(channel, ["itunes:new-feed-url"]),
    ...wrong(channel, "itunes:new-feed-url", ({ text }) => !isUri(text)),
  ]),
  channelRule("rss-image", (channel) =>
    tags(channel, "image").flatMap((image) => [
      ...required(image, "url", "title", "link"),
      ...["url", "link"].flatMap((name) => wrong(image, name, ({ text }) => !isUri(text))),
      ...["title", "link"].flatMap((name) => wrong(image, name, ({ text }) => text !== textOf(channel, name))),
    ])),
  channelRule("channel-single", (channel) => atMostOnce(channel, CHANNEL_SINGLES)),
  channelRule("show-type", (channel) => required(channel, "itunes:type")),
  channelRule("build-date", (channel) => required(channel, "lastBuildDate")),

  itemRule("item-title", (item) => required(item, "title")),
  itemRule("item-enclosure", (item) => [
    ...required(item, "enclosure"),
    ...wrong(
      item,
      "enclosure",
      ({ attributes: { url, length, type } }) => !isUri(url) || !INTEGER.test(length) || !MEDIA_TYPE.test(type),
    ),
  ]),
  itemRule("item-guid", (item) => required(item, "guid")),
  itemRule(
    "guid-permalink",
    (item) => wrong(item, "guid", ({ text, attributes }) => attributes.isPermaLink !== "false" && !isUri(text)),
  ),
  itemRule("notes-safe", (item) =>
    tags(item, "content:encoded").map(({ name, text }) => {
      const excerpt = unsafeTag(text);
      return excerpt !== undefined && { tag: name, excerpt };
    })),
  itemRule(
    "numbers",
    (item) =>
      ["itunes:season", "itunes:episode", "itunes:duration"].flatMap((name) =>
        wrong(item, name, ({ text }) => !POSITIVE.test(text))
      ),
  ),
  itemRule("item-single", (item) => atMostOnce(item, ITEM_SINGLES)),
  itemRule("item-link", (item) => required(item, "link")),
  itemRule("item-pubdate", (item) => required(item, "pubDate")),
  itemRule("item-type", (item) => required(item, "itunes:episodeType")),

  anyRule("links", (place) => wrong(place, "link", ({ text }) => !isUri(text))),
  anyRule(
    "dates",
    (place) => ["pubDate", "lastBuildDate"].flatMap((name) => wrong(place, name, ({ text }) => !isDate(text))),
  ),
  anyRule(
    "description-bytes",
    (place) => DESCRIPTIONS.flatMap((name) => wrong(place, name, ({ text }) => bytes(text) > 4000)),
  ),
  anyRule(
    "description-safe",
    (place) => DESCRIPTIONS.flatMap((name) => wrong(place, name, ({ text }) => /<[a-z/!?]/i.test(text))),
  ),
  anyRule(
    "blank",
    ({ children }) =>
      children.filter((tag) =>
        tag.name !== "item" && isOurs(tag.name) && isBlank(tag.text) && !tag.children.length &&
        !Object.keys(tag.attributes).length
      ).map(problem),
  ),
  anyRule("explicit", (place) => [
    ...required(place, "itunes:explicit"),
    ...wrong(place, "itunes:explicit", ({ text }) => !BOOLEAN.test(text)),
  ]),
  anyRule("image", (place) => wrong(place, "itunes:image", ({ attributes: { href } }) => !isUri(href))),
  anyRule("type", (place) => [
    ...oneOf(place, "itunes:type", "episodic", "serial"),
    ...oneOf(place, "itunes:episodeType", "full", "trailer", "bonus"),
    ...oneOf(place, "itunes:complete", "Yes"),
    ...oneOf(place, "itunes:block", "Yes"),
  ]),
  anyRule(
    "trimmed",
    (place) =>
      [...SHORT_VALUES, "itunes:keywords"].flatMap((name) => wrong(place, name, ({ text }) => UNTRIMMED.test(text))),
  ),
  anyRule(
    "value-length",
    (place) => SHORT_VALUES.flatMap((name) => wrong(place, name, ({ text }) => isLonger(text, 255))),
  ),
  anyRule("keywords", (place) => wrong(place, "itunes:keywords", ({ text }) => text.split(",").some(isBlank))),
  anyRule(
    "rss-category",
    (place) =>
      wrong(
        place,
        "category",
        ({ text, attributes: { domain } }) => isBlank(text) || isOtherThan(domain, (value) => !isBlank(value)),
      ),
  ),
];
