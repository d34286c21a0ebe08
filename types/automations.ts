/** Automations over the wire: templates, rules with their actions, executions, and confirmed addresses. */
import { z } from "zod";
import {
  booleanParam,
  EmailStatus,
  Id,
  idParam,
  Instant,
  integerParam,
  requiring,
  Timestamp,
  TimeZone,
  visibleText,
} from "./envelope.ts";

export const AutomationTrigger = z.enum([
  "booking.requested",
  "booking.confirmed",
  "booking.declined",
  "booking.rescheduled",
  "booking.cancelled",
  "time.before_recording",
  "time.after_recording",
  "guest.accepted",
  "episode.scheduled",
  "episode.published",
  "import.completed",
]);
export const AutomationActionType = z.enum(["send_email", "send_webhook", "update_field"]);
export const AutomationExecutionStatus = z.enum(["pending", "running", "completed", "failed", "canceled"]);
export const AutomationTemplateCategory = z.enum(["booking", "guest", "episode", "general"]);

/** JSON bodies of the automation routes. */
export const MAX_AUTOMATION_JSON_BYTES = 512 * 1024;

const JsonObject = z.record(z.string(), z.unknown());
const offsetParam = integerParam(0, 100_000).optional().meta({ default: 0, description: "How many rows to skip" });
const podcastParam = idParam("podcast");

/** Of the rows of a page, of which a response has at most 200. */
const clampedLimitParam = (byDefault: number) =>
  z.string().regex(/^0*[1-9]\d*$/, "must be an integer of at least 1")
    .meta({ type: "integer", pattern: undefined, minimum: 1 })
    .transform((text) => Math.min(Number(text), 200)).optional()
    .meta({ default: byDefault, description: "A larger one is 200" });

/** Keywords of JSON Schema that the documented forms have. */
const KEYWORDS = [
  "type",
  "description",
  "properties",
  "required",
  "additionalProperties",
  "propertyNames",
  "items",
  "maxItems",
] as const;

/**
 * Types and documents a value that only SQL checks, because direct writes meet the same rules. The getters run when the
 * OpenAPI document is derived.
 */
const checkedBySql = <T extends z.ZodType>(form: T) => {
  const documentation = Object.defineProperties(
    {},
    Object.fromEntries(
      KEYWORDS.map((keyword) => [keyword, {
        enumerable: true,
        get: () => z.toJSONSchema(form, { io: "input" })[keyword],
      }]),
    ),
  );
  return z.unknown().meta(documentation) as unknown as z.ZodType<z.input<T>, z.input<T>>;
};

/** A field that a read shows and an update ignores, so that clients can send what they read. */
const ignored = z.unknown().describe("Ignored");
const ignoredFields = { id: ignored, podcast_id: ignored, created_at: ignored, updated_at: ignored };

/** The path /api/automations/…/{id} */
export const AutomationPathParams = z.object({ id: idParam("template, rule, action, execution or address") });

/** DELETE of a template, rule or address. */
export const AutomationDeletedResponse = z.strictObject({ success: z.literal(true) });

const Template = z.strictObject({
  id: Id,
  podcast_id: Id,
  name: z.string(),
  description: z.string(),
  category: AutomationTemplateCategory,
  subject: z.string().describe("May contain {tag} placeholders"),
  body_html: z.string().describe("May contain {tag} placeholders; not sanitized, so show the preview instead"),
  body_text: z.string().describe("Empty: derived from body_html"),
  has_button: z.boolean().describe("Whether the email ends with the button of the podcast or episode"),
  created_at: Timestamp,
  updated_at: Timestamp,
}).meta({ id: "AutomationTemplate" });

const templateTexts = {
  subject: z.string().meta({ maxLength: 255 }).describe(
    "May contain {tag} placeholders, see the table automation_tags, and {booking_answer:question}",
  ),
  body_html: z.string().describe(
    "At most 102,400 bytes, 300 tags and 5,000 HTML tags; each email is reduced to an allow-list of tags and styles",
  ),
  body_text: z.string().describe("At most 102,400 bytes and 300 tags; derived from body_html if empty"),
};
const descriptionText = z.string().meta({ maxLength: 2000 }).nullable().describe("null: empty");

const templateFields = {
  name: visibleText(200),
  description: descriptionText,
  category: AutomationTemplateCategory,
  ...templateTexts,
  has_button: z.boolean(),
};

/** POST /api/automations/templates */
export const CreateAutomationTemplateRequest = z.strictObject({
  podcast_id: Id,
  name: templateFields.name,
  description: templateFields.description.optional(),
  category: templateFields.category.optional().meta({ default: "general" }),
  subject: templateFields.subject,
  body_html: templateFields.body_html.optional(),
  body_text: templateFields.body_text.optional(),
  has_button: templateFields.has_button.optional().meta({ default: true }),
}).meta({ if: { not: requiring("body_html") }, then: requiring("body_text") });

/** PUT /api/automations/templates/{id}: an absent field stays unchanged. */
export const UpdateAutomationTemplateRequest = z.strictObject({
  ...templateFields,
  ...ignoredFields,
}).partial();

/** GET, POST and PUT of a template. */
export const AutomationTemplateResponse = z.strictObject({ template: Template });

/** GET /api/automations/templates */
export const ListAutomationTemplatesQuery = z.object({
  podcast_id: podcastParam,
  category: AutomationTemplateCategory.optional().describe("Only templates of this category"),
  limit: clampedLimitParam(100),
  offset: offsetParam,
});
export const ListAutomationTemplatesResponse = z.strictObject({ templates: z.array(Template), total: z.int() });

/** POST /api/automations/templates/preview */
export const PreviewAutomationTemplateRequest = z.strictObject({
  subject: templateTexts.subject.optional(),
  body_html: templateTexts.body_html.optional(),
  body_text: templateTexts.body_text.optional(),
  sample_data: z.record(z.string(), z.union([z.string(), z.number(), z.boolean(), z.null()])).optional()
    .describe("Values by tag; a moment in ISO 8601 is shown as in an email to the caller"),
  trigger_type: AutomationTrigger.optional().describe("Its tags need no sample value"),
});
export const PreviewAutomationTemplateResponse = z.strictObject({
  preview: z.strictObject({
    subject: z.string(),
    body_html: z.string().describe("Sanitized"),
    body_text: z.string(),
  }),
  validation: z.strictObject({
    is_valid: z.boolean().describe("No errors and no invalid tags"),
    used_tags: z.array(z.string()),
    invalid_tags: z.array(z.string()),
    missing_context: z.array(z.string()).describe(
      "Tags that neither sample_data nor the trigger provides, or that are empty until a setting is set",
    ),
    errors: z.array(z.string()).describe("`field: problem`"),
  }),
});

const WorkflowData = z.looseObject({
  nodes: z.array(z.unknown()).describe("At most 200; their `id`s differ"),
  connections: z.array(z.unknown()).describe(
    "At most 500; `from` and `to`, or `source` and `target`, are ids of nodes",
  ),
}).partial().describe("Of the editor: what it stores is kept, up to 256 KB and 32 levels");

const TriggerConfig = JsonObject.describe(
  "booking.*: {booking_link_id?}; time.before_recording: {offset_minutes: 1 to 43200, booking_link_id?}; " +
    "time.after_recording: {offset_minutes: 0 to 43200, booking_link_id?}; others: {}",
);
const ActionConfig = JsonObject.describe(
  "send_email: {template_id, to: guest | host | team | an address}; send_webhook: {url, secret?, payload_template?, " +
    "headers?, sign?}, without the secret and with {name: null} as headers on reads; update_field: {entity: episode | guest, field, value}",
);

const ReplyTo = z.string().meta({ maxLength: 254 }).describe(
  "To whom the recipients of its emails reply: host | owner | none | the address of an admin | a confirmed address",
);

const Action = z.strictObject({
  id: Id,
  action_type: AutomationActionType,
  action_config: ActionConfig,
  execution_order: z.int(),
  continue_on_error: z.boolean(),
  disabled_reason: z.enum(["gone"]).nullable().describe("gone: the webhook's receiver responded with 410"),
});

const Condition = z.strictObject({
  field: z.string().describe("A tag that the trigger can have, or booking_answer:<question>"),
  operator: z.enum(["equals", "not_equals", "contains", "before", "after", "is_empty", "is_not_empty"]),
  value: z.union([z.string(), z.number()]).optional().describe(
    "At most 1,000 characters; absent for is_empty and is_not_empty. For a moment: a date, or an ISO 8601 time",
  ),
});
const ConditionMode = z.enum(["all", "any"]).describe("How many of the conditions must hold");

const Rule = z.strictObject({
  id: Id,
  podcast_id: Id,
  name: z.string(),
  description: z.string(),
  trigger_type: AutomationTrigger,
  trigger_config: TriggerConfig,
  workflow_data: WorkflowData.required(),
  conditions: z.array(Condition),
  condition_mode: ConditionMode,
  reply_to: ReplyTo,
  is_enabled: z.boolean(),
  is_paused: z.boolean(),
  pause_reason: z.enum(["author_left"]).nullable().describe("null: not paused, or paused by an admin"),
  created_at: Timestamp,
  updated_at: Timestamp,
  automation_actions: z.array(Action),
}).meta({ id: "AutomationRule" });

const ActionInput = z.strictObject({
  id: Id.optional().describe("Of an action of this rule: it keeps its secret"),
  action_type: AutomationActionType,
  action_config: ActionConfig,
  execution_order: z.int().min(0).max(99).optional().describe("From 0; the place in the list if absent"),
  continue_on_error: z.boolean().optional().meta({ default: false }).describe("Its failure does not stop the others"),
  disabled_reason: z.enum(["gone"]).nullable().optional().describe("null enables a disabled webhook"),
});

const ruleFields = {
  name: visibleText(200),
  description: descriptionText,
  trigger_type: AutomationTrigger,
  trigger_config: checkedBySql(TriggerConfig),
  workflow_data: checkedBySql(WorkflowData),
  conditions: checkedBySql(z.array(Condition).max(20)),
  condition_mode: ConditionMode,
  reply_to: ReplyTo,
  is_enabled: z.boolean(),
  actions: checkedBySql(z.array(ActionInput).max(10)),
};

/** POST /api/automations/rules */
export const CreateAutomationRuleRequest = z.strictObject({
  podcast_id: Id,
  name: ruleFields.name,
  trigger_type: ruleFields.trigger_type,
  description: ruleFields.description.optional(),
  trigger_config: ruleFields.trigger_config.optional(),
  workflow_data: ruleFields.workflow_data.optional(),
  conditions: ruleFields.conditions.optional(),
  condition_mode: ruleFields.condition_mode.optional().meta({ default: "all" }),
  reply_to: ruleFields.reply_to.optional().meta({ default: "host" }),
  is_enabled: ruleFields.is_enabled.optional().meta({ default: true }),
  actions: ruleFields.actions.optional(),
});

/** PUT /api/automations/rules/{id}: an absent field stays unchanged, and actions replace the list. */
export const UpdateAutomationRuleRequest = z.strictObject({
  ...ruleFields,
  is_paused: z.boolean(),
  ...ignoredFields,
  pause_reason: ignored,
  automation_actions: ignored,
}).partial();

/** POST /api/automations/rules/{id}/toggle */
export const ToggleAutomationRuleRequest = z.strictObject({
  is_enabled: z.boolean().optional().describe("Absent: the present state flips"),
}).default({});

/** GET, POST and PUT of a rule, and its toggle. */
export const AutomationRuleResponse = z.strictObject({ rule: Rule });

/** GET /api/automations/rules */
export const ListAutomationRulesQuery = z.object({
  podcast_id: podcastParam,
  is_enabled: booleanParam.optional().describe("Only rules that are on, or off"),
});
export const ListAutomationRulesResponse = z.strictObject({ rules: z.array(Rule), total: z.int() });

const ContextData = z.looseObject({
  podcast_id: Id,
  booking_id: Id.nullable(),
  episode_id: Id.nullable(),
  episode_guest_id: Id.nullable().describe("The guest who accepted"),
  import_id: Id.nullable(),
  podcast_guest_id: Id.nullable().describe("The guest record of the episode guest or of the booking's address"),
  occurred_at: Timestamp,
  timezone: TimeZone,
  tags: z.record(z.string(), z.string()),
}).describe("What the trigger knew");

const ActionResult = z.strictObject({
  action_id: Id,
  action_type: AutomationActionType,
  status: z.enum(["completed", "failed", "skipped", "rate_limited", "running"]),
  result: JsonObject.describe("What the action did; `error` of a failed one, `reason` of a skipped one"),
});

const Execution = z.strictObject({
  id: Id,
  rule_id: Id.nullable().describe("null if the rule was deleted"),
  podcast_id: Id,
  trigger_type: AutomationTrigger,
  status: AutomationExecutionStatus,
  context_data: ContextData,
  action_results: z.array(ActionResult),
  error_message: z.string().nullable(),
  outcome: z.enum(["done", "nothing_to_do"]).nullable().describe("Of a completed one: whether an action did anything"),
  outcome_reason: z.string().nullable().describe("Why nothing was to do"),
  retry_of_id: Id.nullable().describe("The execution that this one retries or replays"),
  is_test: z.boolean().describe("Of one action, for the user `context_data.tested_by`"),
  started_at: Timestamp.nullable(),
  completed_at: Timestamp.nullable(),
  next_attempt_at: Timestamp.nullable().describe("When one that waits for an hourly limit continues"),
  waits_for: AutomationActionType.nullable().describe("The type of action whose hourly limit that is"),
  held_until: Timestamp.nullable().describe("While its rule is paused: when it is canceled unless the rule is resumed"),
  created_at: Timestamp,
}).meta({ id: "AutomationExecution" });

/** POST /api/automations/executions/{id}/retry */
export const RetryAutomationExecutionRequest = z.strictObject({
  replay: z.boolean().optional().meta({ default: false }).describe(
    "Takes a completed execution, too, and repeats actions that completed",
  ),
}).default({});

/** POST /api/automations/rules/{id}/retry-failed */
export const RetryFailedAutomationExecutionsRequest = z.strictObject({
  from: Instant.optional().describe("Of the creation of the executions"),
  to: Instant.optional().describe("Not included"),
}).default({});
export const RetryFailedAutomationExecutionsResponse = z.strictObject({
  retried: z.int().describe("At most 500"),
  skipped: z.int().describe("Their occurrence no longer holds"),
  has_more: z.boolean(),
  next_from: Timestamp.nullable().describe("`from` of the next call, if there are more"),
});

/** GET of an execution, its retry, and the test of an action. */
export const AutomationExecutionResponse = z.strictObject({ execution: Execution });

/** GET /api/automations/executions */
export const ListAutomationExecutionsQuery = z.object({
  podcast_id: podcastParam,
  rule_id: Id.optional().describe("Only executions of this rule"),
  status: AutomationExecutionStatus.optional().describe("Only executions of this status"),
  booking_id: Id.optional().describe("Only executions about this booking"),
  episode_id: Id.optional().describe("Only executions about this episode"),
  guest_email: z.string().min(1).max(254).optional().describe("The guest's address when the trigger fired"),
  created_from: Instant.optional().describe("Created at this time or later"),
  created_to: Instant.optional().describe("Created before this time"),
  is_test: booleanParam.optional().describe("Only tests, or none"),
  limit: clampedLimitParam(50),
  offset: offsetParam,
});
export const ListAutomationExecutionsResponse = z.strictObject({
  executions: z.array(Execution.extend({ automation_rules: z.strictObject({ name: z.string() }) })),
  total: z.int().describe("With filters other than rule_id and status at most 100000"),
});

/** GET /api/automations/executions/stats */
export const AutomationStatsQuery = z.object({
  podcast_id: podcastParam,
  days: integerParam(1, 365).optional().meta({ default: 30, description: "Of the last days" }),
});
export const AutomationStatsResponse = z.strictObject({
  stats: z.strictObject({
    total: z.int(),
    completed: z.int(),
    failed: z.int(),
    pending: z.int().describe("Running ones too"),
    by_trigger: z.partialRecord(AutomationTrigger, z.int()),
    by_action: z.partialRecord(AutomationActionType, z.int()),
  }),
});

/** POST /api/automations/rules/{id}/dry-run */
export const DryRunAutomationRuleRequest = z.strictObject({
  booking_id: Id.optional().describe("For a trigger of bookings"),
  episode_id: Id.optional().describe("For a trigger of episodes"),
  episode_guest_id: Id.optional().describe("For a trigger of guests"),
  import_id: Id.optional().describe("For a trigger of imports"),
});
export const DryRunAutomationRuleResponse = z.strictObject({
  dry_run: z.strictObject({
    would_run: z.boolean(),
    problem: z.string().nullable().describe("Why the rule would not run"),
    context_data: ContextData,
    action_results: z.array(ActionResult).describe("What each action would do"),
  }),
});

/** POST /api/automations/actions/{id}/test */
export const TestAutomationActionRequest = DryRunAutomationRuleRequest.default({});

/** POST /api/automations/actions/{id}/rotate-secret */
export const RotateWebhookSecretRequest = z.strictObject({
  secret: z.string().describe("whsec_ and 24 to 64 bytes in base64"),
});
export const RotateWebhookSecretResponse = z.strictObject({
  action_id: Id,
  previous_secret_expires_at: Timestamp.describe("Webhooks carry the signatures of both secrets until then"),
});

const Address = z.strictObject({
  id: Id,
  podcast_id: Id,
  email: z.string(),
  status: z.enum(["pending", "confirmed", "unsubscribed"]),
  confirmed_at: Timestamp.nullable().describe("null until its holder confirms it"),
  unsubscribed_at: Timestamp.nullable().describe("When its holder ended the emails, of this podcast or of all"),
  email_status: EmailStatus.nullable().describe("null: no email yet"),
  email_due_at: Timestamp.nullable().describe("When an email that waits is sent"),
  created_at: Timestamp,
}).meta({ id: "AutomationAddress" });

/** POST /api/automations/addresses */
export const RequestAutomationAddressRequest = z.strictObject({
  podcast_id: Id,
  email: z.string().meta({ format: "email", maxLength: 254 }),
});
export const RequestAutomationAddressResponse = z.strictObject({ address: Address });

/** POST /api/automations/addresses/confirm: the token of the email, in the body because URLs are logged. */
export const ConfirmAutomationAddressRequest = z.strictObject({ accessToken: z.string() });
export const ConfirmAutomationAddressResponse = z.strictObject({
  email: z.string(),
  podcast: z.strictObject({ id: Id, slug: z.string(), title: z.string() }),
});

/** GET /api/automations/addresses */
export const ListAutomationAddressesQuery = z.object({ podcast_id: podcastParam });
export const ListAutomationAddressesResponse = z.strictObject({ addresses: z.array(Address), total: z.int() });
