-- Every definition in a database: kind, name, definition. The platform's objects are included, so that a difference
-- that a diff tool ignores shows here. The order of columns is not included, because a migration can only append
-- columns.
with
-- Granted and default privileges have the same text, and so have grants in another order.
acl (oid, class, text) as (
  select o.oid, o.class,
    coalesce(string_agg(
      format('%s=%s%s', coalesce(r.rolname, 'public'), a.privilege_type, case when a.is_grantable then '*' else '' end),
      ' ' order by r.rolname, a.privilege_type), '')
  from (
    select oid, 'pg_namespace'::regclass, coalesce(nspacl, acldefault('n', nspowner)) from pg_namespace
    union all
    select oid, 'pg_class'::regclass,
      coalesce(relacl, acldefault(case relkind when 'S' then 's' else 'r' end::"char", relowner))
    from pg_class
    union all
    select oid, 'pg_proc'::regclass, coalesce(proacl, acldefault('f', proowner)) from pg_proc
    union all
    select oid, 'pg_type'::regclass, coalesce(typacl, acldefault('T', typowner)) from pg_type
  ) as o (oid, class, items)
  left join lateral aclexplode(o.items) a on true
  left join pg_roles r on r.oid = a.grantee
  group by o.oid, o.class
),
schemas (oid, name) as (
  select oid, nspname from pg_namespace
  where nspname !~ '^pg_'
    and nspname not in ('information_schema', 'supabase_migrations')  -- the latter is the history of migrations
),
relations as (
  select c.*, format('%I.%I', n.name, c.relname) as name from pg_class c join schemas n on n.oid = c.relnamespace
)
select 'schema' as kind, quote_ident(n.name) as name,
  concat_ws(E'\n', 'owner ' || s.nspowner::regrole::text, a.text) as definition
from schemas n join pg_namespace s on s.oid = n.oid join acl a on a.oid = n.oid and a.class = 'pg_namespace'::regclass

union all
select
  case relkind
    when 'v' then 'view'
    when 'm' then 'materialized view'
    when 'S' then 'sequence'
    when 'f' then 'foreign table'
    else 'table'
  end,
  c.name,
  concat_ws(E'\n',
    'owner ' || c.relowner::regrole::text, 'options ' || c.reloptions::text,
    format('persistence %s, replica identity %s', c.relpersistence, c.relreplident),
    case when relkind in ('r', 'p') then format('row security %s %s', relrowsecurity, relforcerowsecurity) end,
    'partition ' || coalesce(pg_get_partkeydef(c.oid), '') || coalesce(pg_get_expr(relpartbound, c.oid), ''),
    (select 'inherits ' || string_agg(inhparent::regclass::text, ', ' order by inhseqno)
      from pg_inherits where inhrelid = c.oid),
    case when relkind in ('v', 'm') then pg_get_viewdef(c.oid) end,
    (select format('%s from %s by %s in %s to %s cache %s cycle %s',
        seqtypid::regtype, seqstart, seqincrement, seqmin, seqmax, seqcache, seqcycle)
      from pg_sequence where seqrelid = c.oid),
    (select format('owned by %s.%I', d.refobjid::regclass, attname)
      from pg_depend d join pg_attribute on attrelid = d.refobjid and attnum = d.refobjsubid
      where c.relkind = 'S' and d.objid = c.oid
        and d.classid = 'pg_class'::regclass and d.refclassid = 'pg_class'::regclass),
    a.text)
from relations c join acl a on a.oid = c.oid and a.class = 'pg_class'::regclass
where relkind in ('r', 'p', 'v', 'm', 'S', 'f')

union all
select 'column', format('%s.%I', c.name, t.attname),
  concat_ws(' ',
    format_type(t.atttypid, t.atttypmod), case when t.attnotnull then 'not null' end,
    'collate ' || nullif(t.attcollation, ty.typcollation)::regcollation::text,
    'identity ' || nullif(t.attidentity, '')::text, 'generated ' || nullif(t.attgenerated, '')::text,
    'default ' || pg_get_expr(d.adbin, d.adrelid),
    'compression ' || nullif(t.attcompression, '')::text, 'storage ' || nullif(t.attstorage, ty.typstorage)::text,
    (select 'grants ' || string_agg(format('%s=%s', coalesce(r.rolname, 'public'), x.privilege_type), ' '
        order by r.rolname, x.privilege_type)
      from aclexplode(t.attacl) x left join pg_roles r on r.oid = x.grantee))
from relations c join pg_attribute t on t.attrelid = c.oid join pg_type ty on ty.oid = t.atttypid
left join pg_attrdef d on d.adrelid = c.oid and d.adnum = t.attnum
where c.relkind in ('r', 'p', 'v', 'm', 'f', 'c') and t.attnum > 0 and not t.attisdropped

union all
select 'index', i.indexrelid::regclass::text,
  concat_ws(' ',
    pg_get_indexdef(i.indexrelid), case when not indisvalid then 'invalid' end,
    case when indisclustered then 'clustered' end, case when indisreplident then 'replica identity' end)
from pg_index i join relations c on c.oid = i.indrelid

union all
select 'constraint', format('%s %I', coalesce(c.name, x.contypid::regtype::text), x.conname),
  pg_get_constraintdef(x.oid) || case when x.convalidated then '' else ' unchecked' end
from pg_constraint x join schemas n on n.oid = x.connamespace left join relations c on c.oid = x.conrelid

union all
select 'trigger', format('%s %I', c.name, t.tgname), format('%s enabled %s', pg_get_triggerdef(t.oid), t.tgenabled)
from pg_trigger t join relations c on c.oid = t.tgrelid where not t.tgisinternal

union all
select 'rule', format('%s %I', c.name, w.rulename), format('%s enabled %s', pg_get_ruledef(w.oid), w.ev_enabled)
from pg_rewrite w join relations c on c.oid = w.ev_class where w.rulename <> '_RETURN'

union all
select 'policy', format('%s %I', c.name, p.polname),
  format('%s for %s to %s using (%s) check (%s)',
    case when polpermissive then 'permissive' else 'restrictive' end, polcmd,
    (select string_agg(coalesce(r.rolname, 'public'), ', ' order by r.rolname)
      from unnest(polroles) u left join pg_roles r on r.oid = u),
    pg_get_expr(polqual, polrelid), pg_get_expr(polwithcheck, polrelid))
from pg_policy p join relations c on c.oid = p.polrelid

union all
select case prokind when 'a' then 'aggregate' when 'p' then 'procedure' else 'function' end, f.oid::regprocedure::text,
  concat_ws(E'\n',
    case when prokind <> 'a' then pg_get_functiondef(f.oid) end, 'owner ' || f.proowner::regrole::text, a.text)
from pg_proc f join schemas n on n.oid = f.pronamespace join acl a on a.oid = f.oid and a.class = 'pg_proc'::regclass

union all
select 'type', t.oid::regtype::text,
  concat_ws(E'\n',
    'owner ' || t.typowner::regrole::text, t.typtype,
    (select string_agg(quote_literal(enumlabel), ', ' order by enumsortorder) from pg_enum where enumtypid = t.oid),
    case when typtype = 'd' then
      concat_ws(' ',
        format_type(typbasetype, typtypmod), case when typnotnull then 'not null' end, 'default ' || typdefault)
    end,
    (select rngsubtype::regtype::text from pg_range where rngtypid = t.oid), a.text)
from pg_type t join schemas n on n.oid = t.typnamespace join acl a on a.oid = t.oid and a.class = 'pg_type'::regclass
where t.typtype in ('e', 'd', 'r')
  or t.typtype = 'c' and exists (select from pg_class where oid = t.typrelid and relkind = 'c')

union all
select 'extension', quote_ident(extname),
  format('%s in %s owner %s', extversion, extnamespace::regnamespace, extowner::regrole)
from pg_extension

union all
select 'publication', quote_ident(pubname),
  format('owner %s all %s insert %s update %s delete %s truncate %s via root %s',
    pubowner::regrole, puballtables, pubinsert, pubupdate, pubdelete, pubtruncate, pubviaroot)
from pg_publication
union all
select 'publication of', format('%I: %s', p.pubname, r.prrelid::regclass),
  concat_ws(' ', r.prattrs::text, pg_get_expr(r.prqual, r.prrelid))
from pg_publication_rel r join pg_publication p on p.oid = r.prpubid
union all
select 'publication of', format('%I: schema %s', p.pubname, r.pnnspid::regnamespace), ''
from pg_publication_namespace r join pg_publication p on p.oid = r.pnpubid

union all
select 'event trigger', quote_ident(evtname),
  format('%s %s when %s owner %s enabled %s',
    evtevent, evtfoid::regprocedure, evttags, evtowner::regrole, evtenabled)
from pg_event_trigger

union all
select 'default privileges',
  format('of %s in %s on %s', defaclrole::regrole,
    coalesce(nullif(defaclnamespace, 0)::regnamespace::text, 'every schema'), defaclobjtype),
  (select string_agg(
      format('%s=%s%s', coalesce(r.rolname, 'public'), x.privilege_type, case when x.is_grantable then '*' else '' end),
      ' ' order by r.rolname, x.privilege_type)
    from aclexplode(defaclacl) x left join pg_roles r on r.oid = x.grantee)
from pg_default_acl

union all
select 'comment', format('on %s %s', i.type, i.identity), d.description
from pg_description d cross join lateral pg_identify_object(d.classoid, d.objoid, d.objsubid) i
where d.objoid >= 16384

union all
-- Kinds that have no definition above (casts, operators, statistics, text search …): only whether they exist.
select 'object', format('%s %s', i.type, i.identity), ''
from (
  select distinct classid, objid from pg_depend
  where objid >= 16384 and deptype <> 'i'
    and classid not in (
      'pg_namespace'::regclass, 'pg_class'::regclass, 'pg_attrdef'::regclass, 'pg_constraint'::regclass,
      'pg_trigger'::regclass, 'pg_rewrite'::regclass, 'pg_policy'::regclass, 'pg_proc'::regclass, 'pg_type'::regclass,
      'pg_extension'::regclass, 'pg_publication'::regclass, 'pg_publication_rel'::regclass,
      'pg_publication_namespace'::regclass, 'pg_event_trigger'::regclass, 'pg_default_acl'::regclass)
) d
cross join lateral pg_identify_object(d.classid, d.objid, 0) i
where i.identity !~ 'pg_(toast|temp)'
