// The allowed targets of emailed links: the site, a loopback address, or a match of the allow list.
import type { AuthSettings } from "./settings.ts";

const LOOPBACK = /^(localhost|127(\.\d+){3}|\[::1\])$/;

/** Returns the first allowed URL of `candidates`, or the site. */
export function allowedRedirect(settings: AuthSettings, ...candidates: (string | null | undefined)[]): string {
  return candidates.find((url) => url && isAllowed(settings, url)) ?? settings.siteUrl;
}

function isAllowed({ siteUrl, redirects }: AuthSettings, wanted: string): boolean {
  if (!URL.canParse(wanted)) return false;
  const url = new URL(wanted), site = new URL(siteUrl);
  const loopback = LOOPBACK.test(url.hostname);
  if (url.hostname === site.hostname && url.protocol === site.protocol && (loopback || url.port === site.port)) {
    return true;
  }
  if (/^(\d+(\.\d+){3}|\[.*\])$/.test(url.hostname)) return loopback; // the list never allows other IP addresses
  return redirects.some((glob) => pattern(glob).test(wanted.split("#", 1)[0]));
}

/** `*` and `?` exclude `.` and `/`, `**` includes them. */
function pattern(glob: string): RegExp {
  return new RegExp(`^${glob.replace(/\*\*|[*?]|[.+^${}()|[\]\\]/g, (token) => TOKENS[token] ?? `\\${token}`)}$`);
}
const TOKENS: Record<string, string> = { "**": ".*", "*": "[^./]*", "?": "[^./]" };
