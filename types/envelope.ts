/** The envelopes every route answers in (contract: Conventions, Errors), and values that many routes take. */
import { z } from "zod";

/** A refusal. Some refusals have members of their own beside these: `importId`, `rate_limit_reset_at`, `requestId`. */
export const ErrorEnvelope = z.looseObject({
  error: z.string().describe("A sentence for people"),
  details: z.string().optional().describe("What exactly: the offending parameter, for example"),
  code: z.string().optional().describe("A machine code, present on some errors"),
}).meta({ id: "Error" });
export type ErrorEnvelope = z.infer<typeof ErrorEnvelope>;

/** `{ success: true, data }`: all routes but media, automations and health, whose answers are flat. */
export const successEnvelope = <T extends z.ZodType>(data: T) => z.strictObject({ success: z.literal(true), data });

/** A page of a list, newest first. Hand `nextCursor` back as `cursor`; it is opaque and null on the last page. */
export const pageOf = <T extends z.ZodType>(item: T) =>
  z.strictObject({
    success: z.literal(true),
    data: z.array(item),
    pagination: z.strictObject({ nextCursor: z.string().nullable(), hasMore: z.boolean() }),
  });

/** The body of a route that takes no fields: none, or an empty object. A field would be dropped silently otherwise. */
export const NoFields = z.strictObject({}).default({});

/** A line of text that someone must see. The length is counted in characters, as the database counts it. */
export const visibleText = (max: number) =>
  z.string().refine(
    (text) => text.trim() !== "" && [...text.trim().replace(/\s+/g, " ")].length <= max,
    { message: `must be 1 to ${max} characters`, abort: true },
  ).meta({ minLength: 1, maxLength: max });

/** An http or https URL; private.is_http_url decides alike. */
export const HttpUrl = z.string()
  .max(2048).regex(/^https?:\/\/[^\s/?#@"<>\\]+([/?#][^\s"<>\\]*)?$/i, "must be an http or https URL")
  .meta({ format: "uri", pattern: undefined });

/** An id. Not `z.uuid()`, which refuses ids that Postgres accepts. */
export const Id = z.guid();

/** ISO 8601, UTC. */
export const Timestamp = z.iso.datetime();

/** A whole number in a query, where everything is text: digits only, so that '', '1e3' and '0x10' are refused. */
export const integerParam = (least: number, most: number) => {
  const message = `must be a whole number from ${least} to ${most}`;
  return z.string(message).regex(/^\d{1,10}$/, message)
    .refine((text) => Number(text) >= least && Number(text) <= most, message)
    .meta({ type: "integer", pattern: undefined, minimum: least, maximum: most })
    .transform(Number);
};
