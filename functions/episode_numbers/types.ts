/** What detection is given of an item, and what it says of a feed. */

/** The fields of a feed's item that detection reads. */
export interface NumberedItem {
  guid: string;
  title: string | null;
  /** Whatever `new Date` reads; null, or nothing that it reads, is no date. */
  pubDate: string | null;
  /** itunes:season, or podcast:season. */
  season: number | null;
  /** itunes:episode, or podcast:episode: the publisher's own word, which wins. */
  episode: number | null;
  /** full, bonus or trailer, in any letter case. */
  episodeType: string | null;
  durationSeconds?: number | null;
}

/** A title's number that contradicts the publisher's field or the series. */
export interface Conflict {
  guid: string;
  titleNumber: number;
  /** The publisher's own number, which was kept; null where there is none. */
  publisherNumber: number | null;
  /**
   * publisher_mismatch: the field and the title give different numbers. out_of_sequence: the title's number does not
   * fit between those of its neighbours and was not used. duplicate_number: another episode has the same number; both
   * keep it.
   */
  reason: "publisher_mismatch" | "out_of_sequence" | "duplicate_number";
}

export interface Detection {
  /** The forms found, most frequent first, such as `Episode {n}` or `S{s}E{n} / #{n}`; null when there is no series. */
  pattern: string | null;
  /** 0 (nothing found) to 1. */
  confidence: number;
  /** Episode number by GUID. An item of which nothing certain is known is absent. */
  numbers: Record<string, number>;
  conflicts: Conflict[];
  /** Season by GUID, where the publisher or the title's pattern tells it; absent when no item has one. */
  seasons?: Record<string, number>;
}

/**
 * How much the form of a number says by itself. labelled: `Episode 5`, `S2E5`. prefixed: `#5`, `No. 5`. bare: `5: …`,
 * `… | 5`, or after a name. loose: `5 …`, `… 5`. ambiguous: a part, a volume, a day.
 */
export type Tier = "labelled" | "prefixed" | "bare" | "loose" | "ambiguous";

/** A place where titles of one feed carry a number in the same way. */
export interface SlotKey {
  key: string;
  tier: Tier;
  /** For `pattern`. */
  shape: string;
}

/** A number read in a title. */
export interface Reading {
  value: number;
  season: number | null;
  /** Offset in the title. */
  at: number;
  slots: SlotKey[];
  /** The title's letters with this number, to know it again. */
  words: string;
  /** The number bears the word of a side series, such as `Bonus 3`. */
  isSide: boolean;
}
