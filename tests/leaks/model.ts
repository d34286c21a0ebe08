// The model: what a stranger may and must reach of a world, by request.
import { tokensIn, tokensOf } from "./marks.ts";
import type { Episode, Podcast, Row, World } from "./world.ts";

export interface Expectation {
  status: number;
  /** Marks and ids that the response must have. */
  required: Iterable<string>;
  /** Further ones that it may have. */
  allowed?: Iterable<string>;
}

export interface ExpectedRead extends Expectation {
  /** Below the public API's URL. */
  path: string;
}

const NOT_FOUND: Expectation = { status: 404, required: [] };

const isGone = ({ state }: Podcast) => state === "deleted" || state === "moved";
const publishedOf = (podcast: Podcast) =>
  isGone(podcast) ? [] : podcast.episodes.filter(({ state }) => state === "published");
/** A podcast exists for strangers while it has a published episode; its feed exists from its creation. */
const isPublic = (podcast: Podcast) => publishedOf(podcast).length > 0;

const creditTokens = (credits: Row[]) => credits.flatMap((credit) => tokensOf(credit, "name avatar_url external_url"));

/** /v1/podcasts/{slug} */
function podcastTokens({ row, credits }: Podcast): string[] {
  return [
    ...tokensOf(
      row,
      "id slug podcast_guid title description author categories funding link directory_links cover_image_url",
    ),
    ...creditTokens(credits),
  ];
}

/** An episode in /v1: without summary and subtitle, and with chapters of ours in place of those elsewhere. */
function episodeTokens({ row, credits, chapters, transcripts, notesMark }: Episode): string[] {
  return [
    ...tokensOf(row, "id slug guid title description link audio_url cover_image_url"),
    ...chapters.length ? [] : tokensOf(row, "chapters_url"),
    notesMark,
    ...creditTokens(credits),
    ...transcripts.flatMap((transcript) => tokensOf(transcript, "id url")),
  ];
}

/** The channel of a feed. It names the owner only if the podcast shows the owner's address. */
function channelTokens(podcast: Podcast): string[] {
  const { row, credits, redirectUrl } = podcast;
  return [
    ...tokensOf(
      row,
      "slug podcast_guid title description author categories copyright link cover_image_url apple_verify_token",
      "ai_disclosure license license_url verify_texts update_frequency podroll remote_items publisher directory_blocks",
      SHARED_FEED_VALUES,
    ),
    ...row.show_owner_email ? tokensOf(row, "owner_name owner_email") : [],
    ...creditTokens(credits),
    ...tokensIn(redirectUrl ?? ""),
  ];
}

const SHARED_FEED_VALUES = "funding locations images social_interactions value_blocks keywords tags extra_tags";

/** An item of a feed. */
function itemTokens({ row, credits, chapters, transcripts, notesMark }: Episode): string[] {
  return [
    ...tokensOf(
      row,
      "guid title itunes_title subtitle description audio_url cover_image_url season_name episode_display",
      "license license_url",
      "texts soundbites content_links alternate_enclosures",
      SHARED_FEED_VALUES,
      chapters.length ? "id" : "chapters_url",
      row.link ? "link" : "slug",
    ),
    ...row.summary ? tokensOf(row, "summary") : [],
    notesMark,
    ...creditTokens(credits),
    ...transcripts.flatMap((transcript) => tokensOf(transcript, "url")),
  ];
}

/** Everything that strangers may know of a podcast, and of one or all of its published episodes. */
export function publicTokens(podcast: Podcast, episodes = publishedOf(podcast)): string[] {
  if (!isPublic(podcast)) return [];
  return [
    ...podcastTokens(podcast),
    ...episodes.flatMap((episode) => [...episodeTokens(episode), ...chapterTokens(episode)]),
  ];
}

const chapterTokens = ({ chapters }: Episode) =>
  chapters.flatMap((chapter) => tokensOf(chapter, "title url image_url location"));

/** The requests of a stranger who knows every slug and id of a world, with what they must and may return. */
export function expectedReads(world: World, urls: { listen: string; embed: string }): ExpectedRead[] {
  return world.podcasts.flatMap((podcast) => [
    ...podcastReads(podcast, urls),
    ...podcast.episodes.flatMap((episode) => episodeReads(podcast, episode, urls)),
  ]);
}

function podcastReads(podcast: Podcast, urls: { listen: string; embed: string }): ExpectedRead[] {
  const { row: { slug, title } } = podcast, published = publishedOf(podcast), [latest] = published;
  const ifPublic = (required: () => string[], allowed: string[] = []): Expectation =>
    isPublic(podcast) ? { status: 200, required: required(), allowed } : NOT_FOUND;
  const page = isGone(podcast)
    ? { status: 410, required: tokensIn(podcast.redirectUrl ?? "") }
    : ifPublic(() => [...tokensIn(String(title))], publicTokens(podcast));
  const player = ifPublic(() => tokensOf(podcast.row, "title author slug"), publicTokens(podcast));
  return [
    { path: `/v1/podcasts/${slug}`, ...ifPublic(() => podcastTokens(podcast)) },
    { path: `/v1/podcasts/${slug}/episodes`, ...ifPublic(() => [slug, ...published.flatMap(episodeTokens)]) },
    { path: `/v1/podcasts/${slug}/episodes?limit=1`, ...ifPublic(() => [slug, ...episodeTokens(latest)]) },
    { path: `/v1/podcasts/${slug}/episodes?q=cnry`, ...ifPublic(() => [slug, ...published.flatMap(episodeTokens)]) },
    {
      path: `/sitemap/${slug}.xml`,
      ...ifPublic(() => [slug, ...published.flatMap(({ row }) => tokensOf(row, "slug"))]),
    },
    { path: `/v1/podcasts/${slug}/episodes/latest`, ...ifPublic(() => [slug, ...episodeTokens(latest)]) },
    { path: `/feeds/${slug}.xml`, ...expectedFeed(podcast) },
    { path: `/listen/${slug}`, ...page },
    { path: `/latest/${slug}`, ...page },
    { path: `/show/${slug}`, ...page },
    ...[`${urls.listen}/${slug}`, `${urls.embed}/latest/${slug}`, `${urls.embed}/show/${slug}`].flatMap((url) =>
      oembedReads(url, player)
    ),
  ];
}

function expectedFeed(podcast: Podcast): Expectation {
  const redirect = tokensIn(podcast.redirectUrl ?? "");
  if (!podcast.isNative) return NOT_FOUND;
  if (isGone(podcast)) return { status: podcast.redirectUrl ? 301 : 410, required: redirect };
  return {
    status: podcast.redirectUrl ? 301 : 200,
    required: [...channelTokens(podcast), ...publishedOf(podcast).flatMap(itemTokens)],
    // URLs of our own files have ids
    allowed: [podcast.row.id, ...publishedOf(podcast).flatMap(({ row }) => tokensOf(row, "id description"))],
  };
}

const oembedReads = (url: string, expected: Expectation): ExpectedRead[] =>
  ["json", "xml"].map((format) => ({ path: `/v1/oembed?${new URLSearchParams({ url, format })}`, ...expected }));

function episodeReads(podcast: Podcast, episode: Episode, urls: { listen: string; embed: string }): ExpectedRead[] {
  const { row: { id, slug, title }, transcripts, chapters } = episode, show = podcast.row.slug;
  const isPublished = !isGone(podcast) && episode.state === "published";
  const everything = isPublished ? publicTokens(podcast, [episode]) : [];
  const ifPublished = (required: () => Iterable<string>, allowed: string[] = []): Expectation =>
    isPublished ? { status: 200, required: required(), allowed } : NOT_FOUND;
  const facts = ifPublished(() => [show, ...episodeTokens(episode)]);
  const shown = ifPublished(() => tokensIn(String(title)), everything);
  const redirect = tokensIn(podcast.redirectUrl ?? "");
  // an episode's page leads to its neighbors, and that of an unknown one to its podcast
  const linked = publishedOf(podcast).flatMap(({ row }) => tokensOf(row, "slug title"));
  const page = isGone(podcast)
    ? { status: 410, required: redirect }
    : isPublished
    ? { ...shown, allowed: [...everything, ...linked] }
    : {
      ...NOT_FOUND,
      allowed: isPublic(podcast) ? podcastTokens(podcast) : [],
    };
  // the tombstone of a podcast knows the episodes that were ever public
  const wasPublic = episode.state !== "draft" && episode.state !== "scheduled";
  const player = isGone(podcast) && wasPublic ? { status: 410, required: redirect } : shown;
  return [
    { path: `/v1/podcasts/${show}/episodes/${slug}`, ...facts },
    { path: `/v1/podcasts/${show}/episodes/${id}`, ...facts },
    { path: `/v1/episodes/${id}`, ...facts },
    {
      path: `/v1/episodes/${id}/transcripts`,
      ...ifPublished(() => transcripts.flatMap((transcript) => tokensOf(transcript, "id url"))),
    },
    {
      path: `/chapters/${id}.json`,
      ...chapters.length
        ? ifPublished(() => [
          ...chapterTokens(episode),
          ...tokensOf(episode.row, "title"),
          ...tokensOf(podcast.row, "title author"),
        ])
        : NOT_FOUND,
    },
    ...transcripts.map((transcript) => ({
      path: `/transcripts/${transcript.id}.vtt`,
      ...isPublished && transcript.bytes !== null ? { status: 302, required: tokensOf(transcript, "url") } : NOT_FOUND,
    })),
    { path: `/listen/${show}/${slug}`, ...page },
    { path: `/listen/${show}/${id}`, ...page },
    { path: `/ep/${id}`, ...player },
    ...[`${urls.listen}/${show}/${slug}`, `${urls.embed}/ep/${id}`].flatMap((url) => oembedReads(url, shown)),
  ];
}

/** What a stranger may get from a function of the database. Active booking links are for everyone who knows them. */
export function rpcTokens({ podcasts }: World, name: string): string[] {
  if (name === "get_public_booking_link" || name === "get_availability" || name === "get_month_availability") {
    return podcasts.flatMap(bookingLinkTokens);
  }
  return /^(get|list)_(latest_)?public_|^get_oembed$/.test(name) ? podcasts.flatMap((each) => publicTokens(each)) : [];
}

/** A booking link does not require a published episode. */
export function bookingLinkTokens(podcast: Podcast): string[] {
  const { bookingLink, row, state } = podcast;
  if (!bookingLink.is_active || isGone(podcast) || state === "leaving" || state === "moving") return [];
  return [
    ...tokensOf(bookingLink, "id slug name description questions"),
    ...tokensOf(row, "id slug title cover_image_url"),
  ];
}
