// A tree of tables as one SELECT: each embedded table is a lateral join that returns JSON.
import { conditionSql, fieldSql, orderSql, type Source } from "./condition_sql.ts";
import type { Field } from "./query/field.ts";
import type { SelectedField } from "./query/select.ts";
import type { Embed, PlannedCondition, ReadNode } from "./read_plan.ts";
import type { SchemaCache } from "./schema_cache.ts";
import { column, identifier, join, nothing, qualified, type Sql, sql, trusted } from "./sql.ts";

const isEmbed = (node: ReadNode): node is Embed => "relationship" in node;

export function readSql(node: ReadNode, cache: SchemaCache, extraColumns: Sql[] = []): Sql {
  const source = { rows: node.rows, table: node.table, cache };
  const fields = node.fields.length || node.embeds.length ? node.fields : [star];
  const columns = [
    ...fields.map((item) => selectedSql(source, item)),
    ...extraColumns,
    ...node.embeds.flatMap((embed) => embeddedColumns(embed)),
  ];
  const joins = node.embeds.map((embed) => joinSql(embed, cache));
  const conditions = [...node.conditions.map((condition) => conditionSql(source, condition)), ...joinConditions(node)];
  const order = isToManySpread(node) ? nothing : orderSql(source, node.order);
  return sql`SELECT ${join(columns)} FROM ${fromSql(node)}${join(joins, "")}${whereSql(conditions)}${order}${
    pageSql(node)
  }`;
}

const star: SelectedField = { kind: "field", field: { name: "*", path: [] } };
const isToManySpread = (node: ReadNode) => isEmbed(node) && node.isSpread && !node.relationship.isToOne;

/** The count: without page and columns, with inner joins as conditions. */
export function countSql(node: ReadNode, cache: SchemaCache): Sql {
  const source = { rows: node.rows, table: node.table, cache };
  const exists = (embed: Embed) => sql`EXISTS (${countSql(embed, cache)})`;
  const embedded = ({ embed, isNegated }: PlannedCondition & { kind: "embedded" }) =>
    sql`${isNegated ? nothing : trusted("NOT ")}${exists(embed)}`;
  const conditions = [
    ...node.conditions.map((condition) => conditionSql(source, condition, embedded)),
    ...joinConditions(node),
    ...node.embeds.filter(({ isInner }) => isInner).map(exists),
  ];
  return sql`SELECT 1 FROM ${fromSql(node)}${whereSql(conditions)}`;
}

export const whereSql = (conditions: Sql[]) => conditions.length ? sql` WHERE ${join(conditions, " AND ")}` : nothing;

function pageSql({ limit, offset }: ReadNode): Sql {
  if (limit === undefined && !offset) return nothing;
  return sql` LIMIT ${limit === undefined ? trusted("ALL") : sql`${String(limit)}`} OFFSET ${String(offset)}`;
}

function selectedSql(source: Source, { field, cast, alias, format }: SelectedField): Sql {
  const plain = fieldSql(source, field);
  const value = format ? sql`${trusted(format)}(${plain})` : plain;
  const asCast = cast ? sql`CAST(${value} AS ${trusted(cast)})` : value;
  return alias ? sql`${asCast} AS ${identifier(alias)}` : asCast;
}

function fromSql(node: ReadNode): Sql {
  if (node.isFromSource) return sql`pgrst_source AS ${qualified(node.rows)}`;
  if (!isEmbed(node)) return qualified(node.table);
  const { relationship: { junction, function: computed, table }, rows, parent } = node;
  if (junction) return sql`${qualified(node.table)}, ${qualified(junction.table)}`;
  const from = computed
    ? sql`${qualified(computed)}(${identifier(parent.name)}::${qualified(table)})`
    : qualified(node.table);
  return sql`${from} AS ${qualified(rows)}`;
}

function joinConditions(node: ReadNode): Sql[] {
  if (!isEmbed(node)) return [];
  const { relationship: { columns, junction }, rows, parent } = node;
  const equal = (a: Sql, b: Sql) => sql`${a} = ${b}`;
  if (!junction) return columns.map(([own, other]) => equal(column(rows, other), column(parent, own)));
  const { table, toTable, toForeign } = junction;
  return [
    ...toForeign.columns.map(([own, other]) => equal(column(table, own), column(rows, other))),
    ...toTable.columns.map(([own, other]) => equal(column(table, own), column(parent, other))),
  ];
}

/** The member of an embedded table in a row. */
function embeddedColumns(embed: Embed): Sql[] {
  const result = { schema: "", name: embed.result };
  if (embed.isSpread) return spreadNames(embed).map((name) => column(result, name));
  if (showsNothing(embed)) return [];
  const value = embed.relationship.isToOne
    ? sql`row_to_json(${column(result, "*")})::jsonb`
    : sql`COALESCE(${column(result, embed.result)}, '[]')`;
  return [sql`${value} AS ${identifier(embed.key)}`];
}

/** `podcasts()`: joined for its filters only. */
const showsNothing = ({ fields, embeds }: ReadNode): boolean => !fields.length && embeds.every(showsNothing);

const shownName = ({ alias, field }: { alias?: string; field: Field }) => alias ?? field.name;

function spreadNames({ fields, embeds }: Embed): string[] {
  return [...fields.map(shownName), ...embeds.flatMap((embed) => embed.isSpread ? spreadNames(embed) : [embed.key])];
}

function joinSql(embed: Embed, cache: SchemaCache): Sql {
  const { isInner, isSpread, relationship: { isToOne } } = embed;
  const result = identifier(embed.result);
  const kind = trusted(isInner ? " INNER" : " LEFT");
  if (isToOne) return sql`${kind} JOIN LATERAL (${readSql(embed, cache)}) AS ${result} ON TRUE`;
  const on = isInner ? sql`${result} IS NOT NULL` : trusted("TRUE");
  const lists = isSpread ? spreadLists(embed, cache) : { columns: [], orderColumns: [] };
  const columns = [sql`json_agg(${result})::jsonb AS ${result}`, ...lists.columns];
  const rows = readSql(embed, cache, lists.orderColumns);
  return sql`${kind} JOIN LATERAL (SELECT ${join(columns)} FROM (${rows}) AS ${result}) AS ${result} ON ${on}`;
}

/** Each column of the spread rows as a list, with the columns that order the lists. */
function spreadLists(embed: Embed, cache: SchemaCache) {
  const result = { schema: "", name: embed.result };
  const source = { rows: embed.rows, table: embed.table, cache };
  const ordered = embed.order.map((term, i) => ({ term, name: `${embed.result}_order_${i}` }));
  const orderColumns = ordered.map(({ term, name }) => {
    const of = term.embed ? { rows: { schema: "", name: term.embed.result }, table: term.embed.table, cache } : source;
    return sql`${fieldSql(of, term.field)} AS ${identifier(name)}`;
  });
  const order = orderSql(
    { ...source, rows: result },
    ordered.map(({ term: { direction, nulls }, name }) => ({ direction, nulls, field: { name, path: [] } })),
  );
  const columns = spreadNames(embed).map((name) =>
    sql`COALESCE(json_agg(${column(result, name)}${order}), '[]')::jsonb AS ${identifier(name)}`
  );
  return { columns, orderColumns };
}
