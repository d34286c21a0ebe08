// What the REST service knows of the database: lite's introspection, and the settings that PostgREST applies per
// transaction. Read as the superuser (information_schema hides what the reader may not touch), once after every DDL.
import postgres from "postgres";
import { createPostgresConnection } from "@supabase/lite/postgres";

/** A table or view, as lite's introspection lists it. */
interface Relation {
  schema?: string;
  name: string;
}

/** The part of lite's introspection that is read here; lite reads all of it. */
export interface Introspection {
  tables: Relation[];
  views: Relation[];
  columns: { schema: string; table: string; name: string; type: string }[];
  functions: { schema: string; name: string; volatility: string; arg_names: string[]; arg_types: string[] }[];
  indexes: { schema?: string; name: string }[];
  primary_keys: { schema?: string; table: string; columns: string[] }[];
}

export interface SchemaCache {
  introspection: Introspection;
  /** `alter role … set`: settings that a transaction under that role starts with. */
  roleSettings: Map<string, [name: string, value: string][]>;
  /** `create function … set statement_timeout`: it counts only when set before the function's own statement. */
  functionTimeouts: Map<string, string>;
}

export function createSchemaCache(adminUrl: string) {
  const lite = createPostgresConnection({ url: adminUrl, postgresOptions: { max: 1, onnotice: () => {} } });
  const sql = postgres(adminUrl, { max: 1, onnotice: () => {} });
  let current: Promise<SchemaCache> | undefined;

  async function load(): Promise<SchemaCache> {
    const [introspection, roles, functions, unique] = await Promise.all([
      lite.introspect({ useCache: false }) as unknown as Promise<Introspection>,
      // What authenticator may become; superuser-only settings were refused by `alter role` already.
      sql`select r.rolname as role, s.setting
          from pg_roles r join pg_db_role_setting d on d.setrole = r.oid and d.setdatabase = 0, unnest(d.setconfig) s(setting)
          where pg_has_role('authenticator', r.oid, 'member') and r.rolname <> 'authenticator'`,
      sql`select n.nspname as schema, p.proname as name, s.setting
          from pg_proc p join pg_namespace n on n.oid = p.pronamespace, unnest(p.proconfig) s(setting)
          where s.setting like 'statement_timeout=%'`,
      sql`select n.nspname as schema, i.relname as name
          from pg_constraint c join pg_class i on i.oid = c.conindid join pg_namespace n on n.oid = i.relnamespace
          where c.contype in ('p', 'u')`,
    ]);
    // A row has one related row where a constraint says so: a unique index of some rows, or of expressions, says less
    const constrained = new Set(unique.map(({ schema, name }) => `${schema}.${name}`));
    introspection.indexes = introspection.indexes.filter(({ schema, name }) => constrained.has(`${schema}.${name}`));
    const roleSettings: SchemaCache["roleSettings"] = new Map();
    for (const { role, setting } of roles) {
      roleSettings.set(role, [...roleSettings.get(role) ?? [], nameAndValue(setting)]);
    }
    const functionTimeouts = new Map(
      functions.map(({ schema, name, setting }) => [`${schema}.${name}`, nameAndValue(setting)[1]]),
    );
    return { introspection, roleSettings, functionTimeouts };
  }

  return {
    /** Requests that arrive together wait for one reading. */
    get: () => current ??= load().catch((error) => (current = undefined, Promise.reject(error))),
    /** The next request reads anew. */
    forget: () => void (current = undefined),
    close: async () => void await Promise.all([lite.close(), sql.end({ timeout: 1 })]),
  };
}

const nameAndValue = (setting: string): [string, string] => {
  const at = setting.indexOf("=");
  return [setting.slice(0, at), setting.slice(at + 1)];
};
