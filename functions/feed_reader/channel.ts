/** Reads the channel: the raw values first, then their meaning. */
import { truncate, truncateBytes } from "../text/plain_text.ts";
import { findAddress, listAddresses } from "./mask_addresses.ts";
import { attributeValue } from "./attributes.ts";
import { parseDate } from "./date.ts";
import type { WarnFn } from "./warn.ts";
import { listRelations } from "./unmodelled_elements.ts";
import {
  addToList,
  collectElement,
  collectElements,
  collectImage,
  collectText,
  type Draft,
  type ElementRules,
  elementRules,
  pathOf,
  type RawElement,
} from "./element_rules.ts";
import { decodeEntities, normalizeHtml, normalizeLine, normalizeText } from "./text.ts";
import type { Channel, RssImage, Text } from "./feed.ts";
import { type Account, createAccount } from "./losses.ts";
import * as media from "./media_values.ts";
import * as podcast from "./podcast_values.ts";
import { isSameAddress, resolveUrl } from "./url.ts";
import * as value from "./values.ts";
import { compact, type Context, parseList, parseOrLose } from "./values.ts";

/** Raw values with decoded references. */
export interface ChannelDraft extends Draft {
  title?: string;
  description?: string;
  summary?: string;
  subtitle?: string;
  link?: string;
  language?: string;
  author?: string;
  ownerName?: string;
  ownerEmail?: string;
  locked?: RawElement;
  txts?: RawElement[];
  appleVerifyToken?: string;
  podcastGuid?: string;
  medium?: string;
  categories: { category: RawElement; subcategories: RawElement[] }[];
  isCategoryListFull?: boolean;
  explicit?: string;
  type?: string;
  block?: string;
  blocks?: RawElement[];
  complete?: string;
  newFeedUrl?: string;
  image?: string;
  rssImageUrl?: string;
  rssImageTitle?: string;
  rssImageLink?: string;
  rssImageWidth?: string;
  rssImageHeight?: string;
  rssImageDescription?: string;
  copyright?: string;
  lastBuildDate?: string;
  /** Atom's icon. */
  icon?: string;
  isAtom?: boolean;
  funding?: RawElement[];
  persons?: RawElement[];
  locations?: RawElement[];
  license?: RawElement;
  updateFrequency?: RawElement;
  podroll?: RawElement[];
  remoteItems?: RawElement[];
  publisher?: RawElement;
  images?: RawElement[];
  imageSets?: RawElement[];
  socialInteractions?: RawElement[];
  values?: RawElement[];
  keywords?: RawElement[];
  tags?: RawElement[];
  /** Links by rel: `next`, `prev-archive`. */
  pages: Map<string, string>;
  account: Account;
}

/** `warn` reports each code once. */
export function createChannelDraft(warn: WarnFn): ChannelDraft {
  const account = createAccount();
  return { categories: [], pages: new Map(), warn, account, lose: account.lose };
}

/** RSS 2.0, Apple's namespace, the podcast namespace, and the links of RFC 5005. */
export const channelRules: ElementRules<ChannelDraft> = elementRules({
  "title": collectText("title"),
  "description": collectText("description"),
  "itunes:summary": collectText("summary"),
  "itunes:subtitle": collectText("subtitle"),
  "link": collectText("link"),
  "language": collectText("language"),
  "itunes:author": collectText("author"),
  "itunes:owner": {
    children: elementRules<ChannelDraft>({
      "itunes:name": collectText("ownerName"),
      "itunes:email": collectText("ownerEmail"),
    }),
  },
  "podcast:locked": {
    attributes: ["owner"],
    close(channel, element) {
      if (channel.locked) channel.lose(pathOf(element), "LOCK", element.text);
      else channel.locked = element;
    },
  },
  "podcast:txt": collectElements("txts", ["purpose"]),
  "itunes:applepodcastsverify": collectText("appleVerifyToken"),
  "podcast:guid": collectText("podcastGuid"),
  "podcast:medium": collectText("medium"),
  "itunes:category": {
    attributes: ["text"],
    open(channel, element) {
      channel.isCategoryListFull = !addToList(
        channel.categories,
        { category: element, subcategories: [] },
        element,
        channel,
      );
    },
    children: elementRules<ChannelDraft>({
      "itunes:category": {
        attributes: ["text"],
        open(channel, element) {
          if (!channel.isCategoryListFull) {
            addToList(channel.categories.at(-1)!.subcategories, element, element, channel);
          }
        },
      },
    }),
  },
  "itunes:explicit": collectText("explicit"),
  "itunes:type": collectText("type"),
  "itunes:block": collectText("block"),
  "podcast:block": collectElements("blocks", ["id"]),
  "itunes:complete": collectText("complete"),
  "itunes:new-feed-url": {
    close(channel, element) {
      channel.lose(pathOf(element), "REDIRECT", element.text); // our feed must not redirect
      channel.newFeedUrl ??= element.text;
    },
  },
  "itunes:image": collectImage(),
  "image": {
    children: elementRules<ChannelDraft>({
      "url": collectText("rssImageUrl"),
      "title": collectText("rssImageTitle"),
      "link": collectText("rssImageLink"),
      "width": collectText("rssImageWidth"),
      "height": collectText("rssImageHeight"),
      "description": collectText("rssImageDescription"),
    }),
  },
  "copyright": collectText("copyright"),
  "lastbuilddate": collectText("lastBuildDate"),
  "podcast:funding": collectElements("funding", ["url"]),
  "podcast:person": collectElements("persons", value.PERSON_ATTRIBUTES),
  "podcast:location": collectElements("locations", podcast.LOCATION_ATTRIBUTES),
  "podcast:license": collectElement("license", podcast.LICENSE_ATTRIBUTES),
  "podcast:updatefrequency": collectElement("updateFrequency", podcast.UPDATE_FREQUENCY_ATTRIBUTES),
  "podcast:podroll": collectElements("podroll", [], podcast.REMOTE_ITEMS),
  "podcast:remoteitem": collectElements("remoteItems", podcast.REMOTE_ITEM_ATTRIBUTES),
  "podcast:publisher": collectElement("publisher", [], podcast.REMOTE_ITEMS),
  "podcast:image": collectElements("images", podcast.IMAGE_ATTRIBUTES),
  "podcast:images": collectElements("imageSets", ["srcset"]),
  "podcast:socialinteract": collectElements("socialInteractions", podcast.SOCIAL_ATTRIBUTES),
  "podcast:value": collectElements("values", media.VALUE_ATTRIBUTES, media.VALUE_CHILDREN),
  "itunes:keywords": collectElements("keywords"),
  "category": collectElements("tags", ["domain"]),
  "atom:link": {
    isUnread: true,
    open({ pages }, { attributes }) {
      const href = attributeValue(attributes, "href");
      for (const rel of listRelations(attributes)) {
        if (href && (rel === "next" || rel === "prev-archive") && !pages.has(rel)) pages.set(rel, href);
      }
    },
  },
});

/** Of our feed's description (feed_writer/description.ts). */
const MAX_DESCRIPTION_BYTES = 4000;
/** Limit of RSS validators. */
const MAX_SUBTITLE_CHARS = 255;

/** Purposes of podcast:txt with a column of their own. All others are verify texts. */
const AI_PURPOSE = "ai-content";
/** That of a sentence in our feeds, because the namespace allows only a truth value for the other one. */
const OUR_AI_PURPOSE = "ai-disclosure";
const APPLE_PURPOSE = "applepodcastsverify";

export function finishChannel(draft: ChannelDraft, feedUrl: string, base: string, warn: WarnFn): Channel {
  const { account, lose } = draft;
  const context: Context = { base, warn, lose };
  const url = (written: string | undefined) => resolveUrl(written, base, warn);
  const urlOrLose = (path: string, written: string | undefined) => parseOrLose(path, written, url, context);
  const title = normalizeLine(draft.title, warn);
  const description = normalizeHtml(draft.description, warn) ?? normalizeHtml(draft.summary, warn);
  value.carryText("itunes:summary", draft.summary, account, (text) => truncateBytes(text, MAX_DESCRIPTION_BYTES));
  value.carryText("itunes:subtitle", draft.subtitle, account, (text) => truncate(text, MAX_SUBTITLE_CHARS));
  const dated = draft.isAtom ? "atom:updated" : "lastBuildDate";
  if (draft.lastBuildDate) lose(dated, "REPLACED_BY_OURS", draft.lastBuildDate);
  if (draft.icon && draft.rssImageUrl) lose("atom:icon", "NO_PLACE", draft.icon);
  const rssImage = finishRssImage(draft, context);
  const lockedOwner = draft.locked && value.attributeText(draft.locked, "owner", context) || null;
  const channel: Channel = {
    title,
    description,
    link: urlOrLose("link", draft.link),
    language: normalizeLine(draft.language, warn),
    author: normalizeLine(draft.author, warn),
    ownerName: normalizeLine(draft.ownerName, warn),
    ownerEmail: normalizeLine(draft.ownerEmail, warn),
    locked: parseOrLose("podcast:locked", draft.locked?.text, value.parseYesOrNo, context),
    lockedOwner,
    ...finishTexts(draft, context),
    podcastGuid: normalizeText(draft.podcastGuid),
    medium: normalizeLine(draft.medium, warn),
    categories: finishCategories(draft, context),
    explicit: parseOrLose("itunes:explicit", draft.explicit, value.parseExplicit, context),
    type: parseOrLose("itunes:type", draft.type, (raw) => value.parseChoice(value.SHOW_TYPES, raw, warn), context),
    image: urlOrLose("itunes:image", draft.image && decodeEntities(draft.image, warn)) ?? rssImage?.url ?? null,
    copyright: normalizeLine(draft.copyright, warn),
    lastBuildDate: parseDate(draft.lastBuildDate, () => {}),
    funding: parseList(draft.funding, podcast.parseFunding, context),
    persons: parseList(draft.persons, value.parsePerson, context),
    ...finishBlocks(draft, context),
    isComplete: parseOrLose("itunes:complete", draft.complete, value.parseYesOrNo, context),
    newFeedUrl: finishNewFeedUrl(draft, feedUrl, base),
    locations: parseList(draft.locations, podcast.parseLocation, context),
    ...podcast.parseLicense(draft.license, context),
    updateFrequency: podcast.parseUpdateFrequency(draft.updateFrequency, context),
    podroll: podcast.parsePodroll(draft.podroll, context),
    remoteItems: parseList(draft.remoteItems, podcast.parseRemoteItem, context),
    publisher: podcast.parsePublisher(draft.publisher, context),
    images: podcast.parseImages(draft.images, draft.imageSets, context),
    rssImage,
    socialInteractions: parseList(draft.socialInteractions, podcast.parseSocialInteraction, context),
    valueBlocks: parseList(draft.values, media.parseValueBlock, context),
    keywords: value.splitKeywords(draft.keywords, context),
    tags: parseList(draft.tags, podcast.parseTag, context),
    extraTags: value.NO_LIST,
    losses: value.NO_LIST,
  };
  const isPrivate = findPrivate(channel);
  return { ...channel, ...account.end(isPrivate) };
}

function finishTexts({ txts = [], appleVerifyToken }: ChannelDraft, context: Context) {
  const texts = parseList(txts, podcast.parseText, context);
  const purposeOf = ({ purpose }: Text) => {
    const written = purpose?.toLowerCase() ?? "";
    return written === OUR_AI_PURPOSE ? AI_PURPOSE : written;
  };
  const single = (purpose: string, own: string | null) => {
    const [first, ...others] = texts.filter((one) => purposeOf(one) === purpose);
    const repeated = own !== null && first ? [first, ...others] : others;
    for (const { text } of repeated) if (text !== own) context.lose("podcast:txt", "REPEATED", text);
    return own ?? first?.text ?? null;
  };
  return {
    verifyTexts: texts.filter((one) => ![AI_PURPOSE, APPLE_PURPOSE].includes(purposeOf(one)))
      .map(({ text, purpose = null }) => ({ text, purpose })),
    appleVerifyToken: normalizeLine(single(APPLE_PURPOSE, normalizeText(appleVerifyToken)) ?? undefined, context.warn),
    aiDisclosure: single(AI_PURPOSE, null),
  };
}

function finishCategories({ categories }: ChannelDraft, context: Context): Channel["categories"] {
  const nameOf = (element: RawElement) => {
    const name = value.attributeText(element, "text", context);
    if (name === undefined && !element.attributes.length) return;
    if (name === undefined) context.lose(pathOf(element), "INVALID");
    return name;
  };
  return categories.flatMap(({ category, subcategories }) => {
    const name = nameOf(category);
    const inner = subcategories.map(nameOf).filter((one) => one !== undefined);
    if (!name) return [];
    return (inner.length ? inner : [null]).map((subcategory) => ({ category: name, subcategory }));
  });
}

/** A podcast is blocked if Apple's tag or the namespace's tag for all directories says so. */
function finishBlocks({ block, blocks = [] }: ChannelDraft, context: Context) {
  const own = parseOrLose("itunes:block", block, value.parseYesOrNo, context);
  const all = blocks.filter((one) => !podcast.hasId(one));
  const others = all.map(({ text }) => parseOrLose("podcast:block", text, value.parseYesOrNo, context));
  const given = [own, ...others].filter((one) => one !== null);
  const isBlocked = given.length ? given.includes(true) : null;
  if (isBlocked && own === false) context.lose("itunes:block", "REPEATED", block);
  for (const other of others) if (isBlocked && other === false) context.lose("podcast:block", "REPEATED", "no");
  return { isBlocked, directoryBlocks: parseList(blocks.filter(podcast.hasId), podcast.parseDirectoryBlock, context) };
}

/** Where the feed has moved; null if that is the document itself. */
function finishNewFeedUrl({ newFeedUrl }: ChannelDraft, feedUrl: string, base: string): string | null {
  const url = resolveUrl(newFeedUrl && decodeEntities(newFeedUrl, () => {}), base, () => {});
  return url && !isSameAddress(url, feedUrl) ? url : null;
}

function finishRssImage(draft: ChannelDraft, context: Context): RssImage | null {
  const { warn, lose, base } = context;
  const parseUrl = (raw: string) => resolveUrl(raw, base, warn);
  const [path, written] = draft.icon && !draft.rssImageUrl
    ? ["atom:icon", draft.icon]
    : [draft.isAtom ? "atom:logo" : "image/url", draft.rssImageUrl];
  const url = parseOrLose(path, written, parseUrl, context);
  const { rssImageTitle, rssImageLink, rssImageWidth, rssImageHeight, rssImageDescription } = draft;
  if (url === null) {
    if (rssImageTitle || rssImageLink || rssImageDescription) lose("image", "INVALID", rssImageTitle ?? rssImageLink);
    return null;
  }
  return compact<RssImage>({
    url,
    title: normalizeLine(rssImageTitle, warn) ?? undefined,
    link: parseOrLose("image/link", rssImageLink, parseUrl, context) ?? undefined,
    width: parseOrLose("image/width", rssImageWidth, value.parseInteger, context) ?? undefined,
    height: parseOrLose("image/height", rssImageHeight, value.parseInteger, context) ?? undefined,
    description: normalizeLine(rssImageDescription, warn) ?? undefined,
  });
}

/** Elements that name a person responsible for the feed, often with an address; in lower case. */
const CONTACTS = ("managingeditor webmaster author atom:author atom:contributor dc:creator dc:publisher itunes:email " +
  "googleplay:author googleplay:email googleplay:owner").split(" ");

/** Which carried elements have an address of the owner; the contacts of the channel count as addresses of the owner. */
function findPrivate({ ownerEmail, lockedOwner }: Channel) {
  const owners = new Set(listAddresses(`${ownerEmail} ${lockedOwner}`));
  return (path: string, xml: string) =>
    CONTACTS.includes(path.toLowerCase())
      ? findAddress(xml) !== undefined
      : listAddresses(xml).some((one) => owners.has(one));
}

/** URL of the next page (RFC 5005, 3) or of the previous archive (RFC 5005, 4). */
export function nextPageUrl({ pages }: ChannelDraft, base: string, warn: WarnFn): string | null {
  const href = pages.get("next") ?? pages.get("prev-archive");
  return resolveUrl(href && decodeEntities(href, warn), base, warn);
}
