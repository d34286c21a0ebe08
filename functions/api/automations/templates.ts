/** /api/automations/templates: the emails that automations send. */
import {
  AutomationDeletedResponse,
  AutomationPathParams,
  AutomationTemplateResponse,
  CreateAutomationTemplateRequest,
  ListAutomationTemplatesQuery,
  ListAutomationTemplatesResponse,
  MAX_AUTOMATION_JSON_BYTES,
  PreviewAutomationTemplateRequest,
  PreviewAutomationTemplateResponse,
  UpdateAutomationTemplateRequest,
} from "../../../types/automations.ts";
import { NoFields } from "../../../types/envelope.ts";
import { authenticatedRouter } from "../../app/app.ts";
import { describeRoute } from "../../app/describe_route.ts";
import { rawReply } from "../../app/reply.ts";
import { valid } from "../../app/validation.ts";
import { sanitizePreview } from "../../automations/sanitize_preview.ts";

const limits = { maxBytes: MAX_AUTOMATION_JSON_BYTES };

export const templates = authenticatedRouter()
  .get(
    "/",
    describeRoute({
      operationId: "listAutomationTemplates",
      summary: "List a podcast's templates, newest first",
      response: ListAutomationTemplatesResponse,
      errors: [403, 404],
    }),
    valid("query", ListAutomationTemplatesQuery),
    async (c) => {
      const { podcast_id: podcastId, ...filters } = c.req.valid("query");
      return rawReply(await c.var.db.call("list_automation_templates", { podcastId, ...filters }));
    },
  )
  .post(
    "/",
    describeRoute({
      operationId: "createAutomationTemplate",
      summary: "Create a template",
      response: AutomationTemplateResponse,
      status: 201,
      errors: [403, 404, 409],
    }),
    valid("json", CreateAutomationTemplateRequest, limits),
    async (c) => {
      const { podcast_id: podcastId, ...fields } = c.req.valid("json");
      return rawReply(await c.var.db.call("create_automation_template", { podcastId, ...fields }));
    },
  )
  .post(
    "/preview",
    describeRoute({
      operationId: "previewAutomationTemplate",
      summary: "Render a template without saving it, and validate it",
      response: PreviewAutomationTemplateResponse,
      errors: [403],
    }),
    valid("json", PreviewAutomationTemplateRequest, limits),
    async (c) => {
      const preview = await c.var.db.call("preview_automation_template", c.req.valid("json"));
      return rawReply(await sanitizePreview(preview));
    },
  )
  .get(
    "/:id",
    describeRoute({
      operationId: "getAutomationTemplate",
      summary: "Get a template",
      response: AutomationTemplateResponse,
      errors: [403, 404],
    }),
    valid("param", AutomationPathParams),
    async (c) => {
      return rawReply(await c.var.db.call("get_automation_template", { templateId: c.req.valid("param").id }));
    },
  )
  .put(
    "/:id",
    describeRoute({
      operationId: "updateAutomationTemplate",
      summary: "Update fields of a template",
      response: AutomationTemplateResponse,
      errors: [403, 404, 409],
    }),
    valid("param", AutomationPathParams),
    valid("json", UpdateAutomationTemplateRequest, limits),
    async (c) => {
      const { id: templateId } = c.req.valid("param");
      return rawReply(
        await c.var.db.call("update_automation_template", { templateId, changes: c.req.valid("json") }),
      );
    },
  )
  .delete(
    "/:id",
    describeRoute({
      operationId: "deleteAutomationTemplate",
      summary: "Delete a template that no rule sends",
      response: AutomationDeletedResponse,
      errors: [403, 404, 409],
    }),
    valid("param", AutomationPathParams),
    valid("json", NoFields),
    async (c) => {
      return rawReply(await c.var.db.call("delete_automation_template", { templateId: c.req.valid("param").id }));
    },
  );
