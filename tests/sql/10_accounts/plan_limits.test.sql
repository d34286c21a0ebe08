-- Limits that depend on the plan, counted for each user.
begin;
select tests.start();

select tests.person('ola'), tests.person('pia');
update public.billing_accounts set plan_code = 'pro' where user_id = tests.id('pia');
insert into public.plans (code, name, is_paid, storage_gb_per_account) values ('plus', 'Plus', true, 1);
select tests.person('una');
update public.billing_accounts set plan_code = 'plus' where user_id = tests.id('una');
insert into private.plan_limits (plan_code, name, max_count) values
  ('free', 'max_tries_per_hour', 1), ('pro', 'max_tries_per_hour', 2),
  ('free', 'max_free_per_hour', null), ('pro', 'max_paid_per_hour', null), ('free', 'max_paid_per_hour', 1);

select is(private.plan_limit(name, account), max_count, 'plan_limit returns ' || what)
from (values
  ('max_tries_per_hour', tests.id('ola'), 1, 'the free limit for a free account'),
  ('max_tries_per_hour', tests.id('pia'), 2, 'the limit of the plan for a paid account'),
  ('max_tries_per_hour', tests.id('una'), 1, 'the free limit for a plan without a row'),
  ('max_tries_per_hour', null, 1, 'the free limit for null'),
  ('max_tries_per_hour', gen_random_uuid(), 1, 'the free limit for a user without an account'),
  ('max_free_per_hour', tests.id('ola'), null, 'null for a limit that is null in the free plan'),
  ('max_paid_per_hour', tests.id('pia'), null, 'null for a limit that is null in the plan, not the free limit'))
  v (name, account, max_count, what);
select throws_ok($$ select private.plan_limit('unknown', tests.id('ola')) $$, 'PT500',
  'Plan limit ''unknown'' is not set', 'the error of plan_limit names an unknown limit');

-- set_plan_limit
select private.set_plan_limit('plus', 'max_tries_per_hour', 3), private.set_plan_limit('pro', 'max_tries_per_hour', 0);
select is(array[private.plan_limit('max_tries_per_hour', tests.id('una')),
    private.plan_limit('max_tries_per_hour', tests.id('pia')), private.plan_limit('max_tries_per_hour', null)],
  '{3,0,1}', 'set_plan_limit sets a limit of one plan');
select private.set_plan_limit('plus', 'max_tries_per_hour', null),
  private.set_plan_limit('pro', 'max_tries_per_hour', 2);
select is(private.plan_limit('max_tries_per_hour', tests.id('una')), null, 'set_plan_limit removes a limit with null');
select throws_ok($$ select private.set_plan_limit('gold', 'max_tries_per_hour', 1) $$, 'PT404', 'Unknown plan ''gold''',
  'set_plan_limit rejects an unknown plan');
select throws_ok($$ select private.set_plan_limit('pro', 'max_nothing', 1) $$, 'PT404',
  'Unknown plan limit ''max_nothing''', 'set_plan_limit rejects an unknown limit');
select throws_ok(format('select private.set_plan_limit(''pro'', ''max_tries_per_hour'', %s)', n), 'PT400',
  format('Plan limit ''max_tries_per_hour'' cannot be %s; it must be a whole number from 0 to 1000000000, or null: '
    'unlimited', n), format('set_plan_limit rejects %s', n)) from (values (-1), (1000000001)) v (n);
select throws_ok($$ update private.plan_limits set max_count = -1 $$, '23514', null,
  'an update of private.plan_limits rejects a negative limit');
select private.set_plan_limit('pro', 'max_feed_imports_per_hour', 7), private.install_imports();
select is((select max_count from private.plan_limits where (plan_code, name) = ('pro', 'max_feed_imports_per_hour')), 7,
  'install keeps a limit that an operator set');
update private.plan_limits set max_count = 200 where (plan_code, name) = ('pro', 'max_feed_imports_per_hour');

-- Counts for the caller of a security definer function
create function pg_temp.consume(who text, name text, at timestamptz) returns text language plpgsql as $$
begin
  perform set_config('request.jwt.claims', jsonb_build_object('sub', tests.id(who))::text, true);
  perform private.consume_plan_rate_limit(name, at);
  return 'ok';
exception when others then
  return sqlstate;
end $$;
select is(pg_temp.consume(who, name, at), outcome, 'consume_plan_rate_limit ' || what)
from (values
  ('ola', 'tries', '2026-01-01 10:00Z'::timestamptz, 'ok', 'accepts a free user within the limit'),
  ('ola', 'tries', '2026-01-01 10:01Z', 'PT429', 'raises 429 over the free limit'),
  ('pia', 'tries', '2026-01-01 10:01Z', 'ok', 'counts each user separately'),
  ('pia', 'tries', '2026-01-01 10:02Z', 'ok', 'accepts a paid user up to the paid limit'),
  ('pia', 'tries', '2026-01-01 10:03Z', 'PT429', 'raises 429 over the paid limit'),
  ('ola', 'tries', '2026-01-01 11:00Z', 'ok', 'accepts again an hour after the first call'),
  ('ola', 'free', '2026-01-01 11:00Z', 'ok', 'accepts every call when the limit is null'))
  v (who, name, at, outcome, what);

select set_eq($$ select plan_code, name, max_count from private.plan_limits
  where name !~ '^max_(tries|free|paid)_' $$,
  $$ values ('free', 'max_podcasts_per_hour', 10), ('pro', 'max_podcasts_per_hour', 100),
    ('free', 'max_podcasts_per_account', 50), ('pro', 'max_podcasts_per_account', null),
    ('free', 'max_podcast_invitations_per_hour', 60), ('free', 'max_podcast_transfers_per_hour', 20),
    ('free', 'max_podcast_deletions_per_hour', 20), ('free', 'max_redirect_changes_per_hour', 20),
    ('free', 'max_feed_imports_per_hour', 30), ('pro', 'max_feed_imports_per_hour', 200),
    ('free', 'max_new_recipients_per_day', 50), ('pro', 'max_new_recipients_per_day', 500) $$,
  'the plan limits have their default values');

select * from tests.finish();
rollback;
