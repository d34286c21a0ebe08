// Checks independently of the reader's own scanner that each part of a well-formed feed is modelled, carried or lost.
import assert from "node:assert/strict";
import { atomChannelRules, atomItemRules } from "../../functions/feed_reader/atom.ts";
import { channelRules } from "../../functions/feed_reader/channel.ts";
import type { ElementRules } from "../../functions/feed_reader/element_rules.ts";
import type { Channel, FeedItem } from "../../functions/feed_reader/feed.ts";
import { toUri } from "../../functions/text/uri.ts";
import { itemRules } from "../../functions/feed_reader/item.ts";
import { assertCarried, elementsOf, type Node } from "./carried.ts";

/** The paths of all modelled elements and attributes, in lower case, from the reader's rules. */
// deno-lint-ignore no-explicit-any
function listModelled(rules: ElementRules<any>, parent = "", found = new Set<string>()): Set<string> {
  for (const [name, { attributes = [], children, isUnread }] of rules) {
    if (isUnread) continue;
    const path = parent + name;
    found.add(path);
    for (const attribute of attributes) found.add(`${path}/@${attribute}`);
    if (children) listModelled(children, `${path}/`, found);
  }
  return found;
}

export const modelledInItem = listModelled(itemRules);
export const modelledInChannel = listModelled(channelRules);
const modelledInEntry = listModelled(atomItemRules);
const modelledInAtom = listModelled(atomChannelRules);

/** Usual prefixes by namespace, in the spellings of the tested feeds. */
const PREFIXES: [prefix: string, uri: RegExp][] = [
  ["itunes", /itunes\.com\/dtds\/podcast-1\.0\.dtd$/i],
  ["podcast", /podcastindex\.org\/namespace\/1\.0|podcast-namespace\/blob\/main\/docs\/1\.0\.md/i],
  ["content", /purl\.org\/rss\/1\.0\/modules\/content\/?$/],
  ["atom", /w3\.org\/2005\/Atom\/?$/i],
  ["dc", /purl\.org\/dc\/elements\/1\.1\/?$/],
  ["media", /search\.yahoo\.com\/mrss\/?$/],
  ["psc", /podlove\.org\/simple-chapters\/?$/],
  ["googleplay", /google\.com\/schemas\/play-podcasts\/1\.0/],
  ["feedburner", /rssnamespace\.org\/feedburner/],
  ["fh", /purl\.org\/syndication\/history/],
];

const canonicalPrefix = ({ uri, name }: Node) =>
  PREFIXES.find(([, pattern]) => pattern.test(uri))?.[0] ??
    (name.includes(":") ? name.split(":")[0].toLowerCase() : "");

export function nameOf(node: Node): string {
  const prefix = canonicalPrefix(node);
  return (prefix ? `${prefix}:${node.local}` : node.local).toLowerCase();
}

const textOf = ({ content }: Node) => content.filter((one) => typeof one === "string").join("");
export const fold = (text: string) => text.replace(/\s+/g, " ").trim();

const canonicalAttribute = (name: string) =>
  name.replace(/^\{(.*)\}/, (written, uri) => PREFIXES.find(([, pattern]) => pattern.test(uri))?.[0] ?? written);

const URLS = ["url", "href", "uri", "img", "image", "feedUrl", "accountUrl"];

/** Resolves relative paths in attributes and links against xml:base, as the reader does. */
export function resolveBases(node: Node, outer?: string): Node {
  const written = node.attributes.get("{http://www.w3.org/XML/1998/namespace}base")?.value;
  const isUsed = written !== undefined && /^https?:$/.test(new URL(written, outer ?? FEED).protocol);
  const base = isUsed ? new URL(written, outer ?? FEED).href : outer;
  const resolve = (value: string) =>
    base && /^(?:[?/]|\w+\/|\w+\.[a-z]\w+$)/.test(value) ? new URL(value, base).href : value;
  for (const [key, one] of node.attributes) {
    if (URLS.includes(key.replace(/^\{.*\}/, ""))) node.attributes.set(key, { ...one, value: resolve(one.value) });
  }
  const isLink = node.local === "link" || node.local === "url";
  node.content = node.content.map((one) =>
    typeof one !== "string" ? resolveBases(one, base) : isLink ? resolve(one) : one
  );
  return node;
}
const FEED = "https://show.example/feed.xml";

/** An element as compared: names with namespaces, attributes in order, texts unchanged but for the form of URLs. */
export function describe(node: Node): string {
  const attributes = [...node.attributes].map(([name, { value }]) =>
    `${canonicalAttribute(name)}=${JSON.stringify(fold(toUri(value.trim())))}`
  ).sort();
  const content = node.content.map((one) =>
    typeof one === "string" ? JSON.stringify(fold(toUri(one.trim()))) : describe(one)
  )
    .filter((one) => one !== '""');
  const known = PREFIXES.find(([, pattern]) => pattern.test(node.uri))?.[0];
  return `<{${known ?? node.uri}}${node.local} ${attributes.join(" ")}>${content.join("")}</>`;
}

/** All texts and numbers of a result. */
function listValues(value: unknown, found = new Set<string>()): Set<string> {
  if (typeof value === "string" || typeof value === "number") found.add(fold(String(value)));
  else if (value && typeof value === "object") {
    for (const [key, member] of Object.entries(value)) {
      if (!["extraTags", "losses", "warnings", "position"].includes(key)) listValues(member, found);
    }
  }
  return found;
}

/** Modelled values that are stored in another form. */
const CONVERTED =
  /^(?:pubdate|dc:date|lastbuilddate|atom:(?:published|updated|\w+\/@type)|itunes:(?:duration|explicit|block|complete|episodetype|type|keywords)|podcast:(?:locked|block)|guid\/@ispermalink|podcast:(?:updatefrequency\/@complete|images\/@srcset|chapters\/@type|publisher\/podcast:remoteitem\/@medium)|.*\/@(?:fee|default|start|starttime|remotestarttime)|psc:chapters\/@version|(?:enclosure|media:content|media:group\/media:content)\/@(?:type|length|filesize|url|duration))$/;

/** Texts of the channel that are carried, although it may have the summary as its description. */
const CARRIED_TEXTS = ["itunes:summary", "itunes:subtitle"];

/** Asserts that the parts of an item or channel are accounted for, and returns how many parts there are. */
export function assertAccounted(node: Node, result: FeedItem | Channel, isItem: boolean, isAtom = false): number {
  const ofRss = isItem ? modelledInItem : modelledInChannel, ofAtom = isItem ? modelledInEntry : modelledInAtom;
  const modelled = isAtom ? ofAtom : ofRss;
  const values = listValues(result);
  const lost = new Map<string, number>();
  for (const { path } of result.losses) lost.set(path.toLowerCase(), (lost.get(path.toLowerCase()) ?? 0) + 1);
  const carried = new Map<string, number>();
  for (const xml of result.extraTags) {
    const key = describe(assertCarried(xml));
    carried.set(key, (carried.get(key) ?? 0) + 1);
  }
  const isOver = lost.has("*");
  let parts = 0;
  const take = (counts: Map<string, number>, key: string) => {
    const count = counts.get(key) ?? 0;
    counts.set(key, count - 1);
    return count > 0;
  };
  const isLost = (path: string) => isOver || lost.has(path);
  /** A carried element may lack invalid attributes. */
  const hasLostAttribute = (path: string) => [...lost.keys()].some((loss) => loss.startsWith(`${path}/@`));

  function assertKept(path: string, written: string) {
    const value = fold(written);
    if (!value || isLost(path) || CONVERTED.test(path)) return;
    const isKept = values.has(value) || values.has(String(Number(value))) ||
      [...values].some((one) => one.length >= value.length && one.includes(value)) ||
      values.has(fold(decode(value))) || isUrl(written, values) ||
      values.has(value.replaceAll("&", "&amp;").replaceAll("<", "&lt;")); // plain text of Atom as HTML
    assert.ok(isKept, `${path} is silently gone: ${value.slice(0, 300)}`);
  }

  function checkModelled(one: Node, path: string, isGone: boolean) {
    parts++;
    const isWhole = isGone || isLost(path);
    for (const { name, value } of one.attributes.values()) {
      parts++;
      if (name === "xml:base") continue; // applied by resolveBases
      const own = `${path}/@${name}`.toLowerCase();
      const local = `${path}/@${name.split(":").at(-1)}`.toLowerCase();
      if (isWhole || isLost(own)) continue;
      assert.ok(modelled.has(local), `${own} is not accounted for`);
      assertKept(local, value);
    }
    const text = textOf(one);
    if (CARRIED_TEXTS.includes(path) && take(carried, describe({ ...one, attributes: new Map() }))) return;
    const creator = { ...one, uri: "http://purl.org/dc/elements/1.1/", local: "creator", attributes: new Map() };
    if (path === "author" && take(carried, describe(creator))) return;
    if (text.trim() && !isWhole && !isLost(`${path}/#text`)) assertKept(path, text);
    for (const inner of elementsOf(one)) {
      const innerPath = `${path}/${nameOf(inner)}`;
      if (inner.uri === "http://www.w3.org/1999/xhtml" && path.startsWith("atom:")) {
        if (!isWhole) assertKept(path, textOf(inner));
        continue;
      }
      if (modelled.has(innerPath)) checkModelled(inner, innerPath, isWhole);
      else {
        const isKept = take(carried, describe(inner)) || hasLostAttribute(innerPath);
        assert.ok(isWhole || isLost(innerPath) || isKept, `${innerPath} is not accounted for`);
      }
    }
  }

  for (const { name } of node.attributes.values()) {
    assert.ok(
      name === "xml:base" || name === "xml:lang" && isAtom && !isItem || isLost(`@${name.toLowerCase()}`),
      `@${name}`,
    );
  }
  if (textOf(node).trim()) assert.ok(isLost("#text"), "text");
  for (const one of elementsOf(node)) {
    const path = nameOf(one);
    if (!isItem && (path === "item" || path === "atom:entry")) continue;
    if (modelled.has(path)) checkModelled(one, path, false);
    else {
      parts++;
      const isRead = isAtom && path === "atom:link" && isUrl(one.attributes.get("{}href")?.value ?? "", values);
      const isKept = isRead || take(carried, describe(one)) || take(lost, path) || isOver ||
        hasLostAttribute(path);
      assert.ok(isKept, `${path} is not accounted for: ${describe(one).slice(0, 500)}`);
    }
  }
  return parts;
}

/** References that were escaped twice. */
const decode = (text: string) =>
  text.replace(
    /&(amp|lt|gt|quot|nbsp|#39);/g,
    (_, name) => ({ amp: "&", lt: "<", gt: ">", quot: '"' })[name as "amp"] ?? " ",
  );

/** URLs are resolved and encoded. */
function isUrl(written: string, values: Set<string>): boolean {
  const value = written.trim().replace(/[\t\r\n]+\s*/g, "").replaceAll("&amp;", "&");
  const url = URL.canParse(value, "https://show.example/feed.xml")
    ? new URL(value, "https://show.example/feed.xml")
    : null;
  return url !== null && [...values].some((one) => URL.canParse(one) && new URL(one).href === url.href);
}
