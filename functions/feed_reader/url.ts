/** Addresses as people put them into feeds, made absolute (RFC 3986, 5). */
import type { WarnFn } from "./warn.ts";

// deno-lint-ignore no-control-regex -- they are no part of an address
const UNENCODED = /[\s\u0000-\u001f\u007f]/;

/** What nearly all are, and need no second look: a name with a top-level domain, and no character to be encoded. */
const PLAIN = /^https?:\/\/(?:[a-z0-9][a-z0-9-]{0,62}\.)+[a-z]{2,24}(?:[/?#](?!\S*&amp;)[\x21-\x7e]*)?$/;

/** Of http or https; one that is right already stays letter for letter. Null when it is none. */
export function resolveUrl(raw: string | undefined, base: string, warn: WarnFn): string | null {
  if (raw && PLAIN.test(raw)) return raw;
  const trimmed = raw?.trim();
  if (!raw || !trimmed) return null;
  const unwrapped = trimmed.replace(/[\t\r\n]+\s*/g, "");
  if (unwrapped !== raw || unwrapped.includes(" ")) warn("URL_WHITESPACE");
  if (unwrapped.includes("&amp;")) warn("DOUBLE_ESCAPED");
  const url = unwrapped.replaceAll("&amp;", "&");
  const isAbsolute = /^https?:\/\/[^/]/i.test(url);
  if (isAbsolute && URL.canParse(url)) return UNENCODED.test(url) ? new URL(url).href : url;
  const relative = /^www\.[^/.]+\./i.test(url) ? `//${url}` : url;
  const found = !isAbsolute && URL.canParse(relative, base) && new URL(relative, base);
  if (found && /^https?:$/.test(found.protocol)) {
    warn("URL_RELATIVE", url);
    return found.href;
  }
  warn("URL_INVALID", url);
  return null;
}
