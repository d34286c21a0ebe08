/** Push subscriptions, and clicks on push messages, over the wire. */
import { z } from "zod";
import { HttpUrl, Id, idParam, successEnvelope, Timestamp } from "./envelope.ts";

/** As in the table `push_subscriptions`; the keys never leave the service. */
const Subscription = z.strictObject({
  id: Id,
  endpoint: HttpUrl,
  device_label: z.string().nullable(),
  user_agent: z.string().nullable(),
  is_active: z.boolean().describe(
    "false once it was removed, the push service said that it has ended, or a message could not be sent: the endpoint " +
      "is of no push service that the installation knows, or the keys are unusable",
  ),
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

/** What no browser makes is accepted too; a push service gets messages for usable keys only. */
const Key = z.string().regex(/^[A-Za-z0-9+/_-]{1,200}={0,2}$/, "must be base64url").meta({ maxLength: 202 });

/** POST /api/notifications/push-subscriptions; `subscription` is what PushSubscription.toJSON() returns. */
export const AddPushSubscriptionRequest = z.strictObject({
  subscription: z.strictObject({
    endpoint: HttpUrl,
    expirationTime: z.number().nullable().optional().describe("Milliseconds since 1970"),
    keys: z.strictObject({
      p256dh: Key.describe("Public key of the browser: a point of P-256"),
      auth: Key.describe("Secret of the browser: 16 bytes"),
    }),
  }),
  deviceLabel: z.string().nullable().optional().meta({ minLength: 1, maxLength: 200 }),
  userAgent: z.string().nullable().optional().describe(
    "Defaults to the header User-Agent; its first 500 characters are kept",
  ),
});
export const PushSubscriptionResponse = successEnvelope(z.strictObject({ subscription: Subscription }));

/** DELETE /api/notifications/push-subscriptions/{id} and …?endpoint= */
export const PushSubscriptionPathParams = z.object({ id: idParam("push subscription") });
export const RemovePushSubscriptionQuery = z.object({ endpoint: HttpUrl.describe("Of the subscription") });

/** POST /api/notifications/push/click: the ids of the message's payload. */
export const PushClickRequest = z.strictObject({ deliveryId: Id, notificationId: Id });
export const PushClickResponse = z.strictObject({ success: z.literal(true) });
