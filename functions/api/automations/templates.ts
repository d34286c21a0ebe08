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
import { authenticatedRouter } from "../../app/app.ts";
import { operation } from "../../app/operation.ts";
import { rawReply } from "../../app/reply.ts";
import { sanitizePreview } from "../../automations/sanitize_preview.ts";

/** Routes of a template: `:id` is the argument `templateId`. */
const ofTemplate = { params: AutomationPathParams, rename: { id: "templateId" } } as const;

export const templates = authenticatedRouter([
  operation("GET", "/", "list_automation_templates", {
    summary: "List a podcast's templates, newest first",
    query: ListAutomationTemplatesQuery,
    reply: rawReply,
    response: ListAutomationTemplatesResponse,
    errors: [403, 404],
  }),
  operation("POST", "/", "create_automation_template", {
    summary: "Create a template",
    json: CreateAutomationTemplateRequest,
    maxBytes: MAX_AUTOMATION_JSON_BYTES,
    reply: rawReply,
    response: AutomationTemplateResponse,
    status: 201,
    errors: [403, 404, 409],
  }),
  operation("POST", "/preview", "preview_automation_template", {
    summary: "Render a template without saving it, and validate it",
    json: PreviewAutomationTemplateRequest,
    maxBytes: MAX_AUTOMATION_JSON_BYTES,
    reply: async (preview) => rawReply(await sanitizePreview(preview)),
    response: PreviewAutomationTemplateResponse,
    errors: [403, 429],
  }),
  operation("GET", "/:id", "get_automation_template", {
    summary: "Get a template",
    ...ofTemplate,
    reply: rawReply,
    response: AutomationTemplateResponse,
    errors: [403, 404],
  }),
  operation("PUT", "/:id", "update_automation_template", {
    summary: "Update fields of a template",
    ...ofTemplate,
    changes: UpdateAutomationTemplateRequest,
    maxBytes: MAX_AUTOMATION_JSON_BYTES,
    reply: rawReply,
    response: AutomationTemplateResponse,
    errors: [403, 404, 409],
  }),
  operation("DELETE", "/:id", "delete_automation_template", {
    summary: "Delete a template that no rule sends",
    ...ofTemplate,
    reply: rawReply,
    response: AutomationDeletedResponse,
    errors: [403, 404, 409],
  }),
]);
