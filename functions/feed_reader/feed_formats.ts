/** The formats of feeds: RSS of all versions, and Atom. */
import { atomChannelRules, atomItemRules } from "./atom.ts";
import { channelRules } from "./channel.ts";
import { type ElementRule, type ElementRules, elementRules } from "./element_rules.ts";
import { FeedError } from "./feed_error.ts";
import { itemRules } from "./item.ts";
import type { Scope } from "./namespaces.ts";

// Rules belong to either draft; the code that enters an element knows to which.
// deno-lint-ignore no-explicit-any
export type AnyRule = Required<ElementRule<any>>;
// deno-lint-ignore no-explicit-any
export type AnyRules = ElementRules<any>;

export const NO_RULES: AnyRules = new Map();

interface Format {
  /** The rules of the root, of the channel and of items; Atom's root is its channel. */
  root: AnyRules;
  channel: AnyRules;
  item: AnyRules;
  itemName: string;
  /** Attributes of the root that are read. */
  attributes: readonly string[];
}

/** RSS 1.0 has the image beside the channel. */
const rssRoot: AnyRules = new Map([
  ...elementRules({ channel: { children: channelRules } }),
  ["image", channelRules.get("image")!],
]);
export const channelRule: AnyRule = rssRoot.get("channel")!;

export const RSS: Format = {
  root: rssRoot,
  channel: channelRules,
  item: itemRules,
  itemName: "item",
  attributes: ["version"],
};
export const ATOM: Format = {
  root: atomChannelRules,
  channel: atomChannelRules,
  item: atomItemRules,
  itemName: "atom:entry",
  attributes: ["lang"],
};

const RSS_ROOTS = new Map([["rss", rssRoot], ["rdf:rdf", rssRoot], ["rdf", rssRoot], ["channel", channelRules]]);
const HTML = /^(?:xhtml:)?(?:html|head|body|script|meta|div|p)$/;
export const isHtml = (name: string) => HTML.test(name);

/** What an element is as a feed's root; undefined if it is none. */
export function findRoot(written: string, name: string, scope: Scope) {
  if (name === "atom:feed") return { format: ATOM, rules: ATOM.channel, scope };
  if (name === "feed" && !scope.isDeclared("")) return { format: ATOM, rules: ATOM.channel, scope: scope.forAtom() };
  // some feeds declare Atom's namespace as the default
  const rules = RSS_ROOTS.get(name) ?? RSS_ROOTS.get(written.toLowerCase());
  return rules && { format: RSS, rules, scope: scope.forRss() };
}

/** `name` is the root element's, or empty if text precedes any element. */
export function notAFeed(name: string): FeedError {
  if (!name) return new FeedError("NOT_XML", "The URL does not contain a feed");
  if (isHtml(name)) return new FeedError("NOT_XML", "The URL is a web page, not a feed");
  return new FeedError("NOT_RSS", `The URL is XML but neither RSS nor Atom: <${name.slice(0, 40).toWellFormed()}>`);
}

export const emptyResponse = () => new FeedError("EMPTY_FEED", "The server returned an empty response");
