/** Logins of calendar servers, which are sent with each request (RFC 7617). */
import { parseTarget } from "../safe_fetch/target.ts";
import { CalendarError } from "./calendar_error.ts";
import { toCalendarError } from "./calendar_request.ts";

export interface CalendarLogin {
  username: string;
  password: string;
}

/** The header Authorization. */
export function authorizationOf({ username, password }: CalendarLogin): string {
  // deno-lint-ignore no-control-regex
  if (/[:\0-\x1f\x7f]/.test(username) || /[\0-\x1f\x7f]/.test(password)) {
    throw new CalendarError("revoked", "The login has characters that HTTP does not allow");
  }
  const bytes = new TextEncoder().encode(`${username}:${password}`);
  return `Basic ${btoa(String.fromCharCode(...bytes))}`;
}

/** A login is sent in readable form, so that it needs TLS; hosts that the operator lists are exempt. */
export function requireEncryption(url: string, allowedHosts: readonly string[]) {
  try {
    const target = parseTarget(url, allowedHosts);
    if (target.url.protocol === "https:" || target.isListed) return;
  } catch (error) {
    throw toCalendarError(error);
  }
  throw new CalendarError("forbidden", "A calendar with a login needs a URL that begins with https://");
}

/** Takes apart an address that has a login (`https://name:password@host/`), as people copy them. */
export function splitLogin(address: string): { url: string; username?: string; password?: string } {
  const [, scheme, login, rest] = /^(\s*[a-z]+:\/\/)([^/?#\\]*)@(.*)$/is.exec(address) ?? [];
  if (login === undefined) return { url: address };
  const [, username, password] = /^([^:]*):?(.*)$/s.exec(login)!;
  return { url: scheme + rest, username: decode(username), password: decode(password) };
}

function decode(text: string): string {
  try {
    return decodeURIComponent(text);
  } catch {
    return text;
  }
}
