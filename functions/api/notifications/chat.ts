/** Notifications about an episode's chat, for senders with or without a login. The rules are in sql/70_notifications. */
import {
  MarkGuestNotificationsReadRequest,
  NotifyChatMessageRequest,
  NotifyChatMessageResponse,
} from "../../../types/chat_notifications.ts";
import { SuccessResponse } from "../../../types/envelope.ts";
import { optionalUserRouter, publicRouter } from "../../app/app.ts";
import { describeRoute } from "../../app/describe_route.ts";
import { reply, successReply } from "../../app/reply.ts";
import { valid } from "../../app/validation.ts";

export const chatEvents = optionalUserRouter()
  .post(
    "/chat",
    describeRoute({
      operationId: "notifyChatMessage",
      summary: "Notify the others in an episode's chat of a message",
      description: "Its sender calls: a member, or the guest of accessToken. A message notifies a person once.",
      response: NotifyChatMessageResponse,
      errors: [403, 404, 409, 429],
    }),
    valid("json", NotifyChatMessageRequest),
    async (c) => {
      return reply(await c.var.db.call("notify_chat_message", c.req.valid("json")));
    },
  );

export const guestRead = publicRouter()
  .post(
    "/",
    describeRoute({
      operationId: "markGuestNotificationsRead",
      summary: "Mark a guest's notifications of an episode as read",
      response: SuccessResponse,
      errors: [401, 403],
    }),
    valid("json", MarkGuestNotificationsReadRequest),
    async (c) => {
      return successReply(await c.var.db.call("mark_guest_notifications_read", c.req.valid("json")));
    },
  );
