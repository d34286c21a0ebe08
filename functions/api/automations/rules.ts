/** /api/automations/rules: what starts an automation, and what it does. */
import {
  AutomationDeletedResponse,
  AutomationExecutionResponse,
  AutomationPathParams,
  AutomationRuleResponse,
  CreateAutomationRuleRequest,
  DryRunAutomationRuleRequest,
  DryRunAutomationRuleResponse,
  ListAutomationRulesQuery,
  ListAutomationRulesResponse,
  MAX_AUTOMATION_JSON_BYTES,
  RetryFailedAutomationExecutionsRequest,
  RetryFailedAutomationExecutionsResponse,
  RotateWebhookSecretRequest,
  RotateWebhookSecretResponse,
  TestAutomationActionRequest,
  ToggleAutomationRuleRequest,
  UpdateAutomationRuleRequest,
} from "../../../types/automations.ts";
import { authenticatedRouter } from "../../app/app.ts";
import { operation } from "../../app/operation.ts";
import { rawReply } from "../../app/reply.ts";
import { sanitizeDryRun } from "../../automations/sanitize_preview.ts";

/** Routes of a rule: `:id` is the argument `ruleId`. */
const ofRule = { params: AutomationPathParams, rename: { id: "ruleId" } } as const;

export const rules = authenticatedRouter([
  operation("GET", "/", "list_automation_rules", {
    summary: "List a podcast's rules with their actions, newest first",
    query: ListAutomationRulesQuery,
    reply: rawReply,
    response: ListAutomationRulesResponse,
    errors: [403, 404],
  }),
  operation("POST", "/", "create_automation_rule", {
    summary: "Create a rule with its actions",
    json: CreateAutomationRuleRequest,
    maxBytes: MAX_AUTOMATION_JSON_BYTES,
    reply: rawReply,
    response: AutomationRuleResponse,
    status: 201,
    errors: [403, 404, 409],
  }),
  operation("GET", "/:id", "get_automation_rule", {
    summary: "Get a rule with its actions",
    ...ofRule,
    reply: rawReply,
    response: AutomationRuleResponse,
    errors: [403, 404],
  }),
  operation("PUT", "/:id", "update_automation_rule", {
    summary: "Update fields of a rule; actions replace the list",
    ...ofRule,
    changes: UpdateAutomationRuleRequest,
    maxBytes: MAX_AUTOMATION_JSON_BYTES,
    reply: rawReply,
    response: AutomationRuleResponse,
    errors: [403, 404, 409],
  }),
  operation("DELETE", "/:id", "delete_automation_rule", {
    summary: "Delete a rule with its actions and schedules; its executions stay",
    ...ofRule,
    reply: rawReply,
    response: AutomationDeletedResponse,
    errors: [403, 404, 409],
  }),
  operation("POST", "/:id/toggle", "toggle_automation_rule", {
    summary: "Enable or disable a rule",
    ...ofRule,
    json: ToggleAutomationRuleRequest,
    reply: rawReply,
    response: AutomationRuleResponse,
    errors: [403, 404, 409],
  }),
  operation("POST", "/:id/dry-run", "dry_run_automation_rule", {
    summary: "Show what a rule would do for an occurrence",
    ...ofRule,
    json: DryRunAutomationRuleRequest,
    reply: async (plan) => rawReply(await sanitizeDryRun(plan)),
    response: DryRunAutomationRuleResponse,
    errors: [403, 404],
  }),
  operation("POST", "/:id/retry-failed", "retry_failed_automation_executions", {
    summary: "Retry the failed and canceled executions of a rule, at most 500 per call",
    ...ofRule,
    json: RetryFailedAutomationExecutionsRequest,
    reply: rawReply,
    response: RetryFailedAutomationExecutionsResponse,
    errors: [403, 404, 409],
  }),
]);

/** Routes of an action: `:id` is the argument `actionId`. */
const ofAction = { params: AutomationPathParams, rename: { id: "actionId" } } as const;

export const actions = authenticatedRouter([
  operation("POST", "/:id/test", "test_automation_action", {
    summary: "Send the email of an action to the caller, or its webhook marked as a test",
    ...ofAction,
    json: TestAutomationActionRequest,
    reply: rawReply,
    response: AutomationExecutionResponse,
    errors: [403, 404, 409, 429],
  }),
  operation("POST", "/:id/rotate-secret", "rotate_webhook_secret", {
    summary: "Give a webhook a new secret; the earlier one stays valid for a while",
    ...ofAction,
    json: RotateWebhookSecretRequest,
    reply: rawReply,
    response: RotateWebhookSecretResponse,
    errors: [403, 404, 409],
  }),
]);
