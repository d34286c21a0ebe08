/**
 * What becomes of the elements that no rule of channel.ts or item.ts reads: they are carried to our feed as they are
 * (carried_element.ts), unless this list names a reason against it. Names are canonical (namespaces.ts).
 */
import { type Attributes, attributeValue } from "./attributes.ts";
import type { LossReason } from "./losses.ts";
import { decodeEntities } from "./text.ts";

const reasons = (entries: Record<string, LossReason>) => new Map(Object.entries(entries));

/** In channels and items. */
const ANYWHERE = reasons({
  "itunes:new-feed-url": "REDIRECT",
  "redirect": "REDIRECT", // https://www.rssboard.org/redirect-rss-feed
  "itunes:complete": "HIDES",
  "podcast:complete": "HIDES",
  "podcast:block": "HIDES",
  "googleplay:block": "HIDES",
  "spotify:limit": "HIDES", // all but the newest episodes
  "podcast:locked": "LOCK",
  "podcast:liveitem": "LIVE_ITEM",
  "enclosure": "ENCLOSURE",
  "podcast:alternateenclosure": "ENCLOSURE",
  "media:content": "ENCLOSURE",
  "media:group": "ENCLOSURE",
  "feedburner:origenclosurelink": "ENCLOSURE",
  "feedburner:origlink": "REPLACED_BY_OURS",
  // the new host's own: software, documentation, caching, notifications, dates, identity
  "generator": "REPLACED_BY_OURS",
  "docs": "REPLACED_BY_OURS",
  "ttl": "REPLACED_BY_OURS",
  "skipdays": "REPLACED_BY_OURS",
  "skiphours": "REPLACED_BY_OURS",
  "cloud": "REPLACED_BY_OURS",
  "lastbuilddate": "REPLACED_BY_OURS",
  "pubdate": "REPLACED_BY_OURS",
  "guid": "REPLACED_BY_OURS",
  "podcast:guid": "REPLACED_BY_OURS",
  "podcast:podping": "REPLACED_BY_OURS",
  "podcast:hiveaccount": "REPLACED_BY_OURS",
  "podcast:trailer": "REPLACED_BY_OURS", // derived from the episodes of this type
  "itunes:owner": "REPLACED_BY_OURS",
  "items": "REPLACED_BY_OURS", // RSS 1.0's list of its items
  "rss": "UNSAFE",
  "channel": "UNSAFE",
  "item": "UNSAFE",
  "atom:feed": "UNSAFE",
  "atom:entry": "UNSAFE",
});

/** Namespaces of which nothing is carried. */
const NAMESPACES = reasons({
  "fh": "PAGING",
  "opensearch": "PAGING",
  "xhtml": "UNSAFE",
  "svg": "UNSAFE",
  "mathml": "UNSAFE",
  "xi": "UNSAFE", // includes other documents
  "xsl": "UNSAFE",
  "sy": "REPLACED_BY_OURS", // how often to read the feed
});

/** Links by their relation (RFC 8288, RFC 5005, WebSub). All others are carried. */
const LINKS = reasons({
  "self": "SELF_LINK",
  "hub": "HUB",
  "next": "PAGING",
  "prev": "PAGING",
  "previous": "PAGING",
  "first": "PAGING",
  "last": "PAGING",
  "current": "PAGING",
  "prev-archive": "PAGING",
  "next-archive": "PAGING",
  "enclosure": "ENCLOSURE",
  "alternate": "REPLACED_BY_OURS", // our link
});
const REGISTERED = /https?:\/\/www\.iana\.org\/assignments\/relation\//g;
const FEED_TYPE = /^\s*(?:application|text)\/(?:(?:rss|atom|feed)\b|xml\b)/i;

/** Elements of HTML that RSS does not have: they were markup of a text. */
const HTML = new Set(
  ("a abbr article audio b base blockquote body br button center code div em embed font footer form frame frameset " +
    "h1 h2 h3 h4 h5 h6 head header hr html i iframe img input label li math meta nav noscript object ol option p " +
    "picture pre script section select small span strike strong style sub sup svg table tbody td template textarea " +
    "tfoot th thead tr u ul video").split(" "),
);

/** The reason why an element is not carried; undefined if it is. */
export function reasonAgainst(name: string, attributes: Attributes): LossReason | undefined {
  if (name === "atom:link") return reasonAgainstLink(attributes);
  const colon = name.indexOf(":");
  return ANYWHERE.get(name) ??
    (colon < 0 ? HTML.has(name) ? "UNSAFE" : undefined : NAMESPACES.get(name.slice(0, colon)));
}

/** Inside carried elements: names that some readers look for anywhere. A value of our own does not conflict there. */
export function reasonAgainstNested(name: string, attributes: Attributes): LossReason | undefined {
  if (name === "itunes:block") return "HIDES";
  const reason = reasonAgainst(name, attributes);
  return reason === "REPLACED_BY_OURS" ? undefined : reason;
}

/** Readers may ignore the prefix of an attribute. */
function reasonAgainstLink(attributes: Attributes): LossReason | undefined {
  for (const relation of listRelations(attributes)) {
    const reason = LINKS.get(relation);
    if (reason && relation === "alternate" && FEED_TYPE.test(attributeValue(attributes, "type") ?? "")) {
      return "SELF_LINK";
    }
    if (reason) return reason;
  }
}

/** The relations of an Atom link in lower case; `alternate` is the default. */
export function listRelations(attributes: Attributes): string[] {
  const written = attributes.filter(([name]) => name === "rel" || name.endsWith(":rel"))
    .map(([, value]) => decodeEntities(value, () => {}));
  const relations = written.join(" ").toLowerCase().replace(REGISTERED, "").split(/\s+/).filter((one) => one);
  return relations.length ? relations : ["alternate"];
}

const SCRIPT_URL = /^(?:javascript|vbscript|data:text\/html)/i;
// deno-lint-ignore no-control-regex -- the expression matches control characters on purpose
const SCRIPT_START = /^[\u0000-\u0020]*[jvd]/i;
/** Escaped markup that runs a script. Each part stops at the next tag, so that matching stays linear. */
const SCRIPT =
  /<script[\s>/]|<[a-z][^<>]*\s(?:on[a-z]{3,}\s{0,9}=|(?:href|src)\s{0,9}=\s{0,9}["']?\s{0,9}javascript:)/i;

/** Browsers ignore white space and control characters in a scheme. */
export const isScriptUrl = (value: string): boolean =>
  // deno-lint-ignore no-control-regex -- the expression matches control characters on purpose
  SCRIPT_START.test(value) && SCRIPT_URL.test(value.slice(0, 100).replace(/[\u0000-\u0020]+/g, ""));

/** Whether a text with decoded references runs a script where it is shown as HTML, or followed as a link. */
export const isUnsafeText = (text: string): boolean => text.includes("<") && SCRIPT.test(text) || isScriptUrl(text);
