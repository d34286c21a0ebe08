/** Building blocks of feed rules: problems, the tags of a place, and formats. */
import { childrenNamed, type Node } from "./xml_tree.ts";

/** A rule for the channel or for an item. Its severity and its texts are in private.feed_rules(). */
export interface Rule {
  id: string;
  place: "channel" | "item" | "any";
  /** The problems of a place that does not follow the rule. */
  check: (place: Node, facts: PlaceFacts) => (Problem | false | undefined)[];
}

export interface Problem {
  tag: string;
  excerpt?: string;
}

/** What rules must know about a place and its tags do not say. A rule accepts a place if its fact is absent. */
export interface PlaceFacts {
  /** Of a channel: whether the podcast has an owner's address, which its feed may hide. */
  hasOwnerEmail?: boolean;
  /** Of a channel: the number of its items. */
  episodeCount?: number;
  /** Whether the place has more keywords than its tag shows. */
  hasMoreKeywords?: boolean;
  /** Of an item: the type of its podcast. */
  podcastType?: string;
  /** The number of the place's last tags that an import carried: rules of podcasters skip them. */
  carriedTags?: number;
  /** Of an item: whether apps can seek exactly in its audio; null: not known. */
  hasSeekTable?: boolean | null;
  /** Of an item: whether it shows the podcast's artwork, which is a matter of the channel. */
  inheritsArtwork?: boolean;
  /** Size of the place's own artwork in pixels; null if it has none, or another host stores it. */
  coverSize?: { width: number; height: number } | null;
}

const ruleOf = (place: Rule["place"]) => (id: string, check: Rule["check"]): Rule => ({ id, place, check });
export const channelRule = ruleOf("channel");
export const itemRule = ruleOf("item");
export const anyRule = ruleOf("any");

export { childrenNamed as tags };
export const textOf = (parent: Node, name: string) => childrenNamed(parent, name)[0]?.text;

/** A tag that has a problem, with its attributes and text. */
export function problem({ name, attributes, text }: Node): Problem {
  const shown = Object.entries(attributes).map(([key, value]) => `${key}="${value}"`);
  return { tag: name, excerpt: [...shown, text.trim()].filter(Boolean).join(" ") };
}

/** The tags with this name that have a problem. */
export const wrong = (parent: Node, name: string, isWrong: (tag: Node) => boolean): Problem[] =>
  childrenNamed(parent, name).filter(isWrong).map(problem);

/** Tags that must occur once each. */
export const required = (parent: Node, ...names: string[]) =>
  names.map((name) => {
    const { length } = childrenNamed(parent, name);
    return length !== 1 && { tag: name, ...length > 1 && { excerpt: `${length} times` } };
  });
/** Tags that may occur once each. */
export const atMostOnce = (parent: Node, names: string[]) =>
  names.map((name) => {
    const { length } = childrenNamed(parent, name);
    return length > 1 && { tag: name, excerpt: `${length} times` };
  });
export const missing = (parent: Node, name: string) => [childrenNamed(parent, name).length === 0 && { tag: name }];
export const oneOf = (parent: Node, name: string, ...values: string[]) =>
  wrong(parent, name, ({ text }) => !values.includes(text));

/** All elements below a place. Without recursion, because a carried tag may be nested thousands of times. */
export function descendants({ children }: Node): Node[] {
  const found = [...children];
  for (const node of found) for (const child of node.children) found.push(child);
  return found;
}

export const bytes = (value: string) => new TextEncoder().encode(value).length;
export const isLonger = (text: string | undefined, max: number) =>
  text !== undefined && text.length > max && [...text].length > max;
export const isBlank = (text: string | undefined) => !text?.trim();
/** Whether an attribute that may be absent has another format. */
export const isOtherThan = (value: string | undefined, format: RegExp | ((text: string) => boolean)) =>
  value !== undefined && !(format instanceof RegExp ? format.test(value) : format(value));

export const isUri = (url = "") =>
  /^https?:\/\/[\x21-\x7e]+$/.test(url) && URL.canParse(url) && !/["<>\\^`{|}]/.test(url);
/** RFC 3986 with a scheme such as ipfs or magnet, except those of scripts and local files. */
export const isAnyUri = (uri = "") =>
  isUri(uri) ||
  /^[a-z][a-z0-9+.-]*:[\x21-\x7e]+$/i.test(uri) && !/["<>\\^`{|}]/.test(uri) &&
    !/^(?:https?|javascript|vbscript|data|file|blob):/i.test(uri);
export const isDate = (date = "") =>
  /^(?:Mon|Tue|Wed|Thu|Fri|Sat|Sun), \d{2} [A-Z][a-z]{2} \d{4,} \d{2}:\d{2}:\d{2} \+0000$/.test(date) &&
  !Number.isNaN(Date.parse(date));
export const isMailbox = (address = "") => /^[^@\s]+@[^@\s]+$/.test(address);
export const isLanguage = (tag = "") => tag.length <= 100 && LANGUAGE.test(tag);
/** RFC 6838, 4.2 */
export const MEDIA_TYPE = /^[\w!#$&^.+-]+\/[\w!#$&^.+-]+$/;
export const INTEGER = /^\d+$/;
export const POSITIVE = /^[1-9]\d*$/;
export const NUMBER = /^\d+(?:\.\d+)?$/;
export const BOOLEAN = /^(?:true|false)$/;
export const UUID = /^[0-9a-f]{8}(?:-[0-9a-f]{4}){3}-[0-9a-f]{12}$/i;
export const MEDIUM = /^(?:(?:podcast|music|video|film|audiobook|newsletter|blog|publisher|course)L?|mixed)$/;
/** RFC 5646, 2.1: well-formed tags except grandfathered ones. */
export const LANGUAGE =
  /^(?:[a-z]{2,3}(?:-[a-z]{3}){0,3}(?:-[a-z]{4})?(?:-(?:[a-z]{2}|\d{3}))?(?:-(?:[a-z0-9]{5,8}|\d[a-z0-9]{3}))*(?:-[0-9a-wyz](?:-[a-z0-9]{2,8})+)*(?:-x(?:-[a-z0-9]{1,8})+)?|x(?:-[a-z0-9]{1,8})+)$/i;
