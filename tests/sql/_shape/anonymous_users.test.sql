-- Users of an anonymous sign-in: every function for signed-in users and every direct write returns 403 ANONYMOUS_USER,
-- for any arguments, and every function without a login works for them as without one.
begin;
select tests.start();

select tests.anonymous_user('ann'), tests.podcast('show', 'ola'), tests.episode('pilot', 'show'),
  tests.guest_with_token('gus', 'pilot');

create function pg_temp.outcome_as(who text, statement text) returns text language plpgsql as $$
declare
  outcome text;
begin
  perform tests.act_as(who);
  outcome := tests.error_of(statement);
  perform tests.act_as('postgres');
  return outcome;
end $$;

-- Functions, called with null for every argument: the caller is checked before arguments and rows
create temp view functions as
  select p.oid, p.proname::text as name, has_function_privilege('anon', p.oid, 'EXECUTE') as is_public,
    coalesce(p.proargnames[1 : p.pronargs], '{}') as arguments
  from tests.functions p
  where p.nspname = 'public' and p.prokind = 'f' and p.prorettype <> 'trigger'::regtype
    and has_function_privilege('authenticated', p.oid, 'EXECUTE');
create function pg_temp.call_of(name text, arguments text[]) returns text language sql as $$
  select format('select public.%I(%s)', $1, (select string_agg(format('%I => null', a), ', ') from unnest($2) a))
$$;
select cmp_ok((select count(*) from functions where not is_public), '>', 100::bigint,
  'more than 100 functions require a user');
select is(pg_temp.outcome_as('ann', pg_temp.call_of(f.name, f.arguments)), 'PT403 ANONYMOUS_USER',
  format('%s returns ANONYMOUS_USER to an anonymous user', f.name))
from functions f where not f.is_public;

-- As the edge functions call them
select is(tests.error_of(format('select private.%I(%L, %L)', 'call_' || f.name,
    jsonb_build_object('role', 'authenticated', 'sub', tests.id('ann'), 'is_anonymous', true),
    (select coalesce(jsonb_object_agg(a, null::text), '{}') from unnest(f.arguments) a))),
  'PT403 ANONYMOUS_USER', format('call_%s returns ANONYMOUS_USER to an anonymous user', f.name))
from functions f where not f.is_public;

-- notify_chat_message without an access token is for members
select is(pg_temp.outcome_as('ann', pg_temp.call_of(f.name, f.arguments)),
  case f.name when 'notify_chat_message' then 'PT403 ANONYMOUS_USER'
    else pg_temp.outcome_as('anon', pg_temp.call_of(f.name, f.arguments)) end,
  format('%s treats an anonymous user as a caller without a login', f.name))
from functions f where f.is_public;
select is(tests.result_of('ann', $$ select public.accept_guest_invitation('gus') $$), 'ok 1',
  'an anonymous user accepts the invitation of a guest by its access token');
select is((select g.user_id from public.podcast_guests g), null,
  'a guest whose invitation an anonymous user accepted is not linked to this user');

-- Tables
create temp table writable as
  select c.oid, c.relname::text as name, v.verb, v.bit, (
    select a.attname::text from pg_attribute a
    where a.attrelid = c.oid and a.attnum > 0 and has_column_privilege('authenticated', c.oid, a.attnum,
      case v.verb when 'DELETE' then 'SELECT' else v.verb end) limit 1) as column_name
  from pg_class c, (values ('INSERT', 4), ('UPDATE', 16), ('DELETE', 8)) v (verb, bit)
  where c.relnamespace = 'public'::regnamespace and c.relkind in ('r', 'v', 'p')
    and case v.verb when 'DELETE' then has_table_privilege('authenticated', c.oid, v.verb)
      else has_any_column_privilege('authenticated', c.oid, v.verb) end;
select cmp_ok((select count(*) from writable), '>', 25::bigint, 'clients may write more than 25 tables and verbs');
select is(pg_temp.outcome_as('ann', case w.verb
    when 'INSERT' then format('insert into public.%1$I (%2$I) select %2$I from public.%1$I where false', w.name,
      w.column_name)
    when 'UPDATE' then format('update public.%1$I set %2$I = %2$I where false', w.name, w.column_name)
    else format('delete from public.%I where false', w.name) end),
  'PT403 ANONYMOUS_USER', format('%s of %s returns ANONYMOUS_USER to an anonymous user', w.verb, w.name))
from writable w;

-- Storage and realtime. Uploads have signed URLs, and clients send no messages.
select set_eq($$ select format('%s %s %s', tablename, policyname, cmd) from pg_policies
  where schemaname in ('storage', 'realtime') $$,
  array['messages users_receive_own_inbox SELECT', 'messages admins_receive_automations SELECT'],
  'no policy lets clients write objects or send messages');
select is(pg_temp.outcome_as('ann', statement), '42501', format('an anonymous user may not: %s', statement))
from (values
  ($$ insert into storage.objects (bucket_id, name) values ('media', 'a.mp3') $$),
  ($$ insert into storage.objects (bucket_id, name) values ('staging', 'a.mp3') $$)) v (statement);

select * from tests.finish();
rollback;
