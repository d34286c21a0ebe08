/** One request to a receiver of feed pings, which an operator chose. */
import { PermanentError, RetryAfterError } from "../app/job_run.ts";
import { parseRetryAfter } from "../app/retry_after.ts";
import { FetchError, safeFetch, type SafeFetchOptions } from "../safe_fetch/safe_fetch.ts";

export interface Ping {
  url: string;
  headers: Record<string, string>;
  body: string;
}

const TIMEOUT_MS = 10_000;

/**
 * Resolves when the receiver has accepted the ping with a 2xx response. Throws RetryAfterError if not, and
 * PermanentError for a URL that may not be requested. Their messages begin with `receiver` and name the host at most,
 * because a URL may hold a key.
 */
export async function postPing(
  receiver: string,
  { url, headers, body }: Ping,
  options: Pick<SafeFetchOptions, "allowedHosts" | "network">,
): Promise<void> {
  try {
    const response = await safeFetch(url, {
      method: "POST",
      headers,
      body: new TextEncoder().encode(body),
      timeoutMs: TIMEOUT_MS,
      maxRedirects: 0, // the authorization is for the URL that the operator chose
      ...options,
    });
    await response.body.cancel().catch(() => {});
    const { status } = response;
    if (status >= 200 && status < 300) return;
    throw new RetryAfterError(
      `${receiver} responded with status ${status}`,
      parseRetryAfter(response.headers.get("retry-after")) ?? 0,
    );
  } catch (error) {
    if (!(error instanceof FetchError)) throw error;
    const reason = `${receiver}: ${error.message}`;
    if (error.code === "INVALID_URL" || error.code === "BLOCKED_URL") throw new PermanentError(reason);
    throw new RetryAfterError(reason, 0);
  }
}
