/** The show: what is read of a channel, as written, and what it means. */
import { attribute, attributesOf } from "./attributes.ts";
import { date } from "./date.ts";
import type { Note } from "./warn.ts";
import { add, keep, list, type Place, type Rule } from "./element_rules.ts";
import { clean, decoded, html, line } from "./text.ts";
import type { Channel } from "./types.ts";
import { address } from "./url.ts";
import * as value from "./values.ts";
import type { Written } from "./values.ts";

/** As written, references decoded. */
export interface ChannelDraft {
  title?: string;
  description?: string;
  summary?: string;
  link?: string;
  language?: string;
  author?: string;
  ownerName?: string;
  ownerEmail?: string;
  locked?: Written;
  txts: Written[];
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
  funding: Written[];
  persons: Written[];
  /** By rel: `next`, `prev-archive`. */
  pages: Map<string, string>;
  /** Each code once. */
  note: Note;
}

export const newChannel = (note: Note): ChannelDraft => ({
  txts: [],
  categories: [],
  funding: [],
  persons: [],
  pages: new Map(),
  note,
});

const place = (rules: Record<string, Rule<ChannelDraft>>): Place<ChannelDraft> => new Map(Object.entries(rules));

/** RSS 2.0, Apple's namespace, the podcast namespace, and RFC 5005's links. */
export const channelPlace: Place<ChannelDraft> = place({
  "title": keep("title"),
  "description": keep("description"),
  "itunes:summary": keep("summary"),
  "link": keep("link"),
  "language": keep("language"),
  "itunes:author": keep("author"),
  "itunes:owner": { children: place({ "itunes:name": keep("ownerName"), "itunes:email": keep("ownerEmail") }) },
  "podcast:locked": { close: (channel, element) => channel.locked ??= element },
  "podcast:txt": list((channel) => channel.txts),
  "itunes:applepodcastsverify": keep("appleVerifyToken"),
  "podcast:guid": keep("podcastGuid"),
  "podcast:medium": keep("medium"),
  "itunes:category": {
    open(channel, { attributes }) {
      const category = attribute(attributes, "text");
      if (category) add(channel.categories, { category, subcategories: [] }, channel.note);
    },
    children: place({
      "itunes:category": {
        open(channel, { attributes }) {
          const subcategory = attribute(attributes, "text");
          const within = channel.categories.at(-1)?.subcategories;
          if (subcategory && within) add(within, subcategory, channel.note);
        },
      },
    }),
  },
  "itunes:explicit": keep("explicit"),
  "itunes:type": keep("type"),
  "itunes:image": {
    close(channel, { attributes, text }) {
      channel.image ??= attribute(attributes, "href") ?? attribute(attributes, "url") ?? (text.trim() || undefined);
    },
  },
  "image": { children: place({ "url": keep("rssImage") }) },
  "copyright": keep("copyright"),
  "lastbuilddate": keep("lastBuildDate"),
  "podcast:funding": list((channel) => channel.funding),
  "podcast:person": list((channel) => channel.persons),
  "atom:link": {
    open({ pages }, { attributes }) {
      const rel = attribute(attributes, "rel")?.trim().toLowerCase();
      const href = attribute(attributes, "href");
      if (href && (rel === "next" || rel === "prev-archive") && !pages.has(rel)) pages.set(rel, href);
    },
  },
});

/** What podcast:txt discloses and proves, by purpose; all others are verify texts. */
const AI = "ai-content";
const APPLE = "applepodcastsverify";

export function finishChannel(draft: ChannelDraft, base: string, note: Note): Channel {
  const url = (written: string | undefined) => address(written, base, note);
  const txts = draft.txts.flatMap((element) => {
    const text = clean(element.text);
    return text ? [{ text, purpose: value.said(attributesOf(element.attributes), "purpose", note) }] : [];
  });
  const txt = (purpose: string) => txts.find((one) => one.purpose?.toLowerCase() === purpose)?.text ?? null;
  return {
    title: line(draft.title, note),
    description: html(draft.description, note) ?? html(draft.summary, note),
    link: url(draft.link),
    language: line(draft.language, note),
    author: line(draft.author, note),
    ownerName: line(draft.ownerName, note),
    ownerEmail: line(draft.ownerEmail, note),
    locked: value.oneOf<boolean>(value.YES_OR_NO, draft.locked?.text, note),
    lockedOwner: draft.locked ? value.said(attributesOf(draft.locked.attributes), "owner", note) : null,
    verifyTexts: txts.filter(({ purpose }) => ![AI, APPLE].includes(purpose?.toLowerCase() ?? "")),
    appleVerifyToken: line(draft.appleVerifyToken, note) ?? txt(APPLE),
    aiDisclosure: txt(AI),
    podcastGuid: clean(draft.podcastGuid),
    medium: line(draft.medium, note),
    categories: draft.categories.flatMap(({ category, subcategories }) => {
      const name = line(decoded(category, note), note);
      const inner = subcategories.map((one) => line(decoded(one, note), note));
      return name ? (inner.length ? inner : [null]).map((subcategory) => ({ category: name, subcategory })) : [];
    }),
    explicit: value.oneOf<boolean>(value.EXPLICIT, draft.explicit, note),
    type: value.oneOf(value.SHOW_TYPES, draft.type, note),
    image: url(draft.image && decoded(draft.image, note)) ?? url(draft.rssImage),
    copyright: line(draft.copyright, note),
    lastBuildDate: date(draft.lastBuildDate, () => {}),
    funding: draft.funding.flatMap((element) => {
      const href = value.saidAddress(attributesOf(element.attributes), "url", base, note);
      return href ? [{ url: href, text: line(element.text, note) }] : [];
    }),
    persons: value.peopleOf(draft.persons, base, note),
  };
}

/** Where the feed goes on: the next page (RFC 5005, 3), or the archive before this one (RFC 5005, 4). */
export function nextPageOf({ pages }: ChannelDraft, base: string, note: Note): string | null {
  const href = pages.get("next") ?? pages.get("prev-archive");
  return address(href && decoded(href, note), base, note);
}
