/** Decides who receives a change and which columns: the rules of Realtime's SQL function apply_rls. */
import type postgres from "../postgres/client.ts";
import { filterSql } from "./filters.ts";
import type { Change, Row } from "./pgoutput.ts";
import { type Claims, roleOf, type Subscription } from "./subscriptions.ts";

/** The current definition of the changed table. */
interface Table {
  rls: boolean;
  primaryKey: string[];
  /** Columns in order, with type names for clients and for casts. */
  columns: { name: string; typname: string; type: string }[];
  /** The columns that each role may select. */
  readable: Record<string, string[] | null>;
}

interface Delivery {
  subscriptions: Subscription[];
  data: Record<string, unknown>;
}

const MAX_ROW_BYTES = 1024 * 1024;
const name = (identifier: string) => '"' + identifier.replaceAll('"', '""') + '"';

/** Decides what to send to which subscriptions. Rights are read now, so that a revocation has effect at once. */
export async function planDeliveries(
  sql: postgres.Sql,
  change: Change,
  interested: Subscription[],
): Promise<Delivery[]> {
  const table = await describe(sql, change, [
    ...new Set(interested.map((subscription) => roleOf(subscription.claims))),
  ]);
  if (!table) return [];
  const types = new Map(table.columns.map((column) => [column.name, column.type]));
  const seeing = await Promise.all(interested.map(memoized(async (subscription: Subscription) => {
    const readable = table.readable[roleOf(subscription.claims)] ?? [];
    if (change.type !== "DELETE") {
      if (!table.primaryKey.length) return "Error 400: Bad Request, no primary key";
      if (!table.primaryKey.every((column) => readable.includes(column))) return "Error 401: Unauthorized";
    }
    return await passes(sql, change, subscription, types) &&
      (!table.rls || change.type === "DELETE" || await visible(sql, change, table, types, subscription.claims));
  }, (subscription) => JSON.stringify([subscription.claims, subscription.filter]))));
  const groups = Map.groupBy(
    interested.map((subscription, i) => ({ subscription, seen: seeing[i] })).filter(({ seen }) => seen),
    ({ subscription, seen }) => JSON.stringify([roleOf(subscription.claims), subscription.select, seen]),
  );
  return await Promise.all([...groups.values()].map(async (group) => {
    const { subscription, seen } = group[0];
    const data = typeof seen === "string"
      ? { schema: change.schema, table: change.table, type: change.type, errors: [seen] }
      : await describeChange(sql, change, table, types, subscription);
    return { subscriptions: group.map((one) => one.subscription), data };
  }));
}

async function describe(sql: postgres.Sql, change: Change, roles: string[]): Promise<Table | undefined> {
  const [table] = await sql<Table[]>`
    select c.relrowsecurity as rls,
      array(select a.attname::text from pg_index i join pg_attribute a on a.attrelid = i.indrelid and a.attnum = any (i.indkey)
            where i.indrelid = c.oid and i.indisprimary) as "primaryKey",
      (select json_agg(json_build_object('name', a.attname, 'typname', t.typname, 'type', format_type(a.atttypid, -1)) order by a.attnum)
       from pg_attribute a join pg_type t on t.oid = a.atttypid
       where a.attrelid = c.oid and a.attnum > 0 and not a.attisdropped) as columns,
      (select json_object_agg(rolname, array(
         select a.attname::text from pg_attribute a
         where a.attrelid = c.oid and a.attnum > 0 and not a.attisdropped and has_column_privilege(r.oid, c.oid, a.attnum, 'select')))
       from pg_roles r where rolname in ${sql(roles)}) as readable
    from pg_class c where c.oid = ${change.relation}::oid`;
  return table;
}

/** Tests the subscription's filter on the new row, or on the known columns of a deleted one. */
async function passes(sql: postgres.Sql, change: Change, { filter }: Subscription, types: Map<string, string>) {
  if (!filter.length) return true;
  const values: string[] = [];
  const test = filterSql(filter, change.row ?? change.old ?? new Map(), types, values);
  if (test === null) return false;
  // The column may have changed since the subscription
  const [row] = await sql.unsafe(`select ${test} as passes`, values).catch(() => []);
  return row?.passes === true;
}

/** Whether these claims may read the row that now has this primary key. */
async function visible(sql: postgres.Sql, change: Change, table: Table, types: Map<string, string>, claims: Claims) {
  const key = table.primaryKey.map((column, i) => `${name(column)} = $${i + 1}::text::${types.get(column)}`);
  const values = table.primaryKey.map((column) => change.row!.get(column) ?? null);
  try {
    return await sql.begin(async (own) => {
      await own`select set_config('request.jwt.claims', ${JSON.stringify(claims)}, true), set_config('role', ${
        roleOf(claims)
      }, true)`;
      const rows = await own.unsafe(
        `select from ${name(change.schema)}.${name(change.table)} where ${key.join(" and ")}`,
        values,
      );
      return rows.length > 0;
    });
  } catch (error) {
    console.error(`realtime: ${change.schema}.${change.table} as ${roleOf(claims)}:`, (error as Error).message);
    return false;
  }
}

async function describeChange(
  sql: postgres.Sql,
  change: Change,
  table: Table,
  types: Map<string, string>,
  { claims, select }: Subscription,
) {
  const readable = table.readable[roleOf(claims)] ?? [];
  const shown = readable.filter((column) => !select || select.includes(column) || table.primaryKey.includes(column));
  const size = [...change.row?.values() ?? [], ...change.old?.values() ?? []].reduce(
    (sum, value) => sum + (value?.length ?? 0),
    0,
  );
  const json = (row: Row, columns: string[]) =>
    rowJson(
      sql,
      new Map([...row].filter(([column, value]) =>
        columns.includes(column) && (size <= MAX_ROW_BYTES || (value?.length ?? 0) <= 64)
      )),
      types,
    );
  const keyOf = (row: Row): Row => new Map([...row].filter(([column]) => table.primaryKey.includes(column)));
  const old = change.old ?? (change.row && keyOf(change.row));
  return {
    schema: change.schema,
    table: change.table,
    type: change.type,
    commit_timestamp: change.committed.toISOString(),
    columns: table.columns.filter((column) => shown.includes(column.name))
      .map((column) => ({ name: column.name, type: column.typname })),
    ...change.row && { record: await json(new Map([...old ?? [], ...change.row]), shown) },
    ...change.type === "UPDATE" && { old_record: await json(old!, shown) },
    // Row level security cannot test a deleted row: only its key is sent
    ...change.type === "DELETE" && { old_record: old && await json(table.rls ? keyOf(old) : old, shown) },
    errors: size > MAX_ROW_BYTES ? ["Error 413: Payload Too Large"] : null,
  };
}

/** Lets Postgres convert the row to JSON. */
async function rowJson(sql: postgres.Sql, row: Row, types: Map<string, string>): Promise<unknown> {
  const columns = [...row.keys()].filter((column) => types.has(column));
  if (!columns.length) return {};
  const [{ json }] = await sql.unsafe(
    `select to_json(r) as json from (select ${
      columns.map((column, i) => `$${i + 1}::text::${types.get(column)} as ${name(column)}`).join(", ")
    }) r`,
    columns.map((column) => row.get(column)!),
  );
  return json;
}

/** Calls `ask` once for all subscriptions with the same key. */
function memoized<T>(ask: (subscription: Subscription) => Promise<T>, key: (subscription: Subscription) => string) {
  const results = new Map<string, Promise<T>>();
  return (subscription: Subscription): Promise<T> => {
    const groupKey = key(subscription);
    if (!results.has(groupKey)) results.set(groupKey, ask(subscription));
    return results.get(groupKey)!;
  };
}
