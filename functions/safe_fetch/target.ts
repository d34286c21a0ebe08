/** The target of a URL, and whether it may be requested. The URL parser is the WHATWG's, as in browsers. */
import { FetchError } from "./fetch_error.ts";

export interface Target {
  url: URL;
  /** A name without a trailing dot, or an IP address without brackets. */
  host: string;
  port: number;
  /** Listed hosts are trusted: their names, ports and IP addresses are not checked. */
  isListed: boolean;
}

/**
 * Parses a URL, relative to `base`, and checks everything but its IP address. `allowedHosts` has entries `host` and
 * `host:port`.
 */
export function parseTarget(text: string, allowedHosts: readonly string[], base?: URL): Target {
  const url = parseUrl(text.trim(), base);
  if (url.protocol !== "http:" && url.protocol !== "https:") {
    throw new FetchError("INVALID_URL", "Only http and https URLs are supported");
  }
  if (url.username || url.password) {
    throw new FetchError("INVALID_URL", "The URL must not contain credentials");
  }
  const name = url.hostname.replace(/\.$/, "");
  if (!name) throw new FetchError("INVALID_URL", "Invalid URL");
  const port = url.port ? Number(url.port) : url.protocol === "https:" ? 443 : 80;
  const isListed = allowedHosts.some((entry) => [name, `${name}:${port}`].includes(entry.toLowerCase()));
  if (!isListed) rejectPrivateTarget(name, port);
  return { url, host: name.replace(/^\[|\]$/g, ""), port, isListed };
}

function parseUrl(text: string, base?: URL): URL {
  // The parser would drop line breaks and tabs, which changes the URL
  // deno-lint-ignore no-control-regex
  if (!/[\0-\x1f\x7f]/.test(text) && URL.canParse(text, base?.href)) return new URL(text, base?.href);
  throw new FetchError("INVALID_URL", "Invalid URL");
}

/** Names that are never public (RFC 6761, 6762, 8375, and `internal`, which ICANN keeps for private use). */
const PRIVATE_NAME = /(^|\.)(localhost|localdomain|local|internal|home\.arpa)\.*$/;

function rejectPrivateTarget(name: string, port: number) {
  if (PRIVATE_NAME.test(name)) throw new FetchError("BLOCKED_URL", "The URL does not point to the public internet");
  // Lower ports are of services that a request can harm and that serve no files, such as SMTP
  if (port !== 80 && port !== 443 && port < 1024) {
    throw new FetchError("BLOCKED_URL", `Port ${port} is not allowed`);
  }
}
