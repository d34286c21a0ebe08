/** Parses the elements with children: value blocks, alternate enclosures, chapters, the image of RSS. */
import { child, type ElementRules, elementRules, pathOf, type RawElement } from "./element_rules.ts";
import type * as feed from "./feed.ts";
import { parseRemoteItem, REMOTE_ITEM_ATTRIBUTES } from "./podcast_values.ts";
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

/** A block needs a recipient. */
export function parseValueBlock(element: RawElement, context: Context): feed.ValueBlock | undefined {
  const type = value.attributeText(element, "type", context);
  const method = value.attributeText(element, "method", context);
  const recipients = parseRecipients(element, context);
  const timeSplits = parseList(named(element.children, "podcast:valuetimesplit"), parseTimeSplit, context);
  if (!type || !method || !recipients.length) return;
  const suggested = value.attributeText(element, "suggested", context);
  return compact({ type, method, suggested, recipients, timeSplits: timeSplits.length ? timeSplits : undefined });
}

const parseRecipients = (element: RawElement, context: Context) =>
  parseList(named(element.children, "podcast:valuerecipient"), parseRecipient, context);

function parseRecipient(element: RawElement, context: Context): feed.ValueRecipient | undefined {
  const type = value.attributeText(element, "type", context);
  const address = value.attributeText(element, "address", context);
  const split = value.attributeDecimal(element, "split", context);
  if (!type || !address || split === undefined) return;
  return compact({
    name: value.attributeText(element, "name", context),
    type,
    address,
    split,
    customKey: value.attributeText(element, "customKey", context),
    customValue: value.attributeText(element, "customValue", context),
    fee: value.attributeChoice(element, "fee", value.YES_OR_NO, context),
  });
}

function parseTimeSplit(element: RawElement, context: Context): feed.ValueTimeSplit | undefined {
  const startTime = value.attributeDecimal(element, "startTime", context);
  const duration = value.attributeDecimal(element, "duration", context);
  const remoteItems = parseList(named(element.children, "podcast:remoteitem"), parseRemoteItem, context);
  const recipients = parseRecipients(element, context);
  if (startTime === undefined || duration === undefined || !remoteItems.length && !recipients.length) return;
  for (const { feedGuid } of remoteItems.slice(1)) {
    context.lose(`${pathOf(element)}/podcast:remoteItem`, "REPEATED", feedGuid);
  }
  return compact({
    startTime,
    duration,
    remoteStartTime: value.attributeDecimal(element, "remoteStartTime", context),
    remotePercentage: value.attributeDecimal(element, "remotePercentage", context),
    remoteItem: remoteItems[0],
    recipients: recipients.length ? recipients : undefined,
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

export function parseAlternateEnclosure(element: RawElement, context: Context): feed.AlternateEnclosure | undefined {
  const type = value.attributeText(element, "type", context);
  const sources = parseList(named(element.children, "podcast:source"), parseSource, context);
  const integrities = parseList(named(element.children, "podcast:integrity"), parseIntegrity, context);
  if (!type || !sources.length) return;
  for (const { value } of integrities.slice(1)) {
    context.lose(`${pathOf(element)}/podcast:integrity`, "REPEATED", value);
  }
  return compact({
    type,
    length: value.attributeInteger(element, "length", context),
    bitrate: value.attributeDecimal(element, "bitrate", context),
    height: value.attributeInteger(element, "height", context),
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
function parseIntegrity(element: RawElement, context: Context): feed.Integrity | undefined {
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
