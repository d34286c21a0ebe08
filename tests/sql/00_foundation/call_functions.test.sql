-- private.call_<function> is meant to be its transaction's only statement, so these tests reset role and claims
-- themselves.
begin;
select tests.start();

select tests.podcast('show', 'ola'), tests.person('stranger');
create function public.probe_caller(some_text text default 'none', some_ids uuid[] default null,
  body jsonb default null, n int default 7) returns jsonb
  language plpgsql security invoker set search_path = '' as $$
begin
  return jsonb_build_object('role', current_user, 'uid', auth.uid(), 'text', some_text, 'ids', some_ids, 'body', body,
    'n', n);
end $$;
create function public.probe_refusal() returns jsonb language plpgsql set search_path = '' as $$
begin
  return private.error_response(429, 'Too soon', 'WAIT', '{"rate_limit_reset_at":"x"}');
end $$;
grant execute on function public.probe_caller, public.probe_refusal to authenticated;
select private.generate_call_functions();

create function pg_temp.called(claims jsonb, operation text, args jsonb default '{}') returns text
  language plpgsql as $$
declare status int; data jsonb;
begin
  execute format('select status, data from private.%I($1, $2)', 'call_' || operation) into status,
    data using claims::json, args;
  perform set_config('role', 'postgres', true), set_config('request.jwt.claims', '', true),
    set_config('response.status', '', true);
  return status || ' ' || data::text;
exception when others then
  return case sqlstate when '42883' then sqlstate else sqlstate || ' ' || sqlerrm end;
end $$;
create function pg_temp.as_person(name text) returns jsonb
  language sql as $$ select jsonb_build_object('role', 'authenticated', 'sub', tests.id(name)) $$;

select is(pg_temp.called(pg_temp.as_person('ola'), 'probe_caller'),
  format('200 {"n": 7, "ids": null, "uid": "%s", "body": null, "role": "authenticated", "text": "none"}',
    tests.id('ola')), 'a call function runs the public function as the caller, and absent keys keep their defaults');
select is(
  regexp_replace(pg_temp.called(pg_temp.as_person('ola'), 'probe_caller',
    jsonb_build_object('some_text', 'it''s "here"', 'some_ids', jsonb_build_array(tests.id('ola')),
      'body', '{"a":[1,null]}'::jsonb, 'n', 3)
  ), '^200 ', '')::jsonb,
  jsonb_build_object('role', 'authenticated', 'uid', tests.id('ola'), 'text', 'it''s "here"',
    'ids', jsonb_build_array(tests.id('ola')), 'body', '{"a":[1,null]}'::jsonb, 'n', 3),
  'a call function accepts values of each type');
select matches(pg_temp.called(pg_temp.as_person('ola'), 'probe_caller', '{"some_ids":[],"some_text":null}'),
  '"ids": \[\].*"text": null', 'a call function passes an empty list as empty and null as null');
select is(pg_temp.called(pg_temp.as_person('ola'), 'probe_refusal'),
  '429 {"code": "PT429", "hint": "WAIT", "details": "{\"rate_limit_reset_at\": \"x\"}", "message": "Too soon"}',
  'a call function returns the status of a returned error');
select is(pg_temp.called(pg_temp.as_person('ola'), operation), '42883',
  format('there is no call function for %L', operation))
from unnest(array['no_such_function', 'probe_caller(); drop table x', 'pg_sleep', 'install', '']) operation;
select is(pg_temp.called(pg_temp.as_person('ola'), 'probe_caller', '{"nope":1}'), 'PT400 Unknown field: nope',
  'the error of a call function names an unknown key');
select is(pg_temp.called(pg_temp.as_person('ola'), 'create_episode', '{"title":"X"}'),
  'PT400 Missing field: podcast_id', 'the error of a call function names a missing key');
select matches(pg_temp.called(pg_temp.as_person('ola'), 'probe_caller', '{"n":"many"}'), '^22P02',
  'a call function reports a value of the wrong type as a data error');
select matches(pg_temp.called(claims, 'probe_caller'), '^PT401',
  format('a call function rejects the claims %s', claims))
from unnest(array['{}', '{"role":"postgres"}', '{"role":"supabase_admin"}', '{"role":null}']::jsonb[]) claims;
select matches(pg_temp.called('{"role":"anon"}', 'probe_caller'), '^42501',
  'a call function fails for anon when the public function is not granted to anon');
select matches(
  pg_temp.called(pg_temp.as_person('stranger'), 'create_episode',
    jsonb_build_object('podcast_id', tests.id('show'), 'title', 'X')),
  '^PT403', 'a call function returns the public function''s error');
select set_eq(
  $$ select proname::text from pg_proc where pronamespace = 'private'::regnamespace and proname like 'call\_%' $$,
  $$ select 'call_' || proname from tests.functions where nspname = 'public' $$,
  'each public function has a call function, and each call function a public function');
drop function public.probe_refusal();
select private.generate_call_functions();
select hasnt_function('private', 'call_probe_refusal',
  'generate_call_functions drops the call function of a dropped public function');

select * from tests.finish();
rollback;
