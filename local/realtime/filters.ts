/** The filters of a `postgres_changes` subscription: `column=operator.value`, several joined by commas. */
import type { Row } from "./pgoutput.ts";

export interface Condition {
  column: string;
  operator: string;
  value: string;
  negate: boolean;
}

const COMPARISONS: Record<string, string> = { eq: "=", neq: "<>", lt: "<", lte: "<=", gt: ">", gte: ">=" };
/** Operators that compare text with a pattern, whatever the column's type. */
export const MATCHES: Record<string, string> = { like: "like", ilike: "ilike", match: "~", imatch: "~*" };
const KEYWORDS = ["null", "true", "false", "unknown"];

/** Reads a filter; throws in Realtime's words. */
export function parseFilter(filter: string): Condition[] {
  if (!filter.trim()) return [];
  return splitAtCommas(filter).map((part) => {
    const condition = /^([^=]+)=(not\.)?([^.]*)\.(.*)$/s.exec(part.trim());
    if (!condition) throw new Error(`Error parsing \`filter\` params: ${JSON.stringify([part])}`);
    const [, column, not, operator, value] = condition;
    if (!(operator in COMPARISONS || operator in MATCHES || ["in", "is", "isdistinct"].includes(operator))) {
      throw new Error(`Error parsing \`filter\` params: ${JSON.stringify([operator, value])}`);
    }
    if (operator === "in" && !/^\(.*\)$/s.test(value)) {
      throw new Error("Error parsing `filter` params: `in` filter value must be wrapped by parentheses");
    }
    if (operator === "is" && !KEYWORDS.includes(value)) {
      throw new Error("invalid value for is filter: must be null, true, false, or unknown");
    }
    return { column, operator, negate: !!not, value: operator === "in" ? `{${value.slice(1, -1)}}` : unquoted(value) };
  });
}

/** SQL that says whether a row passes, its parameters appended to `values`; null when the row lacks a column. */
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
    const test = operator in COMPARISONS
      ? `${left} ${COMPARISONS[operator]} ${parameter(value, type)}`
      : operator in MATCHES
      ? `(${left})::text ${MATCHES[operator]} ${parameter(value, "text")}`
      : `${left} = any (${parameter(value, type + "[]")})`;
    return negate ? `not (${test})` : `(${test})`;
  });
  return parts.includes(null) ? null : `coalesce(${["true", ...parts].join(" and ")}, false)`;
}

/** Commas inside quotes or parentheses belong to a value. */
function splitAtCommas(filter: string): string[] {
  const parts = filter.match(/(?:(?<=[.(,])"(?:\\.|[^"\\])*"|\((?:"(?:\\.|[^"\\])*"|[^()"])*\)|[^,])+/gs) ?? [];
  if (parts.length === 0 || /^\s*,|,\s*,|,\s*$/.test(filter)) {
    throw new Error("Error parsing `filter` params: filter must not contain empty segments (check for extra commas)");
  }
  return parts;
}

function unquoted(value: string): string {
  return /^"(?:\\.|[^"\\])*"$/s.test(value) ? value.slice(1, -1).replace(/\\(.)/gs, "$1") : value;
}
