// The statement of a request: rows, count, and the body of the response.
import { returnsScalar, returnsScalars } from "./call.ts";
import type { MediaHandler } from "./media_handlers.ts";
import type { MediaType } from "./media_type.ts";
import { countSql, readSql } from "./read_sql.ts";
import { nothing, qualified, type Sql, sql, trusted } from "./sql.ts";
import type { Routine, SchemaCache } from "./catalog.ts";
import type { ReadNode } from "./read_node.ts";

/** The result, as text. */
export interface Result {
  /** The number of all rows, if counted. */
  total: string | null;
  /** The number of rows in the body, or written. */
  rows: string;
  /** Bytes, if a function creates them. */
  body: string | Uint8Array | null;
  status: string | null;
  headers: string | null;
  inserted: string | null;
  /** The key of a single inserted row, as filters. */
  location: string[] | null;
}

export const emptyResult: Result = {
  total: null,
  rows: "0",
  body: null,
  status: null,
  headers: null,
  inserted: null,
  location: null,
};

interface Form {
  media: MediaType;
  /** For HEAD, and for writes without `return=representation`. */
  hasBody: boolean;
  counts: boolean;
  /** The maximum of counted rows. */
  countLimit?: number;
}

const setting = (name: string) => trusted(`nullif(current_setting('${name}', true), '')`);

function resultColumns(body: Sql, more: Sql, rows = trusted("pg_catalog.count(_postgrest_t)")): Sql {
  return sql`(${rows})::text AS rows, ${body} AS body, ${setting("response.status")} AS status, ${
    setting("response.headers")
  } AS headers, ${more}`;
}

function bodySql({ media, hasBody }: Form, routine?: Routine): Sql {
  if (!hasBody) return trusted("''");
  if (media.form === "csv") return csvBody;
  if (media.form === "geojson") return geoJsonBody;
  if (media.handler) return handledBody(media.handler, routine);
  const isScalar = routine !== undefined && (returnsScalar(routine) || returnsScalars(routine));
  const list = trusted(isScalar ? "json_agg(_postgrest_t.pgrst_scalar)" : "json_agg(_postgrest_t)");
  const stripped = media.stripsNulls ? sql`json_strip_nulls(${list})` : list;
  const isOne = media.form === "object" || routine !== undefined && !routine.isSet;
  return isOne ? sql`coalesce((${stripped}->0)::text, 'null')` : sql`coalesce((${stripped})::text, '[]')`;
}

/** A line of names, then rows as Postgres prints records, which has the quoting of CSV. */
const csvBody = trusted(
  `coalesce((SELECT string_agg(key, ',') FROM json_object_keys(json_agg(_postgrest_t)->0) key), '') || E'\\n' ||
    coalesce(string_agg(substring(_postgrest_t::text, 2, length(_postgrest_t::text) - 2), E'\\n'), '')`,
);

/** Needs PostGIS, as on the platform. */
const geoJsonBody = trusted(
  `json_build_object('type', 'FeatureCollection', 'features', coalesce(json_agg(ST_AsGeoJSON(_postgrest_t)::json), '[]'))`,
);

function handledBody({ handler, target }: MediaHandler, routine?: Routine): Sql {
  if (routine && returnsScalar(routine)) return sql`${qualified(handler)}(_postgrest_t.pgrst_scalar)`;
  const rows = target ? sql`_postgrest_t::${qualified(target)}` : trusted("_postgrest_t");
  return sql`${qualified(handler)}(${rows})`;
}

const noLocation = trusted("null AS inserted, null::text[] AS location");

/** Counts the source, which after a call is the function's rows. */
function counted(node: ReadNode, cache: SchemaCache, { counts, countLimit }: Form): { cte: Sql; total: Sql } {
  if (!counts) return { cte: nothing, total: trusted("null") };
  const limit = trusted(countLimit === undefined ? "" : ` LIMIT ${countLimit}`);
  const cte = sql`, pgrst_source_count AS (${countSql(node, cache)}${limit})`;
  return { cte, total: trusted("(SELECT pg_catalog.count(*) FROM pgrst_source_count)::text") };
}

export function readStatement(node: ReadNode, cache: SchemaCache, form: Form): Sql {
  const { cte, total } = counted(node, cache, form);
  return sql`WITH pgrst_source AS (${readSql(node, cache)})${cte} SELECT ${total} AS total, ${
    resultColumns(bodySql(form), noLocation)
  } FROM (SELECT * FROM pgrst_source) _postgrest_t`;
}

export function callStatement(call: Sql, routine: Routine, node: ReadNode, cache: SchemaCache, form: Form): Sql {
  const { cte, total } = counted(node, cache, form);
  const rows = routine.isSet ? undefined : trusted("1");
  return sql`WITH pgrst_source AS (${call})${cte} SELECT ${total} AS total, ${
    resultColumns(bodySql(form, routine), noLocation, rows)
  } FROM (${readSql(node, cache)}) _postgrest_t`;
}

/** `locates`: the response has the inserted row's key in Location. */
export function writeStatement(write: Sql, node: ReadNode, cache: SchemaCache, form: Form, locates: string[]): Sql {
  const rows = form.hasBody ? readSql(node, cache) : trusted("SELECT * FROM pgrst_source");
  const more = sql`${setting("pgrst.inserted")} AS inserted, ${
    locates.length ? locationSql(locates) : trusted("null::text[]")
  } AS location`;
  return sql`WITH pgrst_source AS (${write}) SELECT null AS total, ${
    resultColumns(bodySql(form), more)
  } FROM (${rows}) _postgrest_t`;
}

function locationSql(primaryKey: string[]): Sql {
  return sql`CASE WHEN pg_catalog.count(_postgrest_t) = 1 THEN (
    SELECT array_agg(pair.key || '=' || coalesce('eq.' || pair.value, 'is.null'))
    FROM (SELECT row_to_json(s) AS row FROM pgrst_source s LIMIT 1) one, json_each_text(one.row) pair
    WHERE pair.key = ANY (string_to_array(${primaryKey.join(",")}, ','))) END`;
}

export const explain = (query: Sql, options: string[]): Sql => sql`EXPLAIN (${trusted(options.join(", "))}) ${query}`;

export const explainCount = (node: ReadNode, cache: SchemaCache): Sql =>
  sql`EXPLAIN (FORMAT JSON) ${countSql(node, cache)}`;
