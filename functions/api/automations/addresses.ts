/** /api/automations/addresses: addresses outside the team that agreed to the emails of automations. */
import {
  AutomationDeletedResponse,
  AutomationPathParams,
  ConfirmAutomationAddressRequest,
  ConfirmAutomationAddressResponse,
  ListAutomationAddressesQuery,
  ListAutomationAddressesResponse,
  RequestAutomationAddressRequest,
  RequestAutomationAddressResponse,
} from "../../../types/automations.ts";
import { authenticatedRouter, publicRouter } from "../../app/app.ts";
import { operation } from "../../app/operation.ts";
import { rawReply } from "../../app/reply.ts";

export const addressConfirmations = publicRouter([
  operation("POST", "/", "confirm_automation_address", {
    summary: "Agree to the automatic emails of a podcast, with the token of an email",
    json: ConfirmAutomationAddressRequest,
    reply: rawReply,
    response: ConfirmAutomationAddressResponse,
    errors: [401],
  }),
]);

export const addresses = authenticatedRouter([
  operation("GET", "/", "list_automation_addresses", {
    summary: "List the addresses that a podcast asked to confirm, newest first",
    query: ListAutomationAddressesQuery,
    reply: rawReply,
    response: ListAutomationAddressesResponse,
    errors: [403, 404],
  }),
  operation("POST", "/", "request_automation_address", {
    summary: "Ask the holder of an address to confirm it",
    json: RequestAutomationAddressRequest,
    reply: rawReply,
    response: RequestAutomationAddressResponse,
    errors: [403, 404, 409, 429],
  }),
  operation("DELETE", "/:id", "delete_automation_address", {
    summary: "Delete an address, so that automations no longer send to it",
    params: AutomationPathParams,
    rename: { id: "addressId" },
    reply: rawReply,
    response: AutomationDeletedResponse,
    errors: [403, 404, 409],
  }),
]);
