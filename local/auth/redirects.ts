// Where a mailed link may lead: the site itself, a loopback address, or what the allow-list names.
import type { AuthSettings } from "./settings.ts";

const LOOPBACK = /^(localhost|127(\.\d+){3}|\[::1\])$/;

/** The first of the wanted addresses that is allowed, else the site. */
export function allowedRedirect(settings: AuthSettings, ...wanted: (string | null | undefined)[]): string {
  return wanted.find((url) => url && isAllowed(settings, url)) ?? settings.siteUrl;
}

function isAllowed({ siteUrl, redirects }: AuthSettings, wanted: string): boolean {
  if (!URL.canParse(wanted)) return false;
  const url = new URL(wanted), site = new URL(siteUrl);
  const loopback = LOOPBACK.test(url.hostname);
  if (url.hostname === site.hostname && url.protocol === site.protocol && (loopback || url.port === site.port)) {
    return true;
  }
  if (/^(\d+(\.\d+){3}|\[.*\])$/.test(url.hostname)) return loopback; // no other bare addresses, whatever the list says
  return redirects.some((glob) => pattern(glob).test(wanted.split("#", 1)[0]));
}

/** `*` and `?` stop at `.` and `/`, `**` does not. */
function pattern(glob: string): RegExp {
  return new RegExp(`^${glob.replace(/\*\*|[*?]|[.+^${}()|[\]\\]/g, (token) => TOKENS[token] ?? `\\${token}`)}$`);
}
const TOKENS: Record<string, string> = { "**": ".*", "*": "[^./]*", "?": "[^./]" };
