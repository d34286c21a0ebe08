// What the planner does not see and a migration needs all the same: how a column is stored.
import { connected } from "./scratch.ts";

/** Statements that make the columns of `from` stored as those of `to`; for databases that are otherwise alike. */
export async function planGaps(from: string, to: string): Promise<string[]> {
  const [has, wants] = await Promise.all([storage(from), storage(to)]);
  return wants.filter((statement) => !has.includes(statement));
}

function storage(url: string): Promise<string[]> {
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
