/**
 * A description tag of the feed. Apps read it as HTML or as plain text, so it is a text that means the same in both:
 * without tags. The whole text, with its markup, is in content:encoded.
 */
import { toPlainText } from "../text/plain_text.ts";
import { isPresent, stripForbidden } from "../text/xml_text.ts";

/** Apple's and PSP-1's limit for a description: of its text in UTF-8, before it is escaped for XML. */
export const MAX_DESCRIPTION_BYTES = 4000;

const TAG = /<(?=[a-z/!?])/gi;

/** The first of these texts that has something to read, cut to the limit. */
export function plainDescription(...texts: (string | null | undefined)[]): string | undefined {
  for (const text of texts) {
    if (!isPresent(text)) continue;
    const words = text.search(TAG) < 0
      ? stripForbidden(text)
      : toPlainText(stripForbidden(text), MAX_DESCRIPTION_BYTES);
    // entities of HTML may have hidden more tags: they stay readable
    if (isPresent(words)) return truncateBytes(words.replaceAll(TAG, "&lt;"), MAX_DESCRIPTION_BYTES);
  }
}

const ELLIPSIS = "…";

/** At most so many bytes of UTF-8: no character and no entity is cut in two, and what was cut ends in an ellipsis. */
export function truncateBytes(text: string, maxBytes: number): string {
  if (text.length <= maxBytes / 3 || new TextEncoder().encode(text).length <= maxBytes) return text;
  const room = new Uint8Array(maxBytes - new TextEncoder().encode(ELLIPSIS).length);
  const { read } = new TextEncoder().encodeInto(text, room);
  const kept = text.slice(0, read);
  const entity = /&[#a-z0-9]{0,32}$/i.exec(kept);
  const isSplit = entity && /^[#a-z0-9]{0,32};/i.test(text.slice(read));
  return `${(isSplit ? kept.slice(0, entity.index) : kept).trimEnd()}${ELLIPSIS}`;
}
