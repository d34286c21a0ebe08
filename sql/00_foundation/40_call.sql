-- private.call runs a public function as the caller, in one round trip: the caller's role and claims hold for this one
-- statement. It must be the only statement of its transaction, so that they end with it.
--
-- The setting castbase.through_functions tells a verb that the functions will do its second half, as an RPC call does not.
-- Every request comes through here. So the function is written from the catalog by private.install(), a branch per
-- verb: nothing is looked up or put together at run time, and each branch keeps its plan.

-- One argument of a verb, out of the JSON object `args`: by its name or the same in camelCase; absent keeps the default.
create function private.argument(name text, camel text, type regtype, default_value text) returns text
language plpgsql immutable security invoker set search_path = ''
as $$
declare
  raw   text := case when camel = name then format('args -> %L', name) else format('coalesce(args -> %L, args -> %L)', name, camel) end;
  value text := case
    when type = 'jsonb'::regtype then format('nullif(%s, ''null'')', raw)
    when type::text like '%[]' then
      format('case when %1$s <> ''null'' then array(select jsonb_array_elements_text(%1$s)) end::%2$s', raw, type)
    else format('((%s) #>> ''{}'')::%s', raw, type)
  end;
begin
  return format('%I => ', name) || case
    when default_value is null then value
    else format('case when args ?| %L then %s else %s end', array[name, camel], value, default_value)
  end;
end $$;
comment on function private.argument is 'The expression of private.call for one argument of a verb.';
revoke all on function private.argument from public, anon, authenticated, service_role;

create function private.wrong_argument(args jsonb, keys text[], camels text[], required int) returns text
language plpgsql immutable security invoker set search_path = ''
as $$
declare
  key text;
begin
  foreach key in array array(select jsonb_object_keys(args)) loop
    if key <> all (keys) and key <> all (camels) then
      return format('%L is not a field of this request', left(key, 100));
    end if;
  end loop;
  for n in 1 .. cardinality(keys) loop
    if keys[n] <> camels[n] and args ?& array[keys[n], camels[n]] then
      return format('%L is given twice', camels[n]);
    elsif n <= required and not args ?| array[keys[n], camels[n]] then
      return format('%L is missing', keys[n]);
    end if;
  end loop;
end $$;
comment on function private.wrong_argument is 'What is wrong with the keys of a verb''s arguments, as a sentence; null when nothing is.';
revoke all on function private.wrong_argument from public, anon, authenticated, service_role;

create function private.write_call() returns void
language plpgsql volatile security invoker set search_path = ''
as $write$
declare
  branches text;
begin
  select string_agg(format($branch$
  when %1$L then
    if args - %2$L::text[] <> '{}'%4$s then
      raise sqlstate 'PT400' using message = private.wrong_argument(args, %5$L, %6$L, %7$s);
    end if;
    caller := set_config('role', caller, true);
    select to_jsonb(public.%1$I(%3$s)) into data;$branch$,
      v.name, v.keys || v.camels, v.arguments, v.checks, v.keys, v.camels, v.required), '' order by v.name)
    into branches
  from (
    select p.proname as name, p.pronargs - p.pronargdefaults as required,
      coalesce(array_agg(a.name order by a.n) filter (where a.name is not null), '{}') as keys,
      coalesce(array_agg(a.camel order by a.n) filter (where a.name is not null), '{}') as camels,
      coalesce(string_agg(private.argument(a.name, a.camel, a.type, pg_get_function_arg_default(p.oid, a.n)), ', ' order by a.n)
        filter (where a.name is not null), '') as arguments,
      string_agg(
        case when a.n <= p.pronargs - p.pronargdefaults then format(' or not args ?| %L', array[a.name, a.camel]) else '' end
        || case when a.name <> a.camel then format(' or args ?& %L', array[a.name, a.camel]) else '' end, '' order by a.n)
        filter (where a.name is not null) as checks
    from pg_catalog.pg_proc p
    left join lateral (
      select x.name, x.type::regtype as type, x.n::int as n, (
        select string_agg(case when w = 1 then word else initcap(word) end, '' order by w)
        from string_to_table(x.name, '_') with ordinality s (word, w)) as camel
      from unnest(p.proargnames[1 : p.pronargs], p.proargtypes::oid[]) with ordinality x (name, type, n)
    ) a on true
    where p.pronamespace = 'public'::regnamespace and p.prokind = 'f' and p.prorettype <> 'trigger'::regtype
      and not exists (select from pg_catalog.pg_depend d where d.objid = p.oid and d.deptype = 'e')
    group by p.oid
  ) v;

  execute format($create$
create or replace function private.call(claims json, verb text, args jsonb default '{}', out status int, out data jsonb)
language plpgsql volatile security invoker  -- a definer may not set the role
set search_path = ''
as %L$create$, format($body$
declare
  caller text := claims ->> 'role';
begin
  if caller is null or caller not in ('anon', 'authenticated', 'service_role') then
    raise sqlstate 'PT401' using message = 'The token has no role that may call';
  end if;
  status := length(set_config('request.jwt.claims', claims::text, true) || set_config('castbase.through_functions', 'yes', true));
  case verb%s
  else
    raise sqlstate 'PT400' using message = format('There is no operation %%L', verb);
  end case;
  status := coalesce(nullif(current_setting('response.status', true), '')::int, 200);
end $body$, branches));
  comment on function private.call is
    'The one way in from the edge functions: runs `verb` as the caller of `claims` with named `args` (camelCase or snake_case; absent keeps the default). PT401 no usable role, PT400 unknown verb, or a key unknown, repeated or missing. Written by private.write_call().';
  revoke all on function private.call from public, anon, authenticated, service_role;
  -- No grant: the functions' own connection owns it.
end $write$;
comment on function private.write_call is 'Writes private.call anew: a branch for each function in schema public.';
revoke all on function private.write_call from public, anon, authenticated, service_role;
