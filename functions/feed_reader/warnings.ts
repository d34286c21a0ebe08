/** The warnings about parts of a feed that the reader repairs, drops or cannot interpret. */
import type { ImportWarningCode } from "../../types/error_codes.ts";
import { maskAddresses } from "./mask_addresses.ts";

/** A warning of one item or of the feed, shown to the podcast's admins. */
export interface Warning {
  code: WarningCode;
  /** The text of the code, followed by an excerpt of the feed where that helps. */
  message: string;
}

/** A warning of the whole feed; the message is that of the first occurrence. */
export interface CountedWarning extends Warning {
  count: number;
}

/** The text of each code. An excerpt of the feed may follow it. */
export const WARNINGS = {
  // the document
  CHARSET_UNKNOWN: "The declared character set is unknown; it was detected from the content",
  CHARSET_MISMATCH: "The feed is in UTF-8, and was read so, although it declares another character set",
  CHARSET_UNDECLARED: "The feed declares no character set and is not in UTF-8; it was read as windows-1252",
  INVALID_BYTES: "Some bytes are invalid in the feed's character set; they were read as windows-1252",
  LEADING_CONTENT: "Content before the first tag was skipped",
  DOCUMENT_TRUNCATED: "The feed is truncated; complete episodes were kept",
  CDATA_UNCLOSED: "An unclosed CDATA section was closed at the end of its element",
  TAG_UNCLOSED: "An unclosed tag was closed at the end of its parent",
  TAG_CASE_MISMATCH: "Opening and closing tags differ in letter case; they were matched",
  TAG_TOO_LONG: "A tag longer than 65,536 characters was read as text",
  NAMESPACE_UNDECLARED: "An undeclared namespace prefix was given its usual meaning",
  NAMESPACE_UNKNOWN: "A well-known prefix is bound to an unknown namespace; it was given its usual meaning",
  PAGE_FETCH_FAILED: "A later page of the feed could not be read; earlier pages were kept",
  PAGINATION_LOOP: "Feed pagination loops or never ends; remaining pages were skipped",
  DTD_SKIPPED:
    "The feed's document type was skipped: it is too long, or its entities expand to more than 10,000 characters",
  // texts
  CONTROL_CHARACTERS: "Control characters were removed",
  ENTITY_UNDECLARED: "An HTML entity not defined in XML was decoded",
  ENTITIES_NOT_EXPANDED:
    "The feed's own entities expand to more than 10,000 characters in one episode; the rest were left unchanged",
  ENTITY_UNKNOWN: "An unknown entity was left unchanged",
  AMPERSAND_UNESCAPED: "An unescaped ampersand was kept as text",
  DOUBLE_ESCAPED: "Double-escaped text was decoded again",
  MARKUP_UNESCAPED: "Unescaped markup was kept unchanged",
  TEXT_TRUNCATED: "A text was too long and was truncated",
  LIST_TRUNCATED: "More than 500 entries of one kind (such as persons); the rest were dropped",
  // values
  URL_WHITESPACE: "Whitespace in a URL was removed",
  URL_RELATIVE: "A relative URL was resolved against the feed's URL",
  URL_INVALID: "A URL is invalid and was dropped",
  DATE_MISSING: "The episode has no date",
  DATE_INVALID: "A date is invalid and was dropped",
  DATE_ESTIMATED: "The episode has no usable date; it was dated by its position in the feed",
  DATE_BEFORE_1970: "A date before 1970 was set to 1970-01-01",
  DATE_WEEKDAY_MISMATCH: "The weekday does not match the date; the date was used",
  DATE_TIMEZONE_UNKNOWN: "A date's time zone is missing or unknown; UTC was assumed",
  DATE_NONSTANDARD: "A date is not in RFC 822 format; it was parsed anyway",
  DURATION_INVALID: "A duration is invalid and was dropped",
  NUMBER_INVALID: "A number is invalid and was dropped",
  VALUE_UNKNOWN: "A value is not allowed by the specification and was dropped",
  // episodes
  TITLE_MISSING: "The episode has no title; its import is titled “Untitled episode”",
  GUID_MISSING: "The episode has no GUID; its enclosure URL, link or title was used",
  GUID_DUPLICATE: "Several episodes have the same GUID; the newest was kept",
  ITEM_UNIDENTIFIED: "An episode without any identifier was skipped",
  ENCLOSURE_MISSING: "The episode has no media file",
  ENCLOSURE_MULTIPLE: "The episode has several media files; the first audio file was used",
  LENGTH_INVALID: "An enclosure's length is missing or invalid",
  MEDIA_TYPE_UNEXPECTED: "An enclosure's type is missing or unexpected",
} as const satisfies Partial<Record<ImportWarningCode, string>>;

export type WarningCode = keyof typeof WARNINGS;

/** An excerpt is masked before it is truncated, so that no part of an address stays. */
const [MAX_EXCERPT_CHARS, MAX_MASKED_CHARS] = [80, 400];

export function createWarning(code: WarningCode, excerpt?: string): Warning {
  const trimmed = excerpt && maskAddresses(excerpt.slice(0, MAX_MASKED_CHARS).toWellFormed()).trim();
  if (!trimmed) return { code, message: WARNINGS[code] };
  const shown = trimmed.length > MAX_EXCERPT_CHARS ? `${trimmed.slice(0, MAX_EXCERPT_CHARS).toWellFormed()}…` : trimmed;
  return { code, message: `${WARNINGS[code]}: ${shown}` };
}

/** Adds a warning unless the list has its code already. */
export function addWarning(warnings: Warning[], code: WarningCode, excerpt?: string) {
  if (!warnings.some((one) => one.code === code)) warnings.push(createWarning(code, excerpt));
}

/** Counts warnings by code, in the order of their first occurrence. */
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
