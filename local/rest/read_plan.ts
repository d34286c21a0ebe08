// The plan of a read: a tree of the requested table and its embedded tables.
import { RequestError } from "./errors.ts";
import type { Field } from "./query/field.ts";
import type { Condition } from "./query/filter.ts";
import type { OrderTerm } from "./query/order.ts";
import type { At, QueryParams } from "./query/params.ts";
import type { Aggregate, SelectedField, SelectedRelation, SelectItem } from "./query/select.ts";
import { formatFields } from "./representations.ts";
import { findRelationship } from "./relationships.ts";
import type { Name } from "./sql.ts";
import { findTable, type SchemaCache } from "./catalog.ts";
import type { Embed, PlannedCondition, PlannedOrder, ReadNode } from "./read_node.ts";

interface ReadOptions {
  isFromSource: boolean;
  /** The maximum of rows per table; undefined after a write. */
  maxRows?: number;
  allowsAggregates: boolean;
  /** Filters apply to the response only; the write has the others. */
  isWrite: boolean;
}

export function planRead(table: Name, query: QueryParams, cache: SchemaCache, options: ReadOptions): ReadNode {
  const { isFromSource, isWrite, maxRows, allowsAggregates } = options;
  const rows = isFromSource ? { schema: "", name: table.name } : table;
  const root: ReadNode = { table, rows, isFromSource, offset: 0, ...emptyNode(), fields: fieldsOf(query.select) };
  root.embeds = embedsOf(query.select, root, 1, cache);
  const ofTheTree = <T>(list: At<T>[]) => list.filter(({ path }) => !isWrite || path.length);
  for (const { path, value } of ofTheTree(query.conditions)) {
    const node = nodeAt(root, path);
    node.conditions.push(resolveCondition(value, node));
  }
  for (const { path, value } of query.orders) {
    const node = nodeAt(root, path);
    node.order = value.map((term) => resolveOrder(term, node));
  }
  if (!isWrite) { for (const { path, value } of query.pages) Object.assign(nodeAt(root, path), value); }
  if (!allowsAggregates && hasAggregate(root)) {
    throw new RequestError(400, { code: "PGRST123", message: "Use of aggregate functions is not allowed" });
  }
  nameColumns(root, cache, false);
  if (maxRows !== undefined) limitRows(root, maxRows);
  formatFields(root, cache);
  return root;
}

const emptyNode = () => ({ embeds: [], conditions: [], order: [] });

function fieldsOf(select: SelectItem[]): SelectedField[] {
  return select.filter((item): item is SelectedField => item.kind === "field");
}

function embedsOf(select: SelectItem[], parent: ReadNode, depth: number, cache: SchemaCache): Embed[] {
  const relations = select.filter((item): item is SelectedRelation => item.kind === "relation");
  return relations.map((item) => {
    const relationship = findRelationship(cache.relationships, parent.table, item.name, item.hint);
    const table = relationship.foreign, key = item.alias ?? item.name;
    const rows = relationship.junction ? table : { schema: "", name: `${table.name}_${depth}` };
    const { isInner, isSpread, name: requestedName } = item;
    const result = `${relationship.table.name}_${key}_${depth}`;
    const node = { table, rows, isFromSource: false, offset: 0, ...emptyNode(), fields: fieldsOf(item.select) };
    const embed: Embed = {
      ...node,
      relationship,
      parent: parent.rows,
      key,
      requestedName,
      result,
      isInner,
      isSpread,
    };
    embed.embeds = embedsOf(item.select, embed, depth + 1, cache);
    return embed;
  });
}

const isAggregated = ({ fields }: ReadNode) => fields.some(({ aggregate }) => aggregate);

const hasAggregate = (node: ReadNode): boolean => isAggregated(node) || node.embeds.some(hasAggregate);

/** Lists the columns of `*` where they are grouped, or become lists of a spread to-many relationship. */
function nameColumns(node: ReadNode, cache: SchemaCache, isInAggregate: boolean) {
  const isSpread = isEmbed(node) && node.isSpread, isSpreadList = isSpread && !node.relationship.isToOne;
  const listsColumns = isInAggregate || isSpreadList || isAggregated(node);
  node.fields = node.fields.flatMap((item) => {
    if (item.aggregate && isSpread) return [nameAggregate(item)];
    return listsColumns && item.field.name === "*" && !item.aggregate ? columnsOf(node, cache) : [item];
  });
  for (const embed of node.embeds) nameColumns(embed, cache, listsColumns);
  if (isSpreadList && spreadFields(node).some(({ aggregate }) => aggregate)) {
    const details = "Aggregates are not implemented for one-to-many or many-to-many spreads.";
    throw new RequestError(400, { code: "PGRST127", message: "Feature not implemented", details });
  }
}

/** The outer query, which groups the rows, must know the name of the column. */
function nameAggregate(item: SelectedField): SelectedField {
  return { ...item, alias: item.alias ?? item.aggregate!.name, isWholeRow: item.field.name === "*" };
}

function columnsOf({ table }: ReadNode, cache: SchemaCache): SelectedField[] {
  return Object.keys(findTable(cache, table)?.columns ?? {}).map((name) => ({
    kind: "field",
    field: { name, path: [] },
  }));
}

export const isEmbed = (node: ReadNode): node is Embed => "relationship" in node;

interface SpreadField {
  name: string;
  aggregate?: Aggregate;
}

/** The members of a spread table in the outer row. */
export function spreadFields({ fields, embeds }: ReadNode): SpreadField[] {
  return [
    ...fields.map(({ alias, field, aggregate }) => ({ name: alias ?? field.name, aggregate })),
    ...embeds.flatMap((embed) => embed.isSpread ? spreadFields(embed) : [{ name: embed.key }]),
  ];
}

const isCalled = ({ key, requestedName }: Embed, name: string) => key === name || requestedName === name;

function nodeAt(root: ReadNode, path: string[]): ReadNode {
  let node = root;
  for (const name of path) node = node.embeds.find((embed) => isCalled(embed, name)) ?? failNotEmbedded(name);
  return node;
}

function failNotEmbedded(name: string): never {
  throw new RequestError(400, {
    code: "PGRST108",
    message: `'${name}' is not an embedded resource in this request`,
    hint: `Verify that '${name}' is included in the 'select' query parameter.`,
  });
}

function resolveCondition(condition: Condition, node: ReadNode): PlannedCondition {
  if (condition.kind === "group") {
    const conditions = condition.conditions.map((part) => resolveCondition(part, node));
    return { ...condition, kind: "planned", conditions };
  }
  const { field, operation, isNegated } = condition;
  const embed = field.path.length ? undefined : node.embeds.find(({ key }) => key === field.name);
  if (!embed || operation.kind !== "is" || operation.keyword !== "NULL") return condition;
  return { kind: "embedded", embed, isNegated };
}

function resolveOrder({ relation, ...term }: OrderTerm, node: ReadNode): PlannedOrder {
  if (relation === undefined) return term;
  const embed = node.embeds.find(({ key }) => key === relation) ?? failNotEmbedded(relation);
  if (embed.relationship.isToOne) return { ...term, embed };
  throw new RequestError(400, {
    code: "PGRST118",
    message: `A related order on '${relation}' is not possible`,
    details: `'${node.table.name}' and '${relation}' do not form a many-to-one or one-to-one relationship`,
  });
}

function limitRows(node: ReadNode, maxRows: number) {
  node.limit = Math.min(node.limit ?? maxRows, maxRows);
  for (const embed of node.embeds) limitRows(embed, maxRows);
}

/** The columns that a write must return: the selected ones, and those that embedding needs. */
export function columnsToReturn({ fields, embeds }: ReadNode, primaryKey: string[]): string[] {
  const selected = fields.map(({ field }: { field: Field }) => field.name);
  if (selected.includes("*") || embeds.some(({ relationship }) => relationship.kind === "computed")) return ["*"];
  const joined = embeds.flatMap(({ relationship: { columns, junction } }) =>
    junction ? junction.toTable.columns.map(([, other]) => other) : columns.map(([own]) => own)
  );
  return [...new Set([...selected, ...joined, ...primaryKey])].sort();
}

/** The columns that a function must return. An order by another column is an error, as in PostgREST. */
export function columnsOfCall(node: ReadNode): string[] {
  const returned = columnsToReturn(node, []);
  return returned.length && !returned.includes("*") ? [...new Set([...returned, ...filteredNames(node)])] : returned;
}

const filteredNames = ({ conditions, embeds }: ReadNode): string[] => [
  ...conditions.flatMap(namesIn),
  ...embeds.flatMap(filteredNames),
];

function namesIn(condition: PlannedCondition): string[] {
  if (condition.kind === "filter") return [condition.field.name];
  return condition.kind === "embedded" ? [condition.embed.result] : condition.conditions.flatMap(namesIn);
}
