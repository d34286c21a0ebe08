/** /api/notifications/push-subscriptions and /push/click. The rules are in sql/70_notifications. */
import {
  AddPushSubscriptionRequest,
  ListPushSubscriptionsResponse,
  PushClickRequest,
  PushClickResponse,
  PushSubscriptionPathParams,
  PushSubscriptionResponse,
  RemovePushSubscriptionQuery,
} from "../../../types/push_subscriptions.ts";
import { authenticatedRouter, publicRouter, subRouter } from "../../app/app.ts";
import { describeRoute } from "../../app/describe_route.ts";
import { operation } from "../../app/operation.ts";
import { flatReply, rawReply, reply } from "../../app/reply.ts";
import { valid } from "../../app/validation.ts";
import { vapidPublicKey } from "../../push/vapid.ts";

export const pushSubscriptions = authenticatedRouter([
  subRouter()
    .get(
      "/",
      describeRoute({
        operationId: "listPushSubscriptions",
        summary: "List the caller's push subscriptions",
        description: "Newest first, inactive ones included. publicKey is the key to subscribe with.",
        response: ListPushSubscriptionsResponse,
        errors: [403],
      }),
      async (c) => {
        const { status, text } = await c.var.db.call("list_push_subscriptions", {});
        return flatReply({ status, text: `{"data":${text},"publicKey":${JSON.stringify(vapidPublicKey ?? null)}}` });
      },
    )
    .post(
      "/",
      describeRoute({
        operationId: "addPushSubscription",
        summary: "Register the caller's browser for push messages",
        description:
          "A known endpoint gets the new values, becomes active, and moves to the caller. Any https endpoint is " +
          "accepted; the first message to one that is of no known push service makes it inactive.",
        response: PushSubscriptionResponse,
        status: 201,
        errors: [403, 429],
      }),
      valid("json", AddPushSubscriptionRequest),
      async (c) => {
        const { subscription, deviceLabel, userAgent } = c.req.valid("json");
        const header = c.req.header("user-agent");
        return reply(
          await c.var.db.call("add_push_subscription", { subscription, deviceLabel, userAgent: userAgent ?? header }),
        );
      },
    ),
  operation("DELETE", "/", "remove_push_subscription", {
    summary: "End push messages to an endpoint of the caller",
    query: RemovePushSubscriptionQuery,
    response: PushSubscriptionResponse,
    errors: [403, 404],
  }),
  operation("DELETE", "/:id", "remove_push_subscription", {
    operationId: "removePushSubscriptionById",
    summary: "End push messages to a subscription of the caller",
    params: PushSubscriptionPathParams,
    rename: { id: "subscriptionId" },
    response: PushSubscriptionResponse,
    errors: [403, 404],
  }),
]);

export const pushClicks = publicRouter([
  operation("POST", "/click", "record_push_click", {
    summary: "Record a click on a push message",
    description: "For service workers, which have no token. The same response for unknown ids.",
    json: PushClickRequest,
    reply: rawReply,
    response: PushClickResponse,
  }),
]);
