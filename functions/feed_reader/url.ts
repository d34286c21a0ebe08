/** Resolves the URLs in feeds (RFC 3986, 5). */
import type { WarnFn } from "./warn.ts";

// deno-lint-ignore no-control-regex -- the expression matches control characters on purpose
const UNENCODED = /[\s\u0000-\u001f\u007f]/;

/** The common case: a name with a top-level domain and nothing to encode. */
const PLAIN = /^https?:\/\/(?:[a-z0-9][a-z0-9-]{0,62}\.)+[a-z]{2,24}(?:[/?#][\x21-\x7e]*)?$/;

/** Returns an absolute http(s) URL, unchanged if it is valid; null for anything else. */
export function resolveUrl(raw: string | undefined, base: string, warn: WarnFn): string | null {
  if (raw && PLAIN.test(raw) && !raw.includes("&amp;")) return raw;
  const trimmed = raw?.trim();
  if (!raw || !trimmed) return null;
  const unwrapped = trimmed.replace(/[\t\r\n]+\s*/g, "");
  if (unwrapped !== raw || unwrapped.includes(" ")) warn("URL_WHITESPACE");
  if (unwrapped.includes("&amp;")) warn("DOUBLE_ESCAPED");
  const url = unwrapped.replaceAll("&amp;", "&");
  const isAbsolute = /^https?:\/\/[^/]/i.test(url);
  if (isAbsolute && URL.canParse(url)) return UNENCODED.test(url) ? new URL(url).href : url;
  const relative = /^www\.[^/.]+\./i.test(url) ? `//${url}` : url;
  const hasScheme = /^https?:/i.test(url); // a mistyped one such as https:/a.example is not relative
  const found = !hasScheme && isReference(relative) && URL.canParse(relative, base) && new URL(relative, base);
  if (found && /^https?:$/.test(found.protocol)) {
    warn("URL_RELATIVE", url);
    return found.href;
  }
  warn("URL_INVALID", url);
  return null;
}

/** A reference without white space: a path or query, or a file name such as `e1.mp3`. */
const REFERENCE = /^(?![^/?#]+@)(?!n\/a$)[^\s]*(?:[/?#]|\.(?=\d*[a-z])[a-z0-9]{2,8}$)/i;
/** With white space only paths from the root and names of files are references: other texts are notes. */
const SPACED_REFERENCE =
  /^(?:\.{0,2}\/|[^@?#]*\.(?:mp3|m4[abv]|aac|og[ag]|opus|flac|wav|mp4|mov|webm|jpe?g|png|gif|webp|json|vtt|srt|html?|txt|pdf)(?:[?#]|$))/i;

/** Whether a text is plausibly a relative reference, rather than a note such as `none` or `not a url`. */
export const isReference = (text: string): boolean =>
  !/[<>"]/.test(text) && (/\s/.test(text) ? SPACED_REFERENCE : REFERENCE).test(text);

/** Whether two URLs are one feed's address: scheme, fragment and slashes at the end do not count. */
export const isSameAddress = (one: string, other: string): boolean => addressOf(one) === addressOf(other);

const addressOf = (url: string) => {
  const { host, pathname, search } = new URL(url);
  return host + pathname.replace(/\/+$/, "") + search;
};
