/** /api/automations/executions: what automations did. */
import {
  AutomationExecutionResponse,
  AutomationPathParams,
  AutomationStatsQuery,
  AutomationStatsResponse,
  ListAutomationExecutionsQuery,
  ListAutomationExecutionsResponse,
} from "../../../types/automations.ts";
import { NoFields } from "../../../types/envelope.ts";
import { authenticatedRouter } from "../../app/app.ts";
import { describeRoute } from "../../app/describe_route.ts";
import { rawReply } from "../../app/reply.ts";
import { valid } from "../../app/validation.ts";

export const executions = authenticatedRouter()
  .get(
    "/",
    describeRoute({
      operationId: "listAutomationExecutions",
      summary: "List a podcast's executions, newest first",
      response: ListAutomationExecutionsResponse,
      errors: [403, 404],
    }),
    valid("query", ListAutomationExecutionsQuery),
    async (c) => {
      const { podcast_id: podcastId, rule_id: ruleId, ...filters } = c.req.valid("query");
      return rawReply(await c.var.db.call("list_automation_executions", { podcastId, ruleId, ...filters }));
    },
  )
  .get(
    "/stats",
    describeRoute({
      operationId: "getAutomationStats",
      summary: "Count a podcast's executions of the last days, by trigger and by action",
      response: AutomationStatsResponse,
      errors: [403, 404],
    }),
    valid("query", AutomationStatsQuery),
    async (c) => {
      const { podcast_id: podcastId, days } = c.req.valid("query");
      return rawReply(await c.var.db.call("get_automation_stats", { podcastId, days }));
    },
  )
  .get(
    "/:id",
    describeRoute({
      operationId: "getAutomationExecution",
      summary: "Get an execution",
      response: AutomationExecutionResponse,
      errors: [403, 404],
    }),
    valid("param", AutomationPathParams),
    async (c) => {
      return rawReply(await c.var.db.call("get_automation_execution", { executionId: c.req.valid("param").id }));
    },
  )
  .post(
    "/:id/retry",
    describeRoute({
      operationId: "retryAutomationExecution",
      summary: "Retry a failed execution, without the actions that completed",
      response: AutomationExecutionResponse,
      errors: [403, 404, 409, 429],
    }),
    valid("param", AutomationPathParams),
    valid("json", NoFields),
    async (c) => {
      return rawReply(await c.var.db.call("retry_automation_execution", { executionId: c.req.valid("param").id }));
    },
  );
