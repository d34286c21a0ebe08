// Building blocks of feed rules: their sources, and access to a parsed feed.
import { childrenNamed, type Node } from "./fixture.ts";

export const RSS = "https://www.rssboard.org/rss-specification";
export const PROFILE = "https://www.rssboard.org/rss-profile";
export const APPLE = "https://podcasters.apple.com/support/823-podcast-requirements";
export const PSP = "https://github.com/Podcast-Standards-Project/PSP-1-Podcast-RSS-Specification";
export const NAMESPACE = "https://github.com/Podcastindex-org/podcast-namespace/blob/main/docs/tags";

export interface Rule {
  id: string;
  source: string;
  /** `must`: every rendered feed follows it. `should`: a specification recommends it, or requires it for a listing. */
  level: "must" | "should";
  /** Only the podcaster can follow it, by a field, a file or a choice. */
  isPodcasters?: boolean;
  /** Violations; empty for a feed that follows the rule. */
  check: (feed: Feed) => (string | false | undefined)[];
}

export interface Feed {
  root: Node;
  channel: Node;
  items: Node[];
}

export const text = (parent: Node, name: string) => childrenNamed(parent, name)[0]?.text;
export const bytes = (value: string) => new TextEncoder().encode(value).length;
export const places = ({ channel, items }: Feed) => [channel, ...items];
/** All tags with this name at any depth. */
export const each = (feed: Feed, name: string) => places(feed).flatMap((place) => childrenNamed(place, name));
export const isUri = (url = "") =>
  /^https?:\/\/[\x21-\x7e]+$/.test(url) && URL.canParse(url) && !/["<>\\^`{|}]/.test(url);
export const isDate = (date = "") =>
  /^(?:Mon|Tue|Wed|Thu|Fri|Sat|Sun), \d{2} [A-Z][a-z]{2} \d{4,} \d{2}:\d{2}:\d{2} \+0000$/.test(date) &&
  !Number.isNaN(Date.parse(date));
export const isMailbox = (address = "") => /^[^@\s]+@[^@\s]+$/.test(address);
/** RFC 5646, 2.1: well-formed tags except grandfathered ones. */
export const LANGUAGE =
  /^(?:(?:[a-z]{2,3}(?:-[a-z]{3}){0,3}|[a-z]{4,8})(?:-[a-z]{4})?(?:-(?:[a-z]{2}|\d{3}))?(?:-(?:[a-z0-9]{5,8}|\d[a-z0-9]{3}))*(?:-[0-9a-wyz](?:-[a-z0-9]{2,8})+)*(?:-x(?:-[a-z0-9]{1,8})+)?|x(?:-[a-z0-9]{1,8})+)$/i;

export const single = ({ channel }: Feed, ...names: string[]) =>
  names.map((name) => childrenNamed(channel, name).length > 1 && `${name} occurs twice`);
export const required = (place: Node, ...names: string[]) =>
  names.map((name) => childrenNamed(place, name).length !== 1 && `${childrenNamed(place, name).length} times ${name}`);
export const oneOf = (feed: Feed, name: string, ...values: string[]) =>
  each(feed, name).map((tag) => !values.includes(tag.text) && `${name}: ${tag.text}`);
export const inLength = (tags: Node[], max: number) =>
  tags.map((tag) => [...tag.text].length > max && `${tag.name} has ${[...tag.text].length} characters`);

export function rule(id: string, source: string, level: Rule["level"], check: Rule["check"]): Rule {
  return { id, source, level, check };
}
