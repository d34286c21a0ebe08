/** Tags that the channel and its items have in common. */
import { fitKeywords } from "../text/keywords.ts";
import { toUri } from "../text/uri.ts";
import { isPresent } from "../text/xml_text.ts";
import type { FeedValues, Txt } from "./feed_values.ts";
import { personValue } from "./person.ts";
import type { Credit } from "./feed_rows.ts";
import { spec, type Tag } from "./tag.ts";
import { valueBlock } from "./value_block.ts";
import type { Value } from "./xml.ts";

type Row = FeedValues & { credits: Credit[] };

export const category: Tag<Row> = {
  name: "category",
  spec: spec.rss("ltcategorygtSubelementOfLtitemgt"),
  value: ({ tags }) => tags.map(({ text, domain }) => ({ attributes: { domain }, text })),
};

export const keywords: Tag<Row> = {
  name: "itunes:keywords",
  spec: spec.itunes,
  value: ({ keywords }) => fitKeywords(keywords).join(","),
};

export const license: Tag<Row> = podcastTag(
  "license",
  ({ license, license_url }) =>
    isPresent(license) ? { attributes: { url: toUri(license_url) }, text: license } : undefined,
);

export const location: Tag<Row> = podcastTag(
  "location",
  ({ locations }) =>
    locations.map(({ name, rel, geo, osm, country }) => ({
      attributes: { rel, geo, osm: osm?.toUpperCase(), country: country?.toUpperCase() },
      text: name,
    })),
);

export const image: Tag<Row> = podcastTag(
  "image",
  ({ images }) =>
    images.map(({ href, alt, aspect_ratio, width, height, type, purpose }) => ({
      attributes: { href: toUri(href), alt, "aspect-ratio": aspect_ratio, width, height, type, purpose },
    })),
);

// an item's people replace the channel's, so an item lists all credits of its episode
export const person: Tag<Row> = podcastTag("person", ({ credits }) => credits.map(personValue));

export const funding: Tag<Row> = podcastTag(
  "funding",
  ({ funding }) => funding.map(({ url, text }) => ({ attributes: { url: toUri(url) }, text })),
);

export const socialInteract: Tag<Row> = podcastTag(
  "socialInteract",
  ({ social_interactions }) =>
    social_interactions.map(({ protocol, uri, account_id, account_url, priority }) => ({
      attributes: protocol === "disabled"
        ? { protocol } // the namespace allows no other attribute beside it
        : { priority, protocol, uri: toUri(uri), accountId: account_id, accountUrl: toUri(account_url) },
    })),
  "social-interact",
);

export const value: Tag<Row> = podcastTag("value", ({ value_blocks }) => value_blocks.map(valueBlock));

/** A tag of the podcast namespace, whose document has the tag's name or another one. */
function podcastTag(name: string, value: Tag<Row>["value"], document = name): Tag<Row> {
  return { name: `podcast:${name}`, spec: spec.podcast(document), value };
}

/** The only values that the namespace allows for the purpose `ai-content`. */
export const isBoolean = (text: string | null) => text === "true" || text === "false";

/** https://github.com/Podcastindex-org/podcast-namespace/blob/main/docs/tags/txt.md. Without a text it is left out. */
export function txt({ text, purpose }: Txt): Value {
  if (purpose === "ai-content" && !isBoolean(text)) return undefined;
  return isPresent(text) ? { attributes: { purpose }, text } : undefined;
}
