/** Sends a delivery of the channel push to the subscriptions of its user. */
import { createHash } from "node:crypto";
import { getFetchSettings } from "../database/fetch_settings.ts";
import { RetryAfterError } from "../runtime/job_run.ts";
import { service } from "../database/service.ts";
import { type PushContent, serializePayload } from "./payload.ts";
import { type PushMessage, type PushSubscription, sendMessage, type SendResult } from "./send_message.ts";
import { requireVapid } from "./vapid.ts";

interface DuePush {
  content: PushContent;
  priority: "low" | "normal" | "immediate";
  /** Until the message is too late. */
  ttlSeconds: number;
  /** Those that have neither accepted the message nor ended. */
  subscriptions: (PushSubscription & { id: string; problem: string | null })[];
}

const URGENCY = { low: "low", normal: "normal", immediate: "high" } as const;

/** Makes one attempt, and throws while a push service may accept a later one. */
export async function sendPush(deliveryId: string): Promise<void> {
  const due = await service("begin_push_delivery", { deliveryId }) as DuePush | null;
  if (!due) return;
  requireVapid();
  const message = {
    payload: serializePayload(due.content),
    topic: topicOf(due.content.tag),
    urgency: URGENCY[due.priority],
    ttlSeconds: due.ttlSeconds,
  };
  const results = await sendToAll(due.subscriptions, message);
  await service("record_push_sends", { deliveryId, results });
  throwIfPending(results);
}

type SubscriptionResult = SendResult & { subscription_id: string };

async function sendToAll(subscriptions: DuePush["subscriptions"], message: PushMessage): Promise<SubscriptionResult[]> {
  const settings = await getFetchSettings();
  return await Promise.all(subscriptions.map(async ({ id, problem, ...subscription }) => ({
    // no request leaves for a host outside push_service_hosts
    ...problem === null
      ? await sendMessage(subscription, message, settings)
      : { outcome: "ended" as const, error: problem },
    subscription_id: id,
  })));
}

function throwIfPending(results: SendResult[]): void {
  const pending = results.filter((result) => result.outcome === "pending");
  if (pending.length === 0) return;
  const reason = [...new Set(pending.map(({ error }) => error))].join("; ");
  throw new RetryAfterError(reason, Math.max(...pending.map(({ retryAfterSeconds = 0 }) => retryAfterSeconds)));
}

/**
 * While a device is offline, the push service keeps the newest message of a topic. 32 characters of base64url, at most
 * (RFC 8030, 5.4), which tell the push service nothing.
 */
const topicOf = (tag: string) => createHash("sha256").update(tag).digest("base64url").slice(0, 32);
