/** Everything that reading a feed may repair, leave out or not understand. Adding one is adding an entry. */
import type { CountedWarning, Warning } from "./types.ts";

/** The sentence of each; what the feed says follows it where that helps. */
export const WARNINGS = {
  // the document
  CHARSET_UNKNOWN: "The feed names a character set that does not exist; it was recognized by its content",
  CHARSET_GUESSED: "The feed is not in the character set that it should be in; it was read as windows-1252",
  BYTES_REPAIRED: "Some bytes do not belong to the feed's character set; they were read as windows-1252",
  TEXT_BEFORE_FEED: "Something stands before the feed's first tag; it was skipped",
  DOCUMENT_TRUNCATED: "The feed ends early; what was complete is kept",
  CDATA_UNCLOSED: "A CDATA section was never closed; it was ended where its element ends",
  TAG_UNCLOSED: "A tag was never closed; it was ended where its parent ends",
  TAG_CASE: "A tag is closed in other letters than it was opened with; they were taken for the same",
  TAG_TOO_LONG: "A tag was longer than 65,536 characters; it was read as text",
  NAMESPACE_UNDECLARED: "A prefix is used without being declared; it was taken for what it usually means",
  NAMESPACE_UNKNOWN: "A well-known prefix is declared with another address; it was taken for what it usually means",
  PAGE_FAILED: "A further page of the feed could not be read; what came before it is kept",
  PAGES_ENDLESS: "The feed's pages lead in a circle or never end; the rest was left out",
  DTD_SKIPPED:
    "The feed's document type is too long, or its entities expand to more than 10,000 characters; it was skipped",
  // texts
  CONTROL_CHARACTERS: "Control characters were removed",
  ENTITY_UNDECLARED: "A named character was used that XML does not know; it was taken from HTML",
  ENTITIES_CUT:
    "The feed's own entities expand to more than 10,000 characters in one episode; the rest stays as written",
  ENTITY_UNKNOWN: "A named character is not known; it was left as it is written",
  AMPERSAND_BARE: "An ampersand was not escaped",
  ESCAPED_TWICE: "Text was escaped twice; it was decoded once more",
  MARKUP_UNESCAPED: "Markup was not escaped; it was kept as written",
  TEXT_CUT: "A text was too long; it was cut",
  LIST_CUT: "There were more than 100 of a kind, such as persons or categories; the rest was left out",
  // values
  URL_PADDED: "An address had spaces in or around it; they were removed",
  URL_RELATIVE: "An address was relative; it was completed from the feed's own",
  URL_UNUSABLE: "An address could not be understood; it was left out",
  DATE_MISSING: "The episode has no date",
  DATE_UNREADABLE: "A date could not be understood; it was left out",
  DATE_ESTIMATED:
    "The episode has no usable date; it is dated by its place in the feed, no later than the newest dated one",
  DATE_BEFORE_1970: "A date lies before 1970; it counts as 1970-01-01",
  DATE_WEEKDAY_WRONG: "The weekday does not fit the date; the date counts",
  DATE_ZONE_UNKNOWN: "A date's time zone is missing or not known; UTC was taken",
  DATE_REPAIRED: "A date was written in another way than RSS asks for; it was understood",
  DURATION_UNREADABLE: "A duration could not be understood; it was left out",
  NUMBER_UNREADABLE: "A season or episode is not a whole number; it was left out",
  VALUE_UNKNOWN: "A value is none of those that the specification knows; it was left out",
  // episodes
  TITLE_MISSING: "The episode has no title",
  GUID_MISSING: "The episode has no GUID; something else stands in for it",
  GUID_DUPLICATED: "Several episodes have the same GUID; the newest is kept",
  ITEM_NAMELESS: "An episode has neither a GUID nor anything that could stand in for it; it was left out",
  ENCLOSURE_MISSING: "The episode has no media file",
  ENCLOSURES_SEVERAL: "The episode has several media files; the first audio file was taken",
  LENGTH_UNREADABLE: "A file's length is missing or no number of bytes",
  TYPE_ODD: "A file's type is missing or not what a podcast's file should have",
} as const;

export type WarningCode = keyof typeof WARNINGS;

/** What the feed says is shown up to this many characters. */
const MAX_EXCERPT_CHARS = 80;

export function createWarning(code: WarningCode, excerpt?: string): Warning {
  const trimmed = excerpt?.trim();
  if (!trimmed) return { code, message: WARNINGS[code] };
  const shown = trimmed.length > MAX_EXCERPT_CHARS ? `${trimmed.slice(0, MAX_EXCERPT_CHARS).toWellFormed()}…` : trimmed;
  return { code, message: `${WARNINGS[code]}: ${shown}` };
}

/** Adds one to a list that has each code once. */
export function addWarning(warnings: Warning[], code: WarningCode, excerpt?: string) {
  if (!warnings.some((one) => one.code === code)) warnings.push(createWarning(code, excerpt));
}

/** Adds them up by code, in the order in which they first came. */
export function createWarningCounter() {
  const counts = new Map<WarningCode, CountedWarning>();
  return {
    add(warnings: readonly (Warning & { count?: number })[]) {
      for (const { code, message, count = 1 } of warnings) {
        const counted = counts.get(code);
        if (counted) counted.count += count;
        else counts.set(code, { code, message, count });
      }
    },
    list: (): CountedWarning[] => [...counts.values()],
  };
}

export type Tally = ReturnType<typeof createWarningCounter>;
