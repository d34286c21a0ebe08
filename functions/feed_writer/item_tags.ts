/** An episode's tags in feed order. Add a tag by adding an entry and raising ITEM_RENDER_VERSION. */
import { toUri } from "../text/uri.ts";
import { firstPresent, isPresent } from "../text/xml_text.ts";
import { alternateEnclosure } from "./alternate_enclosure.ts";
import { plainDescription, plainSubtitle } from "./description.ts";
import type { Item } from "./feed_rows.ts";
import * as shared from "./shared_tags.ts";
import { rfc2822Date, spec, type Tag } from "./tag.ts";
import type { Value } from "./xml.ts";

export const itemTags: Tag<Item>[] = [
  tag("title", spec.rss("hrelementsOfLtitemgt"), (e) => e.title),
  tag("itunes:title", spec.itunes, (e) => firstPresent(e.itunes_title, e.title)),
  tag(
    "description",
    spec.rss("hrelementsOfLtitemgt"),
    // the notes are HTML even without a tag
    (e) =>
      plainDescription(e.description, e.summary, e.show_notes_safe_html && `<p>${e.show_notes_safe_html}`, e.subtitle),
  ),
  tag("itunes:subtitle", spec.itunes, (e) => plainSubtitle(e.subtitle)),
  tag("itunes:summary", spec.itunes, (e) => plainDescription(e.summary)),
  tag("content:encoded", spec.content, (e) => e.show_notes_safe_html),
  tag("link", spec.rss("hrelementsOfLtitemgt"), (e) => firstPresent(toUri(e.link), e.listen_url)),
  tag(
    "guid",
    spec.rss("ltguidgtSubelementOfLtitemgt"),
    (e) => isPresent(e.guid) ? { attributes: { isPermaLink: false }, text: e.guid } : undefined,
  ),
  tag("pubDate", spec.rss("ltpubdategtSubelementOfLtitemgt"), (e) => rfc2822Date(new Date(e.published_at))),
  tag("enclosure", spec.rss("ltenclosuregtSubelementOfLtitemgt"), (e) => ({
    attributes: { url: toUri(e.audio_url), length: e.audio_file_size_bytes, type: e.audio_content_type },
  })),
  shared.category,

  tag("itunes:duration", spec.itunes, (e) => e.audio_duration_seconds || undefined),
  tag("itunes:explicit", spec.itunes, (e) => e.explicit),
  tag("itunes:block", spec.itunes, (e) => e.is_blocked ? "Yes" : undefined),
  tag("itunes:image", spec.itunes, (e) => ({
    attributes: { href: toUri(firstPresent(e.cover_image_url, e.podcast.cover_image_url)) },
  })),
  // Apple counts from 1; the podcast namespace allows 0
  tag("itunes:season", spec.itunes, (e) => e.season_number || undefined),
  tag("itunes:episode", spec.itunes, (e) => e.episode_number || undefined),
  tag("itunes:episodeType", spec.itunes, (e) => e.episode_type),
  shared.keywords,

  tag("podcast:season", spec.podcast("season"), (e) => numberValue(e.season_number, { name: e.season_name })),
  tag("podcast:episode", spec.podcast("episode"), episodeValue),
  tag(
    "podcast:transcript",
    spec.podcast("transcript"),
    (e) =>
      e.transcripts.map(({ url, type, language, rel }) => ({ attributes: { url: toUri(url), type, language, rel } })),
  ),
  tag(
    "podcast:chapters",
    spec.podcast("chapters"),
    (e) => e.chapters_url && { attributes: { url: toUri(e.chapters_url), type: "application/json+chapters" } },
  ),
  tag(
    "podcast:soundbite",
    spec.podcast("soundbite"),
    (e) =>
      e.soundbites.map(({ start_seconds, duration_seconds, title }) => ({
        attributes: { startTime: start_seconds, duration: duration_seconds },
        text: title,
      })),
  ),
  tag(
    "podcast:alternateEnclosure",
    spec.podcast("alternate-enclosure"),
    (e) => e.alternate_enclosures.map(alternateEnclosure),
  ),
  tag(
    "podcast:contentLink",
    spec.podcast("content-link"),
    (e) => e.content_links.map(({ href, text }) => ({ attributes: { href: toUri(href) }, text })),
  ),
  shared.license,
  shared.location,
  shared.image,
  shared.person,
  shared.funding,
  shared.socialInteract,
  shared.value,
  tag("podcast:txt", spec.podcast("txt"), (e) => e.texts.map(shared.txt)),
];

function tag(name: string, spec: string, value: Tag<Item>["value"]): Tag<Item> {
  return { name, spec, value };
}

/** An episode between two others has a decimal number, which is stored as it is displayed. */
function episodeValue({ episode_number: number, episode_display: display }: Item): Value {
  if (number === null && display && /^\d{1,9}\.\d{1,9}$/.test(display)) return display;
  return numberValue(number, { display });
}

/** The namespace requires the number: without it, its name is left out too. */
function numberValue(number: number | null, attributes: Record<string, string | null>): Value {
  return number === null ? undefined : { attributes, text: number };
}
