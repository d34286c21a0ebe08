/** What a URL asks us to call, and whether it may be asked for at all. The URL parser is the WHATWG's, as in browsers. */
import { FetchError } from "./fetch_error.ts";

export interface Target {
  url: URL;
  /** A name or an IP address, without brackets and without the dot that may end a name. */
  host: string;
  port: number;
  /** Listed hosts are trusted: their names, ports and addresses are not checked. */
  isListed: boolean;
}

/**
 * Reads a URL, relative ones against `base`, and checks what can be seen without resolving it. `allowedHosts` has
 * entries `host` and `host:port`.
 */
export function parseTarget(text: string, allowedHosts: readonly string[], base?: URL): Target {
  const url = parseUrl(text.trim(), base);
  if (url.protocol !== "http:" && url.protocol !== "https:") {
    throw new FetchError("INVALID_URL", "Only http and https addresses can be requested");
  }
  if (url.username || url.password) {
    throw new FetchError("INVALID_URL", "The address must not contain a user name or password");
  }
  const name = url.hostname.replace(/\.$/, "");
  if (!name) throw new FetchError("INVALID_URL", "The address is not a valid URL");
  const port = url.port ? Number(url.port) : url.protocol === "https:" ? 443 : 80;
  const isListed = allowedHosts.some((entry) => [name, `${name}:${port}`].includes(entry.toLowerCase()));
  if (!isListed) rejectPrivateTarget(name, port);
  return { url, host: name.replace(/^\[|\]$/g, ""), port, isListed };
}

function parseUrl(text: string, base?: URL): URL {
  // The parser would drop line breaks and tabs; whoever wrote them meant something else
  // deno-lint-ignore no-control-regex
  if (!/[\0-\x1f\x7f]/.test(text) && URL.canParse(text, base?.href)) return new URL(text, base?.href);
  throw new FetchError("INVALID_URL", "The address is not a valid URL");
}

/** Names that are never public (RFC 6761, 6762, 8375, and `internal`, which ICANN keeps for private use). */
const PRIVATE_NAME = /(^|\.)(localhost|localdomain|local|internal|home\.arpa)\.*$/;

function rejectPrivateTarget(name: string, port: number) {
  if (PRIVATE_NAME.test(name)) throw new FetchError("BLOCKED_URL", "The address is not on the public internet");
  // Below are mail, shells, databases' elders: things that a request can harm, and that serve no files
  if (port !== 80 && port !== 443 && port < 1024) {
    throw new FetchError("BLOCKED_URL", `Port ${port} is not one that can be requested`);
  }
}
