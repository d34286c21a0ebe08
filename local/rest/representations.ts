// Data representations: a domain with an implicit cast to json is read by the function of that cast. Casts from json and
// text are the functions of bodies and filters.
import type { SelectedField } from "./query/select.ts";
import { findTable, type SchemaCache, type Table } from "./catalog.ts";
import type { ReadNode } from "./read_node.ts";

/** The function from one type to another. */
export const converter = ({ representations }: SchemaCache, source: string | undefined, target: string | undefined) =>
  representations.find((known) => known.source === source && known.target === target)?.function;

/** Sets the function of each selected column. A star becomes the list of columns if one of them has a function. */
export function formatFields(node: ReadNode, cache: SchemaCache) {
  if (!cache.representations.length) return;
  const table = findTable(cache, node.table);
  if (table) node.fields = node.fields.flatMap((item) => formatted(item, table.columns, cache));
  for (const embed of node.embeds) formatFields(embed, cache);
}

function formatted(item: SelectedField, columns: Table["columns"], cache: SchemaCache): SelectedField[] {
  const { name } = item.field;
  const formatOf = (column: string) =>
    Object.hasOwn(columns, column) ? converter(cache, columns[column].type, "json") : undefined;
  if (name !== "*") {
    const format = formatOf(name);
    return [format ? { ...item, format, alias: item.alias ?? (item.aggregate ? undefined : name) } : item];
  }
  if (item.aggregate) return [item];
  const names = Object.keys(columns);
  if (!names.some(formatOf)) return [item];
  return names.flatMap((column) => formatted({ kind: "field", field: { name: column, path: [] } }, columns, cache));
}
