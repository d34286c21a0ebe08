/** Rows that a feed is rendered from, as private.get_feed_for_rendering returns them. */
import type { EpisodeValues, PodcastValues } from "./feed_values.ts";
import type { TAXONOMY } from "./taxonomy.ts";

export interface FeedPodcast extends PodcastValues {
  id: string;
  slug: string;
  title: string;
  description: string;
  language: string;
  author: string | null;
  owner_name: string | null;
  /** Set only if the podcaster publishes it. */
  shown_owner_email: string | null;
  explicit: boolean;
  type: "episodic" | "serial";
  categories: { category: string; subcategory?: string | null }[];
  copyright: string | null;
  link: string | null;
  medium: string;
  is_complete: boolean;
  is_blocked: boolean;
  podcast_guid: string;
  locked: boolean;
  apple_verify_token: string | null;
  ai_disclosure: string | null;
  cover_image_url: string | null;
  /** Where the feed leads; null: it does not redirect. */
  redirect_url: string | null;
  /** Episodes per page; null: the feed has one page. */
  feed_page_size: number | null;
  /** URLs of the feed and of the podcast's page. */
  feed_url: string;
  listen_url: string | null;
  /** The installation's WebSub hub, if it has one. */
  hub_url: string | null;
  /** Whether podping announces changes of the feed. */
  uses_podping: boolean;
  /** In display order. */
  credits: Credit[];
  /** Published episodes of the type trailer, newest first, at most 20. */
  trailers: Trailer[];
  /** ISO 8601 text; null without a published episode. */
  newest_published_at: string | null;
}

export type Trailer = Pick<
  FeedEpisode,
  "title" | "published_at" | "season_number" | "audio_url" | "audio_file_size_bytes" | "audio_content_type"
>;

/** A person credited in a podcast or an episode. */
export interface Credit {
  name: string;
  role_label: keyof typeof TAXONOMY;
  avatar_url: string | null;
  external_url: string | null;
}

export interface FeedEpisode extends EpisodeValues {
  id: string;
  slug: string;
  guid: string;
  title: string;
  /** Null means the title. */
  itunes_title: string | null;
  subtitle: string | null;
  summary: string | null;
  description: string;
  /** The podcaster's own page; null means the service's. */
  link: string | null;
  /** Sanitized by the worker; raw notes are visible to the team only. */
  show_notes_safe_html: string | null;
  /** Version of the allow-list that sanitized the notes; null without notes. */
  show_notes_version: number | null;
  /** ISO 8601 text, because a Date would lose the microseconds. */
  published_at: string;
  updated_at: string;
  season_number: number | null;
  season_name: string | null;
  episode_number: number | null;
  episode_display: string | null;
  episode_type: "full" | "trailer" | "bonus";
  explicit: boolean;
  is_blocked: boolean;
  audio_url: string;
  audio_file_size_bytes: number;
  audio_content_type: string;
  audio_duration_seconds: number | null;
  audio_has_seek_table: boolean | null;
  cover_image_url: string | null;
  /** In display order. */
  transcripts: { url: string; type: string; language?: string | null; rel?: string | null }[];
  /** The document of the episode's chapters, which the service serves or another host. */
  chapters_url: string | null;
  /** In display order. */
  credits: Credit[];
  /** URL of the episode's page. */
  listen_url: string | null;
}

/**
 * Everything that an item and its findings take from its podcast. private.get_feed_for_rendering hashes it; items with
 * another hash are re-rendered.
 */
export interface PodcastContext {
  cover_image_url: string | null;
  /** The base of the episodes' pages: a change affects the link of every item. */
  listen_url: string | null;
  /** Items do not show it, but their findings depend on it. */
  type: FeedPodcast["type"];
}

export interface ChannelRow extends FeedPodcast {
  /** Time of the last content change; absent while contents are compared. */
  changed_at?: Date;
  /** Whether each page has links of its own, which renderPageLinks renders. */
  is_paged?: boolean;
}

export interface Item extends FeedEpisode {
  podcast: PodcastContext;
}
