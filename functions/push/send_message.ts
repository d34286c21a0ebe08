/** One message to one push subscription: Web Push (RFC 8030), encrypted by RFC 8291 and signed by VAPID. */
// @deno-types="npm:@types/web-push@3.6.4"
import type { Urgency } from "web-push";
import { excerpt } from "../runtime/api_error.ts";
import { parseRetryAfter } from "../runtime/retry_after.ts";
import {
  FetchError,
  readAll,
  safeFetch,
  type SafeFetchOptions,
  type SafeFetchResponse,
} from "../safe_fetch/safe_fetch.ts";
import { type KeyPair, requireVapid } from "./vapid.ts";

export interface PushSubscription {
  endpoint: string;
  p256dh: string;
  auth: string;
}

export interface PushMessage {
  payload: string;
  /** While the device is offline, a message replaces an earlier one with this topic. */
  topic: string;
  urgency: Urgency;
  /** How long the push service keeps the message for a device that is offline. */
  ttlSeconds: number;
}

/**
 * What the push service made of a message. `ended`: the subscription no longer exists; `rejected`: another attempt is pointless;
 * `pending`: another attempt may succeed.
 */
export interface SendResult {
  outcome: "accepted" | "ended" | "rejected" | "pending";
  /** Unless it was accepted. */
  error?: string;
  retryAfterSeconds?: number;
}

const TIMEOUT_MS = 10_000;
/** Of an error's body, for the log. */
const MAX_ERROR_BYTES = 2048;

/** Sends the message, once more with the previous key if the push service rejects it: the subscription may be older. */
export async function sendMessage(
  subscription: PushSubscription,
  message: PushMessage,
  options: Pick<SafeFetchOptions, "allowedHosts" | "userAgent" | "timeoutMs">,
): Promise<SendResult> {
  const [current, previous] = requireVapid();
  const result = await send(subscription, message, current, options);
  if (result.outcome !== "rejected" || !previous) return result;
  const second = await send(subscription, message, previous, options);
  return second.outcome === "rejected" ? result : second;
}

async function send(
  subscription: PushSubscription,
  message: PushMessage,
  vapidDetails: KeyPair,
  options: Pick<SafeFetchOptions, "allowedHosts" | "userAgent" | "timeoutMs">,
): Promise<SendResult> {
  const host = new URL(subscription.endpoint).host;
  try {
    const { headers, body } = await encrypt(subscription, message, vapidDetails);
    const limits = { timeoutMs: TIMEOUT_MS, maxRedirects: 0, ...options };
    return await readResult(host, await safeFetch(subscription.endpoint, { method: "POST", headers, body, ...limits }));
  } catch (error) {
    if (!(error instanceof FetchError)) throw error;
    const isTemporary = error.code === "TIMEOUT" || error.code === "FETCH_FAILED";
    return { outcome: isTemporary ? "pending" : "rejected", error: `${host}: ${error.message}` };
  }
}

/** Loads the package with the first message, because most isolates send none. */
async function encrypt(
  { endpoint, p256dh, auth }: PushSubscription,
  message: PushMessage,
  vapidDetails: KeyPair,
) {
  const { payload, topic, urgency, ttlSeconds } = message;
  const { default: webPush } = await import("web-push");
  const details = webPush.generateRequestDetails({ endpoint, keys: { p256dh, auth } }, payload, {
    vapidDetails,
    TTL: ttlSeconds,
    urgency,
    topic,
  });
  const headers = Object.entries(details.headers).map(([name, value]): [string, string] => [name, String(value)]);
  return { headers, body: new Uint8Array(details.body) };
}

async function readResult(host: string, response: SafeFetchResponse): Promise<SendResult> {
  const { status, headers, body } = response;
  if (status >= 200 && status < 300) {
    await body.cancel().catch(() => {});
    return { outcome: "accepted" };
  }
  const text = new TextDecoder().decode(await readAll(response, MAX_ERROR_BYTES).catch(() => undefined));
  const error = excerpt(`${host} responded ${status} ${text}`.replace(/[\s\p{Cc}]+/gu, " ").trim(), 300);
  if (status === 404 || status === 410) return { outcome: "ended", error };
  if (status !== 408 && status !== 429 && status < 500) return { outcome: "rejected", error };
  return { outcome: "pending", error, retryAfterSeconds: parseRetryAfter(headers.get("retry-after")) };
}
