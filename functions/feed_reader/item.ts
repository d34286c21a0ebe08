/** Reads an item: the raw values first, then their meaning. */
import { escapeXml } from "../text/xml_text.ts";
import { attributeValue } from "./attributes.ts";
import { parseDate } from "./date.ts";
import { parseDuration } from "./duration.ts";
import {
  collectElement,
  collectElements,
  collectImage,
  collectText,
  type Draft,
  type ElementRules,
  elementRules,
  isBlank,
  pathOf,
  type RawElement,
} from "./element_rules.ts";
import { addCandidate, chooseEnclosure, type EnclosureCandidates, FILE_ATTRIBUTES, noCandidates } from "./enclosure.ts";
import { findAddress } from "./mask_addresses.ts";
import { isUnsafeText, listRelations } from "./unmodelled_elements.ts";
import type { FeedItem } from "./feed.ts";
import { createAccount, hasAddress } from "./losses.ts";
import { finishMedia, type MediaDraft, mediaRules } from "./media_rss.ts";
import * as media from "./media_values.ts";
import * as podcast from "./podcast_values.ts";
import { decodeEntities, normalizeHtml, normalizeLine, normalizeText } from "./text.ts";
import { resolveUrl } from "./url.ts";
import * as value from "./values.ts";
import { type Context, parseList, parseOrLose } from "./values.ts";
import { addWarning, type Warning } from "./warnings.ts";
import type { WarnFn } from "./warn.ts";

const TEXT = undefined as string | undefined;
const ELEMENT = undefined as RawElement | undefined;
const ELEMENTS = undefined as RawElement[] | undefined;
/** All members that an item may lack, so that all drafts have one shape: others are slow to read. */
const NO_VALUES = {
  title: TEXT,
  itunesTitle: TEXT,
  link: TEXT,
  atomLink: TEXT,
  guid: TEXT,
  about: TEXT, // rdf:about of RSS 1.0
  permalink: TEXT,
  description: TEXT,
  content: TEXT,
  summary: TEXT,
  subtitle: TEXT,
  pubDate: TEXT,
  otherDate: TEXT,
  duration: TEXT,
  season: TEXT,
  podcastSeason: ELEMENT,
  episode: TEXT,
  podcastEpisode: ELEMENT,
  episodeType: TEXT,
  explicit: TEXT,
  block: TEXT,
  image: TEXT,
  persons: ELEMENTS,
  transcripts: ELEMENTS,
  chapters: ELEMENT,
  simpleChapters: ELEMENT,
  soundbites: ELEMENTS,
  locations: ELEMENTS,
  license: ELEMENT,
  images: ELEMENTS,
  imageSets: ELEMENTS,
  socialInteractions: ELEMENTS,
  values: ELEMENTS,
  alternateEnclosures: ELEMENTS,
  contentLinks: ELEMENTS,
  funding: ELEMENTS,
  texts: ELEMENTS,
  keywords: ELEMENTS,
  categories: ELEMENTS,
  mediaParts: undefined as MediaDraft["mediaParts"],
  thumbnails: undefined as MediaDraft["thumbnails"],
};

/** Raw values with decoded references. */
export type ItemDraft = Draft & MediaDraft & typeof NO_VALUES & {
  isAtom: boolean;
  enclosures: EnclosureCandidates;
  warnings: Warning[];
};

export function createItemDraft(): ItemDraft {
  const warnings: Warning[] = [];
  const account = createAccount();
  return {
    ...NO_VALUES,
    isAtom: false,
    enclosures: noCandidates(),
    mediaFiles: noCandidates(),
    account,
    warnings,
    warn: (code, excerpt) => addWarning(warnings, code, excerpt),
    lose: account.lose,
  };
}

const DUBLIN_CORE = "http://purl.org/dc/elements/1.1/";

/**
 * RSS 2.0 (https://www.rssboard.org/rss-specification), Apple's and the podcast namespace, content, Media RSS, and
 * Podlove's chapters.
 */
export const itemRules: ElementRules<ItemDraft> = elementRules<ItemDraft>({
  "title": collectText("title"),
  "itunes:title": collectText("itunesTitle"),
  "link": collectText("link"),
  "atom:link": {
    isUnread: true,
    open(item, { attributes }) {
      if (listRelations(attributes).includes("alternate")) {
        item.atomLink ??= attributeValue(attributes, "href");
      }
    },
  },
  "author": {
    close({ warn, lose, account }, element) {
      const name = normalizeLine(element.text, warn);
      if (name === null) return;
      // RSS has addresses here, and Dublin Core has names
      if (findAddress(name)) lose(pathOf(element), "PRIVATE_ADDRESS", name);
      else if (isUnsafeText(name)) lose(pathOf(element), "UNSAFE", name);
      else account.carry("dc:creator", `<dc:creator xmlns:dc="${DUBLIN_CORE}">${escapeXml(name)}</dc:creator>`);
    },
  },
  "guid": {
    attributes: ["ispermalink"],
    close(item, element) {
      if (isBlank(element.text)) return;
      if (item.guid) return item.lose(pathOf(element), "REPEATED", element.text);
      item.guid = element.text;
      item.permalink = attributeValue(element.attributes, "ispermalink")?.trim().toLowerCase();
    },
  },
  "description": collectText("description"),
  "content:encoded": collectText("content"),
  "itunes:summary": collectText("summary"),
  "itunes:subtitle": collectText("subtitle"),
  "pubdate": collectText("pubDate"),
  "dc:date": collectText("otherDate"),
  "enclosure": {
    attributes: FILE_ATTRIBUTES,
    open: (item, element) => addCandidate(item.enclosures, element, item),
  },
  ...mediaRules,
  "itunes:duration": collectText("duration"),
  "itunes:season": collectText("season"),
  "podcast:season": collectElement("podcastSeason", ["name"]),
  "itunes:episode": collectText("episode"),
  "podcast:episode": collectElement("podcastEpisode", ["display"]),
  "itunes:episodetype": collectText("episodeType"),
  "itunes:explicit": collectText("explicit"),
  "itunes:block": collectText("block"),
  "itunes:image": collectImage(),
  "podcast:person": collectElements("persons", value.PERSON_ATTRIBUTES),
  "podcast:transcript": collectElements("transcripts", value.TRANSCRIPT_ATTRIBUTES),
  "podcast:chapters": collectElement("chapters", ["url", "type"]),
  "psc:chapters": collectElement("simpleChapters", media.CHAPTERS_ATTRIBUTES, media.CHAPTERS_CHILDREN),
  "podcast:soundbite": collectElements("soundbites", podcast.SOUNDBITE_ATTRIBUTES),
  "podcast:location": collectElements("locations", podcast.LOCATION_ATTRIBUTES),
  "podcast:license": collectElement("license", podcast.LICENSE_ATTRIBUTES),
  "podcast:image": collectElements("images", podcast.IMAGE_ATTRIBUTES),
  "podcast:images": collectElements("imageSets", ["srcset"]),
  "podcast:socialinteract": collectElements("socialInteractions", podcast.SOCIAL_ATTRIBUTES),
  "podcast:value": collectElements("values", media.VALUE_ATTRIBUTES, media.VALUE_CHILDREN),
  "podcast:alternateenclosure": collectElements(
    "alternateEnclosures",
    media.ALTERNATE_ATTRIBUTES,
    media.ALTERNATE_CHILDREN,
  ),
  "podcast:contentlink": collectElements("contentLinks", ["href"]),
  "podcast:funding": collectElements("funding", ["url"]),
  "podcast:txt": collectElements("texts", ["purpose"]),
  "itunes:keywords": collectElements("keywords"),
  "category": collectElements("categories", ["domain"]),
});

/** Returns undefined if the item has nothing to identify it by (ITEM_UNIDENTIFIED). */
export function finishItem(draft: ItemDraft, position: number, base: string): FeedItem | undefined {
  const { warn, lose, account, warnings } = draft;
  const context: Context = { base, warn, lose };
  const url = (written: string | undefined) => resolveUrl(written, base, warn);
  const enclosure = chooseEnclosure(draft.enclosures, draft.mediaFiles, context);
  const duration = parseOrLose("itunes:duration", draft.duration, parseDuration, draft);
  const ofMedia = finishMedia(draft, enclosure, duration, context);
  const itunesTitle = normalizeLine(draft.itunesTitle, warn);
  const title = normalizeLine(draft.title, warn) ?? itunesTitle;
  let link = parseOrLose("link", draft.link, url, draft) ?? url(draft.atomLink && decodeEntities(draft.atomLink, warn));
  const rdfAbout = normalizeText(draft.about && decodeEntities(draft.about, warn));
  let guid = normalizeText(draft.guid) ?? rdfAbout;
  if (rdfAbout && rdfAbout !== guid) lose("@rdf:about", "REPEATED", rdfAbout);
  if (!link && guid && draft.permalink !== "false" && /^https?:\/\//i.test(guid)) link = resolveUrl(guid, base, warn);
  if (!guid) {
    guid = enclosure?.url ?? link ?? title;
    if (!guid) return undefined;
    warn("GUID_MISSING", guid);
  }
  if (!title) warn("TITLE_MISSING");
  // the GUID of our items is not a link
  if (draft.permalink && draft.permalink !== "false") lose("guid/@isPermaLink", "REPLACED_BY_OURS", draft.permalink);
  const { season, seasonName } = finishSeason(draft, context);
  const { episode, episodeDisplay } = finishEpisode(draft, context);
  const { license, licenseUrl } = podcast.parseLicense(draft.license, context);
  const item: FeedItem = {
    position,
    guid,
    title,
    itunesTitle,
    link,
    description: normalizeHtml(draft.description, warn),
    content: normalizeHtml(draft.content, warn),
    summary: normalizeHtml(draft.summary, warn),
    subtitle: normalizeLine(draft.subtitle, warn),
    pubDate: finishDate(draft),
    enclosure,
    durationSeconds: ofMedia.durationSeconds,
    season,
    episode,
    episodeType: parseOrLose("itunes:episodeType", draft.episodeType, parseEpisodeType, draft),
    explicit: parseOrLose("itunes:explicit", draft.explicit, value.parseExplicit, draft),
    isBlocked: parseOrLose("itunes:block", draft.block, value.parseYesOrNo, draft),
    image: parseOrLose("itunes:image", draft.image && decodeEntities(draft.image, warn), url, draft) ?? ofMedia.image,
    persons: parseList(draft.persons, value.parsePerson, context),
    transcripts: parseList(draft.transcripts, value.parseTranscript, context),
    chapters: finishChapters(draft.chapters, context),
    simpleChapters: media.parseChapters(draft.simpleChapters, context),
    seasonName,
    episodeDisplay,
    soundbites: parseList(draft.soundbites, podcast.parseSoundbite, context),
    locations: parseList(draft.locations, podcast.parseLocation, context),
    license,
    licenseUrl,
    images: podcast.parseImages(draft.images, draft.imageSets, context),
    socialInteractions: parseList(draft.socialInteractions, podcast.parseSocialInteraction, context),
    valueBlocks: parseList(draft.values, media.parseValueBlock, context),
    alternateEnclosures: parseList(draft.alternateEnclosures, media.parseAlternateEnclosure, context),
    contentLinks: parseList(draft.contentLinks, podcast.parseContentLink, context),
    funding: parseList(draft.funding, podcast.parseFunding, context),
    texts: parseList(draft.texts, podcast.parseText, context),
    keywords: value.splitKeywords(draft.keywords, draft),
    tags: parseList(draft.categories, podcast.parseTag, context),
    extraTags: value.NO_LIST,
    losses: value.NO_LIST,
    warnings,
  };
  ({ extraTags: item.extraTags, losses: item.losses } = account.end(hasAddress));
  return item;
}

const parseEpisodeType = (raw: string, warn: WarnFn) => value.parseChoice(value.EPISODE_TYPES, raw, warn);

function finishDate(draft: ItemDraft): string | null {
  const { pubDate, otherDate, lose } = draft;
  const [path, otherPath] = draft.isAtom ? ["atom:published", "atom:updated"] : ["pubDate", "dc:date"];
  const warn: WarnFn = (code, excerpt) => {
    if (!draft.isAtom || code !== "DATE_NONSTANDARD") draft.warn(code, excerpt); // Atom's standard is another
  };
  const date = parseOrLose(path, pubDate, parseDate, { warn, lose });
  const other = parseOrLose(otherPath, otherDate, (raw) => parseDate(raw, date ? () => {} : warn), draft);
  if (date && other && date !== other) lose(otherPath, "REPLACED_BY_OURS", otherDate);
  if (!pubDate && !otherDate) warn("DATE_MISSING");
  if (!date && !other) warn("DATE_ESTIMATED");
  return date ?? other;
}

function finishSeason(draft: ItemDraft, context: Context) {
  const { podcastSeason } = draft;
  const own = parseOrLose("itunes:season", draft.season, value.parseInteger, draft);
  const other = parseOrLose("podcast:season", podcastSeason?.text, value.parseInteger, draft);
  loseOther("podcast:season", own, other, draft);
  const name = podcastSeason && value.attributeText(podcastSeason, "name", context);
  return {
    season: own ?? other,
    seasonName: name ?? null,
  };
}

/** The numbers of the podcast namespace are decimal: one between two episodes is kept as it is displayed. */
function finishEpisode(draft: ItemDraft, context: Context) {
  const { podcastEpisode } = draft;
  const own = parseOrLose("itunes:episode", draft.episode, value.parseInteger, draft);
  const written = podcastEpisode?.text.trim();
  const display = podcastEpisode && value.attributeText(podcastEpisode, "display", context);
  const isDisplayed = !display && DECIMAL.test(written ?? "");
  const other = isDisplayed ? null : parseOrLose("podcast:episode", written, value.parseInteger, draft);
  loseOther("podcast:episode", own, other, draft);
  return {
    episode: own ?? other,
    episodeDisplay: isDisplayed ? written! : display ?? null,
  };
}

const DECIMAL = /^\d{1,9}\.\d{1,9}$/;

function loseOther(path: string, own: number | null, other: number | null, { lose }: Draft) {
  if (own !== null && other !== null && own !== other) lose(path, "REPEATED", String(other));
}

function finishChapters(element: RawElement | undefined, context: Context): string | null {
  if (!element) return null;
  const url = value.attributeUrl(element, "url", context);
  const type = attributeValue(element.attributes, "type");
  if (url === undefined) context.lose(pathOf(element), "INVALID");
  else if (type?.trim() && !/json/i.test(type)) context.lose(`${pathOf(element)}/@type`, "INVALID", type);
  return url ?? null;
}
