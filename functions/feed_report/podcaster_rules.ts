/**
 * Rules that only the podcaster can follow, by a field, a file or a choice: requirements of directories before they
 * list a podcast, and recommendations. Warnings precede advice, because the report of a part is bounded.
 */
import {
  anyRule,
  channelRule,
  descendants,
  isBlank,
  isLonger,
  itemRule,
  missing,
  type PlaceFacts,
  problem,
  required,
  type Rule,
  tags,
  textOf,
  wrong,
} from "./rule.ts";
import type { Node } from "./xml_tree.ts";

/** The extension of a URL's path, in lower case. */
function extension(url = ""): string {
  return URL.canParse(url) ? /\.([a-z0-9]+)$/i.exec(new URL(url).pathname)?.[1].toLowerCase() ?? "" : "";
}

/** Media types and extensions that Apple or PSP-1 lists. */
const EXTENSIONS: Map<string, string[]> = new Map(Object.entries({
  "audio/mpeg": ["mp3"],
  "audio/m4a": ["m4a"],
  "audio/x-m4a": ["m4a"],
  "audio/mp4": ["m4a", "mp4"],
  "video/mp4": ["mp4"],
  "video/m4v": ["m4v"],
  "video/x-m4v": ["m4v"],
  "video/quicktime": ["mov"],
}));

/** Attributes whose URL is a name that apps do not request. */
const IDENTIFIER = /^(?:xmlns|domain$)/;

/** Types of transcripts that PSP-1 lists. */
const TRANSCRIPT_TYPES = ["text/plain", "text/html", "text/vtt", "application/json", "application/x-subrip"];

const isDisabled = ({ attributes }: Node) => attributes.protocol === "disabled";

/** Attributes that the podcast namespace recommends, and tags to which the recommendation does not apply. */
const RECOMMENDED: [name: string, attributes: string[], isExempt?: (tag: Node) => boolean][] = [
  ["podcast:location", ["geo", "osm", "country"]],
  ["podcast:image", ["aspect-ratio", "width"]],
  ["podcast:alternateEnclosure", ["length"]],
  ["podcast:socialInteract", ["accountId"], isDisabled],
  ["podcast:valueRecipient", ["name"]],
  ["podcast:updateFrequency", ["rrule"], ({ attributes }) => attributes.complete === "true"],
];

const NUMBERED_TITLE = /^\W{0,9}(?:s\d+\W*e\d+|(?:episode|ep|folge|season)\b\W*\d+|#?\d+\s*[-–:|.])/i;

/** https://github.com/Podcastindex-org/podcast-namespace/blob/main/docs/examples/license/licenses.json */
const KNOWN_LICENSE = /^(?:arr|pod-v4v-1\.0|cc0-1\.0|cc-by(?:-nc)?(?:-nd|-sa)?-4\.0)$/i;

const ownArtwork = (place: Node, { inheritsArtwork }: PlaceFacts) => inheritsArtwork ? [] : tags(place, "itunes:image");

export const podcasterRules: Rule[] = [
  channelRule("artwork", (channel) => required(channel, "itunes:image")),
  channelRule("category", (channel) => missing(channel, "itunes:category")),
  channelRule("show-description", (channel) => [
    textOf(channel, "description") === textOf(channel, "title") && { tag: "description" },
  ]),
  channelRule("owner-missing", (_channel, { hasOwnerEmail }) => [hasOwnerEmail === false && { tag: "itunes:owner" }]),
  anyRule("artwork-size", (_place, { coverSize }) => {
    if (!coverSize) return [];
    const { width, height } = coverSize;
    const isRight = width === height && width >= 1400 && width <= 3000;
    return [!isRight && { tag: "itunes:image", excerpt: `${width} × ${height}` }];
  }),
  anyRule(
    "artwork-extension",
    (place, facts) =>
      ownArtwork(place, facts).filter(({ attributes: { href } }) => !["jpg", "jpeg", "png"].includes(extension(href)))
        .map(problem),
  ),
  anyRule(
    "https",
    (place, { inheritsArtwork }) =>
      descendants(place).filter(({ name, text, attributes }) =>
        name === "link" && /^http:/i.test(text) ||
        !(inheritsArtwork && name === "itunes:image") &&
          Object.entries(attributes).some(([key, value]) => /^http:/i.test(value) && !IDENTIFIER.test(key))
      ).map(problem),
  ),
  itemRule(
    "enclosure-type",
    (item) =>
      wrong(item, "enclosure", ({ attributes: { type, url } }) => !EXTENSIONS.get(type)?.includes(extension(url))),
  ),
  itemRule("enclosure-length", (item) => wrong(item, "enclosure", ({ attributes: { length } }) => !(+length > 0))),
  itemRule("serial-numbers", (item, { podcastType }) => [
    podcastType === "serial" && textOf(item, "itunes:episodeType") === "full" &&
    tags(item, "itunes:episode").length === 0 && { tag: "itunes:episode" },
  ]),
  anyRule(
    "podcast-license-url",
    (place) => wrong(place, "podcast:license", ({ text, attributes: { url } }) => !url && !KNOWN_LICENSE.test(text)),
  ),

  channelRule("episodes", (_channel, { episodeCount }) => [episodeCount === 0 && { tag: "item" }]),
  channelRule("author", (channel) => required(channel, "itunes:author")),
  channelRule("owner-verification", (channel) => [
    tags(channel, "itunes:owner").length === 0 && tags(channel, "itunes:applepodcastsverify").length === 0 &&
    !tags(channel, "podcast:txt").some(({ attributes: { purpose } }) => /verify$/.test(purpose ?? "")) &&
    { tag: "itunes:owner" },
  ]),
  channelRule(
    "copyright-name",
    (channel) => wrong(channel, "copyright", ({ text }) => /©|\(c\)|copyright|\b(?:19|20)\d\d\b/i.test(text)),
  ),
  channelRule("podcast-guid-v5", (channel) => wrong(channel, "podcast:guid", ({ text }) => text[14] !== "5")),
  channelRule(
    "publisher-url",
    (channel) =>
      tags(channel, "podcast:publisher").flatMap((publisher) =>
        wrong(publisher, "podcast:remoteItem", ({ attributes: { feedUrl } }) => !feedUrl)
      ),
  ),
  // a list is a feed of references to others
  channelRule("list-medium", (channel, { episodeCount }) => {
    const medium = textOf(channel, "podcast:medium") ?? "", isList = /L$|^mixed$/.test(medium);
    const references = tags(channel, "podcast:remoteItem").length;
    return [
      (isList && (references === 0 || !!episodeCount) || medium === "publisher" && references === 0) &&
      { tag: "podcast:medium", excerpt: medium },
    ];
  }),
  channelRule(
    "schedule-until",
    (channel) =>
      wrong(channel, "podcast:updateFrequency", ({ attributes: { dtstart, rrule } }) => {
        const until = /(?:^|;)UNTIL=([^;]*)/.exec(rrule ?? "")?.[1];
        return !!until && !!dtstart && until.includes("T") !== dtstart.includes("T");
      }),
  ),
  itemRule("title-numbers", (item) => {
    const [title] = tags(item, "title");
    return [
      ...wrong(item, "title", ({ text }) => NUMBERED_TITLE.test(text)),
      ...wrong(item, "itunes:title", ({ text }) => text !== title?.text && NUMBERED_TITLE.test(text)),
    ];
  }),
  itemRule("item-description", (item) => missing(item, "description")),
  itemRule("item-duration", (item) => missing(item, "itunes:duration")),
  itemRule(
    "seek-table",
    (item, { hasSeekTable }) => hasSeekTable === false ? tags(item, "enclosure").map(problem) : [],
  ),
  itemRule("item-image", (item) => missing(item, "itunes:image")),
  itemRule(
    "soundbite-duration",
    (item) => wrong(item, "podcast:soundbite", ({ attributes: { duration } }) => +duration < 15 || +duration > 120),
  ),
  itemRule(
    "alternate-enclosure-names",
    (item) =>
      wrong(
        item,
        "podcast:alternateEnclosure",
        ({ attributes: { title, rel } }) => isLonger(title, 32) || isLonger(rel, 32),
      ),
  ),
  anyRule(
    "artwork-elsewhere",
    (place, facts) => facts.coverSize === null ? ownArtwork(place, facts).map(problem) : [],
  ),
  anyRule(
    "keywords-length",
    (place, { hasMoreKeywords }) => hasMoreKeywords ? tags(place, "itunes:keywords").map(problem) : [],
  ),
  anyRule("social-priority", (place) => {
    const threads = tags(place, "podcast:socialInteract").filter((tag) => !isDisabled(tag));
    return threads.length > 1 ? threads.filter(({ attributes: { priority } }) => !priority).map(problem) : [];
  }),
  anyRule("recommended-attributes", (place) => {
    const all = descendants(place);
    return RECOMMENDED.flatMap(([name, attributes, isExempt]) =>
      all.filter((tag) => tag.name === name && !isExempt?.(tag)).map((tag) => {
        const absent = attributes.filter((attribute) => isBlank(tag.attributes[attribute]));
        return absent.length > 0 && { tag: name, excerpt: `without ${absent.join(", ")}: ${problem(tag).excerpt}` };
      })
    );
  }),
  itemRule(
    "transcript-type",
    (item) => wrong(item, "podcast:transcript", ({ attributes: { type } }) => !TRANSCRIPT_TYPES.includes(type)),
  ),
  anyRule("image-alt", (place) => wrong(place, "podcast:image", ({ attributes: { alt } }) => isBlank(alt))),
  itemRule("item-transcript", (item) => missing(item, "podcast:transcript")),
];
