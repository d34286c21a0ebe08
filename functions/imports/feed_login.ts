/** The login of a feed behind Basic auth (RFC 7617). */
export interface Login {
  username: string;
  password: string;
  /** Of the import. */
  feedUrl: string;
}

/** The headers that log in at this URL: none outside the feed's origin. Redirects to another origin lose them. */
export function authorizationFor(url: string, login: Login | null): Record<string, string> {
  if (!login || !URL.canParse(url) || new URL(url).origin !== new URL(login.feedUrl).origin) return {};
  const bytes = new TextEncoder().encode(`${login.username}:${login.password}`);
  return { authorization: `Basic ${btoa(String.fromCharCode(...bytes))}` };
}
