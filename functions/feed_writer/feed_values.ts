/**
 * Feed values of podcasts and episodes as stored: those that the reader returns, with names in snake case
 * (private.snake_case_members). sql/20_podcasts/rules/feed_values.sql defines and limits them.
 */
import type * as read from "../feed_reader/feed.ts";

type Stored<T> = T extends number ? Amount
  : T extends (infer Element)[] ? Stored<Element>[]
  : T extends object ? { [Name in keyof T as SnakeCase<Name & string>]: Stored<T[Name]> }
  : T;
type SnakeCase<Name extends string> = Name extends `${infer First}${infer Rest}`
  ? `${First extends Lowercase<First> ? First : `_${Lowercase<First>}`}${SnakeCase<Rest>}`
  : Name;

/** A number, or its text, which keeps the digits as given. */
export type Amount = number | string;
export type Txt = Stored<read.Text>;
export type RemoteItem = Stored<read.RemoteItem>;
export type Recipient = Stored<read.ValueRecipient>;
export type TimeSplit = Stored<read.ValueTimeSplit>;
export type ValueBlock = Stored<read.ValueBlock>;
export type AlternateEnclosure = Stored<read.AlternateEnclosure>;

type Shared =
  | "license"
  | "licenseUrl"
  | "funding"
  | "locations"
  | "images"
  | "socialInteractions"
  | "valueBlocks"
  | "keywords"
  | "tags"
  | "extraTags";
type OfPodcasts = "verifyTexts" | "updateFrequency" | "podroll" | "remoteItems" | "publisher" | "directoryBlocks";
type OfEpisodes = "texts" | "soundbites" | "contentLinks" | "alternateEnclosures";

/** The database repairs what is read. */
interface Repaired {
  valueBlocks: read.ValueBlock[];
  alternateEnclosures: read.AlternateEnclosure[];
}
type Values<T> = Stored<{ [Name in keyof T]: Name extends keyof Repaired ? Repaired[Name] : T[Name] }>;

/** Values that podcasts and episodes share. */
export type FeedValues = Values<Pick<read.Channel, Shared>>;
export type PodcastValues = Values<Pick<read.Channel, Shared | OfPodcasts>>;
export type EpisodeValues = Values<Pick<read.FeedItem, Shared | OfEpisodes>>;
