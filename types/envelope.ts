/** Envelopes of all responses, and values that many routes share. */
import { z } from "zod";
import { ERROR_CODES } from "./error_codes.ts";

/** A machine code: one of these, or one that a later version adds. */
export const codeOf = <Code extends string>(codes: readonly Code[]) => z.enum(codes).or(z.string());

/** An error. Some errors have more members: `importId`, `rate_limit_reset_at`, `requestId`. */
export const ErrorEnvelope = z.looseObject({
  error: z.string().describe("Human-readable message"),
  details: z.string().optional().describe("Details, such as the offending field"),
  code: codeOf(ERROR_CODES).optional().describe("Machine code, present on some errors"),
}).meta({ id: "Error" });
export type ErrorEnvelope = z.infer<typeof ErrorEnvelope>;

/** `{ success: true, data }`: all routes except media, automations and health, whose responses are flat. */
export const successEnvelope = <T extends z.ZodType>(data: T) => z.strictObject({ success: z.literal(true), data });

/** `{ success: true }` */
export const SuccessResponse = z.strictObject({ success: z.literal(true) });

/** Where a page begins: opaque text of the page before. */
export const Cursor = z.string().meta({ format: "cursor" });

/** `nextCursor` is the next request's `cursor`; it is opaque, and null on the last page. */
export const Pagination = z.strictObject({ nextCursor: Cursor.nullable(), hasMore: z.boolean() });

/** A page of a list, newest first. */
export const pageOf = <T extends z.ZodType>(item: T) =>
  z.strictObject({
    success: z.literal(true),
    data: z.array(item),
    pagination: Pagination,
  });

/** The body of a route without fields: absent or an empty object. Unknown fields are rejected instead of ignored. */
export const NoFields = z.strictObject({}).default({});

/** A visible line of text. Its length is counted in characters, as in the database. */
export const visibleText = (max: number) =>
  z.string().refine(
    (text) => text.trim() !== "" && [...text.trim().replace(/\s+/g, " ")].length <= max,
    { message: `must be 1 to ${max} characters`, abort: true },
  ).meta({ minLength: 1, maxLength: max });

/** An http or https URL, by the rules of private.is_http_url. */
export const HttpUrl = z.string()
  .max(2048).regex(/^https?:\/\/[^\s/?#@"<>\\]+([/?#][^\s"<>\\]*)?$/i, "must be an http or https URL")
  .meta({ format: "uri", pattern: undefined });

/** The name of a time zone, by the rules of private.is_timezone. */
export const TimeZone = z.string().max(64).meta({ format: "time-zone", examples: ["Europe/Berlin"] });

/** A language, by the rules of private.is_language_tag. */
export const LanguageTag = z.string().meta({ format: "language-tag", examples: ["de-AT"] });

/** Documents that these fields are required. The linter looks for their names in the same schema. */
export const requiring = (...fields: string[]) => ({
  properties: Object.fromEntries(fields.map((field) => [field, {}])),
  required: fields,
});

/** Documents that a field is required if another has one of these values, which the route or the database checks. */
export const requiredWith = (name: string, values: readonly string[], field: string) => ({
  if: { properties: { [name]: { enum: values } } },
  then: requiring(field),
});

/** A body whose fields are all optional, of which the database requires one. */
export const atLeastOneOf = <T extends z.ZodType>(schema: T): T => schema.meta({ minProperties: 1 });

/** A UUID. `z.uuid()` rejects some that Postgres accepts. */
export const Id = z.guid();

/** The id of a resource in a path: `idParam("episode")`. */
export const idParam = (resource: string) => Id.describe(`Id of the ${resource}`);

/** ISO 8601, UTC. */
export const Timestamp = z.iso.datetime();
/** A moment in a request, with any offset: Postgres converts it to UTC. */
export const Instant = z.iso.datetime({ offset: true });

/** What became of the last email about a record. */
export const EmailStatus = z.enum([
  "waiting",
  "queued",
  "sent",
  "delivered",
  "bounced",
  "suppressed",
  "canceled",
  "failed",
]);

/** An integer in a query string. Digits only: '', '1e3' and '0x10' are rejected. */
export const integerParam = (min: number, max: number) => {
  const message = `must be an integer from ${min} to ${max}`;
  return z.string(message).regex(/^\d{1,10}$/, message)
    .refine((text) => Number(text) >= min && Number(text) <= max, message)
    .meta({ type: "integer", pattern: undefined, minimum: min, maximum: max })
    .transform(Number);
};

/** The number of rows of a page in a query string. */
export const limitParam = (max: number, byDefault: number) =>
  integerParam(1, max).optional().meta({ default: byDefault, description: "The most rows of a page" });

/** Where a page begins. */
export const cursorParam = Cursor.min(1).optional().meta({
  format: "cursor",
  description: "nextCursor of the previous page",
});

/** true or false in a query string. */
export const booleanParam = z.enum(["true", "false"], "must be true or false").transform((text) => text === "true")
  .meta({ type: "boolean", enum: undefined });
