begin;
select tests.start();

select is_empty($$ select proname from pg_proc where pronamespace = 'private'::regnamespace
  and proargnames = '{claims,args,status,data}'
  and prosrc not like '%private.limit_lock_waits()%set_config(''role''%' $$,
  'every call function limits lock waits before it takes the caller''s role');
select set_eq($$ select r.rolname::text from pg_roles r
  where 'lock_timeout=' || private.max_lock_wait() = any (r.rolconfig) $$, array['anon', 'authenticated'],
  'private.install() limits the lock waits of the roles that clients have over REST, and of no other');

select status from private.call_check_health('{"role":"anon"}');
reset role;
select is(current_setting('lock_timeout'), private.max_lock_wait(),
  'the limit of a call holds until its transaction ends, when deferred constraints lock rows');

alter role anon reset lock_timeout;
select private.install();
select is((select count(*)::int from pg_roles where rolname = 'anon' and 'lock_timeout=1500ms' = any (rolconfig)), 1,
  'private.install() restores the limit of a role that lost it');

select * from tests.finish();
rollback;
