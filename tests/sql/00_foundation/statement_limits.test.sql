begin;
select tests.start();

select set_eq($$ select r.rolname::text from pg_roles r
  where 'lock_timeout=' || private.max_lock_wait() = any (r.rolconfig) $$, array['anon', 'authenticated'],
  'private.install() limits the lock waits of the roles that clients have over REST, and of no other');

select ok(private.limit_statement(60000), 'limit_statement returns true, so that a condition can call it');
select is(current_setting('transaction_timeout'), '1min', 'limit_statement limits the time of the transaction');
select is(current_setting('lock_timeout'), private.max_lock_wait(),
  'limit_statement limits lock waits until the transaction ends, when deferred constraints lock rows');
select private.limit_statement(60000, '8s');
select is(current_setting('lock_timeout'), '8s', 'limit_statement takes the lock waits of jobs');

alter role anon reset lock_timeout;
select private.install();
select is((select count(*)::int from pg_roles where rolname = 'anon' and 'lock_timeout=1500ms' = any (rolconfig)), 1,
  'private.install() restores the limit of a role that lost it');

select * from tests.finish();
rollback;
