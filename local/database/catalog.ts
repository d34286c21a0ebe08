// The content of a database as a list of named definitions, and the comparison of two such lists.
import { join } from "node:path";
import postgres, { connected } from "../postgres/client.ts";

/** Definitions by "kind name". */
type Catalog = Map<string, string>;

export interface Finding {
  what: string;
  kind: "missing" | "extra" | "different";
  /** For a different definition: the first line that only this side has. */
  here?: string;
  there?: string;
}

const query = await Deno.readTextFile(join(import.meta.dirname!, "catalog.sql"));

/** Reads the definitions, and the rows that a project has before its first use. */
export async function readCatalog(url: string): Promise<Catalog> {
  return await connected(url, async (sql) => {
    await sql`set search_path = ''`; // so that Postgres prints every name with its schema
    const rows = await sql.unsafe<{ kind: string; name: string; definition: string }[]>(query);
    const catalog = new Map(rows.map((row) => [`${row.kind} ${row.name}`, row.definition]));
    for (const row of await readRows(sql)) catalog.set(`row of ${row}`, "");
    return catalog;
  });
}

/** Lists what is missing in `here`, extra in `here`, or different. */
export function compareCatalogs(here: Catalog, there: Catalog): Finding[] {
  const findings: Finding[] = [];
  for (const [what, definition] of there) {
    const own = here.get(what);
    if (own === undefined) findings.push({ what, kind: "missing" });
    else if (own !== definition) findings.push({ what, kind: "different", ...firstDifference(own, definition) });
  }
  for (const what of here.keys()) if (!there.has(what)) findings.push({ what, kind: "extra" });
  return withoutParts(findings);
}

/**
 * Rows of public and private, queues, cron jobs and buckets, without the columns whose default calls a function (a time,
 * an id, the name of the database).
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
  const [own, others] = [here, there].map((text) => text.split("\n"));
  const only = (lines: string[], others: string[]) => lines.find((line) => !others.includes(line)) ?? "(no difference)";
  return { here: only(own, others), there: only(others, own) };
}

/** Reports a missing table once, not again for each of its columns, policies and triggers. */
function withoutParts(findings: Finding[]): Finding[] {
  const relation = /^(?:table|view|materialized view|foreign table) (.+)$/;
  const absent = findings.flatMap(({ what, kind }) => kind === "different" ? [] : relation.exec(what)?.[1] ?? []);
  const part = (what: string) => absent.some((name) => what.includes(` ${name} `) || what.includes(` ${name}.`));
  return findings.filter(({ what }) => relation.test(what) || !part(what));
}
