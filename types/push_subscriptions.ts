/** Push subscriptions, and clicks on push messages, over the wire. */
import { z } from "zod";
import { HttpUrl, Id, idParam, successEnvelope, Timestamp } from "./envelope.ts";

/** As in the table `push_subscriptions`; the keys never leave the service. */
const Subscription = z.strictObject({
  id: Id,
  endpoint: HttpUrl,
  device_label: z.string().nullable(),
  user_agent: z.string().nullable(),
  is_active: z.boolean().describe("false once it was removed, or the push service said that it has ended"),
  last_used_at: Timestamp.nullable().describe("When a push service last accepted a message"),
  created_at: Timestamp,
});

/** GET /api/notifications/push-subscriptions */
export const ListPushSubscriptionsResponse = successEnvelope(z.strictObject({ subscriptions: z.array(Subscription) }))
  .extend({
    publicKey: z.string().nullable().describe(
      "applicationServerKey of pushManager.subscribe(); null if the installation sends no push messages",
    ),
  });

/** Bytes in base64url without padding, as browsers write them. */
const bytes = (count: number) => {
  const chars = Math.ceil(count * 4 / 3);
  return z.string().regex(new RegExp(`^[A-Za-z0-9_-]{${chars}}$`), `must be ${count} bytes in base64url`)
    .meta({ minLength: chars, maxLength: chars });
};

/** POST /api/notifications/push-subscriptions; `subscription` is what PushSubscription.toJSON() returns. */
export const AddPushSubscriptionRequest = z.strictObject({
  subscription: z.strictObject({
    endpoint: HttpUrl,
    expirationTime: z.number().nullable().optional().describe("Milliseconds since 1970"),
    keys: z.strictObject({
      p256dh: bytes(65).describe("Public key of the browser: a point of P-256"),
      auth: bytes(16).describe("Secret of the browser"),
    }),
  }),
  deviceLabel: z.string().nullable().optional().meta({ minLength: 1, maxLength: 200 }),
  userAgent: z.string().nullable().optional().meta({ maxLength: 500 }).describe("Defaults to the header User-Agent"),
});
export const PushSubscriptionResponse = successEnvelope(z.strictObject({ subscription: Subscription }));

/** DELETE /api/notifications/push-subscriptions/{id} and …?endpoint= */
export const PushSubscriptionPathParams = z.object({ id: idParam("push subscription") });
export const RemovePushSubscriptionQuery = z.object({ endpoint: HttpUrl });

/** POST /api/notifications/push/click: the ids of the message's payload. */
export const PushClickRequest = z.strictObject({ deliveryId: Id, notificationId: Id });
export const PushClickResponse = z.strictObject({ success: z.literal(true) });
