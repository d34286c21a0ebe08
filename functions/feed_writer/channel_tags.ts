/** The channel's tags in feed order. Add a tag by adding an entry. */
import { plainDescription } from "./description.ts";
import type { ChannelRow } from "./rows.ts";
import { rfc2822Date, spec, type Tag } from "./tag.ts";
import { toRedirect, toUri } from "../text/uri.ts";
import { firstPresent, isPresent } from "../text/xml_text.ts";

export const channelTags: Tag<ChannelRow>[] = [
  tag("title", spec.rss("requiredChannelElements"), (p) => p.title),
  tag("link", spec.rss("requiredChannelElements"), (p) => firstPresent(toUri(p.link), p.listen_url)),
  // required by RSS; the title replaces a missing description
  tag("description", spec.rss("requiredChannelElements"), (p) => plainDescription(p.description, p.title)),
  tag("language", spec.rss("optionalChannelElements"), (p) => p.language),
  tag("copyright", spec.rss("optionalChannelElements"), (p) => p.copyright),
  tag("generator", spec.rss("optionalChannelElements"), () => "Castbase"),
  tag("lastBuildDate", spec.rss("optionalChannelElements"), (p) => p.changed_at && rfc2822Date(p.changed_at)),
  // rel="hub": https://www.w3.org/TR/websub/#discovery
  tag("atom:link", spec.atom, (p) => [
    { attributes: { href: p.feed_url, rel: "self", type: "application/rss+xml" } },
    p.hub_url ? { attributes: { href: toUri(p.hub_url), rel: "hub" } } : undefined,
  ]),

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
  tag("itunes:explicit", spec.itunes, (p) => p.explicit),
  tag("itunes:type", spec.itunes, (p) => p.type),
  // Apple ignores every value but Yes
  tag("itunes:complete", spec.itunes, (p) => p.is_complete ? "Yes" : undefined),
  tag("itunes:block", spec.itunes, (p) => p.is_blocked ? "Yes" : undefined),
  // the owner set it with the podcast's deletion: directories follow it like the feed's 301
  tag("itunes:new-feed-url", spec.itunes, (p) => toRedirect(p.deletion_redirect_url)),
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
  tag(
    "podcast:funding",
    spec.podcast("funding"),
    (p) => p.funding.map(({ url, text }) => ({ attributes: { url: toUri(url) }, text })),
  ),
  tag("podcast:txt", spec.podcast("txt"), (p) => [
    ...p.verify_texts.map(({ text, purpose }) => txtValue(text, firstPresent(purpose, "verify")!)),
    txtValue(p.ai_disclosure, isBoolean(p.ai_disclosure) ? "ai-content" : "ai-disclosure"),
  ]),
];

function tag(name: string, spec: string, value: Tag<ChannelRow>["value"]): Tag<ChannelRow> {
  return { name, spec, value };
}

/** The only values that the namespace allows for the purpose `ai-content`. */
const isBoolean = (text: string | null) => text === "true" || text === "false";

/** A purpose without a text is left out. */
function txtValue(text: string | null, purpose: string) {
  if (purpose === "ai-content" && !isBoolean(text)) return undefined;
  return isPresent(text) ? { attributes: { purpose }, text } : undefined;
}
