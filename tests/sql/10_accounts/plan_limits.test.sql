-- Limits that depend on the plan, counted for each user.
begin;
select tests.start();

select tests.person('ola'), tests.person('pia');
update public.billing_accounts set plan_code = 'pro' where user_id = tests.id('pia');
insert into private.settings (key, default_value, description) values
  ('max_tries_per_hour', '1', 'x'), ('max_tries_per_hour_paid', '2', 'x'), ('max_free_per_hour', '', 'x'),
    ('max_free_per_hour_paid', '', 'x');

select is(private.plan_limit('max_tries_per_hour', tests.id('ola')), 1,
  'plan_limit returns the free limit for a free account');
select is(private.plan_limit('max_tries_per_hour', tests.id('pia')), 2,
  'plan_limit returns the limit with _paid for a paid account');
select is(private.plan_limit('max_tries_per_hour', gen_random_uuid()), 1,
  'plan_limit returns the free limit for a user without an account');
select is(private.plan_limit('max_free_per_hour', tests.id('ola')), null,
  'plan_limit returns null for an empty setting');
select throws_ok($$ select private.plan_limit('unknown', tests.id('ola')) $$, 'PT500', null,
  'the error of plan_limit names a missing setting');

-- Counts for the caller of a security definer function
create function pg_temp.consume(who text, name text, at timestamptz) returns text language plpgsql as $$
begin
  perform set_config('request.jwt.claims', jsonb_build_object('sub', tests.id(who))::text, true);
  perform private.consume_plan_rate_limit(name, at);
  return 'ok';
exception when others then
  return sqlstate;
end $$;
select is(pg_temp.consume('ola', 'tries', '2026-01-01 10:00Z'), 'ok',
  'consume_plan_rate_limit accepts a free user within the limit');
select is(pg_temp.consume('ola', 'tries', '2026-01-01 10:01Z'), 'PT429',
  'consume_plan_rate_limit raises 429 over the free limit');
select is(pg_temp.consume('pia', 'tries', '2026-01-01 10:01Z'), 'ok',
  'consume_plan_rate_limit counts each user separately');
select is(pg_temp.consume('pia', 'tries', '2026-01-01 10:02Z'), 'ok',
  'consume_plan_rate_limit accepts a paid user up to the paid limit');
select is(pg_temp.consume('pia', 'tries', '2026-01-01 10:03Z'), 'PT429',
  'consume_plan_rate_limit raises 429 over the paid limit');
select is(pg_temp.consume('ola', 'tries', '2026-01-01 11:00Z'), 'ok',
  'consume_plan_rate_limit accepts again an hour after the first call');
select is(pg_temp.consume('ola', 'free', '2026-01-01 11:00Z'), 'ok',
  'consume_plan_rate_limit accepts every call when the limit is empty');

select set_eq($$ select key, default_value from private.settings
  where key ~ '^max_(podcasts|feed_imports|podcast_(invitations|transfers|deletions))_per_(hour|account)(_paid)?$' $$,
  $$ values ('max_podcasts_per_hour', '10'), ('max_podcasts_per_hour_paid', '100'), ('max_podcasts_per_account', '50'),
    ('max_podcasts_per_account_paid', ''), ('max_podcast_transfers_per_hour', '20'),
    ('max_podcast_transfers_per_hour_paid', '{max_podcast_transfers_per_hour}'),
    ('max_podcast_deletions_per_hour', '20'),
    ('max_podcast_deletions_per_hour_paid', '{max_podcast_deletions_per_hour}'),
    ('max_podcast_invitations_per_hour', '60'),
    ('max_podcast_invitations_per_hour_paid', '{max_podcast_invitations_per_hour}'),
    ('max_feed_imports_per_hour', '30'), ('max_feed_imports_per_hour_paid', '200') $$,
  'the settings of plan limits have their default values');

select * from tests.finish();
rollback;
