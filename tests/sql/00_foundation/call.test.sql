-- private.call: a public function as the caller, and nothing else. It is its transaction's only statement, so these
-- claims take the role back themselves.
select tests.podcast('show', 'ola'), tests.person('stranger');
create function public.probe_caller(some_text text default 'none', some_ids uuid[] default null, body jsonb default null, n int default 7) returns jsonb
  language plpgsql security invoker set search_path = '' as $$
begin
  return jsonb_build_object('role', current_user, 'uid', auth.uid(), 'text', some_text, 'ids', some_ids, 'body', body, 'n', n);
end $$;
create function public.probe_refusal() returns jsonb language plpgsql set search_path = '' as $$
begin
  return private.refuse(429, 'Too soon', 'WAIT', '{"rate_limit_reset_at":"x"}');
end $$;
grant execute on function public.probe_caller, public.probe_refusal to authenticated;
select private.write_call();

create function pg_temp.called(claims jsonb, verb text, args jsonb default '{}') returns text language plpgsql as $$
declare status int; data jsonb;
begin
  select c.status, c.data into status, data from private.call(claims::json, verb, args) c;
  perform set_config('role', 'postgres', true), set_config('request.jwt.claims', '', true), set_config('response.status', '', true);
  return status || ' ' || data::text;
exception when others then
  return sqlstate || ' ' || sqlerrm;
end $$;
create function pg_temp.as_person(name text) returns jsonb language sql as $$ select jsonb_build_object('role', 'authenticated', 'sub', tests.id(name)) $$;

select is(pg_temp.called(pg_temp.as_person('ola'), 'probe_caller'),
  format('200 {"n": 7, "ids": null, "uid": "%s", "body": null, "role": "authenticated", "text": "none"}', tests.id('ola')), 'the verb runs as the caller; absent keys keep their defaults');
select is((regexp_replace(pg_temp.called(pg_temp.as_person('ola'), 'probe_caller', jsonb_build_object('someText', 'it''s "here"', 'some_ids', jsonb_build_array(tests.id('ola')), 'body', '{"a":[1,null]}'::jsonb, 'n', 3)), '^200 ', ''))::jsonb,
  jsonb_build_object('role', 'authenticated', 'uid', tests.id('ola'), 'text', 'it''s "here"', 'ids', jsonb_build_array(tests.id('ola')), 'body', '{"a":[1,null]}'::jsonb, 'n', 3), 'camelCase and snake_case arrive, of any type');
select matches(pg_temp.called(pg_temp.as_person('ola'), 'probe_caller', '{"someIds":[],"someText":null}'), '"ids": \[\].*"text": null', 'an empty list is empty, null is null');
select is(pg_temp.called(pg_temp.as_person('ola'), 'probe_refusal'), '429 {"code": "WAIT", "error": "Too soon", "rate_limit_reset_at": "x"}', 'a returned refusal brings its status');
select is(pg_temp.called(pg_temp.as_person('ola'), 'no_such_verb'), 'PT400 There is no operation ''no_such_verb''', 'an unknown verb is 400');
select matches(pg_temp.called(pg_temp.as_person('ola'), verb), '^PT400', verb || ' is no verb')
from unnest(array['probe_caller(); drop table x', 'public.probe_caller', 'pg_sleep', 'install', '']) verb;
select is(pg_temp.called(pg_temp.as_person('ola'), 'probe_caller', '{"nope":1}'), 'PT400 ''nope'' is not a field of this request', 'an unknown key is named');
select is(pg_temp.called(pg_temp.as_person('ola'), 'probe_caller', '{"someText":"a","some_text":"b"}') ~ '^PT400 .* is given twice$', true, 'a key in both spellings is refused');
select is(pg_temp.called(pg_temp.as_person('ola'), 'create_episode', '{"title":"X"}'), 'PT400 ''podcast_id'' is missing', 'a missing one is named');
select matches(pg_temp.called(pg_temp.as_person('ola'), 'probe_caller', '{"n":"many"}'), '^22P02', 'a value of the wrong type is a data error');
select matches(pg_temp.called(claims, 'probe_caller'), '^PT401', claims::text || ' may not call')
from unnest(array['{}', '{"role":"postgres"}', '{"role":"supabase_admin"}', '{"role":null}']::jsonb[]) claims;
select matches(pg_temp.called('{"role":"anon"}', 'probe_caller'), '^42501', 'grants hold: anon was not granted this one');
select matches(pg_temp.called(pg_temp.as_person('stranger'), 'create_episode', jsonb_build_object('podcastId', tests.id('show'), 'title', 'X')), '^PT403', 'and so do the rules');
select is(tests.outcome(who, $$ select private.call('{"role":"service_role"}', 'health_check') $$), '42501', who || ' cannot call it')
from unnest(array['anon', 'ola', 'service']) who;
select is_empty($$ select p.proname from pg_proc p where p.pronamespace = 'public'::regnamespace
  and (select prosrc from pg_proc where oid = 'private.call'::regproc) not like format('%%when %L then%%', p.proname) $$, 'every public function is a verb');
