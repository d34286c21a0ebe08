// What lite makes of a request before it becomes SQL, set right where PostgREST would make something else of it.
import type { Introspection } from "./schema_cache.ts";
import { fit } from "./types.ts";

/** lite's syntax tree, as far as it is changed here. */
export interface RequestAst {
  schema?: string;
  /** The table. */
  from?: string;
  values?: unknown;
  /** The function, for a call. */
  function?: string;
  args?: unknown;
  $meta?: { columns?: string[]; missing?: string };
}

type Row = Record<string, unknown>;
const isRow = (value: unknown): value is Row => typeof value === "object" && value !== null && !Array.isArray(value);

export function correct(ast: RequestAst, known: Introspection, contentType: string): RequestAst {
  if (!contentType.startsWith("application/json")) return ast;
  if (ast.function && isRow(ast.args)) ast.args = fitted(ast.args, argumentTypes(ast, known));
  const { values } = ast;
  if (isRow(values)) ast.values = settleMissing(fitted(values, columnTypes(ast, known)), ast);
  else if (Array.isArray(values) && values.every(isRow)) {
    const types = columnTypes(ast, known);
    ast.values = values.map((row) => settleMissing(fitted(row, types), ast));
  }
  return ast;
}

const fitted = (row: Row, types: Map<string, string>): Row =>
  Object.fromEntries(Object.entries(row).map(([key, value]) => [key, fit(value, types.get(key))]));

const columnTypes = ({ schema = "public", from }: RequestAst, { columns }: Introspection) =>
  new Map(columns.filter((c) => c.table === from && c.schema === schema).map((c) => [c.name, c.type]));

const argumentTypes = ({ schema = "public", function: name }: RequestAst, { functions }: Introspection) =>
  new Map(
    functions.filter((f) => f.schema === schema && f.name === name)
      .flatMap((f) => f.arg_names.map((arg, i): [string, string] => [arg, f.arg_types[i]])),
  );

/**
 * Columns that `columns=` names and a row leaves out are null, or with `Prefer: missing=default` the column's default.
 * lite stores the default either way, and shows null either way.
 */
function settleMissing(row: Row, { $meta }: RequestAst): Row {
  const columns = $meta?.columns;
  if (!columns) return row;
  if ($meta.missing !== "default") return { ...Object.fromEntries(columns.map((column) => [column, null])), ...row };
  return new Proxy(row, {
    // lite shows null for what is not among a row's keys, and inserts what is `in` it
    ownKeys: () => columns,
    getOwnPropertyDescriptor: (target, key) => ({ value: target[String(key)], enumerable: true, configurable: true }),
  });
}
