/** /api/automations/rules: what starts an automation, and what it does. */
import {
  AutomationDeletedResponse,
  AutomationPathParams,
  AutomationRuleResponse,
  CreateAutomationRuleRequest,
  DryRunAutomationRuleRequest,
  DryRunAutomationRuleResponse,
  ListAutomationRulesQuery,
  ListAutomationRulesResponse,
  MAX_AUTOMATION_JSON_BYTES,
  RotateWebhookSecretRequest,
  RotateWebhookSecretResponse,
  ToggleAutomationRuleRequest,
  UpdateAutomationRuleRequest,
} from "../../../types/automations.ts";
import { NoFields } from "../../../types/envelope.ts";
import { authenticatedRouter } from "../../app/app.ts";
import { describeRoute } from "../../app/describe_route.ts";
import { rawReply } from "../../app/reply.ts";
import { valid } from "../../app/validation.ts";
import { sanitizeDryRun } from "../../automations/sanitize_preview.ts";

const limits = { maxBytes: MAX_AUTOMATION_JSON_BYTES };

export const rules = authenticatedRouter()
  .get(
    "/",
    describeRoute({
      operationId: "listAutomationRules",
      summary: "List a podcast's rules with their actions, newest first",
      response: ListAutomationRulesResponse,
      errors: [403, 404],
    }),
    valid("query", ListAutomationRulesQuery),
    async (c) => {
      const { podcast_id: podcastId, is_enabled: isEnabled } = c.req.valid("query");
      return rawReply(await c.var.db.call("list_automation_rules", { podcastId, isEnabled }));
    },
  )
  .post(
    "/",
    describeRoute({
      operationId: "createAutomationRule",
      summary: "Create a rule with its actions",
      response: AutomationRuleResponse,
      status: 201,
      errors: [403, 404, 409],
    }),
    valid("json", CreateAutomationRuleRequest, limits),
    async (c) => {
      const { podcast_id: podcastId, trigger_type: triggerType, ...fields } = c.req.valid("json");
      return rawReply(await c.var.db.call("create_automation_rule", { podcastId, triggerType, ...fields }));
    },
  )
  .get(
    "/:id",
    describeRoute({
      operationId: "getAutomationRule",
      summary: "Get a rule with its actions",
      response: AutomationRuleResponse,
      errors: [403, 404],
    }),
    valid("param", AutomationPathParams),
    async (c) => {
      return rawReply(await c.var.db.call("get_automation_rule", { ruleId: c.req.valid("param").id }));
    },
  )
  .put(
    "/:id",
    describeRoute({
      operationId: "updateAutomationRule",
      summary: "Update fields of a rule; actions replace the list",
      response: AutomationRuleResponse,
      errors: [403, 404, 409],
    }),
    valid("param", AutomationPathParams),
    valid("json", UpdateAutomationRuleRequest, limits),
    async (c) => {
      const { id: ruleId } = c.req.valid("param");
      return rawReply(await c.var.db.call("update_automation_rule", { ruleId, changes: c.req.valid("json") }));
    },
  )
  .delete(
    "/:id",
    describeRoute({
      operationId: "deleteAutomationRule",
      summary: "Delete a rule with its actions and schedules; its executions stay",
      response: AutomationDeletedResponse,
      errors: [403, 404, 409],
    }),
    valid("param", AutomationPathParams),
    valid("json", NoFields),
    async (c) => {
      return rawReply(await c.var.db.call("delete_automation_rule", { ruleId: c.req.valid("param").id }));
    },
  )
  .post(
    "/:id/toggle",
    describeRoute({
      operationId: "toggleAutomationRule",
      summary: "Enable or disable a rule",
      response: AutomationRuleResponse,
      errors: [403, 404, 409],
    }),
    valid("param", AutomationPathParams),
    valid("json", ToggleAutomationRuleRequest),
    async (c) => {
      const { is_enabled: isEnabled } = c.req.valid("json");
      return rawReply(
        await c.var.db.call("toggle_automation_rule", { ruleId: c.req.valid("param").id, isEnabled }),
      );
    },
  )
  .post(
    "/:id/dry-run",
    describeRoute({
      operationId: "dryRunAutomationRule",
      summary: "Show what a rule would do for a booking or an episode",
      response: DryRunAutomationRuleResponse,
      errors: [403, 404],
    }),
    valid("param", AutomationPathParams),
    valid("json", DryRunAutomationRuleRequest),
    async (c) => {
      const { booking_id: bookingId, episode_id: episodeId } = c.req.valid("json");
      const { id: ruleId } = c.req.valid("param");
      const plan = await c.var.db.call("dry_run_automation_rule", { ruleId, bookingId, episodeId });
      return rawReply(await sanitizeDryRun(plan));
    },
  );

export const actions = authenticatedRouter()
  .post(
    "/:id/rotate-secret",
    describeRoute({
      operationId: "rotateWebhookSecret",
      summary: "Give a webhook a new secret; the earlier one stays valid for a while",
      response: RotateWebhookSecretResponse,
      errors: [403, 404, 409],
    }),
    valid("param", AutomationPathParams),
    valid("json", RotateWebhookSecretRequest),
    async (c) => {
      const { id: actionId } = c.req.valid("param");
      return rawReply(await c.var.db.call("rotate_webhook_secret", { actionId, ...c.req.valid("json") }));
    },
  );
