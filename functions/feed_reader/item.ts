/** Reads an item: the raw values first, then their meaning. */
import { parseDate } from "./date.ts";
import { parseDuration } from "./duration.ts";
import { addCandidate, chooseEnclosure, type EnclosureCandidates, noCandidates } from "./enclosure.ts";
import type { WarnFn } from "./warn.ts";
import { addToList, collectElements, collectText, type ElementRule, type ElementRules } from "./element_rules.ts";
import { findAttribute, parseAttributes } from "./attributes.ts";
import { decodeEntities, normalizeHtml, normalizeLine, normalizeText } from "./text.ts";
import type { FeedItem } from "./feed.ts";
import { resolveUrl } from "./url.ts";
import * as value from "./values.ts";
import type { RawElement } from "./values.ts";
import { addWarning, type Warning } from "./warnings.ts";

/** Raw values with decoded references. */
export interface ItemDraft {
  title?: string;
  itunesTitle?: string;
  link?: string;
  atomLink?: string;
  guid?: string;
  isPermalink?: boolean;
  description?: string;
  content?: string;
  summary?: string;
  subtitle?: string;
  pubDate?: string;
  otherDate?: string;
  enclosures: EnclosureCandidates;
  mediaRule: EnclosureCandidates;
  duration?: string;
  season?: string;
  podcastSeason?: string;
  episode?: string;
  podcastEpisode?: string;
  episodeType?: string;
  explicit?: string;
  block?: string;
  image?: string;
  persons: RawElement[];
  transcripts: RawElement[];
  chapters?: RawElement;
  keywordsRule: string[];
  warnings: Warning[];
  warn: WarnFn;
}

export function createItemDraft(): ItemDraft {
  const warnings: Warning[] = [];
  return {
    enclosures: noCandidates(),
    mediaRule: noCandidates(),
    persons: [],
    transcripts: [],
    keywordsRule: [],
    warnings,
    warn: (code, excerpt) => addWarning(warnings, code, excerpt),
  };
}

const media: ElementRule<ItemDraft> = {
  open: (item, { attributes }) => addCandidate(item.mediaRule, attributes, item.warn),
};
const keywords: ElementRule<ItemDraft> = { close: (item, { text }) => addToList(item.keywordsRule, text, item.warn) };

/** RSS 2.0 (https://www.rssboard.org/rss-specification), Apple's and the podcast namespace, content, Media RSS. */
export const itemRules: ElementRules<ItemDraft> = new Map<string, ElementRule<ItemDraft>>([
  ["title", collectText("title")],
  ["itunes:title", collectText("itunesTitle")],
  ["link", collectText("link")],
  ["atom:link", {
    open(item, { attributes }) {
      if ((findAttribute(attributes, "rel") ?? "alternate") === "alternate") {
        item.atomLink ??= findAttribute(attributes, "href");
      }
    },
  }],
  ["guid", {
    close(item, { attributes, text }) {
      if (item.guid || !text.trim()) return;
      item.guid = text;
      item.isPermalink = findAttribute(attributes, "ispermalink")?.trim().toLowerCase() !== "false";
    },
  }],
  ["description", collectText("description")],
  ["content:encoded", collectText("content")],
  ["itunes:summary", collectText("summary")],
  ["itunes:subtitle", collectText("subtitle")],
  ["pubdate", collectText("pubDate")],
  ["dc:date", collectText("otherDate")],
  ["enclosure", { open: (item, { attributes }) => addCandidate(item.enclosures, attributes, item.warn) }],
  ["media:content", media],
  ["media:group", { children: new Map([["media:content", media]]) }],
  ["itunes:duration", collectText("duration")],
  ["itunes:season", collectText("season")],
  ["podcast:season", collectText("podcastSeason")],
  ["itunes:episode", collectText("episode")],
  ["podcast:episode", collectText("podcastEpisode")],
  ["itunes:episodetype", collectText("episodeType")],
  ["itunes:explicit", collectText("explicit")],
  ["itunes:block", collectText("block")],
  ["itunes:image", {
    close(item, { attributes, text }) {
      item.image ??= findAttribute(attributes, "href") ?? findAttribute(attributes, "url") ??
        (text.trim() || undefined);
    },
  }],
  ["podcast:person", collectElements((item) => item.persons)],
  ["podcast:transcript", collectElements((item) => item.transcripts)],
  ["podcast:chapters", { open: (item, element) => item.chapters ??= element }],
  ["itunes:keywords", keywords],
  ["category", keywords],
]);

/** Returns undefined if the item has nothing to identify it by (ITEM_UNIDENTIFIED). */
export function finishItem(draft: ItemDraft, position: number, base: string): FeedItem | undefined {
  const { warn, warnings } = draft;
  const url = (written: string | undefined) => resolveUrl(written, base, warn);
  const attributeUrl = (written: string | undefined) => url(written && decodeEntities(written, warn));
  const enclosure = chooseEnclosure(draft.enclosures, draft.mediaRule, base, warn);
  const itunesTitle = normalizeLine(draft.itunesTitle, warn);
  const title = normalizeLine(draft.title, warn) ?? itunesTitle;
  let link = url(draft.link) ?? attributeUrl(draft.atomLink);
  let guid = normalizeText(draft.guid);
  if (!link && guid && draft.isPermalink && /^https?:\/\//i.test(guid)) link = resolveUrl(guid, base, warn);
  if (!guid) {
    guid = enclosure?.url ?? link ?? title;
    if (!guid) return undefined;
    warn("GUID_MISSING", guid);
  }
  if (!title) warn("TITLE_MISSING");
  const pubDate = parseDate(draft.pubDate, warn) ?? parseDate(draft.otherDate, warn);
  if (!draft.pubDate && !draft.otherDate) warn("DATE_MISSING");
  if (!pubDate) warn("DATE_ESTIMATED");
  return {
    position,
    guid,
    title,
    itunesTitle,
    link,
    description: normalizeHtml(draft.description, warn),
    content: normalizeHtml(draft.content, warn),
    summary: normalizeHtml(draft.summary, warn) ?? normalizeHtml(draft.subtitle, warn),
    pubDate,
    enclosure,
    durationSeconds: parseDuration(draft.duration, warn),
    season: value.parseInteger(draft.season, warn) ?? value.parseInteger(draft.podcastSeason, warn),
    episode: value.parseInteger(draft.episode, warn) ?? value.parseInteger(draft.podcastEpisode, warn),
    episodeType: value.parseChoice(value.EPISODE_TYPES, draft.episodeType, warn),
    explicit: value.parseChoice<boolean>(value.EXPLICIT, draft.explicit, warn),
    isBlocked: value.parseChoice<boolean>(value.YES_OR_NO, draft.block, warn),
    image: attributeUrl(draft.image),
    persons: value.parsePersons(draft.persons, base, warn),
    transcripts: value.parseTranscripts(draft.transcripts, base, warn),
    chapters: draft.chapters ? value.attributeUrl(parseAttributes(draft.chapters.attributes), "url", base, warn) : null,
    keywords: value.splitKeywords(draft.keywordsRule),
    warnings,
  };
}
