/** /api/automations/executions: what automations did. */
import {
  AutomationExecutionResponse,
  AutomationPathParams,
  AutomationStatsQuery,
  AutomationStatsResponse,
  ListAutomationExecutionsQuery,
  ListAutomationExecutionsResponse,
  RetryAutomationExecutionRequest,
} from "../../../types/automations.ts";
import { authenticatedRouter } from "../../app/app.ts";
import { operation } from "../../app/operation.ts";
import { rawReply } from "../../app/reply.ts";

export const executions = authenticatedRouter([
  operation("GET", "/", "list_automation_executions", {
    summary: "List a podcast's executions, newest first",
    query: ListAutomationExecutionsQuery,
    reply: rawReply,
    response: ListAutomationExecutionsResponse,
    errors: [403, 404],
  }),
  operation("GET", "/stats", "get_automation_stats", {
    summary: "Count a podcast's executions of the last days, by trigger and by action",
    query: AutomationStatsQuery,
    reply: rawReply,
    response: AutomationStatsResponse,
    errors: [403, 404],
  }),
  operation("GET", "/:id", "get_automation_execution", {
    summary: "Get an execution",
    params: AutomationPathParams,
    rename: { id: "executionId" },
    reply: rawReply,
    response: AutomationExecutionResponse,
    errors: [403, 404],
  }),
  operation("POST", "/:id/retry", "retry_automation_execution", {
    summary: "Retry a failed or canceled execution, without the actions that completed, or replay one",
    params: AutomationPathParams,
    rename: { id: "executionId" },
    json: RetryAutomationExecutionRequest,
    reply: rawReply,
    response: AutomationExecutionResponse,
    errors: [403, 404, 409, 429],
  }),
]);
