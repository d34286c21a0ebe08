/** Parses the elements with children: value blocks, alternate enclosures, chapters, the image of RSS. */
import { child, type ElementRules, elementRules, pathOf, type RawElement } from "./element_rules.ts";
import type * as feed from "./feed.ts";
import { readRemoteItem, REMOTE_ITEM_ATTRIBUTES } from "./podcast_values.ts";
import * as value from "./values.ts";
import { compact, type Context, parseList } from "./values.ts";

// Rules do not touch their draft when children only are collected.
// deno-lint-ignore no-explicit-any
type Rules = ElementRules<any>;

const named = (elements: RawElement[], name: string) => elements.filter((element) => element.name === name);

const recipient = child(["name", "type", "address", "split", "customkey", "customvalue", "fee"]);
/** https://github.com/Podcastindex-org/podcast-namespace/blob/main/docs/tags/value.md */
export const VALUE_ATTRIBUTES = ["type", "method", "suggested"];
export const VALUE_CHILDREN: Rules = elementRules({
  "podcast:valuerecipient": recipient,
  "podcast:valuetimesplit": child(
    ["starttime", "duration", "remotestarttime", "remotepercentage"],
    elementRules({ "podcast:valuerecipient": recipient, "podcast:remoteitem": child(REMOTE_ITEM_ATTRIBUTES) }),
  ),
});

/**
 * Reads a block as it is written: the database rejects a block with an invalid part as a whole, because a part that is
 * missing here would change the shares of the others.
 */
export function parseValueBlock(element: RawElement, context: Context): feed.WrittenValueBlock | undefined {
  if (!element.attributes.length && !element.children.length) return;
  return compact({
    type: value.attributeText(element, "type", context),
    method: value.attributeText(element, "method", context),
    suggested: value.attributeText(element, "suggested", context),
    recipients: readRecipients(element, context),
    timeSplits: read(named(element.children, "podcast:valuetimesplit"), readTimeSplit, context),
  });
}

/** Like parseList, but leaves out nothing. */
const read = <T>(elements: RawElement[], one: (element: RawElement, context: Context) => T, context: Context) =>
  elements.length ? elements.map((element) => one(element, context)) : undefined;

const readRecipients = (element: RawElement, context: Context) =>
  read(named(element.children, "podcast:valuerecipient"), readRecipient, context);

const readRecipient = (element: RawElement, context: Context) =>
  compact({
    name: value.attributeText(element, "name", context),
    type: value.attributeText(element, "type", context),
    address: value.attributeText(element, "address", context),
    split: value.attributeNumber(element, "split", context),
    customKey: value.attributeText(element, "customKey", context),
    customValue: value.attributeText(element, "customValue", context),
    fee: value.attributeChoice(element, "fee", value.YES_OR_NO, context),
  });

function readTimeSplit(element: RawElement, context: Context): feed.WrittenTimeSplit {
  const remoteItems = read(named(element.children, "podcast:remoteitem"), readRemoteItem, context);
  return compact({
    startTime: value.attributeNumber(element, "startTime", context),
    duration: value.attributeNumber(element, "duration", context),
    remoteStartTime: value.attributeNumber(element, "remoteStartTime", context),
    remotePercentage: value.attributeNumber(element, "remotePercentage", context),
    remoteItem: remoteItems?.length === 1 ? remoteItems[0] : remoteItems,
    recipients: readRecipients(element, context),
  });
}

/** https://github.com/Podcastindex-org/podcast-namespace/blob/main/docs/tags/alternate-enclosure.md */
export const ALTERNATE_ATTRIBUTES = [
  "type",
  "length",
  "bitrate",
  "height",
  "lang",
  "title",
  "rel",
  "codecs",
  "default",
];
export const ALTERNATE_CHILDREN: Rules = elementRules({
  "podcast:source": child(["uri", "contenttype"]),
  "podcast:integrity": child(["type", "value"]),
});

export function parseAlternateEnclosure(
  element: RawElement,
  context: Context,
): feed.Written<feed.AlternateEnclosure> | undefined {
  const type = value.attributeText(element, "type", context);
  const sources = parseList(named(element.children, "podcast:source"), parseSource, context);
  const integrities = parseList(named(element.children, "podcast:integrity"), parseIntegrity, context);
  if (!type || !sources.length) return;
  for (const { value } of integrities.slice(1)) {
    context.lose(`${pathOf(element)}/podcast:integrity`, "REPEATED", value);
  }
  return compact({
    type,
    length: value.attributeNumber(element, "length", context),
    bitrate: value.attributeNumber(element, "bitrate", context),
    height: value.attributeNumber(element, "height", context),
    lang: value.attributeText(element, "lang", context),
    title: value.attributeText(element, "title", context),
    rel: value.attributeText(element, "rel", context),
    codecs: value.attributeText(element, "codecs", context),
    default: value.attributeChoice(element, "default", value.YES_OR_NO, context),
    sources,
    integrity: integrities[0],
  });
}

function parseSource(element: RawElement, context: Context): feed.MediaSource | undefined {
  const uri = value.attributeUri(element, "uri", context);
  return uri === undefined
    ? undefined
    : compact({ uri, contentType: value.attributeText(element, "contentType", context) });
}

const INTEGRITIES = { "sri": "sri", "pgp-signature": "pgp-signature" } as const;
function parseIntegrity(element: RawElement, context: Context): feed.Written<feed.Integrity> | undefined {
  const type = value.attributeChoice(element, "type", INTEGRITIES, context);
  const written = value.attributeText(element, "value", context);
  return type && written ? { type, value: written } : undefined;
}

/** https://podlove.org/simple-chapters/ */
export const CHAPTERS_ATTRIBUTES = ["version"];
export const CHAPTERS_CHILDREN: Rules = elementRules({ "psc:chapter": child(["start", "title", "href", "image"]) });

export const parseChapters = (element: RawElement | undefined, context: Context): feed.SimpleChapter[] =>
  element ? parseList(element.children, parseChapter, context) : value.NO_LIST;

function parseChapter(element: RawElement, context: Context): feed.SimpleChapter | undefined {
  const startSeconds = parsePlayTime(value.attributeText(element, "start", context));
  const title = value.attributeText(element, "title", context);
  if (startSeconds === undefined || title === undefined) return;
  const href = value.attributeUrl(element, "href", context);
  return compact({ startSeconds, title, href, image: value.attributeUrl(element, "image", context) });
}

/** Normal play time (RFC 2326, 3.6): seconds or a clock, with a fraction. */
const PLAY_TIME = /^(?:(?:(\d{1,3}):)?(\d{1,3}):)?(\d{1,6}(?:\.\d{1,9})?)$/;

function parsePlayTime(written: string | undefined): number | undefined {
  const [, hours = "0", minutes = "0", seconds] = PLAY_TIME.exec(written ?? "") ?? [];
  if (seconds === undefined) return;
  return Math.round((Number(hours) * 3600 + Number(minutes) * 60 + Number(seconds)) * 1000) / 1000;
}
