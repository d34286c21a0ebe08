// Column storage options, which the planner ignores and a migration needs.
import { connected } from "../postgres/client.ts";

/** Statements that give the columns of `from` the storage of those of `to`, in databases that agree in all else. */
export async function planStorageChanges(from: string, to: string): Promise<string[]> {
  const [current, desired] = await Promise.all([storageStatements(from), storageStatements(to)]);
  return desired.filter((statement) => !current.includes(statement));
}

function storageStatements(url: string): Promise<string[]> {
  return connected(url, async (sql) => {
    const rows = await sql<{ statement: string }[]>`
      select format('alter table %1$I.%2$I alter column %3$I set storage %4$s, alter column %3$I set compression %5$s;',
                    n.nspname, c.relname, a.attname,
                    case a.attstorage when 'p' then 'plain' when 'e' then 'external' when 'm' then 'main' else 'extended' end,
                    case a.attcompression when 'p' then 'pglz' when 'l' then 'lz4' else 'default' end) as statement
      from pg_attribute a join pg_class c on c.oid = a.attrelid join pg_namespace n on n.oid = c.relnamespace
      join pg_type t on t.oid = a.atttypid
      where n.nspname in ('public', 'private') and c.relkind in ('r', 'p') and a.attnum > 0 and not a.attisdropped
        and t.typstorage <> 'p'
      order by 1`;
    return rows.map(({ statement }) => statement);
  });
}
