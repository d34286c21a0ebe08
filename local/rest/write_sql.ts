// Inserts, updates and deletes: Postgres parses the rows of the JSON body.
import { conditionSql, type Source } from "./condition_sql.ts";
import { RequestError } from "./errors.ts";
import type { Payload } from "./payload.ts";
import type { Preferences } from "./preferences.ts";
import type { QueryParams } from "./query/params.ts";
import { whereSql } from "./read_sql.ts";
import { converter } from "./representations.ts";
import { column, identifier, join, nothing, qualified, type Sql, sql, trusted } from "./sql.ts";
import type { Column, SchemaCache, Table } from "./catalog.ts";

interface TypedColumn {
  name: string;
  type: string;
  default?: string | null;
  /** The function that reads the column from JSON. */
  parser?: string;
}

interface RowOptions {
  /** A function is called once. */
  isOneRow?: boolean;
  /** Absent members take the default of the column instead of null. */
  takesDefaults?: boolean;
}

/** A FROM item `pgrst_body` with the values of the body as the types of the columns. */
export function payloadRows({ text, isObject }: Payload, columns: TypedColumn[], options: RowOptions = {}): Sql {
  const { isOneRow, takesDefaults } = options;
  const type = trusted(takesDefaults ? "jsonb" : "json");
  const body = sql`(SELECT ${text}::${type} AS json_data) pgrst_payload`;
  const source = takesDefaults ? trusted("pgrst_defaults.val") : trusted("pgrst_payload.json_data");
  const defaults = takesDefaults ? sql`, LATERAL (${withDefaults(columns, isObject)}) pgrst_defaults` : nothing;
  const typed = columns.map(({ name, type, parser }) => sql`${identifier(name)} ${trusted(parser ? "json" : type)}`);
  const values = columns.map(({ name, parser }) =>
    parser ? sql`${trusted(parser)}(${identifier(name)}) AS ${identifier(name)}` : identifier(name)
  );
  const rows = columns.length
    ? sql`${type}_to_record${trusted(isObject ? "" : "set")}(${source}) AS _(${join(typed)})`
    : isObject
    ? trusted("(values (1)) _")
    : sql`${type}_array_elements(${source}) _`;
  const limit = trusted(isOneRow ? " LIMIT 1" : "");
  return sql`${body}${defaults}, LATERAL (SELECT ${join(values)} FROM ${rows}${limit}) pgrst_body`;
}

function withDefaults(columns: TypedColumn[], isObject: boolean): Sql {
  const pairs = columns.filter((c) => c.default).map((c) => sql`${c.name}::text, ${trusted(c.default!)}`);
  const defaults = sql`jsonb_build_object(${join(pairs)})`;
  return isObject
    ? sql`SELECT ${defaults} || pgrst_payload.json_data AS val`
    : sql`SELECT jsonb_agg(${defaults} || element) AS val FROM jsonb_array_elements(pgrst_payload.json_data) element`;
}

export interface Write {
  table: Table;
  query: QueryParams;
  preferences: Preferences;
  /** Columns of the response; [] if it has no rows. */
  returned: string[];
  cache: SchemaCache;
}

export function insertSql(write: Write, payload: Payload): Sql {
  const { table, preferences, query } = write;
  const columns = writtenColumns(write, payload);
  const merges = preferences.resolution === "merge-duplicates";
  const key = query.onConflict ?? table.primaryKey;
  const conflict = preferences.resolution && key.length > 0 && conflictSql(key, columns, merges);
  return sql`${insertedRows(write, payload, columns, merges ? [countInserted] : [])}${conflict || nothing}${
    merges && conflict && columns.length ? sql` WHERE ${uncountUpdated}` : nothing
  } ${returning(write)}`;
}

/** PUT: one row, whose key is in the filters. */
export function putSql(write: Write, payload: Payload): Sql {
  const { table, query } = write;
  const filters = query.conditions.map(({ value }) => value);
  const isKey = table.primaryKey.length > 0 && filters.length === table.primaryKey.length &&
    filters.every((f) =>
      f.kind === "filter" && !f.isNegated && f.operation.kind === "compare" && f.operation.operator === "=" &&
      !f.operation.quantifier && table.primaryKey.includes(f.field.name)
    );
  if (!isKey) {
    throw new RequestError(405, {
      code: "PGRST105",
      message: "Filters must include all and only primary key columns with 'eq' operators",
    });
  }
  const columns = writtenColumns(write, payload);
  const body: Source = { rows: { schema: "", name: "pgrst_body" }, table, cache: write.cache };
  const conditions = [countInserted, ...filters.map((filter) => conditionSql(body, filter))];
  const conflict = conflictSql(table.primaryKey, columns, true);
  return sql`${insertedRows(write, payload, columns, conditions)}${conflict} WHERE ${uncountUpdated} ${
    returning(write)
  }`;
}

function insertedRows({ table, preferences }: Write, payload: Payload, columns: TypedColumn[], conditions: Sql[]): Sql {
  const takesDefaults = preferences.missing === "default";
  const names = columns.map(({ name }) => identifier(name));
  const into = columns.length ? sql`(${join(names)}) ` : nothing;
  const values = join(names.map((name) => sql`pgrst_body.${name}`));
  const rows = payloadRows(payload, columns, { takesDefaults });
  return sql`INSERT INTO ${qualified(table)} ${into}SELECT ${values} FROM ${rows}${whereSql(conditions)}`;
}

/** Counts inserted rows in a setting: each row adds one, an update subtracts it. */
const countInserted =
  sql`set_config('pgrst.inserted', (coalesce(nullif(current_setting('pgrst.inserted', true), '')::int, 0) + 1)::text, true) <> '0'`;
const uncountUpdated =
  sql`set_config('pgrst.inserted', (coalesce(nullif(current_setting('pgrst.inserted', true), '')::int, 0) - 1)::text, true) <> '-1'`;

function conflictSql(key: string[], columns: TypedColumn[], merges: boolean): Sql {
  const target = join(key.map(identifier));
  if (!merges || !columns.length) return sql` ON CONFLICT (${target}) DO NOTHING`;
  const set = columns.map(({ name }) => sql`${identifier(name)} = EXCLUDED.${identifier(name)}`);
  return sql` ON CONFLICT (${target}) DO UPDATE SET ${join(set)}`;
}

export function updateSql(write: Write, payload: Payload): Sql {
  const { table, preferences, returned } = write;
  const columns = writtenColumns(write, payload);
  if (!columns.length) {
    const shown = returned.length ? join(returned.map((name) => column(table, name))) : trusted("NULL");
    return sql`SELECT ${shown} FROM ${qualified(table)} WHERE false`;
  }
  const set = columns.map(({ name }) => sql`${identifier(name)} = pgrst_body.${identifier(name)}`);
  const rows = payloadRows(payload, columns, { takesDefaults: preferences.missing === "default" });
  const where = requiredWhere("UPDATE", write);
  return sql`UPDATE ${qualified(table)} SET ${join(set)} FROM ${rows}${where} ${returning(write)}`;
}

export function deleteSql(write: Write): Sql {
  return sql`DELETE FROM ${qualified(write.table)}${requiredWhere("DELETE", write)} ${returning(write)}`;
}

/** The platform loads `safeupdate` for its API. */
function requiredWhere(verb: string, { table, query, cache }: Write): Sql {
  const source = { rows: table, table, cache };
  const own = query.conditions.filter(({ path }) => !path.length);
  if (!own.length) throw new RequestError(400, { code: "21000", message: `${verb} requires a WHERE clause` });
  return whereSql(own.map(({ value }) => conditionSql(source, value)));
}

/** Returns 1 per row if there are no columns. */
function returning({ table, returned }: Write): Sql {
  return sql`RETURNING ${returned.length ? join(returned.map((name) => column(table, name))) : trusted("1")}`;
}

function writtenColumns({ table, cache }: Write, { keys }: Payload): TypedColumn[] {
  return keys.map((name) => {
    const known: Column | undefined = Object.hasOwn(table.columns, name) ? table.columns[name] : undefined;
    if (known) return { name, ...known, parser: converter(cache, "json", known.type) };
    throw new RequestError(400, {
      code: "PGRST204",
      message: `Could not find the '${name}' column of '${table.name}' in the schema cache`,
    });
  });
}
