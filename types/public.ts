/** The keyless public read API, /v1. Fields may be added, never changed. */
import { z } from "zod";
import { cursorParam, Id, idParam, integerParam, LanguageTag, pageOf, successEnvelope, Timestamp } from "./envelope.ts";
import { CreditRoleLabel } from "./people.ts";

const Slug = z.string().min(1).describe("Slug of the podcast");

export const SlugPathParams = z.object({ slug: Slug });

/** The path of a feed, /feeds/{slug}.xml: the parameter holds the file name. */
export const FeedPathParams = z.object({
  slug: Slug.transform((file) => file.slice(0, -".xml".length)),
});

/** A feed without pages is its page 1. */
export const FeedQuery = z.object({
  page: integerParam(1, 1_000_000).default(1).meta({ default: 1 }).describe("1 is the newest"),
});

/** The path of a chapters document, /chapters/{episodeId}.json: the parameter holds the file name. */
export const ChaptersPathParams = z.object({
  episodeId: z.string().meta({ format: "uuid", description: "Id of the episode" }).transform((file) =>
    file.slice(0, -".json".length)
  ).pipe(Id),
});

/** The path of a transcript, /transcripts/{file}. */
export const TranscriptPathParams = z.object({
  file: z.string().regex(/^[0-9a-f-]{36}\.(?:vtt|srt|json|html|txt)$/i, "must be a transcript's id and a format")
    .describe("<transcriptId>.vtt, .srt, .json, .html or .txt")
    .meta({ pattern: "^[0-9A-Fa-f]{8}(-[0-9A-Fa-f]{4}){3}-[0-9A-Fa-f]{12}\\.(vtt|srt|json|html|txt)$" }),
});

/** A smaller copy of an image. */
export const ImageCopy = z.strictObject({
  url: z.url(),
  type: z.enum(["image/webp", "image/jpeg"]),
  width: z.int().describe("Pixels"),
  height: z.int().describe("Pixels"),
}).meta({ id: "ImageCopy" });

/** In the order of their width; for previews, `srcset` and small players. */
export const ImageCopies = z.array(ImageCopy).describe(
  "Smaller copies of the image, by width; empty until they are made, and for images that are hosted elsewhere",
);

/** A credited person, as in the feed. */
const PublicCredit = z.strictObject({
  name: z.string(),
  roleLabel: CreditRoleLabel,
  avatarUrl: z.string().nullable(),
  avatarCopies: ImageCopies,
  externalUrl: z.string().nullable().describe("Page about the person"),
}).meta({ id: "PublicCredit" });

/** Directories and apps whose page of a podcast its owner can name. AntennaPod and others open the feed itself. */
export const DIRECTORIES = [
  "apple_podcasts",
  "spotify",
  "youtube",
  "amazon_music",
  "pocket_casts",
  "overcast",
  "podcast_addict",
  "castbox",
] as const;

const DirectoryLink = z.strictObject({
  directory: z.enum(DIRECTORIES),
  url: z.url().describe("The podcast's page in the directory"),
}).meta({ id: "DirectoryLink" });

const PAGE_URL_DESCRIPTION = "Page of the listen pages; null if the installation has no domain for pages";

const PODCAST_EXAMPLE = {
  id: "0b9f2f64-6f0e-4d57-9a53-0c1d0a9b7c11",
  slug: "harbor-light",
  title: "Harbor Light",
  description: "Stories from ports and the people who work there.",
  author: "Ada Marin",
  language: "en",
  explicit: false,
  type: "episodic",
  categories: [{ category: "Society & Culture", subcategory: "Documentary" }],
  funding: [{ url: "https://harbor.example/support", text: "Support the show" }],
  link: "https://harbor.example",
  directoryLinks: [{ directory: "spotify", url: "https://open.spotify.com/show/4rOoJ6Egrf8K2IrywzwOMk" }],
  coverImageUrl: "https://media.example/harbor-light/cover.jpg",
  coverCopies: [{ url: "https://media.example/harbor-light/160.webp", type: "image/webp", width: 160, height: 160 }],
  listenUrl: "https://listen.example/harbor-light",
  feedUrl: "https://feeds.example/feeds/harbor-light.xml",
  podcastGuid: "5c1f0c1e-8a4b-5f0d-9d43-2f6b7d2f5f10",
  episodeCount: 42,
  latestEpisodeAt: "2026-07-01T06:00:00Z",
  credits: [{
    name: "Ada Marin",
    roleLabel: "Host",
    avatarUrl: null,
    avatarCopies: [],
    externalUrl: "https://ada.example",
  }],
};

/** A published podcast. */
export const PublicPodcast = z.strictObject({
  id: Id,
  slug: z.string(),
  title: z.string(),
  description: z.string().describe("Plain text"),
  author: z.string().nullable(),
  language: LanguageTag,
  explicit: z.boolean(),
  type: z.enum(["episodic", "serial"]),
  categories: z.array(z.strictObject({ category: z.string(), subcategory: z.string().optional() }))
    .describe("Apple's categories, the main one first"),
  funding: z.array(z.strictObject({ url: z.string(), text: z.string() })),
  link: z.string().nullable().describe("The podcast's own website"),
  directoryLinks: z.array(DirectoryLink).describe("The podcast's pages in directories"),
  coverImageUrl: z.string().nullable(),
  coverCopies: ImageCopies,
  listenUrl: z.url().nullable().describe(PAGE_URL_DESCRIPTION),
  feedUrl: z.url().nullable().describe("null for externally hosted podcasts"),
  podcastGuid: z.string().describe("podcast:guid of the feed"),
  episodeCount: z.int().describe("Published episodes"),
  latestEpisodeAt: Timestamp.nullable(),
  credits: z.array(PublicCredit).describe("In the order of the feed"),
}).meta({ id: "PublicPodcast", examples: [PODCAST_EXAMPLE] });

/** A transcript of a published episode. */
const PublicTranscript = z.strictObject({
  id: Id,
  type: z.string().describe("MIME type of the file at url"),
  language: LanguageTag.nullable().describe("BCP 47; null for the podcast's language"),
  rel: z.literal("captions").nullable(),
  url: z.string(),
  formats: z.array(z.strictObject({ type: z.string(), url: z.url() }))
    .describe("Formats in which the service returns the transcript; empty if it is hosted elsewhere"),
}).meta({ id: "PublicTranscript" });

const EPISODE_ID = "7d3c6a52-1b7e-4f0c-8c0e-5f2a9d4b6e21", TRANSCRIPT_ID = "c2a4e8d0-95b3-4c1f-a7d6-3e8b1f5a9c42";
const EPISODE_EXAMPLE = {
  id: EPISODE_ID,
  podcastSlug: PODCAST_EXAMPLE.slug,
  slug: "night-ferry",
  guid: EPISODE_ID,
  title: "The Night Ferry",
  description: "One crossing with the crew of the last ferry of the day.",
  showNotesHtml: "<p>One crossing with the crew of the last ferry of the day.</p>",
  seasonNumber: 2,
  episodeNumber: 7,
  episodeType: "full",
  explicit: false,
  publishedAt: PODCAST_EXAMPLE.latestEpisodeAt,
  durationSeconds: 1834,
  audioUrl: "https://media.example/harbor-light/night-ferry.mp3",
  audioContentType: "audio/mpeg",
  audioFileSizeBytes: 29344768,
  coverImageUrl: null,
  coverCopies: [],
  link: "https://harbor-light.example/night-ferry",
  listenUrl: "https://listen.example/harbor-light/night-ferry",
  embedUrl: `https://embed.example/ep/${EPISODE_ID}`,
  credits: PODCAST_EXAMPLE.credits,
  transcripts: [{
    id: TRANSCRIPT_ID,
    type: "text/vtt",
    language: null,
    rel: "captions",
    url: `https://feeds.example/transcripts/${TRANSCRIPT_ID}.vtt`,
    formats: [{ type: "text/vtt", url: `https://feeds.example/transcripts/${TRANSCRIPT_ID}.vtt` }],
  }],
  chapters: { url: `https://feeds.example/chapters/${EPISODE_ID}.json`, type: "application/json+chapters" },
};

/** A published episode. Other episodes do not exist in this API. */
export const PublicEpisode = z.strictObject({
  id: Id,
  podcastSlug: z.string(),
  slug: z.string(),
  guid: z.string(),
  title: z.string(),
  description: z.string().describe(
    "Plain text: the description, else the summary, the text of the show notes or the subtitle",
  ),
  showNotesHtml: z.string().nullable().describe(
    "Sanitized HTML; null without notes. An edit appears once it is sanitized",
  ),
  seasonNumber: z.int().nullable(),
  episodeNumber: z.int().nullable(),
  episodeType: z.enum(["full", "trailer", "bonus"]),
  explicit: z.boolean(),
  publishedAt: Timestamp,
  durationSeconds: z.int().nullable(),
  audioUrl: z.url().nullable(),
  audioContentType: z.string().nullable(),
  audioFileSizeBytes: z.int().nullable(),
  coverImageUrl: z.string().nullable(),
  coverCopies: ImageCopies,
  link: z.string().nullable().describe("The episode's page on the podcast's own website"),
  listenUrl: z.url().nullable().describe(PAGE_URL_DESCRIPTION),
  embedUrl: z.url().nullable().describe("Page of the player for iframes; null as listenUrl"),
  credits: z.array(PublicCredit).describe("In the order of the feed"),
  transcripts: z.array(PublicTranscript).describe("In the order of the feed"),
  chapters: z.strictObject({ url: z.string(), type: z.literal("application/json+chapters") }).nullable()
    .describe("JSON chapters of the podcast namespace, of this service or hosted elsewhere"),
}).meta({ id: "PublicEpisode", examples: [EPISODE_EXAMPLE] });

/** Characters of a search. */
export const MAX_SEARCH_CHARS = 200;
/** The words of a search; their length is counted in characters, as in the database. */
export const searchParam = z.string().refine(
  (text) => text.trim() !== "" && [...text.trim().replace(/\s+/g, " ")].length <= MAX_SEARCH_CHARS,
  { message: `must have 1 to ${MAX_SEARCH_CHARS} characters`, abort: true },
).meta({ minLength: 1, maxLength: MAX_SEARCH_CHARS });

/** Of lists of episodes. Copies for outages have room for lists of this size. */
export const DEFAULT_EPISODES = 25;

/** GET /v1/podcasts/{slug}/episodes */
export const ListEpisodesQuery = z.object({
  limit: integerParam(1, 100).default(DEFAULT_EPISODES).meta({ default: DEFAULT_EPISODES }).describe(
    "Pages with long notes may be shorter: follow nextCursor",
  ),
  cursor: cursorParam,
  q: searchParam.optional().describe(
    "Only episodes whose title, description or notes have these words, in the podcast's language and without regard " +
      "to accents; the last word may be the beginning of one, and quoted words follow each other",
  ),
});

export const PodcastResponse = successEnvelope(PublicPodcast);
export const EpisodeResponse = successEnvelope(PublicEpisode);
export const ListEpisodesResponse = pageOf(PublicEpisode).meta({
  examples: [{
    success: true,
    data: [EPISODE_EXAMPLE],
    pagination: { nextCursor: "MTc4Mjg4NTYwMC4wMDAwMDAgN2QzYzZhNTI", hasMore: true },
  }],
});

/** GET /v1/episodes/{episodeId}, and its transcripts */
export const EpisodeIdPathParams = z.object({ episodeId: idParam("episode") });

/** GET /v1/podcasts/{slug}/episodes/{idOrSlug} */
export const EpisodePathParams = SlugPathParams.extend({
  idOrSlug: z.string().min(1).describe("Slug or id of the episode; a slug wins over an id"),
});

export const ListTranscriptsResponse = successEnvelope(z.array(PublicTranscript));

/** GET /chapters/{episodeId}.json: JSON chapters of the podcast namespace. */
export const JsonChapters = z.strictObject({
  version: z.literal("1.2.0"),
  title: z.string(),
  podcastName: z.string(),
  author: z.string().optional(),
  chapters: z.array(z.strictObject({
    startTime: z.number().describe("Seconds"),
    endTime: z.number().optional().describe("Seconds"),
    title: z.string().optional(),
    img: z.string().optional(),
    imageCopies: ImageCopies.optional().describe("Smaller copies of img, once they are made; not of the namespace"),
    url: z.string().optional(),
    toc: z.literal(false).optional().describe("Not in the table of contents"),
    location: z.strictObject({
      name: z.string(),
      rel: z.string().optional(),
      geo: z.string().optional(),
      osm: z.string().optional(),
      country: z.string().optional(),
    }).optional(),
  })),
}).meta({ id: "JsonChapters" });

/** GET /transcripts/{transcriptId}.json: a JSON transcript of the podcast namespace. */
export const JsonTranscript = z.strictObject({
  version: z.literal("1.0.0"),
  segments: z.array(z.strictObject({
    speaker: z.string().optional(),
    startTime: z.number().describe("Seconds"),
    endTime: z.number().describe("Seconds"),
    body: z.string(),
  })),
}).meta({ id: "JsonTranscript" });

/** Values that are not valid are ignored: a reader is shown a player. */
const playerOption = (description: string) =>
  z.string().regex(/^[\w#:-]{1,40}$/).optional().catch(undefined).describe(`${description}; other values are ignored`)
    .meta({ pattern: undefined });

/** What embedding pages choose, in the address of a frame and in oEmbed requests. */
export const PlayerOptionsQuery = z.object({
  theme: playerOption("light or dark; without it, or with auto, as the reader prefers"),
  accent: playerOption("Color of the play button, as in 0a6c74 or %230a6c74"),
  lang: playerOption("Language of the controls: en, de, es, fr, pt, ar or ja; without it the podcast's"),
  t: playerOption("Start: 90, 1:30 or 1m30s"),
});

/** A limit of the player's size. */
const sizeParam = integerParam(1, 2_147_483_647).optional();

/** GET /v1/oembed */
export const OEmbedQuery = PlayerOptionsQuery.extend({
  url: z.string().min(1).describe(
    "A listen page of a podcast or an episode, or a page of the player; theme, accent, lang and t may be in its query",
  ),
  format: z.string().default("json").meta({ default: "json" }).describe("json or xml; 501 for others"),
  maxwidth: sizeParam.describe("Pixels"),
  maxheight: sizeParam.describe("Pixels"),
});

/** An oEmbed response of the type rich, whose names and shape the standard defines. */
export const OEmbedResponse = z.strictObject({
  version: z.literal("1.0"),
  type: z.literal("rich"),
  title: z.string().describe("Of the episode, or of the podcast"),
  author_name: z.string(),
  author_url: z.url().describe("The podcast's listen page"),
  provider_name: z.string(),
  provider_url: z.url(),
  cache_age: z.int().describe("Seconds"),
  thumbnail_url: z.url().optional().describe("The cover or a copy of it, within maxwidth and maxheight"),
  thumbnail_width: z.int().optional(),
  thumbnail_height: z.int().optional(),
  width: z.int(),
  height: z.int(),
  html: z.string().describe("An iframe with the player"),
  podcast_slug: z.string().describe("Not of the standard"),
}).meta({ id: "OEmbed" });
