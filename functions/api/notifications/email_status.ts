/** Whether the caller's own address gets emails, and how it gets them again. The rules are in sql/70_notifications. */
import { ConfirmEmailAddressRequest, EmailStatusResponse } from "../../../types/notifications.ts";
import { authenticatedRouter } from "../../app/app.ts";
import { operation } from "../../app/operation.ts";

export const emailStatus = authenticatedRouter([
  operation("GET", "/", "get_email_status", {
    summary: "Get whether emails to the caller's own address stopped, and why",
    response: EmailStatusResponse,
    errors: [403],
  }),
  operation("POST", "/confirmation", "request_email_confirmation", {
    summary: "Email the caller's own suppressed address a code that confirms it",
    response: EmailStatusResponse,
    errors: [403, 429],
  }),
  operation("POST", "/confirm", "confirm_email_address", {
    summary: "Confirm the caller's own address with the emailed code, so that it gets emails again",
    json: ConfirmEmailAddressRequest,
    response: EmailStatusResponse,
    errors: [403],
  }),
]);
