/**
 * Renders description tags. Apps read them as HTML or as plain text, so the text means the same in both: it has no
 * tags. content:encoded has the full text with markup.
 */
import { toPlainText, truncate, truncateBytes } from "../text/plain_text.ts";
import { isPresent, stripForbidden } from "../text/xml_text.ts";

/** Limit of Apple and PSP-1 for a description, in bytes of UTF-8 before XML escaping. */
export const MAX_DESCRIPTION_BYTES = 4000;

const TAG = /<(?=[a-z/!?])/gi;

/** The first text with visible content, truncated to the limit. */
export function plainDescription(...texts: (string | null | undefined)[]): string | undefined {
  for (const text of texts) {
    if (!isPresent(text)) continue;
    const words = text.search(TAG) < 0
      ? stripForbidden(text)
      : toPlainText(stripForbidden(text), MAX_DESCRIPTION_BYTES);
    // HTML entities may have hidden more tags; escape them to keep them readable
    if (isPresent(words)) return truncateBytes(words.replaceAll(TAG, "&lt;"), MAX_DESCRIPTION_BYTES);
  }
}

/** Limit of RSS validators for a subtitle. */
const MAX_SUBTITLE_CHARS = 255;

/** A subtitle as one line of plain text, truncated to the limit. */
export function plainSubtitle(subtitle: string | null): string | undefined {
  const text = plainDescription(subtitle)?.replace(/\s+/g, " ");
  return text && truncate(text, MAX_SUBTITLE_CHARS);
}
