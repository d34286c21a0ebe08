/** What a feed is made from: rows as private.get_feed_for_rendering() hands them over. */
import type { TAXONOMY } from "./taxonomy.ts";

export interface FeedPodcast {
  id: string;
  slug: string;
  title: string;
  description: string;
  language: string;
  author: string | null;
  owner_name: string | null;
  /** Only when the podcaster asks for it to be shown; the database leaves it out otherwise. */
  shown_owner_email: string | null;
  explicit: boolean;
  type: "episodic" | "serial";
  categories: { category: string; subcategory?: string | null }[];
  copyright: string | null;
  link: string | null;
  medium: string;
  funding: { url: string; text?: string | null }[];
  is_complete: boolean;
  is_blocked: boolean;
  podcast_guid: string;
  locked: boolean;
  verify_texts: { text: string; purpose?: string | null }[];
  apple_verify_token: string | null;
  ai_disclosure: string | null;
  cover_image_url: string | null;
  /** Where the feed is served, and the show's page: URIs. */
  feed_url: string;
  listen_url: string;
}

/** Who is named in an episode. */
export interface Credit {
  name: string;
  role_label: keyof typeof TAXONOMY;
  avatar_url: string | null;
  external_url: string | null;
}

export interface FeedEpisode {
  id: string;
  slug: string;
  guid: string;
  title: string;
  /** Null: the title. */
  itunes_title: string | null;
  summary: string | null;
  description: string;
  /** Sanitized by the worker; the raw notes never leave the team. */
  show_notes_safe_html: string | null;
  /** Of the allow-list that sanitized them; null without notes. */
  show_notes_version: number | null;
  /** ISO 8601 with microseconds: kept as text, a Date would lose them. */
  published_at: string;
  updated_at: string;
  season_number: number | null;
  episode_number: number | null;
  episode_type: "full" | "trailer" | "bonus";
  explicit: boolean;
  is_blocked: boolean;
  audio_url: string;
  audio_file_size_bytes: number;
  audio_content_type: string;
  audio_duration_seconds: number | null;
  cover_image_url: string | null;
  transcripts: { url: string; type: string; language?: string | null; rel?: string | null }[];
  chapters_url: string | null;
  /** In their order. */
  credits: Credit[];
  /** The episode's page, a URI. */
  listen_url: string;
}

/** All that an item takes from its podcast: private.get_feed_for_rendering() hashes it, and renders the items of another hash anew. */
export interface Show {
  cover_image_url: string | null;
  /** The show's page, which the episodes' are below: another one means other links in every item. */
  listen_url: string;
}

export interface Channel extends FeedPodcast {
  /** When the content last changed; absent while two versions' contents are compared. */
  changed_at?: Date;
}

export interface Item extends FeedEpisode {
  show: Show;
}
