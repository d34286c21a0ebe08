/** Reads the channel: the raw values first, then their meaning. */
import { findAttribute, parseAttributes } from "./attributes.ts";
import { parseDate } from "./date.ts";
import type { WarnFn } from "./warn.ts";
import { addToList, collectElements, collectText, type ElementRule, type ElementRules } from "./element_rules.ts";
import { decodeEntities, normalizeHtml, normalizeLine, normalizeText } from "./text.ts";
import type { Channel } from "./feed.ts";
import { resolveUrl } from "./url.ts";
import * as value from "./values.ts";
import type { RawElement } from "./values.ts";

/** Raw values with decoded references. */
export interface ChannelDraft {
  title?: string;
  description?: string;
  summary?: string;
  link?: string;
  language?: string;
  author?: string;
  ownerName?: string;
  ownerEmail?: string;
  locked?: RawElement;
  txts: RawElement[];
  appleVerifyToken?: string;
  podcastGuid?: string;
  medium?: string;
  categories: { category: string; subcategories: string[] }[];
  explicit?: string;
  type?: string;
  image?: string;
  rssImage?: string;
  copyright?: string;
  lastBuildDate?: string;
  funding: RawElement[];
  persons: RawElement[];
  /** Links by rel: `next`, `prev-archive`. */
  pages: Map<string, string>;
  /** Reports each code once. */
  warn: WarnFn;
}

export const createChannelDraft = (warn: WarnFn): ChannelDraft => ({
  txts: [],
  categories: [],
  funding: [],
  persons: [],
  pages: new Map(),
  warn,
});

const elementRules = (rules: Record<string, ElementRule<ChannelDraft>>): ElementRules<ChannelDraft> =>
  new Map(Object.entries(rules));

/** RSS 2.0, Apple's namespace, the podcast namespace, and the links of RFC 5005. */
export const channelRules: ElementRules<ChannelDraft> = elementRules({
  "title": collectText("title"),
  "description": collectText("description"),
  "itunes:summary": collectText("summary"),
  "link": collectText("link"),
  "language": collectText("language"),
  "itunes:author": collectText("author"),
  "itunes:owner": {
    children: elementRules({ "itunes:name": collectText("ownerName"), "itunes:email": collectText("ownerEmail") }),
  },
  "podcast:locked": { close: (channel, element) => channel.locked ??= element },
  "podcast:txt": collectElements((channel) => channel.txts),
  "itunes:applepodcastsverify": collectText("appleVerifyToken"),
  "podcast:guid": collectText("podcastGuid"),
  "podcast:medium": collectText("medium"),
  "itunes:category": {
    open(channel, { attributes }) {
      const category = findAttribute(attributes, "text");
      if (category) addToList(channel.categories, { category, subcategories: [] }, channel.warn);
    },
    children: elementRules({
      "itunes:category": {
        open(channel, { attributes }) {
          const subcategory = findAttribute(attributes, "text");
          const within = channel.categories.at(-1)?.subcategories;
          if (subcategory && within) addToList(within, subcategory, channel.warn);
        },
      },
    }),
  },
  "itunes:explicit": collectText("explicit"),
  "itunes:type": collectText("type"),
  "itunes:image": {
    close(channel, { attributes, text }) {
      channel.image ??= findAttribute(attributes, "href") ?? findAttribute(attributes, "url") ??
        (text.trim() || undefined);
    },
  },
  "image": { children: elementRules({ "url": collectText("rssImage") }) },
  "copyright": collectText("copyright"),
  "lastbuilddate": collectText("lastBuildDate"),
  "podcast:funding": collectElements((channel) => channel.funding),
  "podcast:person": collectElements((channel) => channel.persons),
  "atom:link": {
    open({ pages }, { attributes }) {
      const rel = findAttribute(attributes, "rel")?.trim().toLowerCase();
      const href = findAttribute(attributes, "href");
      if (href && (rel === "next" || rel === "prev-archive") && !pages.has(rel)) pages.set(rel, href);
    },
  },
});

/** Purposes of podcast:txt with a column of their own. All others are verify texts. */
const AI_PURPOSE = "ai-content";
const APPLE_PURPOSE = "applepodcastsverify";

export function finishChannel(draft: ChannelDraft, base: string, warn: WarnFn): Channel {
  const url = (written: string | undefined) => resolveUrl(written, base, warn);
  const txts = draft.txts.flatMap((element) => {
    const text = normalizeText(element.text);
    return text ? [{ text, purpose: value.attributeText(parseAttributes(element.attributes), "purpose", warn) }] : [];
  });
  const txt = (purpose: string) => txts.find((one) => one.purpose?.toLowerCase() === purpose)?.text ?? null;
  return {
    title: normalizeLine(draft.title, warn),
    description: normalizeHtml(draft.description, warn) ?? normalizeHtml(draft.summary, warn),
    link: url(draft.link),
    language: normalizeLine(draft.language, warn),
    author: normalizeLine(draft.author, warn),
    ownerName: normalizeLine(draft.ownerName, warn),
    ownerEmail: normalizeLine(draft.ownerEmail, warn),
    locked: value.parseChoice<boolean>(value.YES_OR_NO, draft.locked?.text, warn),
    lockedOwner: draft.locked ? value.attributeText(parseAttributes(draft.locked.attributes), "owner", warn) : null,
    verifyTexts: txts.filter(({ purpose }) => ![AI_PURPOSE, APPLE_PURPOSE].includes(purpose?.toLowerCase() ?? "")),
    appleVerifyToken: normalizeLine(draft.appleVerifyToken, warn) ?? txt(APPLE_PURPOSE),
    aiDisclosure: txt(AI_PURPOSE),
    podcastGuid: normalizeText(draft.podcastGuid),
    medium: normalizeLine(draft.medium, warn),
    categories: draft.categories.flatMap(({ category, subcategories }) => {
      const name = normalizeLine(decodeEntities(category, warn), warn);
      const inner = subcategories.map((one) => normalizeLine(decodeEntities(one, warn), warn));
      return name ? (inner.length ? inner : [null]).map((subcategory) => ({ category: name, subcategory })) : [];
    }),
    explicit: value.parseChoice<boolean>(value.EXPLICIT, draft.explicit, warn),
    type: value.parseChoice(value.SHOW_TYPES, draft.type, warn),
    image: url(draft.image && decodeEntities(draft.image, warn)) ?? url(draft.rssImage),
    copyright: normalizeLine(draft.copyright, warn),
    lastBuildDate: parseDate(draft.lastBuildDate, () => {}),
    funding: draft.funding.flatMap((element) => {
      const href = value.attributeUrl(parseAttributes(element.attributes), "url", base, warn);
      return href ? [{ url: href, text: normalizeLine(element.text, warn) }] : [];
    }),
    persons: value.parsePersons(draft.persons, base, warn),
  };
}

/** URL of the next page (RFC 5005, 3) or of the previous archive (RFC 5005, 4). */
export function nextPageUrl({ pages }: ChannelDraft, base: string, warn: WarnFn): string | null {
  const href = pages.get("next") ?? pages.get("prev-archive");
  return resolveUrl(href && decodeEntities(href, warn), base, warn);
}
