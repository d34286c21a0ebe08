// The schema cache of the REST service. It is read as the superuser, because other roles do not see all objects, once
// after each DDL.
import type postgres from "../postgres/client.ts";
import { readMediaHandlers } from "./media_handlers.ts";
import { relationshipsOf } from "./relationships.ts";
import { type PrimaryKey, type View, withViews } from "./view_keys.ts";
import type { ComputedRelationship, ForeignKey, Representation, Routine, SchemaCache, Table } from "./catalog.ts";

/** With pg_catalog as the only search path, Postgres prints other types with their schema. */
export const schemaConnection = { search_path: "pg_catalog" };

export async function readSchema(sql: postgres.Sql, schemas: string[]): Promise<SchemaCache> {
  const [tables, tableKeys, primaryKeys, views, routines, computed, representations, settings, mediaHandlers] =
    await Promise.all([
      sql<Table[]>`
        select n.nspname as schema, c.relname as name, '{}'::text[] as "primaryKey",
          coalesce((select json_object_agg(a.attname, jsonb_build_object(
            'type', format_type(a.atttypid, a.atttypmod), 'isSearchVector', pg_basetype(a.atttypid) = 'tsvector'::regtype,
            'default', case
              when a.attidentity = 'd' then format('nextval(%L)', pg_get_serial_sequence(c.oid::regclass::text, a.attname))
              when a.attgenerated = '' then coalesce(pg_get_expr(d.adbin, d.adrelid),
                (select pg_get_expr(t.typdefaultbin, 0) from pg_type t where t.oid = a.atttypid)) end) order by a.attnum)
            from pg_attribute a left join pg_attrdef d on d.adrelid = a.attrelid and d.adnum = a.attnum
            where a.attrelid = c.oid and a.attnum > 0 and not a.attisdropped), '{}') as columns,
          w.writes & 8 > 0 as "isInsertable", w.writes & 4 > 0 as "isUpdatable", w.writes & 16 > 0 as "isDeletable"
        from pg_class c join pg_namespace n on n.oid = c.relnamespace
        cross join lateral (
          select case when c.relkind in ('r', 'p') then 28 when c.relkind in ('v', 'f')
            then pg_relation_is_updatable(c.oid, true) else 0 end as writes) w
        where c.relkind in ('r', 'v', 'm', 'f', 'p') and not c.relispartition and n.nspname = any (${schemas})`,
      sql<ForeignKey[]>`
        select f.conname as name,
          json_build_object('schema', n.nspname, 'name', c.relname) as table,
          json_build_object('schema', m.nspname, 'name', o.relname) as foreign,
          k.columns, exists (
            select from pg_constraint u where u.conrelid = f.conrelid and u.contype in ('p', 'u')
            and u.conkey @> f.conkey and u.conkey <@ f.conkey) as "isUnique",
          f.conrelid as "tableId", f.confrelid as "foreignId", k.numbers as "columnNumbers",
          false as "isView", false as "isForeignView"
        from pg_constraint f
        join pg_class c on c.oid = f.conrelid join pg_namespace n on n.oid = c.relnamespace
        join pg_class o on o.oid = f.confrelid join pg_namespace m on m.oid = o.relnamespace
        cross join lateral (
          select json_agg(json_build_array(a.attname, b.attname) order by u.place) as columns,
            json_agg(json_build_array(u.own, u.other) order by u.place) as numbers
          from unnest(f.conkey, f.confkey) with ordinality u(own, other, place)
          join pg_attribute a on a.attrelid = f.conrelid and a.attnum = u.own
          join pg_attribute b on b.attrelid = f.confrelid and b.attnum = u.other) k
        where f.contype = 'f' and f.conparentid = 0
        order by f.conrelid, f.conname`,
      sql<PrimaryKey[]>`
        select p.conrelid as "tableId", json_build_object('schema', n.nspname, 'name', c.relname) as table,
          json_agg(a.attname order by a.attname) as columns, json_agg(a.attnum order by a.attname) as "columnNumbers"
        from pg_constraint p join pg_class c on c.oid = p.conrelid join pg_namespace n on n.oid = c.relnamespace
        join pg_attribute a on a.attrelid = p.conrelid and a.attnum = any (p.conkey)
        where p.contype = 'p' group by p.conrelid, n.nspname, c.relname`,
      sql<View[]>`
        select c.oid as id, n.nspname as schema, c.relname as name, r.ev_action::text as tree,
          (select json_object_agg(a.attnum, a.attname) from pg_attribute a where a.attrelid = c.oid and a.attnum > 0)
            as columns
        from pg_class c join pg_namespace n on n.oid = c.relnamespace
        join pg_rewrite r on r.ev_class = c.oid and r.ev_type = '1'
        where c.relkind in ('v', 'm') and n.nspname = any (${[...schemas, "public", "extensions"]})`,
      sql<Routine[]>`
        select n.nspname as schema, p.proname as name, coalesce(a.args, '[]') as args, p.proretset as "isSet",
          coalesce(r.relname, t.typname) as "returnType",
          (t.typtype = 'c' or coalesce(p.proargmodes::text[] && '{t,b,o}', false)) as "isComposite",
          t.oid = 'void'::regtype as "isVoid", p.provolatile = 'v' as "isVolatile",
          (select substr(s, strpos(s, '=') + 1) from unnest(p.proconfig) s where s like 'statement_timeout=%') as timeout
        from pg_proc p join pg_namespace n on n.oid = p.pronamespace
        join pg_type t on t.oid = pg_basetype(p.prorettype) left join pg_class r on r.oid = t.typrelid
        left join lateral (
          select json_agg(json_build_object('name', coalesce(u.name, ''), 'type', format_type(u.type, null),
              'isRequired', u.place <= p.pronargs - p.pronargdefaults, 'isVariadic', coalesce(u.mode = 'v', false))
              order by u.place) as args,
            case count(*) filter (where coalesce(u.name, '') = '')
              when 0 then true
              when 1 then (array_agg(u.type))[1]::regtype::text in ('json', 'jsonb', 'text', 'bytea', 'xml')
              else false end as is_callable
          from unnest(p.proargnames, p.proargtypes::oid[], p.proargmodes) with ordinality u(name, type, mode, place)
          where u.type is not null) a on true
        where p.prokind = 'f' and t.oid <> 'trigger'::regtype and n.nspname = any (${schemas})
        and coalesce(a.is_callable, true)
        order by n.nspname, p.proname, p.pronargs, obj_description(p.oid, 'pg_proc') collate "C" nulls first,
          a.args::text collate "C"`,
      sql<ComputedRelationship[]>`
        select json_build_object('schema', n.nspname, 'name', p.proname) as function,
          json_build_object('schema', an.nspname, 'name', a.relname) as table,
          json_build_object('schema', rn.nspname, 'name', r.relname) as foreign,
          not p.proretset or p.prorows = 1 as "isToOne"
        from pg_proc p join pg_namespace n on n.oid = p.pronamespace
        join pg_class a on a.reltype = p.proargtypes[0] join pg_namespace an on an.oid = a.relnamespace
        join pg_class r on r.reltype = p.prorettype join pg_namespace rn on rn.oid = r.relnamespace
        where p.pronargs = 1 and an.nspname = any (${schemas}) and rn.nspname = any (${schemas})`,
      sql<Representation[]>`
        select c.castsource::regtype::text as source, c.casttarget::regtype::text as target,
          c.castfunc::regproc::text as function
        from pg_cast c join pg_type s on s.oid = c.castsource join pg_type t on t.oid = c.casttarget
        where c.castcontext = 'i' and c.castmethod = 'f' and has_function_privilege('authenticator', c.castfunc, 'execute')
        and (s.typtype = 'd' and c.casttarget in ('json'::regtype, 'text'::regtype)
          or t.typtype = 'd' and c.castsource in ('json'::regtype, 'text'::regtype))`,
      // The roles that authenticator may set. `alter role` has rejected settings for superusers.
      sql<{ role: string; setting: string }[]>`
        select r.rolname as role, s.setting
        from pg_roles r join pg_db_role_setting d on d.setrole = r.oid and d.setdatabase = 0, unnest(d.setconfig) s(setting)
        where pg_has_role('authenticator', r.oid, 'member') and r.rolname <> 'authenticator'`,
      readMediaHandlers(sql, schemas),
    ]);
  const roleSettings: SchemaCache["roleSettings"] = new Map();
  for (const { role, setting } of settings) {
    const at = setting.indexOf("=");
    roleSettings.set(role, [...roleSettings.get(role) ?? [], [setting.slice(0, at), setting.slice(at + 1)]]);
  }
  const keys = withViews(tableKeys, primaryKeys, views);
  for (const table of tables) table.primaryKey = keys.primaryKeyOf(table);
  const relationships = relationshipsOf(keys, computed, schemas);
  return { tables, routines, relationships, representations, mediaHandlers, roleSettings };
}
