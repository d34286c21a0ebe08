// Functions that create bodies of other media types: they return a domain that is called as the type, "text/plain".
import type postgres from "../postgres/client.ts";
import type { Name } from "./sql.ts";

export interface MediaHandler {
  /** An aggregate of rows, or the domain that a function returns. */
  handler: Name;
  /** The table or function; null for rows of any table. */
  target: Name | null;
  /** In lower case. */
  mediaType: string;
  contentType: string;
}

export function readMediaHandlers(sql: postgres.Sql, schemas: string[]): PromiseLike<MediaHandler[]> {
  return sql<MediaHandler[]>`
    with media_types as (
      select t.oid, t.typname as name, n.nspname as schema, lower(t.typname) as media_type,
        case t.typname when '*/*' then 'application/octet-stream' else t.typname end as content_type
      from pg_type t join pg_namespace n on n.oid = t.typnamespace
      where t.typtype = 'd' and (t.typname ~* '^[a-z0-9.-]+/[a-z0-9.+-]+$' or t.typname = '*/*'))
    select json_build_object('schema', n.nspname, 'name', p.proname) as handler,
      case when a.typname <> 'anyelement' then json_build_object('schema', an.nspname, 'name', a.typname) end as target,
      m.media_type as "mediaType", m.content_type as "contentType"
    from media_types m join pg_proc p on p.prorettype = m.oid join pg_namespace n on n.oid = p.pronamespace
    join pg_type a on a.oid = p.proargtypes[0] join pg_namespace an on an.oid = a.typnamespace
    where p.prokind = 'a' and p.pronargs = 1 and n.nspname = any (${schemas})
    union all
    select json_build_object('schema', m.schema, 'name', m.name), json_build_object('schema', n.nspname, 'name', p.proname),
      m.media_type, m.content_type
    from media_types m join pg_proc p on p.prorettype = m.oid join pg_namespace n on n.oid = p.pronamespace
    where p.prokind = 'f' and not p.proretset and n.nspname = any (${schemas})`;
}
