/**
 * Atom (RFC 4287): its names for what RSS has. Elements of other namespaces have the rules of RSS; what neither names is
 * carried or lost as in RSS.
 */
import { attributeValue } from "./attributes.ts";
import { type ChannelDraft, channelRules } from "./channel.ts";
import {
  addToList,
  collectText,
  type Draft,
  type ElementRule,
  type ElementRules,
  elementRules,
  isBlank,
  pathOf,
  type RawElement,
} from "./element_rules.ts";
import { addCandidate, FILE_ATTRIBUTES } from "./enclosure.ts";
import { type ItemDraft, itemRules } from "./item.ts";
import type { LossReason } from "./losses.ts";
import { decodeEntities } from "./text.ts";
import { listRelations, reasonAgainst } from "./unmodelled_elements.ts";

/** Keeps the first text of a kind: HTML, or a line without markup. */
function collectConstruct<D extends Draft, Key extends keyof D>(key: Key, parse: typeof toHtml): ElementRule<D> {
  return {
    attributes: ["type"],
    close(draft, element) {
      if (isBlank(element.text)) return;
      const type = typeOf(element);
      if (!TYPES.test(type)) draft.lose(pathOf(element), "INVALID", `${type}: ${element.text}`);
      else if (draft[key]) draft.lose(pathOf(element), "REPEATED", element.text);
      else draft[key] = parse(element.text, type) as D[Key];
    },
  };
}

/** The types of text constructs, and the media types of texts that content may have. */
const TYPES = /^(?:text|html|xhtml|text\/(?:plain|html)|application\/xhtml\+xml)$/;
const typeOf = ({ attributes }: RawElement) => attributeValue(attributes, "type")?.trim().toLowerCase() || "text";

/** Whether an element contains markup that is not escaped, as its type says. */
export const isXhtml = (element: RawElement) => element.name.startsWith("atom:") && typeOf(element).includes("xhtml");

/** The div around XHTML is not part of the text (RFC 4287, 3.1.1.3). */
const DIV = /^\s*<div(?:\s[^>]*)?>([^]*)<\/div>\s*$/i;

function toHtml(text: string, type: string): string {
  if (type.includes("xhtml")) return DIV.exec(text)?.[1] ?? text;
  return type.includes("html") || !text.includes("<") ? text : text.replaceAll("&", "&amp;").replaceAll("<", "&lt;");
}

/** Each tag ends at the next one, so that matching stays linear. */
function toLine(text: string, type: string): string {
  return type.includes("html") ? decodeEntities(toHtml(text, type).replace(/<[^<>]*>/g, " "), () => {}) : text;
}

function collectTags<D extends Draft, Key extends keyof D>(key: Key): ElementRule<D> {
  return {
    attributes: ["term", "label", "scheme"],
    open(draft, element) {
      const value = (name: string) => attributeValue(element.attributes, name)?.trim();
      const [term, label, scheme] = ["term", "label", "scheme"].map(value);
      if (term && label && term !== label) draft.lose(`${pathOf(element)}/@term`, "NO_PLACE", term);
      const tag: RawElement = {
        ...element,
        text: decodeEntities(label || term || "", draft.warn),
        attributes: scheme ? [["domain", scheme, "scheme"]] : [],
      };
      addToList((draft[key] ??= [] as D[Key]) as RawElement[], tag, element, draft);
    },
  };
}

/** An element that our feed replaces or has no place for. */
const lost = <D extends Draft>(reason: LossReason, attributes?: readonly string[]): ElementRule<D> => ({
  attributes,
  close: (draft, element) => draft.lose(pathOf(element), reason, element.text),
});

const LINK_ATTRIBUTES = [...FILE_ATTRIBUTES, "rel", "title", "hreflang"];

function loseLinkTexts({ attributes, ...element }: RawElement, { lose }: Draft) {
  for (const [name, value] of attributes) {
    if (["title", "hreflang"].includes(name)) lose(`${pathOf(element)}/@${name}`, "NO_PLACE", value);
  }
}

export const atomChannelRules: ElementRules<ChannelDraft> = new Map([
  ...channelRules,
  ...elementRules<ChannelDraft>({
    "atom:title": collectConstruct("title", toLine),
    "atom:subtitle": collectConstruct("description", toHtml),
    "atom:rights": collectConstruct("copyright", toLine),
    "atom:author": {
      children: elementRules<ChannelDraft>({
        "atom:name": collectText("author"),
        "atom:email": lost("PRIVATE_ADDRESS"),
        "atom:uri": lost("NO_PLACE"),
      }),
    },
    "atom:logo": collectText("rssImageUrl"),
    "atom:icon": collectText("icon"),
    "atom:updated": collectText("lastBuildDate"),
    "atom:category": collectTags("tags"),
    "atom:id": lost("REPLACED_BY_OURS"),
    "atom:generator": lost("REPLACED_BY_OURS", ["uri", "version"]),
    "atom:link": {
      isUnread: true,
      attributes: LINK_ATTRIBUTES,
      open(channel, element) {
        channelRules.get("atom:link")!.open!(channel, element);
        const href = attributeValue(element.attributes, "href");
        const isPage = reasonAgainst(element.name, element.attributes) === "REPLACED_BY_OURS";
        if (!href || !isPage || channel.link) return;
        channel.link = decodeEntities(href, channel.warn);
        loseLinkTexts(element, channel);
        return true;
      },
    },
  }),
]);

export const atomItemRules: ElementRules<ItemDraft> = new Map([
  ...itemRules,
  ...elementRules<ItemDraft>({
    "atom:id": {
      close(item, element) {
        if (isBlank(element.text)) return;
        if (item.guid) return item.lose(pathOf(element), "REPEATED", element.text);
        item.guid = element.text;
        item.permalink = "false";
      },
    },
    "atom:title": collectConstruct("title", toLine),
    "atom:summary": collectConstruct("description", toHtml),
    "atom:content": {
      ...collectConstruct("content", toHtml),
      attributes: ["type", "src"],
      open(item, element) {
        const src = attributeValue(element.attributes, "src");
        if (src) item.lose(pathOf(element), "ENCLOSURE", src);
      },
    },
    "atom:published": collectText("pubDate"),
    "atom:updated": collectText("otherDate"),
    "atom:category": collectTags("categories"),
    "atom:rights": lost("NO_PLACE", ["type"]),
    "atom:link": {
      isUnread: true,
      attributes: LINK_ATTRIBUTES,
      open(item, element) {
        const href = attributeValue(element.attributes, "href");
        const isPage = reasonAgainst(element.name, element.attributes) === "REPLACED_BY_OURS";
        if (listRelations(element.attributes).includes("enclosure")) addCandidate(item.enclosures, element, item);
        else if (href && isPage && !item.link) item.link = decodeEntities(href, item.warn);
        else return;
        loseLinkTexts(element, item);
        return true;
      },
    },
  }),
]);
