/** Subscriptions of a channel to database changes, checked against the publication and the caller's rights. */
import type postgres from "../postgres/client.ts";
import { type Condition, MATCHES, parseFilter } from "./filters.ts";

/** The claims of a token; `role` is the database role. */
export type Claims = Record<string, unknown> & { role?: unknown; exp?: unknown };

export interface Subscription {
  /** The client's number, which every event repeats. */
  id: number;
  claims: Claims;
  event: "*" | "INSERT" | "UPDATE" | "DELETE";
  /** The published tables at the time of the subscription. */
  relations: Set<number>;
  filter: Condition[];
  /** The columns to send beside the primary key; null for all. */
  select: string[] | null;
  /** Events are sent for commits from this position in the log. */
  since: bigint;
}

/** The request of a client. */
export interface SubscriptionRequest {
  event?: unknown;
  schema?: unknown;
  table?: unknown;
  filter?: unknown;
  select?: unknown;
}

export const roleOf = (claims: Claims) => String(claims.role ?? "anon");

/** Creates a subscription. Throws with Realtime's message. */
export async function subscribe(
  sql: postgres.Sql,
  request: SubscriptionRequest,
  id: number,
  claims: Claims,
): Promise<Subscription> {
  const { schema, table } = request;
  const event = String(request.event ?? "*").toUpperCase();
  if (typeof schema !== "string" && typeof table !== "string") {
    throw new Error(
      "No subscription params provided. Please provide at least a `schema` or `table` to subscribe to: " +
        JSON.stringify(request),
    );
  }
  const subscription: Subscription = {
    id,
    claims,
    event: event === "INSERT" || event === "UPDATE" || event === "DELETE" ? event : "*",
    relations: new Set(),
    filter: typeof request.filter === "string" ? parseFilter(request.filter) : [],
    select: Array.isArray(request.select) && request.select.length ? [...new Set(request.select.map(String))] : null,
    since: 0n,
  };
  const any = (name: unknown) => typeof name !== "string" || name === "*" ? null : name;
  if (subscription.select && (typeof schema === "string" && !any(schema) || !any(table))) {
    throw new Error(
      "Column selection is not supported for wildcard subscriptions. Provide an explicit schema and table name.",
    );
  }
  // The view pg_publication_tables would open every published table: it fails if another one is dropped meanwhile, and
  // waits if another one is locked
  const rows = await sql<{ relation: number; since: string }[]>`
    select c.oid as relation, pg_current_wal_insert_lsn() - '0/0' as since
    from pg_publication p
    cross join pg_class c
    join pg_namespace n on n.oid = c.relnamespace
    where p.pubname = 'supabase_realtime'
      and n.nspname = coalesce(${typeof schema === "string" ? any(schema) : "public"}, n.nspname)
      and c.relname = coalesce(${any(table)}, c.relname)
      and (c.relkind = 'r' or p.pubviaroot) and pg_relation_is_publishable(c.oid)
      and (p.puballtables
        or exists (select from pg_publication_namespace where pnpubid = p.oid and pnnspid = n.oid)
        or exists (
          select from pg_publication_rel
          where prpubid = p.oid and (prrelid = c.oid
            or not p.pubviaroot and prrelid in (select pg_partition_ancestors(c.oid)))))`;
  const description = `[event: ${subscription.event}, schema: ${schema}, table: ${table}, filters: ${
    request.filter ?? "[]"
  }, select: ${request.select ?? "nil"}]`;
  if (!rows.length) {
    throw new Error(
      `Unable to subscribe to changes with given parameters. Please check Realtime is enabled for the given connect parameters: ${description}`,
    );
  }
  subscription.since = BigInt(rows[0].since);
  for (const { relation } of rows) {
    subscription.relations.add(relation);
    await check(sql, subscription, relation).catch((error) => {
      throw new Error(
        `Unable to subscribe to changes with given parameters. An exception happened so please check your connect parameters: ${description}. Exception: ${error.message}`,
      );
    });
  }
  return subscription;
}

/** Checks that the caller may read the named columns and that values match their types. */
async function check(sql: postgres.Sql, { filter, select, claims }: Subscription, relation: number) {
  if (!filter.length && !select) return;
  const columns = await sql<{ name: string; type: string }[]>`
    select attname as name, format_type(atttypid, -1) as type from pg_attribute
    where attrelid = ${relation}::oid and attnum > 0 and not attisdropped
      and has_column_privilege(${roleOf(claims)}, attrelid, attnum, 'select')`;
  const types = new Map(columns.map(({ name, type }) => [name, type]));
  const unknownFilter = filter.find((condition) => !types.has(condition.column));
  if (unknownFilter) throw new Error(`invalid column for filter ${unknownFilter.column}`);
  const unknownColumn = select?.find((column) => !types.has(column));
  if (unknownColumn) throw new Error(`invalid column for select ${unknownColumn}`);
  const cast = filter.filter(({ operator }) => operator !== "is" && !MATCHES.has(operator));
  if (!cast.length) return;
  const counts = cast.map(({ column, operator }, i) =>
    operator === "in"
      ? `cardinality($${i + 1}::text::${types.get(column)}[])`
      : `num_nonnulls($${i + 1}::text::${types.get(column)})`
  );
  const [{ max }] = await sql.unsafe(`select greatest(${counts}) as max`, cast.map(({ value }) => value));
  if (max > 100) throw new Error("too many values for `in` filter. Maximum 100");
}
