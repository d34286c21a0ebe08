/** Addresses as people put them into feeds, made absolute (RFC 3986, 5). */
import type { Note } from "./warn.ts";

// deno-lint-ignore no-control-regex -- they are no part of an address
const UNENCODED = /[\s\u0000-\u001f\u007f]/;

/** What nearly all are, and need no second look: a name with a top-level domain, and no character to be encoded. */
const PLAIN = /^https?:\/\/(?:[a-z0-9][a-z0-9-]{0,62}\.)+[a-z]{2,24}(?:[/?#](?!\S*&amp;)[\x21-\x7e]*)?$/;

/** Of http or https; one that is right already stays letter for letter. Null when it is none. */
export function address(written: string | undefined, base: string, note: Note): string | null {
  if (written && PLAIN.test(written)) return written;
  const trimmed = written?.trim();
  if (!written || !trimmed) return null;
  const joined = trimmed.replace(/[\t\r\n]+\s*/g, "");
  if (joined !== written || joined.includes(" ")) note("URL_PADDED");
  if (joined.includes("&amp;")) note("ESCAPED_TWICE");
  const url = joined.replaceAll("&amp;", "&");
  const isWhole = /^https?:\/\/[^/]/i.test(url);
  if (isWhole && URL.canParse(url)) return UNENCODED.test(url) ? new URL(url).href : url;
  const relative = /^www\.[^/.]+\./i.test(url) ? `//${url}` : url;
  const found = !isWhole && URL.canParse(relative, base) && new URL(relative, base);
  if (found && /^https?:$/.test(found.protocol)) {
    note("URL_RELATIVE", url);
    return found.href;
  }
  note("URL_UNUSABLE", url);
  return null;
}
