/** The channel's tags in feed order. Add a tag by adding an entry. */
import { truncate } from "../text/plain_text.ts";
import { toRedirect, toUri } from "../text/uri.ts";
import { firstPresent, isPresent } from "../text/xml_text.ts";
import { plainDescription } from "./description.ts";
import { remoteItem } from "./remote_item.ts";
import type { ChannelRow, Trailer } from "./feed_rows.ts";
import * as shared from "./shared_tags.ts";
import { rfc2822Date, spec, type Tag } from "./tag.ts";
import type { Value } from "./xml.ts";

export const channelTags: Tag<ChannelRow>[] = [
  tag("title", spec.rss("requiredChannelElements"), (p) => p.title),
  tag("link", spec.rss("requiredChannelElements"), pageUrl),
  // required by RSS; the title replaces a missing description, also one that is only markup
  tag(
    "description",
    spec.rss("requiredChannelElements"),
    (p) => plainDescription(p.description, p.title, p.title.replaceAll("<", "&lt;")),
  ),
  tag("language", spec.rss("optionalChannelElements"), (p) => p.language),
  tag("copyright", spec.rss("optionalChannelElements"), (p) => p.copyright),
  tag("generator", spec.rss("optionalChannelElements"), () => "Castbase"),
  tag(
    "pubDate",
    spec.rss("optionalChannelElements"),
    (p) => p.newest_published_at && rfc2822Date(new Date(p.newest_published_at)),
  ),
  tag("lastBuildDate", spec.rss("optionalChannelElements"), (p) => p.changed_at && rfc2822Date(p.changed_at)),
  tag("atom:link", spec.atom, (p) => p.is_paged ? undefined : feedLinks(p)),
  shared.category,
  tag(
    "image",
    spec.rss("ltimagegtSubelementOfLtchannelgt"),
    (p) =>
      isPresent(p.cover_image_url)
        ? { children: { url: toUri(p.cover_image_url), title: p.title, link: pageUrl(p) } }
        : undefined,
  ),

  tag("itunes:author", spec.itunes, (p) => p.author),
  // invalid without an email
  tag(
    "itunes:owner",
    spec.itunes,
    (p) =>
      isPresent(p.shown_owner_email)
        ? { children: { "itunes:name": p.owner_name, "itunes:email": p.shown_owner_email } }
        : undefined,
  ),
  tag("itunes:image", spec.itunes, (p) => ({ attributes: { href: toUri(p.cover_image_url) } })),
  tag("itunes:category", spec.itunes, (p) =>
    p.categories.map(({ category, subcategory }) => ({
      attributes: { text: category },
      children: { "itunes:category": { attributes: { text: subcategory } } },
    }))),
  shared.keywords,
  tag("itunes:explicit", spec.itunes, (p) => p.explicit),
  tag("itunes:type", spec.itunes, (p) => p.type),
  // Apple ignores every value but Yes
  tag("itunes:complete", spec.itunes, (p) => p.is_complete ? "Yes" : undefined),
  tag("itunes:block", spec.itunes, (p) => p.is_blocked ? "Yes" : undefined),
  // directories follow it like the feed's 301
  tag("itunes:new-feed-url", spec.itunes, (p) => toRedirect(p.redirect_url)),
  tag("itunes:applepodcastsverify", spec.itunes, (p) => p.apple_verify_token),

  tag("podcast:guid", spec.podcast("guid"), (p) => p.podcast_guid),
  tag("podcast:locked", spec.podcast("locked"), (p) => ({
    attributes: { owner: p.shown_owner_email },
    text: p.locked ? "yes" : "no",
  })),
  tag("podcast:medium", spec.podcast("medium"), (p) => p.medium),
  tag(
    "podcast:podping",
    spec.podcast("podping"),
    (p) => p.uses_podping ? { attributes: { usesPodping: "true" } } : undefined,
  ),
  // those with an id are exceptions for one directory
  tag("podcast:block", spec.podcast("block"), (p) => [
    p.is_blocked ? "yes" : undefined,
    ...p.directory_blocks.map(({ id, is_blocked }) => ({ attributes: { id }, text: is_blocked ? "yes" : "no" })),
  ]),
  shared.license,
  shared.location,
  shared.image,
  shared.person,
  shared.funding,
  tag("podcast:trailer", spec.podcast("trailer"), (p) => p.trailers.map(trailerValue)),
  tag(
    "podcast:updateFrequency",
    spec.podcast("update-frequency"),
    ({ update_frequency: f }) =>
      f && { attributes: { complete: f.complete, dtstart: f.dtstart, rrule: f.rrule }, text: f.text },
  ),
  tag("podcast:podroll", spec.podcast("podroll"), (p) => ({
    children: { "podcast:remoteItem": p.podroll.map(remoteItem) },
  })),
  tag("podcast:publisher", spec.podcast("publisher"), ({ publisher }) =>
    publisher && {
      children: { "podcast:remoteItem": remoteItem({ ...publisher, medium: "publisher" }) },
    }),
  tag("podcast:remoteItem", spec.podcast("remote-item"), (p) => p.remote_items.map(remoteItem)),
  shared.socialInteract,
  shared.value,
  tag("podcast:txt", spec.podcast("txt"), (p) => [
    ...p.verify_texts.map(shared.txt),
    shared.txt({
      text: p.ai_disclosure ?? "",
      purpose: shared.isBoolean(p.ai_disclosure) ? "ai-content" : "ai-disclosure",
    }),
  ]),
];

/** The links of the feed's URL. rel="hub": https://www.w3.org/TR/websub/#discovery */
export function feedLinks({ feed_url, hub_url }: Pick<ChannelRow, "feed_url" | "hub_url">): Value[] {
  return [
    { attributes: { href: feed_url, rel: "self", type: FEED_TYPE } },
    hub_url ? { attributes: { href: toUri(hub_url), rel: "hub" } } : undefined,
  ];
}
export const FEED_TYPE = "application/rss+xml";

function tag(name: string, spec: string, value: Tag<ChannelRow>["value"]): Tag<ChannelRow> {
  return { name, spec, value };
}

/** The podcast's page: its own, or the one that the service serves. RSS requires a link, so without pages it is the feed. */
function pageUrl({ link, listen_url, feed_url }: ChannelRow) {
  return firstPresent(toUri(link), listen_url, feed_url);
}

/** The namespace's limit for a title; aggregators may truncate longer ones anywhere. */
const MAX_TITLE_CHARS = 128;

function trailerValue(trailer: Trailer): Value {
  return {
    attributes: {
      url: toUri(trailer.audio_url),
      pubdate: rfc2822Date(new Date(trailer.published_at)),
      length: trailer.audio_file_size_bytes,
      type: trailer.audio_content_type,
      season: trailer.season_number,
    },
    text: truncate(trailer.title, MAX_TITLE_CHARS),
  };
}
