/** What a channel asks to hear of the database, checked against the publication and the asker's rights. */
import type postgres from "../postgres_client.ts";
import { type Condition, MATCHES, parseFilter } from "./filters.ts";

/** The token's claims; the role is that of the database. */
export type Claims = Record<string, unknown> & { role?: unknown; exp?: unknown };

export interface Subscription {
  /** The client's number for it: it comes back in every event. */
  id: number;
  claims: Claims;
  event: "*" | "INSERT" | "UPDATE" | "DELETE";
  /** The published tables it is about, as they were when it began. */
  relations: Set<number>;
  filter: Condition[];
  /** Only these columns and the primary key; null for all. */
  select: string[] | null;
  /** It hears of what was committed after this place in the log. */
  since: bigint;
}

/** As the client sends it. */
export interface Wish {
  event?: unknown;
  schema?: unknown;
  table?: unknown;
  filter?: unknown;
  select?: unknown;
}

export const roleOf = (claims: Claims) => String(claims.role ?? "anon");

/** Makes a subscription of a wish; throws the sentence that Realtime sends when it cannot. */
export async function subscribe(sql: postgres.Sql, wish: Wish, id: number, claims: Claims): Promise<Subscription> {
  const { schema, table } = wish;
  const event = String(wish.event ?? "*").toUpperCase();
  if (typeof schema !== "string" && typeof table !== "string") {
    throw new Error(
      "No subscription params provided. Please provide at least a `schema` or `table` to subscribe to: " +
        JSON.stringify(wish),
    );
  }
  const subscription: Subscription = {
    id,
    claims,
    event: event === "INSERT" || event === "UPDATE" || event === "DELETE" ? event : "*",
    relations: new Set(),
    filter: typeof wish.filter === "string" ? parseFilter(wish.filter) : [],
    select: Array.isArray(wish.select) && wish.select.length ? [...new Set(wish.select.map(String))] : null,
    since: 0n,
  };
  const any = (name: unknown) => typeof name !== "string" || name === "*" ? null : name;
  if (subscription.select && (typeof schema === "string" && !any(schema) || !any(table))) {
    throw new Error(
      "Column selection is not supported for wildcard subscriptions. Provide an explicit schema and table name.",
    );
  }
  const rows = await sql<{ relation: number; since: string }[]>`
    select format('%I.%I', schemaname, tablename)::regclass::oid as relation,
      pg_current_wal_insert_lsn() - '0/0' as since
    from pg_publication_tables
    where pubname = 'supabase_realtime'
      and schemaname = coalesce(${typeof schema === "string" ? any(schema) : "public"}, schemaname)
      and tablename = coalesce(${any(table)}, tablename)`;
  const asked = `[event: ${subscription.event}, schema: ${schema}, table: ${table}, filters: ${
    wish.filter ?? "[]"
  }, select: ${wish.select ?? "nil"}]`;
  if (!rows.length) {
    throw new Error(
      `Unable to subscribe to changes with given parameters. Please check Realtime is enabled for the given connect parameters: ${asked}`,
    );
  }
  subscription.since = BigInt(rows[0].since);
  for (const { relation } of rows) {
    subscription.relations.add(relation);
    await check(sql, subscription, relation).catch((error) => {
      throw new Error(
        `Unable to subscribe to changes with given parameters. An exception happened so please check your connect parameters: ${asked}. Exception: ${error.message}`,
      );
    });
  }
  return subscription;
}

/** The named columns must be the asker's to read, and the values must fit them. */
async function check(sql: postgres.Sql, { filter, select, claims }: Subscription, relation: number) {
  if (!filter.length && !select) return;
  const columns = await sql<{ name: string; type: string }[]>`
    select attname as name, format_type(atttypid, -1) as type from pg_attribute
    where attrelid = ${relation}::oid and attnum > 0 and not attisdropped
      and has_column_privilege(${roleOf(claims)}, attrelid, attnum, 'select')`;
  const types = new Map(columns.map(({ name, type }) => [name, type]));
  const alien = filter.find((condition) => !types.has(condition.column));
  if (alien) throw new Error(`invalid column for filter ${alien.column}`);
  const unread = select?.find((column) => !types.has(column));
  if (unread) throw new Error(`invalid column for select ${unread}`);
  const cast = filter.filter(({ operator }) => operator !== "is" && !MATCHES.has(operator));
  if (!cast.length) return;
  const counts = cast.map(({ column, operator }, i) =>
    operator === "in"
      ? `cardinality($${i + 1}::text::${types.get(column)}[])`
      : `num_nonnulls($${i + 1}::text::${types.get(column)})`
  );
  const [{ most }] = await sql.unsafe(`select greatest(${counts}) as most`, cast.map(({ value }) => value));
  if (most > 100) throw new Error("too many values for `in` filter. Maximum 100");
}
