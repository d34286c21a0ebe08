/** Rules of the podcast namespace (https://podcastindex.org/namespace/1.0) that every rendered feed follows. */
import {
  anyRule,
  BOOLEAN,
  channelRule,
  descendants,
  INTEGER,
  isAnyUri,
  isBlank,
  isDate,
  isLanguage,
  isLonger,
  isMailbox,
  isOtherThan,
  isUri,
  itemRule,
  MEDIA_TYPE,
  MEDIUM,
  missing,
  NUMBER,
  oneOf,
  POSITIVE,
  problem,
  required,
  type Rule,
  tags,
  UUID,
  wrong,
} from "./rule.ts";
import type { Node } from "./xml_tree.ts";

/** Most values and names of the namespace: aggregators may truncate longer ones. */
const MAX_TEXT = 128;
const isLongText = (text: string | undefined) => isLonger(text, MAX_TEXT);

/** A place on Earth: RFC 5870. */
const GEO_URI = /^geo:-?\d+(?:\.\d+)?,-?\d+(?:\.\d+)?(?:,-?\d+(?:\.\d+)?)?(?:;[\w-]+(?:=[^;\s]*)?)*$/i;
const OSM_ID = /^[NWR]\d+(?:#\d+)?$/;
/** A date or time of ISO 8601, in its extended or basic form. */
const ISO_TIME =
  /^(?:\d{4}-(?:0[1-9]|1[0-2])-(?:0[1-9]|[12]\d|3[01])(?:T\d\d:\d\d(?::\d\d(?:\.\d+)?)?(?:Z|[+-]\d\d:?\d\d)?)?|\d{8}(?:T\d{6}Z?)?)$/;
/** RFC 5545, 3.3.10 */
const RULE_PART =
  /^(?:FREQ=(?:SECONDLY|MINUTELY|HOURLY|DAILY|WEEKLY|MONTHLY|YEARLY)|(?:COUNT|INTERVAL)=\d+|WKST=[A-Z]{2}|UNTIL=[\dTZ:.+-]+|BY(?:SECOND|MINUTE|HOUR|DAY|MONTHDAY|YEARDAY|WEEKNO|MONTH|SETPOS)=[\dA-Z,+-]+)$/;
const isRecurrence = (rule: string) => {
  const parts = rule.split(";");
  return parts.every((part) => RULE_PART.test(part)) && parts.some((part) => part.startsWith("FREQ="));
};
const ASPECT_RATIO = /^\d+(?:\.\d+)?(?: ?\/ ?\d+(?:\.\d+)?)?$/;
/** https://www.w3.org/TR/sri/ */
const SRI = /^sha(?:256|384|512)-[\w+/=-]+(?: sha(?:256|384|512)-[\w+/=-]+)*$/;
const BASE64 = /^[\w+/=\s-]+$/;
const INTEGRITY = new Map([["sri", SRI], ["pgp-signature", BASE64]]);

/** Who receives payments: https://github.com/Podcastindex-org/podcast-namespace/blob/main/docs/tags/value-recipient.md */
const isWrongRecipient = ({ attributes: { type, address, split, fee } }: Node) =>
  isBlank(type) || isBlank(address) || !NUMBER.test(split) || isOtherThan(fee, BOOLEAN);

export const namespaceRules: Rule[] = [
  channelRule("podcast-guid", (channel) => [
    ...required(channel, "podcast:guid"),
    ...wrong(channel, "podcast:guid", ({ text }) => !UUID.test(text)),
  ]),
  channelRule("podcast-locked", (channel) => [
    ...oneOf(channel, "podcast:locked", "yes", "no"),
    ...wrong(channel, "podcast:locked", ({ attributes: { owner } }) => isOtherThan(owner, isMailbox)),
  ]),
  channelRule("podcast-locked-present", (channel) => required(channel, "podcast:locked")),
  channelRule("podcast-medium", (channel) => wrong(channel, "podcast:medium", ({ text }) => !MEDIUM.test(text))),
  channelRule(
    "podcast-podping",
    (channel) => wrong(channel, "podcast:podping", ({ attributes: { usesPodping } }) => !BOOLEAN.test(usesPodping)),
  ),
  channelRule("podcast-block", (channel) => {
    const ids = tags(channel, "podcast:block").map(({ attributes: { id = "" } }) => id);
    return [
      ...oneOf(channel, "podcast:block", "yes", "no"),
      ...wrong(channel, "podcast:block", ({ attributes: { id } }) => isOtherThan(id, /^[\w.-]{1,128}$/)),
      new Set(ids).size !== ids.length && { tag: "podcast:block", excerpt: ids.join(" ") },
    ];
  }),
  channelRule(
    "podcast-trailer",
    (channel) =>
      wrong(
        channel,
        "podcast:trailer",
        ({ text, attributes: { url, pubdate, length, type, season } }) =>
          isBlank(text) || isLongText(text) || !isUri(url) || !isDate(pubdate) || isOtherThan(length, INTEGER) ||
          isOtherThan(type, MEDIA_TYPE) || isOtherThan(season, INTEGER),
      ),
  ),
  channelRule(
    "podcast-update-frequency",
    (channel) =>
      wrong(
        channel,
        "podcast:updateFrequency",
        ({ text, attributes: { complete, dtstart, rrule } }) =>
          isBlank(text) || isLongText(text) || isOtherThan(complete, BOOLEAN) || isOtherThan(dtstart, ISO_TIME) ||
          isOtherThan(rrule, isRecurrence) || !!rrule?.includes("COUNT=") && dtstart === undefined,
      ),
  ),
  channelRule(
    "podcast-podroll",
    (channel) =>
      wrong(
        channel,
        "podcast:podroll",
        ({ children }) => children.length === 0 || children.some(({ name }) => name !== "podcast:remoteItem"),
      ),
  ),
  channelRule(
    "podcast-publisher",
    (channel) =>
      wrong(
        channel,
        "podcast:publisher",
        ({ children }) =>
          children.length !== 1 || children[0].name !== "podcast:remoteItem" ||
          children[0].attributes.medium !== "publisher",
      ),
  ),

  itemRule("podcast-season", (item) => [
    ...wrong(
      item,
      "podcast:season",
      ({ text, attributes: { name } }) =>
        !INTEGER.test(text) || isOtherThan(name, (text) => !isBlank(text) && !isLongText(text)),
    ),
    ...wrong(
      item,
      "podcast:episode",
      ({ text, attributes: { display } }) =>
        !NUMBER.test(text) || isOtherThan(display, (text) => !isBlank(text) && !isLonger(text, 32)),
    ),
  ]),
  itemRule(
    "podcast-transcript",
    (item) =>
      wrong(
        item,
        "podcast:transcript",
        ({ attributes: { url, type, language, rel } }) =>
          !isUri(url) || !MEDIA_TYPE.test(type) || isOtherThan(language, isLanguage) ||
          isOtherThan(rel, /^captions$/),
      ),
  ),
  itemRule(
    "podcast-chapters",
    (item) =>
      wrong(
        item,
        "podcast:chapters",
        ({ attributes: { url, type } }) => !isUri(url) || type !== "application/json+chapters",
      ),
  ),
  itemRule(
    "podcast-soundbite",
    (item) =>
      wrong(
        item,
        "podcast:soundbite",
        ({ text, attributes: { startTime, duration } }) =>
          !NUMBER.test(startTime) || !NUMBER.test(duration) || !(+duration > 0) || isLongText(text),
      ),
  ),
  itemRule(
    "podcast-content-link",
    (item) => wrong(item, "podcast:contentLink", ({ text, attributes: { href } }) => isBlank(text) || !isAnyUri(href)),
  ),
  itemRule("podcast-alternate-enclosure", (item) =>
    tags(item, "podcast:alternateEnclosure").flatMap((enclosure) => {
      const { attributes: { type, length, bitrate, height, lang, default: isDefault }, children } = enclosure;
      const isWrong = !MEDIA_TYPE.test(type) || isOtherThan(length, INTEGER) || isOtherThan(bitrate, NUMBER) ||
        isOtherThan(height, POSITIVE) || isOtherThan(lang, isLanguage) || isOtherThan(isDefault, BOOLEAN) ||
        children.some(({ name }) => name !== "podcast:source" && name !== "podcast:integrity");
      return [
        isWrong && problem(enclosure),
        ...missing(enclosure, "podcast:source"),
        ...wrong(enclosure, "podcast:source", ({ attributes: { uri, contentType } }) =>
          !isAnyUri(uri) || isOtherThan(contentType, MEDIA_TYPE)),
        ...integrityProblems(enclosure),
      ];
    })),

  anyRule(
    "podcast-txt",
    (place) =>
      wrong(
        place,
        "podcast:txt",
        ({ text, attributes: { purpose } }) =>
          isLonger(text, 4000) || isLongText(purpose) || purpose === "ai-content" && !BOOLEAN.test(text),
      ),
  ),
  anyRule(
    "podcast-funding",
    (place) => wrong(place, "podcast:funding", ({ text, attributes: { url } }) => isLongText(text) || !isUri(url)),
  ),
  anyRule(
    "podcast-person",
    (place) =>
      wrong(
        place,
        "podcast:person",
        ({ text, attributes: { img, href, role, group } }) =>
          isBlank(text) || isLongText(text) || isOtherThan(img, isUri) || isOtherThan(href, isUri) ||
          isLongText(role) || isLongText(group),
      ),
  ),
  anyRule(
    "podcast-location",
    (place) =>
      wrong(
        place,
        "podcast:location",
        ({ text, attributes: { rel, geo, osm, country } }) =>
          isBlank(text) || isLongText(text) || isOtherThan(rel, /^(?:subject|creator)$/) || isOtherThan(geo, GEO_URI) ||
          isOtherThan(osm, OSM_ID) || isOtherThan(country, /^[A-Z]{2}$/),
      ),
  ),
  anyRule(
    "podcast-license",
    (place) =>
      wrong(
        place,
        "podcast:license",
        ({ text, attributes: { url } }) => isBlank(text) || isLongText(text) || isOtherThan(url, isUri),
      ),
  ),
  anyRule("podcast-image", (place) =>
    wrong(place, "podcast:image", ({ attributes }) => {
      const { href, "aspect-ratio": ratio, width, height, type, purpose } = attributes;
      return !isUri(href) || isOtherThan(ratio, ASPECT_RATIO) || isOtherThan(width, POSITIVE) ||
        isOtherThan(height, POSITIVE) || isOtherThan(type, MEDIA_TYPE) || isLongText(purpose);
    })),
  anyRule("podcast-social-interact", (place) =>
    wrong(place, "podcast:socialInteract", ({ attributes }) => {
      const { protocol, uri, accountUrl, priority } = attributes;
      if (protocol === "disabled") return Object.keys(attributes).length > 1;
      return isBlank(protocol) || !isAnyUri(uri) || isOtherThan(accountUrl, isUri) || isOtherThan(priority, INTEGER);
    })),
  anyRule(
    "podcast-remote-item",
    (place) =>
      descendants(place).filter(({ name, attributes: { feedGuid, feedUrl, itemGuid, medium } }) =>
        name === "podcast:remoteItem" &&
        (!UUID.test(feedGuid) || isOtherThan(feedUrl, isUri) || isOtherThan(itemGuid, (guid) => !isBlank(guid)) ||
          isOtherThan(medium, MEDIUM))
      ).map(problem),
  ),
  anyRule("podcast-value", (place) =>
    tags(place, "podcast:value").flatMap((value) => [
      (isBlank(value.attributes.type) || isBlank(value.attributes.method) ||
        isOtherThan(value.attributes.suggested, NUMBER)) && problem(value),
      ...missing(value, "podcast:valueRecipient"),
      ...wrong(value, "podcast:valueRecipient", isWrongRecipient),
    ])),
  anyRule(
    "podcast-value-time-split",
    (place) =>
      tags(place, "podcast:value").flatMap((value) => tags(value, "podcast:valueTimeSplit")).flatMap((split) => {
        const { startTime, duration, remoteStartTime, remotePercentage } = split.attributes;
        const recipients = tags(split, "podcast:valueRecipient").length;
        const isWrong = !NUMBER.test(startTime) || !NUMBER.test(duration) || isOtherThan(remoteStartTime, NUMBER) ||
          isOtherThan(remotePercentage, NUMBER) ||
          tags(split, "podcast:remoteItem").length !== (recipients > 0 ? 0 : 1);
        return [isWrong && problem(split), ...wrong(split, "podcast:valueRecipient", isWrongRecipient)];
      }),
  ),
];

function integrityProblems(enclosure: Node) {
  const found = tags(enclosure, "podcast:integrity");
  return [
    found.length > 1 && { tag: "podcast:integrity", excerpt: `${found.length} times` },
    ...wrong(
      enclosure,
      "podcast:integrity",
      ({ attributes: { type, value } }) => !INTEGRITY.get(type)?.test(value ?? ""),
    ),
  ];
}
