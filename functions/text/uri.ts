/** URLs that users typed, as URIs. */

/**
 * Encodes a URL typed by a user as a URI (RFC 3986): like browsers, plus the few characters that browsers leave
 * unencoded. Other text is returned unchanged.
 */
export function toUri<A extends string | null | undefined>(address: A): A | string {
  if (!address || !URL.canParse(address)) return address;
  return new URL(address).href.replace(
    /^[a-z][a-z0-9+.-]*:\/\/[^/?#]*|[[\]\\^`{|}]|%(?![0-9a-f]{2})/gi, // an IPv6 address has brackets
    (found, at) => at === 0 ? found : encodeURIComponent(found),
  );
}

/** The redirect of a feed as a URI. One that no client could follow counts as none, because headers are ASCII. */
export function toRedirect(address: string | null | undefined): string | null {
  return address && URL.canParse(address) ? toUri(address) : null;
}
