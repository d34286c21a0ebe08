// How values travel between lite and Postgres: what a client reads must be what to_json() would print, and what it
// sends must arrive as json_to_record() would read it.

/** to_json() writes the T and the minutes of the offset. */
const isoTimestamp = (text: string) => text.replace(" ", "T").replace(/([+-]\d\d)$/, "$1:00");

/** NaN and the infinities have no JSON number: to_json() quotes them. */
const jsonNumber = (text: string) => Number.isFinite(Number(text)) ? Number(text) : text;

/** What lite hands over as a string is JSON text already, except a filter's plain word. */
function toJson(value: unknown): string {
  if (typeof value !== "string") return JSON.stringify(value);
  try {
    JSON.parse(value);
    return value;
  } catch {
    return JSON.stringify(value);
  }
}

const asText = (oid: number, parse: (text: string) => unknown = (text) => text) => ({
  to: oid,
  from: [oid],
  serialize: (value: unknown) => String(value),
  parse,
});
const asJson = (oid: number) => ({ to: oid, from: [oid], serialize: toJson, parse: JSON.parse });

/** postgres.js's type table, where lite's own differs from what PostgREST prints. */
export const types = {
  timestamptz: asText(1184, isoTimestamp),
  timestamp: asText(1114, isoTimestamp),
  numeric: asText(1700, jsonNumber),
  bytea: asText(17),
  json: asJson(114),
  jsonb: asJson(3802),
};

/**
 * A value as the type of its column or argument needs it. lite takes the string "[1]" for the array, passes the number 5
 * to a jsonb argument as "5", and makes a float of "9007199254740993": wrapped in an object it leaves a value alone.
 */
export function fit(value: unknown, type: string | undefined): unknown {
  if (value === null || value === undefined) return value;
  if (type === "json" || type === "jsonb") return { toJSON: () => value };
  if ((type === "bigint" || type === "numeric") && typeof value === "string") return { toString: () => value };
  return value;
}
