/** Posts a webhook, signed as Standard Webhooks specifies (https://www.standardwebhooks.com). */
import { Webhook } from "standardwebhooks";
import { excerpt } from "../runtime/api_error.ts";
import { parseRetryAfter } from "../runtime/retry_after.ts";
import { postMessage, type PostOptions } from "../safe_fetch/post_message.ts";

export interface WebhookRequest {
  url: string;
  /** The same at each attempt, so that the receiver recognizes a repeated one. */
  webhook_id: string;
  /** JSON. */
  body: string;
  /** Headers of the action, which replace those of the same name, except webhook-*. */
  headers: Record<string, string>;
  /** Several during a rotation: each signs. None: the webhook is not signed. */
  secrets: string[];
}

/** Another attempt may succeed: the receiver is busy, or does not know yet what it will know soon. */
const TEMPORARY = [408, 409, 425, 429];
const MAX_RETRY_AFTER_SECONDS = 7 * 24 * 60 * 60;

/** `rejected`: another attempt is pointless; `pending`: another attempt may succeed. */
type WebhookResult =
  | { outcome: "accepted"; status: number; error?: undefined; retryAfterSeconds?: undefined }
  | { outcome: "rejected" | "pending"; status?: number; error: string; retryAfterSeconds?: number };

export async function postWebhook(
  { url, webhook_id: id, body, headers: own, secrets }: WebhookRequest,
  options: PostOptions,
): Promise<WebhookResult> {
  const sentAt = new Date();
  const headers = {
    "content-type": "application/json",
    ...own, // in lower case
    "webhook-id": id,
    "webhook-timestamp": String(Math.floor(sentAt.getTime() / 1000)),
    ...(secrets.length > 0 &&
      { "webhook-signature": secrets.map((secret) => new Webhook(secret).sign(id, sentAt, body)).join(" ") }),
  };
  const result = await postMessage({ url, headers, body }, options);
  if (result.error === undefined) return readStatus(result.status, result.headers);
  return { outcome: result.isTemporary ? "pending" : "rejected", error: excerpt(result.error, 300) };
}

function readStatus(status: number, headers: Headers): WebhookResult {
  if (status >= 200 && status < 300) return { outcome: "accepted", status };
  const error = status >= 300 && status < 400
    ? `The server responded with the redirect ${status}, which webhooks do not follow`
    : status === 410
    ? "The server responded with status 410 (Gone): the webhook no longer exists there, and is disabled"
    : `The server responded with status ${status}`;
  const isTemporary = TEMPORARY.includes(status) || status >= 500;
  const retryAfterSeconds = parseRetryAfter(headers.get("retry-after"));
  return {
    outcome: isTemporary ? "pending" : "rejected",
    status,
    error,
    retryAfterSeconds: retryAfterSeconds && Math.min(retryAfterSeconds, MAX_RETRY_AFTER_SECONDS),
  };
}
