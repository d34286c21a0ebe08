/**
 * What reading a podcast's feed gives. Texts are trimmed and safe to store (no control characters); addresses are
 * absolute; what a feed does not say, or says so that nobody can tell what it means, is null and never a guess.
 */
import type { CountedWarning, Warning } from "./warnings.ts";

export interface FeedItem {
  /** From 0, in the order of the document, over all pages. */
  position: number;
  /** Letter for letter. Where the feed gives none: the enclosure's address, the link or the title (`GUID_MISSING`). */
  guid: string;
  /** As text, never a number: `007` stays. */
  title: string | null;
  itunesTitle: string | null;
  link: string | null;
  /** Text or HTML, as the feed has it. */
  description: string | null;
  /** content:encoded: HTML. */
  content: string | null;
  /** itunes:summary, without it itunes:subtitle. */
  summary: string | null;
  /** ISO 8601 in UTC, `2024-05-01T10:00:00.000Z`; null (DATE_ESTIMATED) is dated when the whole feed was staged. */
  pubDate: string | null;
  enclosure: Enclosure | null;
  /** Whole seconds, more than 0. */
  durationSeconds: number | null;
  /** Of itunes:season, without it podcast:season; whole and not negative, as is episode. */
  season: number | null;
  episode: number | null;
  episodeType: "full" | "trailer" | "bonus" | null;
  /** Null: as the channel's. */
  explicit: boolean | null;
  /** itunes:block. */
  isBlocked: boolean | null;
  image: string | null;
  persons: Person[];
  transcripts: Transcript[];
  /** The address of podcast:chapters. */
  chapters: string | null;
  keywords: string[];
  warnings: Warning[];
}

export interface Enclosure {
  url: string;
  /** Bytes as claimed, more than 0. */
  length: number | null;
  /** `audio/mpeg`: as claimed, in lower case, without parameters; null when it is no media type at all. */
  type: string | null;
}

/** podcast:person. Role and group as written; without them the namespace means host and cast. */
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
  /** podcast:locked; null where the feed does not say. */
  locked: boolean | null;
  lockedOwner: string | null;
  /** podcast:txt of every purpose but the two below; purpose null where it has none. */
  verifyTexts: { text: string; purpose: string | null }[];
  /** itunes:applepodcastsverify, or podcast:txt with this purpose. */
  appleVerifyToken: string | null;
  /** podcast:txt purpose="ai-content": `true`, or a sentence. */
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
  /** How many different GUIDs were handed on. */
  itemCount: number;
  /** Of the feed and of all its items. */
  warnings: CountedWarning[];
  /** Where the feed goes on (RFC 5005), when it does. */
  nextPage: string | null;
}
