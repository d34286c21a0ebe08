/** The filters of a `postgres_changes` subscription: `column=operator.value`, several joined by commas. */
import type { Row } from "./pgoutput.ts";

export interface Condition {
  column: string;
  operator: string;
  value: string;
  negate: boolean;
}

/** Limits of the stack. The platform limits only the message. */
const MAX_FILTER_LENGTH = 65_536, MAX_CONDITIONS = 10;

const COMPARISONS = new Map(Object.entries({ eq: "=", neq: "<>", lt: "<", lte: "<=", gt: ">", gte: ">=" }));
/** Operators that compare text with a pattern, regardless of the column's type. */
export const MATCHES = new Map(Object.entries({ like: "like", ilike: "ilike", match: "~", imatch: "~*" }));
const KEYWORDS = ["null", "true", "false", "unknown"];

/** Parses a filter. Throws with Realtime's message. */
export function parseFilter(filter: string): Condition[] {
  if (!filter.trim()) return [];
  if (filter.length > MAX_FILTER_LENGTH) {
    throw new Error(`Error parsing \`filter\` params: filter must not be longer than ${MAX_FILTER_LENGTH} characters`);
  }
  const parts = splitAtCommas(filter).map((part) => part.trim());
  if (parts.length > MAX_CONDITIONS) {
    throw new Error(`Error parsing \`filter\` params: filter must not have more than ${MAX_CONDITIONS} conditions`);
  }
  return parts.map((part) => {
    if (!part) {
      throw new Error("Error parsing `filter` params: filter must not contain empty segments (check for extra commas)");
    }
    const condition = /^([^=]+)=(not\.)?([^.]*)\.(.*)$/s.exec(part);
    if (!condition) throw new Error(`Error parsing \`filter\` params: ${JSON.stringify([part])}`);
    const [, column, not, operator, value] = condition;
    if (!(COMPARISONS.has(operator) || MATCHES.has(operator) || ["in", "is", "isdistinct"].includes(operator))) {
      throw new Error(`Error parsing \`filter\` params: ${JSON.stringify([operator, value])}`);
    }
    if (operator === "in" && !/^\(.*\)$/s.test(value)) {
      throw new Error("Error parsing `filter` params: `in` filter value must be wrapped by parentheses");
    }
    if (operator === "is" && !KEYWORDS.includes(value)) {
      throw new Error("invalid value for is filter: must be null, true, false, or unknown");
    }
    return { column, operator, negate: !!not, value: operator === "in" ? `{${value.slice(1, -1)}}` : unquote(value) };
  });
}

/** Builds the SQL test of a row and appends its parameters to `values`; null if the row lacks a column. */
export function filterSql(
  conditions: Condition[],
  row: Row,
  types: Map<string, string>,
  values: unknown[],
): string | null {
  const parameter = (value: string | null, type: string) => `$${values.push(value)}::text::${type}`;
  const parts = conditions.map(({ column, operator, value, negate }) => {
    const type = types.get(column);
    if (!type || !row.has(column)) return null;
    const left = parameter(row.get(column)!, type);
    if (operator === "is") return `(${left} is ${negate ? "not " : ""}${value})`;
    if (operator === "isdistinct") return `(${left} is ${negate ? "not " : ""}distinct from ${parameter(value, type)})`;
    const test = COMPARISONS.has(operator)
      ? `${left} ${COMPARISONS.get(operator)} ${parameter(value, type)}`
      : MATCHES.has(operator)
      ? `(${left})::text ${MATCHES.get(operator)} ${parameter(value, "text")}`
      : `${left} = any (${parameter(value, type + "[]")})`;
    return negate ? `not (${test})` : `(${test})`;
  });
  return parts.includes(null) ? null : `coalesce(${["true", ...parts].join(" and ")}, false)`;
}

/** Splits at commas outside quotes and parentheses. Reads every character once. */
function splitAtCommas(filter: string): string[] {
  const parts = [""];
  let depth = 0;
  for (const [token] of filter.matchAll(/(?<=[.(,])"(?:\\.|[^"\\])*"?|[^"(),]+|./gs)) {
    if (token === "(") depth++;
    else if (token === ")") depth = Math.max(0, depth - 1);
    if (token === "," && depth === 0) parts.push("");
    else parts[parts.length - 1] += token;
  }
  return parts;
}

function unquote(value: string): string {
  return /^"(?:\\.|[^"\\])*"$/s.test(value) ? value.slice(1, -1).replace(/\\(.)/gs, "$1") : value;
}
