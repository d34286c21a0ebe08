/** Sends a webhook, signed by Standard Webhooks (https://www.standardwebhooks.com). */
import { Webhook } from "standardwebhooks";
import { excerpt } from "../app/errors.ts";
import { parseRetryAfter } from "../app/retry_after.ts";
import { FetchError, safeFetch, type SafeFetchOptions } from "../safe_fetch/safe_fetch.ts";

export interface WebhookRequest {
  url: string;
  /** The same at each attempt, so that the receiver recognizes a repeated one. */
  webhook_id: string;
  /** JSON. */
  body: string;
  /** Several during a rotation: each signs. */
  secrets: string[];
}

/** `rejected`: another attempt is pointless; `pending`: another attempt may succeed. */
export type WebhookResult =
  | { outcome: "accepted"; status: number; error?: undefined; retryAfterSeconds?: undefined }
  | { outcome: "rejected" | "pending"; status?: number; error: string; retryAfterSeconds?: number };

const TIMEOUT_MS = 10_000;

export async function sendWebhook(
  { url, webhook_id: id, body, secrets }: WebhookRequest,
  options: Pick<SafeFetchOptions, "allowedHosts" | "network" | "signal">,
): Promise<WebhookResult> {
  const sentAt = new Date();
  const headers = {
    "content-type": "application/json",
    "webhook-id": id,
    "webhook-timestamp": String(Math.floor(sentAt.getTime() / 1000)),
    "webhook-signature": secrets.map((secret) => new Webhook(secret).sign(id, sentAt, body)).join(" "),
  };
  try {
    const response = await safeFetch(url, {
      method: "POST",
      headers,
      body: new TextEncoder().encode(body),
      timeoutMs: TIMEOUT_MS,
      maxRedirects: 0, // the signature is for the URL that the author chose
      ...options,
    });
    await response.body.cancel().catch(() => {});
    return readStatus(response.status, response.headers);
  } catch (error) {
    if (!(error instanceof FetchError)) throw error;
    const isTemporary = error.code === "TIMEOUT" || error.code === "FETCH_FAILED";
    return { outcome: isTemporary ? "pending" : "rejected", error: excerpt(error.message, 300) };
  }
}

function readStatus(status: number, headers: Headers): WebhookResult {
  if (status >= 200 && status < 300) return { outcome: "accepted", status };
  const error = status >= 300 && status < 400
    ? `The server responded with the redirect ${status}, which webhooks do not follow`
    : `The server responded with status ${status}`;
  const isTemporary = status === 429 || status >= 500;
  return {
    outcome: isTemporary ? "pending" : "rejected",
    status,
    error,
    retryAfterSeconds: parseRetryAfter(headers.get("retry-after")),
  };
}
