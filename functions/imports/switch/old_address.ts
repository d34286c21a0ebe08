/** Follows the redirects of a feed's old address one by one, each checked by safeFetch, up to our feed. */
import { getFetchSettings } from "../../database/fetch_settings.ts";
import { isSameAddress } from "../../feed_reader/url.ts";
import { latin1ToUtf8 } from "../../safe_fetch/latin1.ts";
import { REDIRECT_STATUSES } from "../../safe_fetch/request.ts";
import { FetchError, requireOk, safeFetch, type SafeFetchResponse } from "../../safe_fetch/safe_fetch.ts";
import { routeService } from "../../database/service.ts";
import { authorizationFor, type Login } from "../feed_login.ts";
import { REQUEST_HEADERS } from "../fetch_feed.ts";

const MAX_HOPS = 20;
/** For all hops. */
const TIMEOUT_MS = 20_000;

/** A redirect: the status with which an address sent to the next one. */
interface Hop {
  url: string;
  status: number;
}

export interface OldAddress {
  hops: Hop[];
  /** The document at the end; absent if the redirects reach our feed, which is not fetched. */
  response?: SafeFetchResponse;
}

/** Adds each redirect to `hops`, also before an error. Throws FetchError. */
export async function followOldAddress(
  importId: string,
  oldFeedUrl: string,
  newFeedUrl: string,
  hops: Hop[],
): Promise<OldAddress> {
  const settings = await getFetchSettings();
  const login = await routeService("read_import_login", { importId }) as Login | null;
  const end = performance.now() + TIMEOUT_MS;
  for (let url = oldFeedUrl;;) {
    if (isSameAddress(url, newFeedUrl)) return { hops };
    const timeoutMs = Math.max(0, end - performance.now());
    const headers = { ...REQUEST_HEADERS, ...authorizationFor(url, login) };
    const response = await safeFetch(url, { ...settings, timeoutMs, maxRedirects: 0, headers });
    const location = REDIRECT_STATUSES.has(response.status) && response.headers.get("location");
    if (!location) return { hops, response: requireOk(response) };
    response.body.cancel().catch(() => {});
    hops.push({ url, status: response.status });
    if (hops.length > MAX_HOPS) throw new FetchError("TOO_MANY_REDIRECTS", "Too many redirects");
    const next = latin1ToUtf8(location);
    if (!URL.canParse(next, url)) throw new FetchError("INVALID_URL", "The old address redirects to an invalid URL");
    url = new URL(next, url).href;
  }
}
