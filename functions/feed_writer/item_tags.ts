/** An episode's tags in feed order. Add a tag by adding an entry and raising ITEM_RENDER_VERSION. */
import { plainDescription } from "./description.ts";
import { personValue } from "./person.ts";
import type { Item } from "./rows.ts";
import { rfc2822Date, spec, type Tag } from "./tag.ts";
import { toUri } from "../text/uri.ts";
import { firstPresent, isPresent } from "../text/xml_text.ts";

export const itemTags: Tag<Item>[] = [
  tag("title", spec.rss("hrelementsOfLtitemgt"), (e) => e.title),
  tag("itunes:title", spec.itunes, (e) => firstPresent(e.itunes_title, e.title)),
  tag(
    "description",
    spec.rss("hrelementsOfLtitemgt"),
    // the notes are HTML even without a tag
    (e) => plainDescription(e.summary, e.description, e.show_notes_safe_html && `<p>${e.show_notes_safe_html}`),
  ),
  tag("content:encoded", spec.content, (e) => e.show_notes_safe_html),
  tag("link", spec.rss("hrelementsOfLtitemgt"), (e) => e.listen_url),
  tag(
    "guid",
    spec.rss("ltguidgtSubelementOfLtitemgt"),
    (e) => isPresent(e.guid) ? { attributes: { isPermaLink: false }, text: e.guid } : undefined,
  ),
  tag("pubDate", spec.rss("ltpubdategtSubelementOfLtitemgt"), (e) => rfc2822Date(new Date(e.published_at))),
  tag("enclosure", spec.rss("ltenclosuregtSubelementOfLtitemgt"), (e) => ({
    attributes: { url: toUri(e.audio_url), length: e.audio_file_size_bytes, type: e.audio_content_type },
  })),

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

  tag("podcast:season", spec.podcast("season"), (e) => e.season_number),
  tag("podcast:episode", spec.podcast("episode"), (e) => e.episode_number),
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
  // an item's people replace the channel's, so all credits are listed
  tag("podcast:person", spec.podcast("person"), (e) => e.credits.map(personValue)),
];

function tag(name: string, spec: string, value: Tag<Item>["value"]): Tag<Item> {
  return { name, spec, value };
}
