-- The hourly limit of imports started or rechecked: 30, and 200 on a paid plan.
begin;
select tests.start();

select tests.person('una'), tests.podcast('limited', 'una');
create function pg_temp.start_imports(times int) returns jsonb language plpgsql as $$
declare ended jsonb := '{}'; outcome text;
begin
  for n in 1 .. times loop
    outcome := tests.result_of('una', $s$ select public.start_import(tests.id('limited'),
      'https://feeds.example/a.xml') $s$);
    ended := ended || jsonb_build_object(outcome, coalesce((ended ->> outcome)::int, 0) + 1);
    delete from public.podcast_imports where podcast_id = tests.id('limited');
  end loop;
  return ended;
end $$;
select is(pg_temp.start_imports(28), '{"ok 1": 28}', 'start_import accepts imports within the hourly limit');
select is(tests.result_of('una', $$ select public.start_import(tests.id('limited'), 'ftp://x') $$),
  'PT400', 'start_import rejects a URL that is not http');
select tests.import('locked', 'limited', 'verification_required');
select is(tests.result_of('una', $$ select public.start_import(tests.id('limited'), 'https://feeds.example/a.xml') $$),
  'PT409', 'start_import rejects a second import in flight');
select is((select request_count from private.rate_limits where key = 'feed_imports:' || tests.id('una')), 28,
  'start_import counts no rejected import against the hourly limit');
select is(tests.result_of('una', $$ select public.begin_feed_recheck(tests.id('locked')) $$), 'ok 1',
  'begin_feed_recheck succeeds within the hourly limit of imports, against which it counts') from generate_series(1, 2);
select is(tests.result_of('una', $$ select public.begin_feed_recheck(tests.id('locked')) $$), 'PT429',
  'begin_feed_recheck returns 429 over 30 imports and rechecks an hour');
delete from public.podcast_imports where podcast_id = tests.id('limited');
select is(pg_temp.start_imports(1), '{"PT429": 1}', 'start_import returns 429 over 30 imports and rechecks an hour');
update public.billing_accounts set plan_code = 'pro' where user_id = tests.id('una');
select is(pg_temp.start_imports(171), '{"ok 1": 170, "PT429": 1}',
  'start_import accepts 200 imports an hour from a paid account');

select * from tests.finish();
rollback;
