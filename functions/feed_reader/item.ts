/** An episode: what is read of an item, as written, and what it means. */
import { date } from "./date.ts";
import { duration } from "./duration.ts";
import { consider, enclosureOf, type Files, noFiles } from "./enclosure.ts";
import type { Note } from "./warn.ts";
import { add, keep, list, type Place, type Rule } from "./element_rules.ts";
import { attribute, attributesOf } from "./attributes.ts";
import { clean, decoded, html, line } from "./text.ts";
import type { FeedItem, Warning } from "./types.ts";
import { address } from "./url.ts";
import * as value from "./values.ts";
import type { Written } from "./values.ts";
import { warn } from "./warnings.ts";

/** As written, references decoded. */
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
  enclosures: Files;
  media: Files;
  duration?: string;
  season?: string;
  podcastSeason?: string;
  episode?: string;
  podcastEpisode?: string;
  episodeType?: string;
  explicit?: string;
  block?: string;
  image?: string;
  persons: Written[];
  transcripts: Written[];
  chapters?: Written;
  keywords: string[];
  warnings: Warning[];
  note: Note;
}

export function newItem(): ItemDraft {
  const warnings: Warning[] = [];
  return {
    enclosures: noFiles(),
    media: noFiles(),
    persons: [],
    transcripts: [],
    keywords: [],
    warnings,
    note: (code, said) => warn(warnings, code, said),
  };
}

const media: Rule<ItemDraft> = { open: (item, { attributes }) => consider(item.media, attributes, item.note) };
const keywords: Rule<ItemDraft> = { close: (item, { text }) => add(item.keywords, text, item.note) };

/** RSS 2.0 (https://www.rssboard.org/rss-specification), Apple's and the podcast namespace, content, Media RSS. */
export const itemPlace: Place<ItemDraft> = new Map<string, Rule<ItemDraft>>([
  ["title", keep("title")],
  ["itunes:title", keep("itunesTitle")],
  ["link", keep("link")],
  ["atom:link", {
    open(item, { attributes }) {
      if ((attribute(attributes, "rel") ?? "alternate") === "alternate") {
        item.atomLink ??= attribute(attributes, "href");
      }
    },
  }],
  ["guid", {
    close(item, { attributes, text }) {
      if (item.guid || !text.trim()) return;
      item.guid = text;
      item.isPermalink = attribute(attributes, "ispermalink")?.trim().toLowerCase() !== "false";
    },
  }],
  ["description", keep("description")],
  ["content:encoded", keep("content")],
  ["itunes:summary", keep("summary")],
  ["itunes:subtitle", keep("subtitle")],
  ["pubdate", keep("pubDate")],
  ["dc:date", keep("otherDate")],
  ["enclosure", { open: (item, { attributes }) => consider(item.enclosures, attributes, item.note) }],
  ["media:content", media],
  ["media:group", { children: new Map([["media:content", media]]) }],
  ["itunes:duration", keep("duration")],
  ["itunes:season", keep("season")],
  ["podcast:season", keep("podcastSeason")],
  ["itunes:episode", keep("episode")],
  ["podcast:episode", keep("podcastEpisode")],
  ["itunes:episodetype", keep("episodeType")],
  ["itunes:explicit", keep("explicit")],
  ["itunes:block", keep("block")],
  ["itunes:image", {
    close(item, { attributes, text }) {
      item.image ??= attribute(attributes, "href") ?? attribute(attributes, "url") ?? (text.trim() || undefined);
    },
  }],
  ["podcast:person", list((item) => item.persons)],
  ["podcast:transcript", list((item) => item.transcripts)],
  ["podcast:chapters", { open: (item, element) => item.chapters ??= element }],
  ["itunes:keywords", keywords],
  ["category", keywords],
]);

/** Undefined (ITEM_NAMELESS) where there is nothing that it could be told by. */
export function finishItem(draft: ItemDraft, position: number, base: string): FeedItem | undefined {
  const { note, warnings } = draft;
  const url = (written: string | undefined) => address(written, base, note);
  const attributeUrl = (written: string | undefined) => url(written && decoded(written, note));
  const enclosure = enclosureOf(draft.enclosures, draft.media, base, note);
  const itunesTitle = line(draft.itunesTitle, note);
  const title = line(draft.title, note) ?? itunesTitle;
  let link = url(draft.link) ?? attributeUrl(draft.atomLink);
  let guid = clean(draft.guid);
  if (!link && guid && draft.isPermalink && /^https?:\/\//i.test(guid)) link = address(guid, base, note);
  if (!guid) {
    guid = enclosure?.url ?? link ?? title;
    if (!guid) return undefined;
    note("GUID_MISSING", guid);
  }
  if (!title) note("TITLE_MISSING");
  const pubDate = date(draft.pubDate, note) ?? date(draft.otherDate, note);
  if (!draft.pubDate && !draft.otherDate) note("DATE_MISSING");
  if (!pubDate) note("DATE_ESTIMATED");
  return {
    position,
    guid,
    title,
    itunesTitle,
    link,
    description: html(draft.description, note),
    content: html(draft.content, note),
    summary: html(draft.summary, note) ?? html(draft.subtitle, note),
    pubDate,
    enclosure,
    durationSeconds: duration(draft.duration, note),
    season: value.whole(draft.season, note) ?? value.whole(draft.podcastSeason, note),
    episode: value.whole(draft.episode, note) ?? value.whole(draft.podcastEpisode, note),
    episodeType: value.oneOf(value.EPISODE_TYPES, draft.episodeType, note),
    explicit: value.oneOf<boolean>(value.EXPLICIT, draft.explicit, note),
    isBlocked: value.oneOf<boolean>(value.YES_OR_NO, draft.block, note),
    image: attributeUrl(draft.image),
    persons: value.peopleOf(draft.persons, base, note),
    transcripts: value.transcriptsOf(draft.transcripts, base, note),
    chapters: draft.chapters ? value.saidAddress(attributesOf(draft.chapters.attributes), "url", base, note) : null,
    keywords: value.words(draft.keywords),
    warnings,
  };
}
