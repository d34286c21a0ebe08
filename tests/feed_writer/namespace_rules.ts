// The rules of the podcast namespace for tags whose values podcasters write or feeds carry over.
import { childrenNamed, type Node } from "./fixture.ts";
import { each, inLength, isDate, isUri, LANGUAGE, NAMESPACE, RSS, type Rule, rule, single, text } from "./rule.ts";

const MEDIA_TYPE = /^[\w!#$&^.+-]+\/[\w!#$&^.+-]+$/;
const DECIMAL = /^\d+(?:\.\d+)?$/;
const UUID = /^[0-9a-f]{8}(?:-[0-9a-f]{4}){3}-[0-9a-f]{12}$/i;
/** A URI of any scheme but those of scripts and files. */
const isAnyUri = (uri = "") =>
  isUri(uri) ||
  /^[a-z][a-z0-9+.-]*:[\x21-\x7e]+$/i.test(uri) && !/^(?:https?|javascript|vbscript|data|file|blob):/i.test(uri);
const isAbsentOr = (pattern: RegExp, value?: string) => value === undefined || pattern.test(value);
const isAbsentOrUri = (url?: string) => url === undefined || isUri(url);
const attributesOf = ({ name, attributes }: Node) => `${name} ${JSON.stringify(attributes)}`;
const where = (tags: Node[], isWrong: (tag: Node) => boolean) => tags.map((tag) => isWrong(tag) && attributesOf(tag));

const isWrongRemoteItem = ({ attributes: { feedGuid, feedUrl } }: Node) =>
  !UUID.test(feedGuid ?? "") || !isAbsentOrUri(feedUrl);
const isWrongRecipient = ({ attributes: { type, address, split, fee } }: Node) =>
  !type || !address || !DECIMAL.test(split ?? "") || !isAbsentOr(/^(?:true|false)$/, fee);
const isWrongTimeSplit = (tag: Node) => {
  const remote = childrenNamed(tag, "podcast:remoteItem"), recipients = childrenNamed(tag, "podcast:valueRecipient");
  return !DECIMAL.test(tag.attributes.startTime ?? "") || !DECIMAL.test(tag.attributes.duration ?? "") ||
    remote.length + Math.min(recipients.length, 1) !== 1 || remote.some(isWrongRemoteItem) ||
    recipients.some(isWrongRecipient);
};

export const namespaceRules: Rule[] = [
  rule("rss-image", `${RSS}#ltimagegtSubelementOfLtchannelgt`, "must", (feed) => [
    ...single(feed, "image"),
    ...childrenNamed(feed.channel, "image").map((image) =>
      (!isUri(text(image, "url")) || text(image, "title") !== text(feed.channel, "title") ||
        text(image, "link") !== text(feed.channel, "link")) && `${text(image, "url")} ${text(image, "title")}`
    ),
  ]),
  rule("podcast-block", `${NAMESPACE}/block.md`, "must", ({ channel }) => {
    const blocks = childrenNamed(channel, "podcast:block");
    return [
      ...where(
        blocks,
        ({ text, attributes: { id } }) => !/^(?:yes|no)$/.test(text) || !isAbsentOr(/^[a-z0-9._-]+$/, id),
      ),
      new Set(blocks.map(({ attributes: { id } }) => id)).size !== blocks.length && "an id occurs twice",
    ];
  }),
  rule("podcast-license", `${NAMESPACE}/license.md`, "must", (feed) => [
    ...inLength(each(feed, "podcast:license"), 128),
    ...where(each(feed, "podcast:license"), ({ text, attributes: { url } }) => !text.trim() || !isAbsentOrUri(url)),
  ]),
  rule("podcast-location", `${NAMESPACE}/location.md`, "must", (feed) => [
    ...inLength(each(feed, "podcast:location"), 128),
    ...where(
      each(feed, "podcast:location"),
      ({ text, attributes: { rel, geo, osm, country } }) =>
        !text.trim() || !isAbsentOr(/^(?:subject|creator)$/, rel) || !isAbsentOr(/^geo:-?[\d.]+,-?[\d.]+/, geo) ||
        !isAbsentOr(/^[NWR]\d+/i, osm) || !isAbsentOr(/^[a-z]{2}$/i, country),
    ),
  ]),
  rule(
    "podcast-image",
    `${NAMESPACE}/image.md`,
    "must",
    (feed) =>
      where(
        each(feed, "podcast:image"),
        ({ attributes: { href, width, height, type, purpose, ...others } }) =>
          !isUri(href) || !isAbsentOr(/^[1-9]\d*$/, width) || !isAbsentOr(/^[1-9]\d*$/, height) ||
          !isAbsentOr(MEDIA_TYPE, type) || [...purpose ?? ""].length > 128 ||
          !isAbsentOr(/^[\d.]+( ?\/ ?[\d.]+)?$/, others["aspect-ratio"]),
      ),
  ),
  rule("podcast-trailer", `${NAMESPACE}/trailer.md`, "must", (feed) => [
    ...inLength(each(feed, "podcast:trailer"), 128),
    ...where(
      each(feed, "podcast:trailer"),
      ({ text, attributes: { url, pubdate, length, type, season } }) =>
        !text.trim() || !isUri(url) || !isDate(pubdate) || !isAbsentOr(/^\d+$/, length) ||
        !isAbsentOr(MEDIA_TYPE, type) || !isAbsentOr(/^\d+$/, season),
    ),
  ]),
  rule("podcast-update-frequency", `${NAMESPACE}/update-frequency.md`, "must", (feed) => [
    ...single(feed, "podcast:updateFrequency"),
    ...inLength(each(feed, "podcast:updateFrequency"), 128),
    ...where(
      each(feed, "podcast:updateFrequency"),
      ({ text, attributes: { complete, dtstart, rrule } }) =>
        !text.trim() || !isAbsentOr(/^(?:true|false)$/, complete) || !isAbsentOr(/(?:^|;)FREQ=[A-Z]+/, rrule) ||
        /COUNT=/.test(rrule ?? "") && !dtstart || dtstart !== undefined && Number.isNaN(Date.parse(dtstart)),
    ),
  ]),
  rule("podcast-remote-item", `${NAMESPACE}/remote-item.md`, "must", (feed) => [
    ...single(feed, "podcast:podroll", "podcast:publisher"),
    ...where(
      [feed.channel, ...each(feed, "podcast:podroll"), ...each(feed, "podcast:publisher")].flatMap((place) =>
        childrenNamed(place, "podcast:remoteItem")
      ),
      isWrongRemoteItem,
    ),
  ]),
  rule(
    "podcast-publisher",
    `${NAMESPACE}/publisher.md`,
    "must",
    (feed) =>
      where(
        each(feed, "podcast:publisher"),
        ({ children }) => children.length !== 1 || children[0].attributes.medium !== "publisher",
      ),
  ),
  rule(
    "podcast-social-interact",
    `${NAMESPACE}/social-interact.md`,
    "must",
    (feed) =>
      where(
        each(feed, "podcast:socialInteract"),
        ({ attributes: { protocol, uri, accountUrl, priority } }) =>
          !protocol || (protocol === "disabled" ? uri !== undefined && !isAnyUri(uri) : !isAnyUri(uri)) ||
          !isAbsentOrUri(accountUrl) || !isAbsentOr(/^\d+$/, priority),
      ),
  ),
  rule("podcast-value", `${NAMESPACE}/value.md`, "must", (feed) =>
    where(each(feed, "podcast:value"), (tag) => {
      const recipients = childrenNamed(tag, "podcast:valueRecipient");
      return !tag.attributes.type || !tag.attributes.method || !isAbsentOr(DECIMAL, tag.attributes.suggested) ||
        recipients.length === 0 || recipients.some(isWrongRecipient) ||
        childrenNamed(tag, "podcast:valueTimeSplit").some(isWrongTimeSplit);
    })),
  rule("podcast-soundbite", `${NAMESPACE}/soundbite.md`, "must", (feed) => [
    ...inLength(each(feed, "podcast:soundbite"), 128),
    ...where(
      each(feed, "podcast:soundbite"),
      ({ attributes: { startTime, duration } }) => !DECIMAL.test(startTime ?? "") || !(Number(duration) > 0),
    ),
  ]),
  rule(
    "podcast-alternate-enclosure",
    `${NAMESPACE}/alternate-enclosure.md`,
    "must",
    (feed) =>
      where(each(feed, "podcast:alternateEnclosure"), (tag) => {
        const { type, length, bitrate, height, lang, default: isDefault } = tag.attributes;
        const sources = childrenNamed(tag, "podcast:source"), integrity = childrenNamed(tag, "podcast:integrity");
        return !MEDIA_TYPE.test(type ?? "") || !isAbsentOr(/^\d+$/, length) || !isAbsentOr(DECIMAL, bitrate) ||
          !isAbsentOr(/^\d+$/, height) || !isAbsentOr(LANGUAGE, lang) || !isAbsentOr(/^(?:true|false)$/, isDefault) ||
          sources.length === 0 || integrity.length > 1 ||
          sources.some(({ attributes: { uri, contentType } }) =>
            !isAnyUri(uri) || !isAbsentOr(MEDIA_TYPE, contentType)
          ) ||
          integrity.some(({ attributes: { type, value } }) => !/^(?:sri|pgp-signature)$/.test(type ?? "") || !value);
      }),
  ),
  rule(
    "podcast-content-link",
    `${NAMESPACE}/content-link.md`,
    "must",
    (feed) =>
      where(each(feed, "podcast:contentLink"), ({ text, attributes: { href } }) => !text.trim() || !isAnyUri(href)),
  ),
];
