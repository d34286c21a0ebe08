// PostgREST's configuration in the database: `alter role authenticator set pgrst.db_max_rows = '100'`.
import type postgres from "../postgres/client.ts";
import type { Name } from "./sql.ts";

export interface RestConfig {
  /** The exposed schemas. The first is the default. */
  schemas: string[];
  extraSearchPath: string[];
  /** The maximum of rows per table in a response. */
  maxRows?: number;
  /** The function that runs before each request. */
  preRequest?: Name;
  allowsAggregates: boolean;
  allowsPlans: boolean;
  transactionEnd: { isRollback: boolean; allowsOverride: boolean };
}

export const defaultConfig: RestConfig = {
  schemas: ["public"],
  extraSearchPath: ["public", "extensions"],
  maxRows: 1000,
  allowsAggregates: false,
  allowsPlans: false,
  transactionEnd: { isRollback: false, allowsOverride: false },
};

/** Reads the settings of the role. Those of the role in this database replace the others. */
export async function readConfig(sql: postgres.Sql, initial: RestConfig): Promise<RestConfig> {
  const rows = await sql<{ name: string; value: string }[]>`
    select distinct on (s.name) s.name, s.value
    from pg_db_role_setting d, unnest(d.setconfig) c, lateral (
      select split_part(c, '=', 1) as name, substr(c, strpos(c, '=') + 1) as value) s
    where d.setrole = 'authenticator'::regrole and s.name like 'pgrst.%'
    and d.setdatabase in (0, (select oid from pg_database where datname = current_database()))
    order by s.name, d.setdatabase desc`;
  return withSettings(initial, new Map(rows.map(({ name, value }) => [name.slice("pgrst.".length), value])));
}

/** Throws for a value with which PostgREST does not start. */
function withSettings(initial: RestConfig, settings: Map<string, string>): RestConfig {
  const { allowsAggregates, allowsPlans } = initial;
  const setting = <T>(name: string, parse: (value: string) => T, initialValue: T) => {
    const value = settings.get(name);
    return value === undefined ? initialValue : parse(value);
  };
  return {
    schemas: setting("db_schemas", parseSchemas, initial.schemas),
    extraSearchPath: setting("db_extra_search_path", parseList, initial.extraSearchPath),
    maxRows: setting("db_max_rows", parseCount, initial.maxRows),
    preRequest: setting("db_pre_request", parseName, initial.preRequest),
    allowsAggregates: setting("db_aggregates_enabled", parseBoolean, allowsAggregates),
    allowsPlans: setting("db_plan_enabled", parseBoolean, allowsPlans),
    transactionEnd: setting("db_tx_end", parseTransactionEnd, initial.transactionEnd),
  };
}

const parseList = (text: string) => text === "" ? [] : text.split(",").map((part) => part.trim());

/** Text other than a number removes the maximum. */
const parseCount = (text: string) => /^\d+$/.test(text) ? Number(text) : undefined;

/** `true` in any case, or a positive number. */
const parseBoolean = (text: string) => /^[^a-z]*true[^a-z]*$/i.test(text) || /^\d+$/.test(text) && Number(text) > 0;

function parseSchemas(text: string): string[] {
  const schemas = parseList(text);
  const internal = schemas.find((schema) => schema === "pg_catalog" || schema === "information_schema");
  if (internal) throw new RangeError(`db-schemas does not allow schema: '${internal}'`);
  return schemas.length ? schemas : ["public"];
}

function parseName(text: string): Name | undefined {
  const at = text.indexOf(".");
  return text ? { schema: text.slice(0, Math.max(at, 0)), name: text.slice(at + 1) } : undefined;
}

function parseTransactionEnd(text: string): RestConfig["transactionEnd"] {
  const found = /^(?:(commit|rollback)(-allow-override)?)?$/.exec(text);
  if (!found) throw new RangeError("Invalid transaction termination. Check your configuration.");
  return { isRollback: found[1] === "rollback", allowsOverride: found[2] !== undefined };
}
