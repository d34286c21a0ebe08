-- private.call_<function>(claims, args) runs a public function as its caller, in one round trip: the caller's role and
-- claims hold for this one statement. The call must be the only statement of its transaction, so that they end with it.
--
-- Edge functions open connections all the time, and Postgres compiles a function on its first use in each. So
-- private.install() generates one small function per public function from the catalog: nothing is looked up at run
-- time, and a connection compiles only what it calls. The generated functions have no grant: the owner of the edge
-- functions' connection calls them.

-- Returns the SQL expression for one argument, read from the JSON object `args`.
create function private.argument_sql(name text, camel_name text, type regtype, default_value text) returns text
language plpgsql immutable security invoker set search_path = ''
as $$
declare
  raw   text := case when camel_name = name then format('args -> %L', name)
                     else format('coalesce(args -> %L, args -> %L)', name, camel_name) end;
  value text := case
    when type = 'jsonb'::regtype then format('nullif(%s, ''null'')', raw)
    when type::text like '%[]' then
      format('case when %1$s <> ''null'' then array(select jsonb_array_elements_text(%1$s)) end::%2$s', raw, type)
    else format('((%s) #>> ''{}'')::%s', raw, type)
  end;
begin
  return format('%I => ', name) || case
    when default_value is null then value
    else format('case when args ?| %L then %s else %s end', array[name, camel_name], value, default_value)
  end;
end $$;
comment on function private.argument_sql is
  'Returns the expression of a private.call_ function for one argument: by its name or the name in camelCase; '
  'an absent key keeps the default.';

create function private.invalid_argument_message(args jsonb, names text[], camel_names text[], required_count int)
returns text
language plpgsql immutable security invoker set search_path = ''
as $$
declare
  key text;
begin
  foreach key in array array(select jsonb_object_keys(args)) loop
    if key <> all (names) and key <> all (camel_names) then
      return format('Unknown field: %s', left(key, 100));
    end if;
  end loop;
  for n in 1 .. cardinality(names) loop
    if names[n] <> camel_names[n] and args ?& array[names[n], camel_names[n]] then
      return format('Duplicate field: %s', camel_names[n]);
    elsif n <= required_count and not args ?| array[names[n], camel_names[n]] then
      return format('Missing field: %s', camel_names[n]);
    end if;
  end loop;
  return null;
end $$;
comment on function private.invalid_argument_message is
  'Why the keys of a call''s arguments are invalid: the first unknown, duplicate or missing field. Null if valid.';

-- The public functions of this project, with what a call function needs to know about their arguments.
create view private.callable_functions with (security_invoker = true) as
select p.proname as name,
  p.pronargs - p.pronargdefaults as required_count,
  coalesce(array_agg(a.name order by a.n) filter (where a.n is not null), '{}') as names,
  coalesce(array_agg(a.camel_name order by a.n) filter (where a.n is not null), '{}') as camel_names,
  coalesce(
    string_agg(
      private.argument_sql(a.name, a.camel_name, a.type, pg_get_function_arg_default(p.oid, a.n)),
      ', ' order by a.n
    ) filter (where a.n is not null), ''
  ) as arguments_sql,
  string_agg(
    case when a.n <= p.pronargs - p.pronargdefaults
      then format(' or not args ?| %L', array[a.name, a.camel_name]) else '' end
    || case when a.name <> a.camel_name then format(' or args ?& %L', array[a.name, a.camel_name]) else '' end,
    '' order by a.n
  ) filter (where a.n is not null) as is_invalid_sql  -- a field is missing or duplicate
from pg_catalog.pg_proc p
left join lateral (
  select x.name, x.type::regtype as type, x.n::int as n, (
    select string_agg(case when w = 1 then word else initcap(word) end, '' order by w)
    from string_to_table(x.name, '_') with ordinality s (word, w)
  ) as camel_name
  from unnest(p.proargnames[1 : p.pronargs], p.proargtypes::oid[]) with ordinality x (name, type, n)
) a on true
where p.pronamespace = 'public'::regnamespace and p.prokind = 'f' and p.prorettype <> 'trigger'::regtype
  and not exists (select from pg_catalog.pg_depend d where d.objid = p.oid and d.deptype = 'e')
group by p.oid;
comment on view private.callable_functions is
  'The public functions, each with its arguments as a private.call_ function reads them.';

create function private.generate_call_functions() returns void
language plpgsql volatile security invoker set search_path = ''
as $generate$
declare
  callable private.callable_functions;
  orphan   text;
begin
  for callable in select * from private.callable_functions loop
    execute format($create$
create or replace function private.%1$I(claims json, args jsonb default '{}', out status int, out data jsonb)
language plpgsql volatile security invoker  -- a definer may not set the role
set search_path = ''
as %2$L$create$, 'call_' || callable.name, format($body$
declare
  caller text := claims ->> 'role';
begin
  if caller is null or caller not in ('anon', 'authenticated', 'service_role') then
    raise sqlstate 'PT401' using message = 'The token''s role is not allowed to call this API';
  elsif args - %6$L::text[] <> '{}'%7$s then
    raise sqlstate 'PT400' using message = private.invalid_argument_message(args, %1$L, %2$L, %3$s);
  end if;
  perform set_config('request.jwt.claims', claims::text, true),
    set_config('castbase.called_by_edge_function', 'yes', true),
    set_config('role', caller, true);
  -- a query, because a simple expression would keep the permission check of an earlier caller
  select to_jsonb(public.%4$I(%5$s)) into data;
  status := coalesce(nullif(current_setting('response.status', true), '')::int, 200);
end $body$, callable.names, callable.camel_names, callable.required_count, callable.name, callable.arguments_sql,
      callable.names || callable.camel_names, callable.is_invalid_sql));
    execute format('comment on function private.%I is %L', 'call_' || callable.name,
      format('Runs %s as the caller of claims, with named args in camelCase or snake_case. PT401: the role may not '
        'call; PT400: an unknown, duplicate or missing field. Generated by private.install().', callable.name));
  end loop;

  for orphan in
    select p.proname from pg_catalog.pg_proc p
    where p.pronamespace = 'private'::regnamespace
      and p.proargnames = '{claims,args,status,data}'
      and not exists (select from private.callable_functions c where 'call_' || c.name = p.proname)
  loop
    execute format('drop function private.%I', orphan);
  end loop;
end $generate$;
comment on function private.generate_call_functions is
  'Generates private.call_<function> for each public function, and drops those whose public function no longer exists.';
