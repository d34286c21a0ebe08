/** Posts a webhook, signed by Standard Webhooks (https://www.standardwebhooks.com). */
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
  /** Several during a rotation: each signs. */
  secrets: string[];
}

/** `rejected`: another attempt is pointless; `pending`: another attempt may succeed. */
type WebhookResult =
  | { outcome: "accepted"; status: number; error?: undefined; retryAfterSeconds?: undefined }
  | { outcome: "rejected" | "pending"; status?: number; error: string; retryAfterSeconds?: number };

export async function postWebhook(
  { url, webhook_id: id, body, secrets }: WebhookRequest,
  options: PostOptions,
): Promise<WebhookResult> {
  const sentAt = new Date();
  const headers = {
    "content-type": "application/json",
    "webhook-id": id,
    "webhook-timestamp": String(Math.floor(sentAt.getTime() / 1000)),
    "webhook-signature": secrets.map((secret) => new Webhook(secret).sign(id, sentAt, body)).join(" "),
  };
  const result = await postMessage({ url, headers, body }, options);
  if (result.error === undefined) return readStatus(result.status, result.headers);
  return { outcome: result.isTemporary ? "pending" : "rejected", error: excerpt(result.error, 300) };
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
