// The recommendations of Apple, PSP-1 and the podcast namespace, and their requirements before a directory lists a podcast.
import { childrenNamed } from "./fixture.ts";
import { APPLE, each, type Feed, NAMESPACE, places, PSP, required, RSS, type Rule, rule, text } from "./rule.ts";

const byService = (id: string, source: string, check: Rule["check"]) => rule(id, source, "should", check);
const byPodcaster = (id: string, source: string, check: Rule["check"]): Rule => ({
  ...rule(id, source, "should", check),
  isPodcasters: true,
});

const inChannel = (name: string) => ({ channel }: Feed) => required(channel, name);
const inItems = (name: string) => ({ items }: Feed) => items.flatMap((item) => required(item, name));
const extension = (url: string) => /\.([a-z0-9]+)$/i.exec(new URL(url).pathname)?.[1].toLowerCase() ?? "";

const TYPES: Record<string, string[]> = {
  "audio/mpeg": ["mp3"],
  "audio/m4a": ["m4a"],
  "audio/x-m4a": ["m4a"],
  "audio/mp4": ["m4a", "mp4"],
  "video/mp4": ["mp4"],
  "video/m4v": ["m4v"],
  "video/x-m4v": ["m4v"],
  "video/quicktime": ["mov"],
};

export const recommendations: Rule[] = [
  byService("podcast-locked-present", `${PSP}#channel-podcast-locked`, inChannel("podcast:locked")),
  byService("item-link", `${PSP}#item-link`, inItems("link")),
  byService("item-pubdate", `${PSP}#item-pubdate`, inItems("pubDate")),
  byService("item-explicit", `${PSP}#item-itunes-explicit`, inItems("itunes:explicit")),
  byService("item-type", APPLE, inItems("itunes:episodeType")),
  byService("show-type", `${PSP}#channel-itunes-type`, inChannel("itunes:type")),
  byService("build-date", `${RSS}#optionalChannelElements`, inChannel("lastBuildDate")),
  byService(
    "trimmed",
    `${PSP}#required-rss-namespace-declarations`,
    (feed) =>
      ["title", "itunes:title", "itunes:author", "copyright"].flatMap((name) =>
        each(feed, name).map(({ text }) => text !== text.trim() && `${name} "${text}"`)
      ),
  ),
  byService(
    "value-length",
    `${PSP}#required-rss-namespace-declarations`,
    (feed) =>
      ["title", "itunes:title", "itunes:author", "copyright"].flatMap((name) =>
        each(feed, name).map(({ text }) => [...text].length > 255 && `${name} has ${[...text].length} characters`)
      ),
  ),
  byPodcaster(
    "artwork-extension",
    `${PSP}#channel-itunes-image`,
    (feed) =>
      each(feed, "itunes:image").map(({ attributes: { href } }) =>
        !["jpg", "jpeg", "png"].includes(extension(href)) && href
      ),
  ),

  byPodcaster("artwork", `${PSP}#channel-itunes-image`, inChannel("itunes:image")),
  byPodcaster("category", `${PSP}#channel-itunes-category`, ({ channel }) => [
    childrenNamed(channel, "itunes:category").length === 0 && "no category",
  ]),
  byPodcaster("author", `${PSP}#channel-itunes-author`, inChannel("itunes:author")),
  byPodcaster("show-description", `${PSP}#channel-description`, ({ channel }) => [
    text(channel, "description") === text(channel, "title") && "the description is the title",
  ]),
  byPodcaster(
    "copyright-name",
    `${PSP}#channel-copyright`,
    ({ channel }) =>
      childrenNamed(channel, "copyright").map(({ text }) => /©|\(c\)|copyright|\b(?:19|20)\d\d\b/i.test(text) && text),
  ),
  byPodcaster("episodes", APPLE, ({ items }) => [items.length === 0 && "no episodes"]),
  byPodcaster(
    "https",
    APPLE,
    (feed) =>
      places(feed).flatMap((place) => place.children).flatMap(({ name, text, attributes }) =>
        [["", name === "link" ? text : ""], ...Object.entries(attributes)].map(([attribute, url]) =>
          !attribute.startsWith("xmlns") && /^http:/i.test(url) && `${name} ${url}`
        )
      ),
  ),
  byPodcaster(
    "podcast-guid-v5",
    `${NAMESPACE}/guid.md`,
    ({ channel }) => childrenNamed(channel, "podcast:guid").map(({ text }) => text[14] !== "5" && text),
  ),
  byPodcaster(
    "enclosure-type",
    `${PSP}#item-enclosure`,
    ({ items }) =>
      items.flatMap((item) => childrenNamed(item, "enclosure")).map(({ attributes: { type, url } }) =>
        !TYPES[type]?.includes(extension(url)) && `${type} ${url}`
      ),
  ),
  byPodcaster(
    "enclosure-length",
    `${PSP}#item-enclosure`,
    ({ items }) =>
      items.flatMap((item) => childrenNamed(item, "enclosure")).map(({ attributes: { length } }) =>
        !(+length > 0) && length
      ),
  ),
  byPodcaster(
    "title-numbers",
    `${PSP}#item-title`,
    ({ items }) =>
      items.flatMap((item) => childrenNamed(item, "title")).map(({ text }) =>
        /^\W*(?:s\d+\W*e\d+|(?:episode|ep|folge|season)\b\W*\d+|#?\d+\s*[-–:|.])/i.test(text) && text
      ),
  ),
  byPodcaster("item-description", `${PSP}#item-description`, inItems("description")),
  byPodcaster("item-duration", `${PSP}#item-itunesduration`, inItems("itunes:duration")),
  byPodcaster("item-image", `${PSP}#item-itunes-image`, inItems("itunes:image")),
  byPodcaster(
    "item-transcript",
    `${PSP}#item-podcast-transcript`,
    ({ items }) => items.map((item) => childrenNamed(item, "podcast:transcript").length === 0 && "no transcript"),
  ),
  byPodcaster(
    "serial-numbers",
    `${PSP}#item-itunes-episode`,
    ({ channel, items }) =>
      text(channel, "itunes:type") === "serial"
        ? items.map((item) =>
          text(item, "itunes:episodeType") === "full" && childrenNamed(item, "itunes:episode").length === 0 &&
          text(item, "title")
        )
        : [],
  ),
];
