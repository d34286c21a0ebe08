// The whole content of a project's database as a list of named definitions, and where two such lists differ.
import { join } from "node:path";
import type postgres from "postgres";
import { connected } from "./scratch.ts";

/** "kind name" → definition. */
export type Catalog = Map<string, string>;

export interface Finding {
  what: string;
  how: "missing" | "extra" | "different";
  /** Where a definition differs: the first line of each side that the other does not have. */
  here?: string;
  there?: string;
}

const query = await Deno.readTextFile(join(import.meta.dirname!, "catalog.sql"));

/** Reads the definitions, and the rows that belong to the schema: those that a project has before anyone used it. */
export async function readCatalog(url: string): Promise<Catalog> {
  return await connected(url, async (sql) => {
    await sql`set search_path = ''`; // so that every name in a definition is written in full
    const rows = await sql.unsafe<{ kind: string; name: string; definition: string }[]>(query);
    const catalog = new Map(rows.map((row) => [`${row.kind} ${row.name}`, row.definition]));
    for (const row of await readRows(sql)) catalog.set(`row of ${row}`, "");
    return catalog;
  });
}

/** Where `here` differs from `there`: missing here, extra here, or different. */
export function compareCatalogs(here: Catalog, there: Catalog): Finding[] {
  const findings: Finding[] = [];
  for (const [what, definition] of there) {
    const mine = here.get(what);
    if (mine === undefined) findings.push({ what, how: "missing" });
    else if (mine !== definition) findings.push({ what, how: "different", ...firstDifference(mine, definition) });
  }
  for (const what of here.keys()) if (!there.has(what)) findings.push({ what, how: "extra" });
  return withoutParts(findings);
}

/**
 * Rows of our own schemas, queues, cron jobs and buckets. A column whose default is a function call (now, a new id, the
 * database's own name) says nothing about the schema and is left out.
 */
async function readRows(sql: postgres.Sql): Promise<string[]> {
  const tables = await sql<{ name: string; volatile: string }[]>`
    select c.oid::regclass::text as name,
           coalesce((select array_agg(a.attname) from pg_attribute a join pg_attrdef d on d.adrelid = c.oid and d.adnum = a.attnum
                     where a.attrelid = c.oid and pg_get_expr(d.adbin, d.adrelid) like '%(%'), '{}')::text as volatile
    from pg_class c join pg_namespace n on n.oid = c.relnamespace
    where c.relkind in ('r', 'p') and not c.relispartition
      and (n.nspname in ('public', 'private') or format('%s.%s', n.nspname, c.relname) in ('cron.job', 'pgmq.meta', 'storage.buckets'))`;
  if (tables.length === 0) return [];
  const each = tables.map(({ name, volatile }) =>
    `select '${name.replaceAll("'", "''")} ' || (to_jsonb(t) - '${
      volatile.replaceAll("'", "''")
    }'::text[])::text as row from ${name} t`
  );
  return (await sql.unsafe<{ row: string }[]>(each.join("\nunion all\n"))).map(({ row }) => row);
}

function firstDifference(here: string, there: string) {
  const [mine, theirs] = [here, there].map((text) => text.split("\n"));
  const only = (lines: string[], others: string[]) => lines.find((line) => !others.includes(line)) ?? "(nothing more)";
  return { here: only(mine, theirs), there: only(theirs, mine) };
}

/** A missing table is one finding, not one for each of its columns, policies and triggers. */
function withoutParts(findings: Finding[]): Finding[] {
  const relation = /^(?:table|view|materialized view|foreign table) (.+)$/;
  const absent = findings.flatMap(({ what, how }) => how === "different" ? [] : relation.exec(what)?.[1] ?? []);
  const part = (what: string) => absent.some((name) => what.includes(` ${name} `) || what.includes(` ${name}.`));
  return findings.filter(({ what }) => relation.test(what) || !part(what));
}
