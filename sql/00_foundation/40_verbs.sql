-- The public functions, as private.call knows them. Filled from the catalog by private.install().
create table private.verbs (
  name      text primary key,          -- no overloads: one operation, one name
  arg_names text[] not null,
  arg_types regtype[] not null,
  required  int not null               -- the first so many have no default
);
comment on table private.verbs is 'Names and argument types of the functions in schema public.';
alter table private.verbs enable row level security;
-- No policy, no grant: private.call reads it before it takes the caller's role.

-- Runs a public function as the caller, in one round trip: the caller's role and claims hold for this one statement.
-- It must be the only statement of its transaction, so that they end with it.
create function private.call(claims jsonb, verb text, args jsonb default '{}', out status int, out data jsonb)
language plpgsql volatile security invoker  -- a definer may not set the role
set search_path = ''
as $$
declare
  found_verb private.verbs;
  given      record;
  place      int;
  places     int[] := '{}';
  arguments  text := '';
  missing    text;
begin
  if coalesce(claims ->> 'role', '') not in ('anon', 'authenticated', 'service_role') then
    raise sqlstate 'PT401' using message = 'The token has no role that may call';
  end if;
  select * into found_verb from private.verbs v where v.name = call.verb;
  if not found then
    raise sqlstate 'PT400' using message = format('There is no operation %L', call.verb);
  end if;
  for given in select e.key, regexp_replace(e.key, '([A-Z])', '_\1', 'g') as folded from jsonb_object_keys(args) e(key) loop
    place := array_position(found_verb.arg_names, lower(given.folded));
    if place is null then
      raise sqlstate 'PT400' using message = format('%L is not a field of this request', given.key);
    end if;
    if place = any (places) then
      raise sqlstate 'PT400' using message = format('%L is given twice', given.key);
    end if;
    places := places || place;
    arguments := arguments || case when arguments = '' then '' else ', ' end
      || format('%I => %s', found_verb.arg_names[place], private.argument(found_verb.arg_types[place], given.key));
  end loop;
  select found_verb.arg_names[n] into missing from generate_series(1, found_verb.required) n where n <> all (places) limit 1;
  if found then
    raise sqlstate 'PT400' using message = format('%L is missing', missing);
  end if;
  perform set_config('role', claims ->> 'role', true), set_config('request.jwt.claims', claims::text, true);
  execute format('select to_jsonb(public.%I(%s))', found_verb.name, arguments) into data using args;
  status := coalesce(nullif(current_setting('response.status', true), '')::int, 200);
end $$;
comment on function private.call is
  'The one way in from the edge functions: runs `verb` as the caller of `claims` with named `args` (camelCase or snake_case; absent keeps the default). PT401 no usable role, PT400 unknown verb, or a key unknown, repeated or missing.';
revoke all on function private.call from public, anon, authenticated, service_role;
-- No grant: the functions' own connection owns it.

create function private.argument(type regtype, key text) returns text
language plpgsql immutable security invoker set search_path = ''
as $$
begin
  return case
    when type = 'jsonb'::regtype then format('nullif($1 -> %L, ''null'')', key)
    when type::text like '%[]' then
      format('(case when $1 -> %1$L <> ''null'' then array(select jsonb_array_elements_text($1 -> %1$L)) end)::%2$s', key, type)
    else format('($1 ->> %L)::%s', key, type)
  end;
end $$;
comment on function private.argument is 'The expression that takes one argument out of private.call''s JSON.';
revoke all on function private.argument from public, anon, authenticated, service_role;
