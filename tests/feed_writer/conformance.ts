// The rules for rendered feeds; docs/feed-rules.md lists the same ids.
import { categories } from "./apple_categories.ts";
import { childrenNamed, parseXml } from "./fixture.ts";
import { namespaceRules } from "./namespace_rules.ts";
import { recommendations } from "./recommendations.ts";
import {
  APPLE,
  bytes,
  each,
  inLength,
  isDate,
  isMailbox,
  isUri,
  LANGUAGE,
  NAMESPACE,
  oneOf,
  places,
  PROFILE,
  PSP,
  required,
  RSS,
  type Rule,
  rule,
  single,
  text,
} from "./rule.ts";

export const requirements: Rule[] = [
  rule("rss-version", `${RSS}#whatIsRss`, "must", ({ root }) => [
    (root.name !== "rss" || root.attributes.version !== "2.0" || root.children.length !== 1) &&
    "not one channel of RSS 2.0",
  ]),
  rule(
    "channel-required",
    `${RSS}#requiredChannelElements`,
    "must",
    ({ channel }) => required(channel, "title", "link", "description"),
  ),
  rule(
    "channel-link",
    `${RSS}#requiredChannelElements`,
    "must",
    (feed) => each(feed, "link").map((tag) => !isUri(tag.text) && tag.text),
  ),
  rule("language", `${PSP}#channel-language`, "must", ({ channel }) => [
    ...required(channel, "language"),
    ...childrenNamed(channel, "language").map((tag) => !LANGUAGE.test(tag.text) && tag.text),
  ]),
  rule(
    "dates",
    `${PSP}#item-pubdate`,
    "must",
    (feed) =>
      ["pubDate", "lastBuildDate"].flatMap((name) => each(feed, name).map((tag) => !isDate(tag.text) && tag.text)),
  ),
  rule("self-link", `${PSP}#channel-atom`, "must", ({ channel }) => {
    const links = childrenNamed(channel, "atom:link").filter(({ attributes }) => attributes.rel !== "hub");
    return links.length === 1
      ? links.map(({ attributes: { rel, href, type } }) =>
        (rel !== "self" || type !== "application/rss+xml" || !isUri(href)) && `atom:link ${rel} ${href}`
      )
      : [`${links.length} atom:link`];
  }),
  rule(
    "hub-link",
    "https://www.w3.org/TR/websub/#discovery",
    "must",
    ({ channel }) =>
      childrenNamed(channel, "atom:link").map(({ attributes: { rel, href } }) => rel === "hub" && !isUri(href) && href),
  ),
  rule("namespaces", `${PSP}#required-rss-namespace-declarations`, "must", ({ root }) =>
    [
      ["xmlns:itunes", "http://www.itunes.com/dtds/podcast-1.0.dtd"],
      ["xmlns:podcast", "https://podcastindex.org/namespace/1.0"],
      ["xmlns:atom", "http://www.w3.org/2005/Atom"],
      ["xmlns:content", "http://purl.org/rss/1.0/modules/content/"],
    ].map(([name, url]) => root.attributes[name] !== url && name)),
  rule(
    "description-bytes",
    `${PSP}#channel-description`,
    "must",
    (feed) => each(feed, "description").map((tag) => bytes(tag.text) > 4000 && `${bytes(tag.text)} bytes`),
  ),
  rule(
    "description-safe",
    `${PROFILE}#data-types-characterdata`,
    "must",
    (feed) => each(feed, "description").map((tag) => /<[a-z/!?]/i.test(tag.text) && tag.text.slice(0, 100)),
  ),
  rule(
    "notes-safe",
    `${PROFILE}#namespace-elements-content-encoded`,
    "must",
    (feed) =>
      each(feed, "content:encoded").map((tag) =>
        /<(?!\/?(?:p|br|hr|div|span|h[1-6]|blockquote|pre|a|b|strong|i|em|u|s|del|ins|sub|sup|small|mark|code|kbd|q|cite|abbr|ul|ol|li|dl|dt|dd|img|figure|figcaption|table|caption|thead|tbody|tfoot|tr|th|td)[\s>])|<[^>]*\son\w+=|(?:href|src)="(?!https?:|mailto:|tel:)/i
          .test(tag.text) && tag.text.slice(0, 100)
      ),
  ),
  rule(
    "blank",
    `${PSP}#rss-feed-elements`,
    "must",
    (feed) =>
      places(feed).flatMap((place) =>
        place.children.filter(({ name }) => name !== "item").map((tag) =>
          !tag.text.trim() && !tag.children.length && !Object.keys(tag.attributes).length && `${tag.name} is empty`
        )
      ),
  ),
  rule("item-title", `${PSP}#item-title`, "must", ({ items }) => items.flatMap((item) => required(item, "title"))),
  rule("item-enclosure", `${RSS}#ltenclosuregtSubelementOfLtitemgt`, "must", ({ items }) =>
    items.flatMap((item) => [
      ...required(item, "enclosure"),
      ...childrenNamed(item, "enclosure").map(({ attributes: { url, length, type } }) =>
        (!isUri(url) || !/^\d+$/.test(length) || !/^(?:audio|video)\/[\w.+-]+$/.test(type)) &&
        `${url} ${length} ${type}`
      ),
    ])),
  rule("item-guid", `${PSP}#item-guid`, "must", ({ items }) => [
    ...items.flatMap((item) => required(item, "guid")),
    new Set(items.map((item) => text(item, "guid"))).size !== items.length && "a GUID occurs twice",
  ]),
  rule(
    "guid-permalink",
    `${RSS}#ltguidgtSubelementOfLtitemgt`,
    "must",
    ({ items }) =>
      items.flatMap((item) =>
        childrenNamed(item, "guid").map((guid) =>
          guid.attributes.isPermaLink !== "false" && !isUri(guid.text) && guid.text
        )
      ),
  ),
  rule(
    "owner",
    APPLE,
    "must",
    ({ channel }) =>
      childrenNamed(channel, "itunes:owner").map((owner) =>
        !isMailbox(text(owner, "itunes:email")) && "itunes:owner without itunes:email"
      ),
  ),
  rule("explicit", APPLE, "must", (feed) => [
    ...required(feed.channel, "itunes:explicit"),
    ...oneOf(feed, "itunes:explicit", "true", "false"),
  ]),
  rule(
    "image",
    APPLE,
    "must",
    (feed) => each(feed, "itunes:image").map(({ attributes: { href } }) => !isUri(href) && href),
  ),
  rule(
    "categories",
    "https://podcasters.apple.com/support/1691-apple-podcasts-categories",
    "must",
    ({ channel }) =>
      childrenNamed(channel, "itunes:category").map(({ attributes, children }) =>
        (!categories[attributes.text] || children.length > 1 ||
          children.some((child) => !categories[attributes.text].includes(child.attributes.text))) &&
        `${attributes.text} ${children.map((child) => child.attributes.text)}`
      ),
  ),
  rule("type", APPLE, "must", (feed) => [
    ...oneOf(feed, "itunes:type", "episodic", "serial"),
    ...oneOf(feed, "itunes:episodeType", "full", "trailer", "bonus"),
    ...oneOf(feed, "itunes:complete", "Yes"),
    ...oneOf(feed, "itunes:block", "Yes"),
  ]),
  rule("new-feed-url", APPLE, "must", (feed) => [
    ...single(feed, "itunes:new-feed-url"),
    ...each(feed, "itunes:new-feed-url").map((tag) => !isUri(tag.text) && tag.text),
  ]),
  rule(
    "numbers",
    APPLE,
    "must",
    (feed) =>
      ["itunes:season", "itunes:episode", "itunes:duration"].flatMap((name) =>
        each(feed, name).map((tag) => !/^[1-9]\d*$/.test(tag.text) && `${name} ${tag.text}`)
      ),
  ),
  rule("podcast-guid", `${NAMESPACE}/guid.md`, "must", ({ channel }) => [
    ...required(channel, "podcast:guid"),
    !/^[0-9a-f]{8}(?:-[0-9a-f]{4}){3}-[0-9a-f]{12}$/i.test(text(channel, "podcast:guid") ?? "") &&
    text(channel, "podcast:guid"),
  ]),
  rule(
    "podcast-single",
    `${NAMESPACE}/locked.md`,
    "must",
    (feed) =>
      single(
        feed,
        ...["podcast:locked", "podcast:guid", "podcast:medium", "podcast:podping"],
        ...["language", "itunes:owner", "itunes:type"],
      ),
  ),
  rule(
    "podcast-podping",
    `${NAMESPACE}/podping.md`,
    "must",
    ({ channel }) =>
      childrenNamed(channel, "podcast:podping").map(({ attributes: { usesPodping } }) =>
        !["true", "false"].includes(usesPodping) && `usesPodping ${usesPodping}`
      ),
  ),
  rule("podcast-locked", `${NAMESPACE}/locked.md`, "must", (feed) => [
    ...oneOf(feed, "podcast:locked", "yes", "no"),
    ...each(feed, "podcast:locked").map(({ attributes: { owner } }) =>
      owner !== undefined && !isMailbox(owner) && owner
    ),
  ]),
  rule(
    "podcast-medium",
    `${NAMESPACE}/medium.md`,
    "must",
    (feed) =>
      each(feed, "podcast:medium").map((tag) =>
        !/^(?:(?:podcast|music|video|film|audiobook|newsletter|blog|publisher|course)L?|mixed)$/.test(tag.text) &&
        tag.text
      ),
  ),
  rule("podcast-txt", `${NAMESPACE}/txt.md`, "must", (feed) => [
    ...inLength(each(feed, "podcast:txt"), 4000),
    ...each(feed, "podcast:txt").map(({ text, attributes: { purpose = "" } }) =>
      ([...purpose].length > 128 || purpose === "ai-content" && text !== "true" && text !== "false") &&
      `${purpose}: ${text}`
    ),
  ]),
  rule("podcast-funding", `${NAMESPACE}/funding.md`, "must", (feed) => [
    ...inLength(each(feed, "podcast:funding"), 128),
    ...each(feed, "podcast:funding").map(({ attributes: { url } }) => !isUri(url) && url),
  ]),
  rule("podcast-person", `${NAMESPACE}/person.md`, "must", (feed) => [
    ...inLength(each(feed, "podcast:person"), 128),
    ...each(feed, "podcast:person").map(({ text, attributes: { img, href } }) =>
      (!text.trim() || img !== undefined && !isUri(img) || href !== undefined && !isUri(href)) &&
      `${text} ${img} ${href}`
    ),
  ]),
  rule(
    "podcast-transcript",
    `${NAMESPACE}/transcript.md`,
    "must",
    (feed) =>
      each(feed, "podcast:transcript").map(({ attributes: { url, type, language, rel } }) =>
        (!isUri(url) || !/^[a-z]+\/[a-z0-9.+-]+$/.test(type ?? "") ||
          language !== undefined && !LANGUAGE.test(language) ||
          rel !== undefined && rel !== "captions") && `${url} ${type} ${language} ${rel}`
      ),
  ),
  rule(
    "podcast-chapters",
    `${NAMESPACE}/chapters.md`,
    "must",
    (feed) =>
      each(feed, "podcast:chapters").map(({ attributes: { url, type } }) =>
        (!isUri(url) || type !== "application/json+chapters") && `${url} ${type}`
      ),
  ),
  rule(
    "podcast-season",
    `${NAMESPACE}/season.md`,
    "must",
    (feed) =>
      [["podcast:season", "name", 128], ["podcast:episode", "display", 32]].flatMap(([name, label, max]) =>
        each(feed, String(name)).map(({ text, attributes }) =>
          (!(name === "podcast:season" ? /^\d+$/ : /^\d+(?:\.\d+)?$/).test(text) ||
            [...attributes[label] ?? ""].length > Number(max)) && `${text} ${attributes[label]}`
        )
      ),
  ),
  ...namespaceRules,
];

export const rules = [...requirements, ...recommendations];

function broken(xml: string, some: Rule[]): string[] {
  const root = parseXml(xml);
  const channel = root.children[0];
  const feed = { root, channel, items: childrenNamed(channel, "item") };
  return some.flatMap(({ id, check }) =>
    check(feed).filter((what) => what !== false && what !== undefined).map((what) => `${id}: ${what}`)
  );
}

/** Violations of a feed, as `rule: problem`; throws for malformed XML. */
export const violations = (xml: string) =>
  broken(xml, rules.filter(({ level, isPodcasters }) => level === "must" || !isPodcasters));

/** Ids of the recommendations that a feed does not follow. */
export const advice = (xml: string) => [
  ...new Set(broken(xml, rules.filter(({ isPodcasters }) => isPodcasters)).map((found) => found.split(":")[0])),
];
