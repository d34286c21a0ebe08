/**
 * The result of reading a feed. Texts are trimmed and safe to store (no control characters), URLs are absolute, and
 * missing or ambiguous values are null.
 */
import type { CountedWarning, Warning } from "./warnings.ts";

export interface FeedItem {
  /** From 0, in document order over all pages. */
  position: number;
  /** Unchanged. If missing: the enclosure's URL, the link or the title (`GUID_MISSING`). */
  guid: string;
  /** Text, never a number: `007` is kept. */
  title: string | null;
  itunesTitle: string | null;
  link: string | null;
  /** Text or HTML. */
  description: string | null;
  /** content:encoded: HTML. */
  content: string | null;
  /** itunes:summary, else itunes:subtitle. */
  summary: string | null;
  /**
   * ISO 8601 in UTC, such as `2024-05-01T10:00:00.000Z`. Null (DATE_ESTIMATED) is estimated after the feed is staged.
   */
  pubDate: string | null;
  enclosure: Enclosure | null;
  /** Whole seconds, greater than 0. */
  durationSeconds: number | null;
  /** itunes:season, else podcast:season; like episode a non-negative integer. */
  season: number | null;
  episode: number | null;
  episodeType: "full" | "trailer" | "bonus" | null;
  /** Null means the channel's value. */
  explicit: boolean | null;
  /** itunes:block. */
  isBlocked: boolean | null;
  image: string | null;
  persons: Person[];
  transcripts: Transcript[];
  /** URL of podcast:chapters. */
  chapters: string | null;
  keywords: string[];
  warnings: Warning[];
}

export interface Enclosure {
  url: string;
  /** Declared bytes, greater than 0. */
  length: number | null;
  /** The declared type in lower case without parameters (`audio/mpeg`); null if it is malformed. */
  type: string | null;
}

/** podcast:person. Role and group are unchanged; null means host and cast. */
export interface Person {
  name: string;
  role: string | null;
  group: string | null;
  img: string | null;
  href: string | null;
}

export interface Transcript {
  url: string;
  type: string | null;
  language: string | null;
  rel: string | null;
}

export interface Channel {
  title: string | null;
  description: string | null;
  link: string | null;
  language: string | null;
  author: string | null;
  /** itunes:owner. */
  ownerName: string | null;
  ownerEmail: string | null;
  /** podcast:locked; null if missing. */
  locked: boolean | null;
  lockedOwner: string | null;
  /** podcast:txt of all purposes except the two below; `purpose` is null if missing. */
  verifyTexts: { text: string; purpose: string | null }[];
  /** itunes:applepodcastsverify, or podcast:txt with this purpose. */
  appleVerifyToken: string | null;
  /** podcast:txt purpose="ai-content": `true` or a sentence. */
  aiDisclosure: string | null;
  podcastGuid: string | null;
  medium: string | null;
  categories: { category: string; subcategory: string | null }[];
  explicit: boolean | null;
  type: "episodic" | "serial" | null;
  image: string | null;
  copyright: string | null;
  /** ISO 8601 in UTC. */
  lastBuildDate: string | null;
  funding: { url: string; text: string | null }[];
  persons: Person[];
}

export interface Feed {
  channel: Channel;
  /** Number of distinct GUIDs passed on. */
  itemCount: number;
  /** Warnings of the feed and of all its items. */
  warnings: CountedWarning[];
  /** URL of the next page (RFC 5005), or null. */
  nextPage: string | null;
}
