// A tree of tables as one SELECT: each embedded table is a lateral join that returns JSON.
import { conditionSql, fieldSql, orderSql, type Source } from "./condition_sql.ts";
import type { Aggregate, SelectedField } from "./query/select.ts";
import { isEmbed, spreadFields } from "./read_plan.ts";
import { column, identifier, join, nothing, qualified, type Sql, sql, trusted } from "./sql.ts";
import type { SchemaCache } from "./catalog.ts";
import type { Embed, PlannedCondition, ReadNode } from "./read_node.ts";

export function readSql(node: ReadNode, cache: SchemaCache, extraColumns: Sql[] = []): Sql {
  const source = { rows: node.rows, table: node.table, cache };
  const fields = node.fields.length || node.embeds.length ? node.fields : [star];
  const aggregates = !isToOneSpread(node); // the outer query aggregates the columns of a spread row
  const columns = [
    ...fields.map((item) => selectedSql(source, item, aggregates)),
    ...extraColumns,
    ...node.embeds.flatMap((embed) => embeddedColumns(embed, aggregates)),
  ];
  const joins = node.embeds.map((embed) => joinSql(embed, cache));
  const conditions = [...node.conditions.map((condition) => conditionSql(source, condition)), ...joinConditions(node)];
  const order = isToManySpread(node) ? nothing : orderSql(source, node.order);
  const group = aggregates ? groupSql(source, node) : nothing;
  return sql`SELECT ${join(columns)} FROM ${fromSql(node)}${join(joins, "")}${whereSql(conditions)}${group}${order}${
    pageSql(node)
  }`;
}

const star: SelectedField = { kind: "field", field: { name: "*", path: [] } };
const isToManySpread = (node: ReadNode) => isEmbed(node) && node.isSpread && !node.relationship.isToOne;
const isToOneSpread = (node: ReadNode) => isEmbed(node) && node.isSpread && node.relationship.isToOne;

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

function selectedSql(source: Source, item: SelectedField, aggregates: boolean): Sql {
  const { field, cast, alias, aggregate, isWholeRow, format } = item;
  const plain = isWholeRow ? identifier(source.rows.name) : fieldSql(source, field);
  const value = castSql(format ? sql`${trusted(format)}(${plain})` : plain, cast);
  const result = aggregate && aggregates ? aggregateSql(aggregate, value) : value;
  return alias ? sql`${result} AS ${identifier(alias)}` : result;
}

const castSql = (value: Sql, type?: string) => type ? sql`CAST(${value} AS ${trusted(type)})` : value;

const aggregateSql = ({ name, cast }: Aggregate, value: Sql) => castSql(sql`${trusted(name)}(${value})`, cast);

/** Aggregates group by all other columns and embedded tables. */
function groupSql(source: Source, { fields, embeds }: ReadNode): Sql {
  const spread = embeds.filter(({ isSpread }) => isSpread);
  if (![...fields, ...spread.flatMap(spreadFields)].some(({ aggregate }) => aggregate)) return nothing;
  const terms = [
    ...fields.filter(({ aggregate }) => !aggregate).map((item) =>
      item.alias ? identifier(item.alias) : fieldSql(source, item.field)
    ),
    ...embeds.flatMap((embed) =>
      embed.isSpread ? spreadTerms(embed) : showsNothing(embed) ? [] : [identifier(embed.key)]
    ),
  ];
  return terms.length ? sql` GROUP BY ${join(terms)}` : nothing;
}

const spreadTerms = (embed: Embed) =>
  spreadFields(embed).filter(({ aggregate }) => !aggregate)
    .map(({ name }) => column({ schema: "", name: embed.result }, name));

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
function embeddedColumns(embed: Embed, aggregates: boolean): Sql[] {
  const result = { schema: "", name: embed.result };
  if (embed.isSpread) {
    return spreadFields(embed).map(({ name, aggregate }) => {
      const value = column(result, name);
      return aggregate && aggregates ? sql`${aggregateSql(aggregate, value)} AS ${identifier(name)}` : value;
    });
  }
  if (showsNothing(embed)) return [];
  const value = embed.relationship.isToOne
    ? sql`row_to_json(${column(result, "*")})::jsonb`
    : sql`COALESCE(${column(result, embed.result)}, '[]')`;
  return [sql`${value} AS ${identifier(embed.key)}`];
}

/** `podcasts()`: joined for its filters only. */
const showsNothing = ({ fields, embeds }: ReadNode): boolean => !fields.length && embeds.every(showsNothing);

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
  const columns = spreadFields(embed).map(({ name }) =>
    sql`COALESCE(json_agg(${column(result, name)}${order}), '[]')::jsonb AS ${identifier(name)}`
  );
  return { columns, orderColumns };
}
