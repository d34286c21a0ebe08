-- How many podcasts a user may create: 10 an hour and 50 in all, 100 an hour on a paid plan.
begin;
select tests.start();

select tests.person('ola'), tests.person('pia'), tests.person('bob');
update public.billing_accounts set plan_code = 'pro' where user_id = tests.id('pia');
create function pg_temp.create_podcasts(who text, times int) returns jsonb language sql as $$
  select jsonb_object_agg(outcome, n) from (
    select tests.result_of($1, format('select public.create_podcast(%L)', $1 || n)) as outcome, count(*) as n
    from generate_series(1, $2) n group by 1) counted
$$;

select is(pg_temp.create_podcasts('ola', 12), '{"ok 1": 10, "PT429": 2}',
  'create_podcast accepts 10 podcasts an hour from a free account');
select is(tests.result_of('ola', $$ insert into public.podcasts (title) values ('plain') $$), 'PT429',
  'an insert into podcasts counts against the limit of create_podcast');
select is(pg_temp.create_podcasts('pia', 102), '{"ok 1": 100, "PT429": 2}',
  'create_podcast accepts 100 podcasts an hour from a paid account');

update private.rate_limits set window_started_at = window_started_at - interval '1 hour';
select is(tests.result_of('ola', $$ select public.create_podcast('') $$), '23514',
  'create_podcast rejects an empty title');
select is(tests.result_of('ola', $$ select public.create_podcast('x', slug => 'ola1') $$), 'PT409',
  'create_podcast rejects a slug that is taken');
select is(tests.result_of('ola',
  format('insert into public.podcasts (title) select ''b'' || n from generate_series(1, %s) n', n)), outcome,
  format('an insert of %s podcasts counts each row', n)) from (values (11, 'PT429'), (10, 'ok 10')) v (n, outcome);
select is((select request_count from private.rate_limits where key = 'podcasts:' || tests.id('ola')), 10,
  'the limit of new podcasts does not count rejected ones');

-- in all
insert into public.podcasts (owner_id, title) select tests.id('bob'), 'c' || n from generate_series(1, 49) n;
select is((select count(*) from private.rate_limits where key = 'podcasts:' || tests.id('bob')), 0::bigint,
  'the limit of new podcasts does not count those that the service creates');
select is(pg_temp.create_podcasts('bob', 2), '{"ok 1": 1, "PT429": 1}',
  'create_podcast accepts 50 podcasts in all from a free account');
select tests.act_as('bob');
select is(tests.describe_error($$ select public.create_podcast('one more') $$),
  'PT429 / The plan includes at most 50 podcasts, with those deleted in the last 90 days; transfer one, or try again '
  || format('later / TOO_MANY_PODCASTS / {"rate_limit_reset_at": "%s"}',
    private.format_timestamp(now() + interval '90 days')),
  'create_podcast returns the number of podcasts that the plan includes, and when one deleted now would not count');
select tests.act_as('postgres');
update public.podcasts set owner_id = tests.id('pia') where title = 'c1';
select is(pg_temp.create_podcasts('bob', 1), '{"ok 1": 1}',
  'create_podcast accepts another podcast after one was transferred');
update public.billing_accounts set plan_code = 'pro' where user_id = tests.id('bob');
select is(pg_temp.create_podcasts('bob', 2), '{"ok 1": 2}',
  'create_podcast accepts more than 50 podcasts in all from a paid account');

-- deleted
select tests.person('eli');
insert into public.podcasts (owner_id, title, hosting_type) select tests.id('eli'), 'd' || n, 'external'
from generate_series(1, 50) n;
update public.podcasts set status = 'pending_deletion', deletion_requested_at = now(), deletion_scheduled_at = now()
where owner_id = tests.id('eli');
select is(pg_temp.create_podcasts('eli', 1), '{"PT429": 1}',
  'create_podcast counts external podcasts that the worker has not deleted yet');
update private.podcast_tombstones set deleted_at = now() - interval '90 days' where slug = 'd1';
select is((select count(*) from public.podcasts where owner_id = tests.id('eli')), 50::bigint,
  'the worker has deleted none of them');
select is(pg_temp.create_podcasts('eli', 2), '{"ok 1": 1, "PT429": 1}',
  'create_podcast counts an external podcast that is being deleted once, by its tombstone');
delete from public.podcasts where owner_id = tests.id('eli');
delete from private.podcast_tombstones where slug !~ '^d[0-9]';
update private.podcast_tombstones set deleted_at = now() - interval '89 days' where slug = 'd1';
select is(pg_temp.create_podcasts('eli', 1), '{"PT429": 1}',
  'create_podcast counts podcasts that the caller deleted in the last 90 days');
insert into public.podcasts (owner_id, title) values (tests.id('eli'), 'kept');
update private.podcast_tombstones set deleted_at = now() - interval '80 days' where slug = 'd2';
select tests.act_as('eli');
select matches(tests.describe_error($$ select public.create_podcast('one more') $$),
  private.format_timestamp(now() + interval '10 days'), 'the 429 of create_podcast says when a place is free');
select tests.act_as('postgres');
delete from public.podcasts where title = 'kept' and owner_id = tests.id('eli');
delete from private.podcast_tombstones where slug = 'kept';
update private.podcast_tombstones set deleted_at = now() - interval '90 days' where slug = 'd1';
select is(pg_temp.create_podcasts('eli', 2), '{"ok 1": 1, "PT429": 1}',
  'create_podcast does not count podcasts that the caller deleted 90 days ago');

select * from tests.finish();
rollback;
