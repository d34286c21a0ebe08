/** Notifications about an episode's chat, for senders with or without a login. The rules are in sql/70_notifications. */
import {
  MarkGuestNotificationsReadRequest,
  NotifyChatMessageRequest,
  NotifyChatMessageResponse,
} from "../../../types/chat_notifications.ts";
import { SuccessResponse } from "../../../types/envelope.ts";
import { optionalUserRouter, publicRouter } from "../../app/app.ts";
import { operation } from "../../app/operation.ts";
import { successReply } from "../../app/reply.ts";

export const chatEvents = optionalUserRouter([
  operation("POST", "/chat", "notify_chat_message", {
    summary: "Notify the others in an episode's chat of a message",
    description: "Its sender calls: a member, or the guest of accessToken. A message notifies a person once.",
    json: NotifyChatMessageRequest,
    response: NotifyChatMessageResponse,
    errors: [403, 404, 409, 429],
  }),
]);

export const guestRead = publicRouter([
  operation("POST", "/", "mark_guest_notifications_read", {
    summary: "Mark a guest's notifications of an episode as read",
    json: MarkGuestNotificationsReadRequest,
    reply: successReply,
    response: SuccessResponse,
    errors: [401, 403],
  }),
]);
