/**
 * The result of reading a feed. Texts are trimmed and safe to store (no control characters), URLs are absolute, and
 * missing or ambiguous values are null.
 */
import type { Loss } from "./losses.ts";
import type { CountedWarning, Warning } from "./warnings.ts";

export interface FeedItem {
  /** From 0, in document order over all pages. */
  position: number;
  /** Unchanged: guid, else rdf:about. If missing: the enclosure's URL, the link or the title (`GUID_MISSING`). */
  guid: string;
  /** Text, never a number: `007` is kept. */
  title: string | null;
  itunesTitle: string | null;
  /** The item's page: its link, else its Atom link, else its GUID if that is a permalink. */
  link: string | null;
  /** Text or HTML. */
  description: string | null;
  /** content:encoded: HTML. */
  content: string | null;
  /** itunes:summary: text or HTML. */
  summary: string | null;
  /** itunes:subtitle, in one line. */
  subtitle: string | null;
  /**
   * ISO 8601 in UTC, such as `2024-05-01T10:00:00.000Z`. Null (DATE_ESTIMATED) is estimated after the feed is staged.
   */
  pubDate: string | null;
  enclosure: Enclosure | null;
  /** itunes:duration, else that of Media RSS: whole seconds, greater than 0. */
  durationSeconds: number | null;
  /** itunes:season, else podcast:season; like episode a non-negative integer. */
  season: number | null;
  episode: number | null;
  episodeType: "full" | "trailer" | "bonus" | null;
  /** Null means the channel's value. */
  explicit: boolean | null;
  /** itunes:block. */
  isBlocked: boolean | null;
  /** itunes:image, else media:thumbnail unless it is small. */
  image: string | null;
  persons: Person[];
  transcripts: Transcript[];
  /** URL of podcast:chapters. */
  chapters: string | null;
  /** psc:chapters, written into the feed. */
  simpleChapters: SimpleChapter[];
  /** podcast:season name="…". */
  seasonName: string | null;
  /** podcast:episode display="…", or its number if that is not an integer. */
  episodeDisplay: string | null;
  soundbites: Written<Soundbite>[];
  locations: Written<Location>[];
  license: string | null;
  licenseUrl: string | null;
  images: Written<Image>[];
  socialInteractions: Written<SocialInteraction>[];
  valueBlocks: WrittenValueBlock[];
  alternateEnclosures: Written<AlternateEnclosure>[];
  contentLinks: ContentLink[];
  funding: Funding[];
  /** podcast:txt. */
  texts: Text[];
  /** itunes:keywords. */
  keywords: string[];
  /** RSS's category. */
  tags: Tag[];
  /** Elements that are not modelled, for our feed: well-formed XML that declares its namespaces. */
  extraTags: string[];
  /** Parts that are neither modelled nor carried. */
  losses: Loss[];
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

// The shapes below omit missing members. private.feed_shapes() has their limits.

/** As the feed has it: instead of a number or a choice, the text that the database repairs or rejects. */
export type Written<T> = T extends (infer One)[] ? Written<One>[]
  : T extends object ? { [Name in keyof T]: Written<T[Name]> }
  : T extends string ? string
  : T extends undefined ? T
  : T | string;

/** The database rejects a value block as a whole if something is missing. */
type Partly<T> = T extends (infer One)[] ? Partly<One>[]
  : T extends object ? { [Name in keyof T]?: Partly<T[Name]> }
  : T;
/** Several remote items are invalid. */
export type WrittenTimeSplit = Partly<Written<Omit<ValueTimeSplit, "remoteItem">>> & {
  remoteItem?: Partly<RemoteItem> | Partly<RemoteItem>[];
};
export type WrittenValueBlock = Partly<Written<Omit<ValueBlock, "timeSplits">>> & { timeSplits?: WrittenTimeSplit[] };

export interface SimpleChapter {
  startSeconds: number;
  title: string;
  href?: string;
  image?: string;
}

export interface Soundbite {
  startSeconds: number;
  durationSeconds: number;
  title?: string;
}

export interface Location {
  name: string;
  rel?: "subject" | "creator";
  geo?: string;
  osm?: string;
  country?: string;
}

/** podcast:image, or a source of podcast:images. */
export interface Image {
  href: string;
  alt?: string;
  aspectRatio?: string;
  width?: number;
  height?: number;
  type?: string;
  purpose?: string;
}

export interface SocialInteraction {
  protocol: string;
  uri?: string;
  accountId?: string;
  accountUrl?: string;
  priority?: number;
}

export interface ContentLink {
  href: string;
  text?: string;
}

export interface Funding {
  url: string;
  text: string | null;
}

export interface Text {
  text: string;
  purpose?: string | null;
}

export interface Tag {
  text: string;
  domain?: string;
}

export interface AlternateEnclosure {
  type: string;
  length?: number;
  bitrate?: number;
  height?: number;
  lang?: string;
  title?: string;
  rel?: string;
  codecs?: string;
  default?: boolean;
  sources: MediaSource[];
  integrity?: Integrity;
}

export interface MediaSource {
  uri: string;
  contentType?: string;
}

export interface Integrity {
  type: "sri" | "pgp-signature";
  value: string;
}

export interface ValueBlock {
  type: string;
  method: string;
  suggested?: string | number;
  recipients: ValueRecipient[];
  timeSplits?: ValueTimeSplit[];
}

export interface ValueRecipient {
  name?: string;
  type: string;
  address: string;
  split: number;
  customKey?: string;
  customValue?: string;
  fee?: boolean;
}

/** Times in seconds. */
export interface ValueTimeSplit {
  startTime: number;
  duration: number;
  remoteStartTime?: number;
  remotePercentage?: number;
  remoteItem?: RemoteItem;
  recipients?: ValueRecipient[];
}

export interface RemoteItem {
  feedGuid: string;
  feedUrl?: string;
  itemGuid?: string;
  medium?: string;
  title?: string;
}

export type Publisher = Pick<RemoteItem, "feedGuid" | "feedUrl">;

export interface UpdateFrequency {
  text: string;
  complete?: boolean;
  dtstart?: string;
  rrule?: string;
}

/** podcast:block with an id. */
export interface DirectoryBlock {
  id: string;
  isBlocked: boolean;
}

/** RSS's image. */
export interface RssImage {
  url: string;
  title?: string;
  link?: string;
  width?: number;
  height?: number;
  description?: string;
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
  verifyTexts: Text[];
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
  funding: Funding[];
  persons: Person[];
  /** itunes:block, or podcast:block without an id. */
  isBlocked: boolean | null;
  directoryBlocks: DirectoryBlock[];
  /** itunes:complete. */
  isComplete: boolean | null;
  /** itunes:new-feed-url that is another address than the document's. */
  newFeedUrl: string | null;
  locations: Written<Location>[];
  license: string | null;
  licenseUrl: string | null;
  updateFrequency: Written<UpdateFrequency> | null;
  podroll: RemoteItem[];
  /** podcast:remoteItem in the channel. */
  remoteItems: RemoteItem[];
  publisher: Publisher | null;
  images: Written<Image>[];
  rssImage: RssImage | null;
  socialInteractions: Written<SocialInteraction>[];
  valueBlocks: WrittenValueBlock[];
  /** itunes:keywords. */
  keywords: string[];
  /** RSS's category. */
  tags: Tag[];
  /** As of an item. */
  extraTags: string[];
  losses: Loss[];
}

export interface Feed {
  channel: Channel;
  /** Number of distinct GUIDs passed on. */
  itemCount: number;
  /** Warnings of the feed and of all its items. */
  warnings: CountedWarning[];
  /** URL of the next page (RFC 5005), or null. */
  nextPage: string | null;
  /** The larger of its sizes as sent and decompressed. */
  bytes: number;
}
