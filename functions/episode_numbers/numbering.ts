/** Input and result of the detection. */

/** The fields of a feed item that detection reads. */
export interface NumberedItem {
  guid: string;
  title: string | null;
  /** Any format of `new Date`; null or an invalid value means no date. */
  pubDate: string | null;
  /** itunes:season, else podcast:season. */
  season: number | null;
  /** itunes:episode, else podcast:episode: the publisher's own number, which takes precedence. */
  episode: number | null;
  /** full, bonus or trailer, in any letter case. */
  episodeType: string | null;
}

/** A title's number that contradicts the publisher's field or the series. */
export interface Conflict {
  guid: string;
  titleNumber: number;
  /** The publisher's number, which is kept; null if missing. */
  publisherNumber: number | null;
  /**
   * publisher_mismatch: the field and the title give different numbers. out_of_sequence: the title's number does not
   * fit between those of its neighbors and was not used. duplicate_number: another episode has the same number; both
   * keep it.
   */
  reason: "publisher_mismatch" | "out_of_sequence" | "duplicate_number";
}

export interface Detection {
  /**
   * The detected forms, most frequent first, such as `Episode {n}` or `S{s}E{n} / #{n}`; null if there is no series.
   */
  pattern: string | null;
  /** From 0 (nothing found) to 1. */
  confidence: number;
  /** Episode number by GUID; items without a certain number are absent. */
  numbers: Record<string, number>;
  conflicts: Conflict[];
  /** Season by GUID, from the publisher or the title's pattern; absent if no item has one. */
  seasons?: Record<string, number>;
}

/**
 * How much the form of a number proves. labeled: `Episode 5`, `S2E5`. prefixed: `#5`, `No. 5`. bare: `5: …`, `… |
 * 5`, or after a name. loose: `5 …`, `… 5`. ambiguous: a part, a volume, a day.
 */
export type Tier = "labeled" | "prefixed" | "bare" | "loose" | "ambiguous";

/** A position in which titles of a feed carry a number in the same way. */
export interface SlotKey {
  key: string;
  tier: Tier;
  /** The text shown in `pattern`. */
  shape: string;
}

/** A number read in a title. */
export interface Reading {
  value: number;
  season: number | null;
  /** Offset in the title. */
  at: number;
  slots: SlotKey[];
  /** The title's letters with this number, to recognize repeats. */
  words: string;
  /** The number has the label of a side series, such as `Bonus 3`. */
  isSide: boolean;
}
