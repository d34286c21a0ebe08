/** Parses elements of the podcast namespace and of RSS into what the model holds (feed.ts). */
import { attributeValue } from "./attributes.ts";
import {
  child,
  type ElementRules,
  elementRules,
  excerptOf,
  MAX_LIST_ITEMS,
  pathOf,
  type RawElement,
} from "./element_rules.ts";
import type * as feed from "./feed.ts";
import { normalizeLine, normalizeText } from "./text.ts";
import { resolveUrl } from "./url.ts";
import * as value from "./values.ts";
import { compact, type Context, parseList } from "./values.ts";

// Each parser returns undefined for an element without what the model requires. Specifications:
// https://github.com/Podcastindex-org/podcast-namespace/tree/main/docs/tags

export const SOUNDBITE_ATTRIBUTES = ["starttime", "duration"];
export function parseSoundbite(element: RawElement, context: Context): feed.Written<feed.Soundbite> | undefined {
  const startSeconds = value.attributeNumber(element, "startTime", context);
  const durationSeconds = value.attributeNumber(element, "duration", context);
  if (startSeconds === undefined || durationSeconds === undefined) return;
  return compact({ startSeconds, durationSeconds, title: normalizeLine(element.text, context.warn) ?? undefined });
}

export const LOCATION_ATTRIBUTES = ["rel", "geo", "osm", "country"];
export function parseLocation(element: RawElement, context: Context): feed.Written<feed.Location> | undefined {
  const name = normalizeLine(element.text, context.warn);
  if (name === null) return;
  return compact({
    name,
    rel: value.attributeChoice(element, "rel", { subject: "subject", creator: "creator" } as const, context),
    geo: value.attributeText(element, "geo", context),
    osm: value.attributeText(element, "osm", context),
    country: value.attributeText(element, "country", context),
  });
}

export const IMAGE_ATTRIBUTES = ["href", "alt", "aspect-ratio", "width", "height", "type", "purpose"];
function parseImage(element: RawElement, context: Context): feed.Written<feed.Image> | undefined {
  const href = value.attributeUrl(element, "href", context);
  if (href === undefined) return;
  return compact({
    href,
    alt: value.attributeText(element, "alt", context),
    aspectRatio: value.attributeText(element, "aspect-ratio", context),
    width: value.attributeNumber(element, "width", context),
    height: value.attributeNumber(element, "height", context),
    type: value.attributeText(element, "type", context),
    purpose: value.attributeText(element, "purpose", context),
  });
}

/** podcast:image, and the earlier podcast:images. */
export const parseImages = (
  images: RawElement[] | undefined,
  sets: RawElement[] | undefined,
  context: Context,
): feed.Written<feed.Image>[] =>
  sets
    ? [...parseList(images, parseImage, context), ...parseImageSets(sets, context)]
    : parseList(images, parseImage, context);

/** URLs with their width. */
function parseImageSets(elements: RawElement[], context: Context): feed.Written<feed.Image>[] {
  const images: feed.Written<feed.Image>[] = [];
  for (const element of elements) {
    const sources = (value.attributeText(element, "srcset", context) ?? "").split(/,(?=\s|https?:\/\/|$)/);
    for (const source of sources) {
      const [written, descriptor, ...more] = source.trim().split(/\s+/);
      if (!written) continue;
      const [, width] = /^(\d{1,6})w$/.exec(descriptor ?? "") ?? [];
      const isFull = images.length >= MAX_LIST_ITEMS;
      const href = isFull || more.length ? null : resolveUrl(written, context.base, context.warn);
      if (href !== null) images.push(compact({ href, width: width ? Number(width) : undefined }));
      if (href === null || descriptor && !width) {
        context.lose(`${pathOf(element)}/@srcset`, isFull ? "LIMIT" : "INVALID", source);
      }
    }
  }
  return images;
}

export const SOCIAL_ATTRIBUTES = ["protocol", "uri", "accountid", "accounturl", "priority"];
export function parseSocialInteraction(
  element: RawElement,
  context: Context,
): feed.Written<feed.SocialInteraction> | undefined {
  const protocol = value.attributeText(element, "protocol", context);
  if (protocol === undefined) return;
  return compact({
    protocol,
    uri: value.attributeUri(element, "uri", context),
    accountId: value.attributeText(element, "accountId", context),
    accountUrl: value.attributeUrl(element, "accountUrl", context),
    priority: value.attributeNumber(element, "priority", context),
  });
}

export function parseContentLink(element: RawElement, context: Context): feed.ContentLink | undefined {
  const href = value.attributeUri(element, "href", context);
  const text = normalizeLine(element.text, context.warn);
  return href === undefined ? undefined : compact({ href, text: text ?? undefined });
}

export function parseText(element: RawElement, context: Context): feed.Text | undefined {
  const text = normalizeText(element.text);
  return text === null ? undefined : compact({ text, purpose: value.attributeText(element, "purpose", context) });
}

export function parseFunding(element: RawElement, context: Context): feed.Funding | undefined {
  const url = value.attributeUrl(element, "url", context);
  return url === undefined ? undefined : { url, text: normalizeLine(element.text, context.warn) };
}

/** RSS's category. */
export function parseTag(element: RawElement, context: Context): feed.Tag | undefined {
  const text = normalizeLine(element.text, context.warn);
  return text === null ? undefined : compact({ text, domain: value.attributeText(element, "domain", context) });
}

export const LICENSE_ATTRIBUTES = ["url"];
export function parseLicense(element: RawElement | undefined, context: Context) {
  const license = normalizeLine(element?.text, context.warn);
  const licenseUrl = element && value.attributeUrl(element, "url", context) || null;
  return { license, licenseUrl };
}

export const REMOTE_ITEM_ATTRIBUTES = ["feedguid", "feedurl", "itemguid", "medium", "title"];
export const readRemoteItem = (element: RawElement, context: Context): Partial<feed.RemoteItem> =>
  compact({
    feedGuid: value.attributeText(element, "feedGuid", context),
    feedUrl: value.attributeUrl(element, "feedUrl", context),
    itemGuid: value.attributeText(element, "itemGuid", context),
    medium: value.attributeText(element, "medium", context),
    title: value.attributeText(element, "title", context),
  });

export function parseRemoteItem(element: RawElement, context: Context): feed.RemoteItem | undefined {
  const { feedGuid, ...others } = readRemoteItem(element, context);
  return feedGuid === undefined ? undefined : { feedGuid, ...others };
}

// Rules do not touch their draft when children only are collected.
// deno-lint-ignore no-explicit-any
export const REMOTE_ITEMS: ElementRules<any> = elementRules({ "podcast:remoteitem": child(REMOTE_ITEM_ATTRIBUTES) });

export const parsePodroll = (elements: RawElement[] | undefined, context: Context): feed.RemoteItem[] =>
  elements ? parseList(elements.flatMap(({ children }) => children), parseRemoteItem, context) : value.NO_LIST;

/** The publisher is a feed: the first of them. */
export function parsePublisher(element: RawElement | undefined, context: Context): feed.Publisher | null {
  if (!element) return null;
  const [publisher, ...others] = parseList(element.children, parseRemoteItem, context);
  if (!publisher) return null;
  const { feedGuid, feedUrl, itemGuid, medium, title } = publisher;
  const path = `${pathOf(element)}/podcast:remoteItem`;
  for (const other of others) context.lose(path, "REPEATED", other.feedUrl ?? other.feedGuid);
  if (itemGuid) context.lose(`${path}/@itemGuid`, "UNKNOWN_ATTRIBUTE", itemGuid);
  if (title) context.lose(`${path}/@title`, "UNKNOWN_ATTRIBUTE", title);
  if (medium && medium !== "publisher") context.lose(`${path}/@medium`, "INVALID", medium);
  return compact({ feedGuid, feedUrl });
}

export const UPDATE_FREQUENCY_ATTRIBUTES = ["complete", "dtstart", "rrule"];
export function parseUpdateFrequency(
  element: RawElement | undefined,
  context: Context,
): feed.Written<feed.UpdateFrequency> | null {
  if (!element) return null;
  const text = normalizeLine(element.text, context.warn);
  if (text === null) {
    context.lose(pathOf(element), "INVALID", excerptOf(element));
    return null;
  }
  return compact({
    text,
    complete: value.attributeChoice(element, "complete", value.YES_OR_NO, context),
    dtstart: value.attributeText(element, "dtstart", context),
    rrule: value.attributeText(element, "rrule", context),
  });
}

export function parseDirectoryBlock(element: RawElement, context: Context): feed.DirectoryBlock | undefined {
  const id = value.attributeText(element, "id", context);
  const isBlocked = value.parseChoice(value.YES_OR_NO, element.text, context.warn);
  return id === undefined || isBlocked === null ? undefined : { id, isBlocked };
}

export const hasId = ({ attributes }: RawElement) => Boolean(attributeValue(attributes, "id")?.trim());
