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
import { NoFields } from "../../../types/envelope.ts";
import { authenticatedRouter, publicRouter } from "../../app/app.ts";
import { describeRoute } from "../../app/describe_route.ts";
import { rawReply } from "../../app/reply.ts";
import { valid } from "../../app/validation.ts";

export const addressConfirmations = publicRouter()
  .post(
    "/",
    describeRoute({
      operationId: "confirmAutomationAddress",
      summary: "Agree to the automatic emails of a podcast, with the token of an email",
      response: ConfirmAutomationAddressResponse,
      errors: [401],
    }),
    valid("json", ConfirmAutomationAddressRequest),
    async (c) => {
      return rawReply(await c.var.db.call("confirm_automation_address", c.req.valid("json")));
    },
  );

export const addresses = authenticatedRouter()
  .get(
    "/",
    describeRoute({
      operationId: "listAutomationAddresses",
      summary: "List the addresses that a podcast asked to confirm, newest first",
      response: ListAutomationAddressesResponse,
      errors: [403, 404],
    }),
    valid("query", ListAutomationAddressesQuery),
    async (c) => {
      return rawReply(
        await c.var.db.call("list_automation_addresses", { podcastId: c.req.valid("query").podcast_id }),
      );
    },
  )
  .post(
    "/",
    describeRoute({
      operationId: "requestAutomationAddress",
      summary: "Ask the holder of an address to confirm it",
      response: RequestAutomationAddressResponse,
      errors: [403, 404, 409, 429],
    }),
    valid("json", RequestAutomationAddressRequest),
    async (c) => {
      const { podcast_id: podcastId, email } = c.req.valid("json");
      return rawReply(await c.var.db.call("request_automation_address", { podcastId, email }));
    },
  )
  .delete(
    "/:id",
    describeRoute({
      operationId: "deleteAutomationAddress",
      summary: "Delete an address, so that automations no longer send to it",
      response: AutomationDeletedResponse,
      errors: [403, 404, 409],
    }),
    valid("param", AutomationPathParams),
    valid("json", NoFields),
    async (c) => {
      return rawReply(await c.var.db.call("delete_automation_address", { addressId: c.req.valid("param").id }));
    },
  );
