/** One request to a receiver of feed pings, which an operator chose. */
import { PermanentError, RetryAfterError } from "../runtime/job_run.ts";
import { parseRetryAfter } from "../runtime/retry_after.ts";
import { type Message, postMessage, type PostOptions } from "../safe_fetch/post_message.ts";

/** The receiver did not respond, and may not respond to another ping either. */
export class NoResponseError extends RetryAfterError {
  constructor(reason: string) {
    super(reason, 0);
  }
}

/**
 * Resolves when the receiver has accepted the ping with a 2xx response. Throws RetryAfterError if not, and
 * PermanentError for a URL that may not be requested. Their messages begin with `receiver` and name the host at most,
 * because a URL may hold a key.
 */
export async function postPing(receiver: string, message: Message, options: PostOptions): Promise<void> {
  const result = await postMessage(message, options);
  if (result.error !== undefined) {
    const reason = `${receiver}: ${result.error}`;
    throw result.isTemporary ? new NoResponseError(reason) : new PermanentError(reason);
  }
  const { status, headers } = result;
  if (status >= 200 && status < 300) return;
  const seconds = parseRetryAfter(headers.get("retry-after")) ?? 0;
  throw new RetryAfterError(`${receiver} responded with status ${status}`, seconds);
}
