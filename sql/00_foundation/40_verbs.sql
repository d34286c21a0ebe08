-- The public functions, as private.call knows them. Filled from the catalog by private.install().
create table private.verbs (
  name      text primary key,        -- no overloads: one operation, one name
  keys      text[] not null,         -- the arguments' names …
  camels    text[] not null,         -- … and the same in camelCase
  arguments text[] not null,         -- how each is taken out of private.call's JSON; %1$L stands for the key that was given
  required  int not null             -- the first so many have no default
);
comment on table private.verbs is 'The functions in schema public, and how their arguments come out of JSON.';
alter table private.verbs enable row level security;
-- No policy, no grant: private.call reads it before it takes the caller's role.

-- Runs a public function as the caller, in one round trip: the caller's role and claims hold for this one statement.
-- It must be the only statement of its transaction, so that they end with it. Every request comes through here, so it
-- is written for speed: assignments cost a tenth of a PERFORM, and claims that stay text are neither parsed nor printed.
create function private.call(claims json, verb text, args jsonb default '{}', out status int, out data jsonb)
language plpgsql volatile security invoker  -- a definer may not set the role
set search_path = ''
as $$
declare
  caller    text := claims ->> 'role';
  known     private.verbs;
  key       text;
  place     int;
  places    int[] := '{}';
  arguments text := '';
begin
  if caller is null or caller not in ('anon', 'authenticated', 'service_role') then
    raise sqlstate 'PT401' using message = 'The token has no role that may call';
  end if;
  known := (select v from private.verbs v where v.name = call.verb);
  if known.name is null then
    raise sqlstate 'PT400' using message = format('There is no operation %L', call.verb);
  end if;
  if args <> '{}' then
    foreach key in array array(select jsonb_object_keys(args)) loop
      place := coalesce(array_position(known.keys, key), array_position(known.camels, key));
      if place is null then
        raise sqlstate 'PT400' using message = format('%L is not a field of this request', key);
      elsif place = any (places) then
        raise sqlstate 'PT400' using message = format('%L is given twice', key);
      end if;
      places := places || place;
      arguments := arguments || case when arguments = '' then '' else ', ' end || format(known.arguments[place], key);
    end loop;
  end if;
  for n in 1 .. known.required loop
    if n <> all (places) then
      raise sqlstate 'PT400' using message = format('%L is missing', known.keys[n]);
    end if;
  end loop;
  key := set_config('request.jwt.claims', claims::text, true);
  key := set_config('role', caller, true);
  execute format('select to_jsonb(public.%I(%s))', known.name, arguments) into data using args;
  status := coalesce(nullif(current_setting('response.status', true), '')::int, 200);
end $$;
comment on function private.call is
  'The one way in from the edge functions: runs `verb` as the caller of `claims` with named `args` (camelCase or snake_case; absent keeps the default). PT401 no usable role, PT400 unknown verb, or a key unknown, repeated or missing.';
revoke all on function private.call from public, anon, authenticated, service_role;
-- No grant: the functions' own connection owns it.

create function private.argument(name text, type regtype) returns text
language plpgsql immutable security invoker set search_path = ''
as $$
begin
  return format('%I => ', name) || case
    when type = 'jsonb'::regtype then 'nullif($1 -> %1$L, ''null'')'
    when type::text like '%[]' then
      'case when $1 -> %1$L <> ''null'' then array(select jsonb_array_elements_text($1 -> %1$L)) end::' || type
    else '($1 ->> %1$L)::' || type
  end;
end $$;
comment on function private.argument is 'A named argument of a verb, as a format for the JSON key that brings it.';
revoke all on function private.argument from public, anon, authenticated, service_role;
