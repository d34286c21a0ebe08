// Fields, filters and orders as SQL.
import type { Field } from "./query/field.ts";
import type { Operation } from "./query/filter.ts";
import { converter } from "./representations.ts";
import { arrayLiteral, column, identifier, join, type Name, nothing, type Sql, sql, trusted } from "./sql.ts";
import { type Column, findTable, type SchemaCache } from "./catalog.ts";
import type { PlannedCondition, PlannedOrder } from "./read_node.ts";

/** The rows that contain a field, and the table with their columns. */
export interface Source {
  rows: Name;
  table: Name;
  cache: SchemaCache;
}

/** Undefined for a column that is a function of the row. */
function columnOf({ table, cache }: Source, { name }: Field): Column | undefined {
  const known = findTable(cache, table);
  return known && Object.hasOwn(known.columns, name) ? known.columns[name] : undefined;
}

export function fieldSql(source: Source, field: Field): Sql {
  const { name, path } = field;
  const value = column(source.rows, name);
  if (!path.length) return value;
  const isJson = /^jsonb?$/.test(columnOf(source, field)?.type ?? "");
  const steps = path.map(({ isText, isIndex, key }) =>
    sql`${trusted(isText ? "->>" : "->")}${isIndex ? sql`${key}::int` : sql`${key}`}`
  );
  return sql`${isJson ? value : sql`to_jsonb(${value})`}${join(steps, "")}`;
}

export function conditionSql(
  source: Source,
  condition: PlannedCondition,
  embedded: (condition: PlannedCondition & { kind: "embedded" }) => Sql = isEmbedded,
): Sql {
  if (condition.kind === "embedded") return embedded(condition);
  if (condition.kind === "filter") {
    const { field, operation, isNegated } = condition;
    return sql`${not(isNegated)}${operationSql(source, field, operation)}`;
  }
  const parts = condition.conditions.map((part) => conditionSql(source, part, embedded));
  return sql`${not(condition.isNegated)}(${join(parts, condition.operator === "and" ? " AND " : " OR ")})`;
}

const not = (isNegated: boolean) => isNegated ? trusted("NOT ") : nothing;

function isEmbedded({ embed, isNegated }: PlannedCondition & { kind: "embedded" }): Sql {
  return sql`${identifier(embed.result)} IS ${isNegated ? nothing : trusted("NOT ")}DISTINCT FROM NULL`;
}

function operationSql(source: Source, field: Field, operation: Operation): Sql {
  const value = fieldSql(source, field);
  const known = columnOf(source, field);
  const parser = converter(source.cache, "text", known?.type);
  const parsed = (text: string) => parser ? sql`${trusted(parser)}(${text})` : sql`${text}`;
  switch (operation.kind) {
    case "is":
      return sql`${value} IS ${trusted(operation.keyword)}`;
    case "distinct":
      return sql`${value} IS DISTINCT FROM ${operation.value}`;
    case "in": {
      const { values } = operation;
      const list = sql`${values.length === 1 && values[0] === "" ? "{}" : arrayLiteral(values)}`;
      return sql`${value} = ANY (${parser ? sql`SELECT ${trusted(parser)}(unnest(${list}::text[]))` : list})`;
    }
    case "search": {
      const language = operation.language === undefined ? nothing : sql`${operation.language}, `;
      const vector = !known || known.isSearchVector ? value : sql`to_tsvector(${language}${value})`;
      return sql`${vector} @@ ${trusted(operation.query)}(${language}${operation.value})`;
    }
    case "compare": {
      const operand = operation.operator.endsWith("like") ? sql`${operation.value}` : parsed(operation.value);
      const quantified = operation.quantifier ? sql`${trusted(operation.quantifier)}(${operand})` : operand;
      return sql`${value} ${trusted(operation.operator)} ${quantified}`;
    }
  }
}

export function orderSql(source: Source, order: PlannedOrder[]): Sql {
  if (!order.length) return nothing;
  const terms = order.map(({ field, embed, direction, nulls }) => {
    const of = embed ? { ...source, rows: { schema: "", name: embed.result }, table: embed.table } : source;
    return sql`${fieldSql(of, field)} ${trusted(direction ?? "")} ${trusted(nulls ?? "")}`;
  });
  return sql` ORDER BY ${join(terms)}`;
}
