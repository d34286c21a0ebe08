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
 * A value for a json column or argument. lite takes the string "[1]" for the array, and passes the number 5 as "5":
 * wrapped, a value is an object to it, which JSON.stringify prints as the value itself.
 */
export function jsonValue(value: unknown): unknown {
  return value === null || value === undefined ? value : { toJSON: () => value };
}

export const isJsonType = (type: string | undefined) => type === "json" || type === "jsonb";
