-- advance_delivery: the status never goes back, and each time is the earliest reported one, in any order of reports.
begin;
select tests.start();
select tests.person('ola');

create function pg_temp.advance(name text, status text, at text) returns void language sql as
  $$ select private.advance_delivery(tests.id(name), status::delivery_status, at::timestamptz) $$;
select tests.sent_email('to ' || status, 'ola', status => 'queued'), pg_temp.advance('to ' || status, status,
  '2026-01-01Z')
from unnest(array['sent', 'delivered', 'opened', 'clicked', 'bounced', 'failed']) status;
select is(tests.delivery_state('to ' || status), status || ' ' || field,
  format('advance_delivery sets the status %s and %s', status, field)) from (values
  ('sent', 'sent_at'), ('delivered', 'delivered_at'), ('opened', 'opened_at'), ('clicked', 'clicked_at'),
  ('bounced', 'failed_at'), ('failed', 'failed_at')) v (status, field);

select tests.sent_email('pending to ' || status, 'ola', status => 'pending'),
  pg_temp.advance('pending to ' || status, status, '2026-01-01Z')
from unnest(array['sent', 'delivered', 'opened', 'clicked', 'bounced', 'failed']) status;
select alike(tests.delivery_state('pending to ' || status), status || ' %',
  format('advance_delivery makes a pending delivery %s', status))
from unnest(array['sent', 'delivered', 'opened', 'clicked', 'bounced', 'failed']) status;

select pg_temp.advance('to clicked', 'delivered', '2026-01-02Z');
select is(tests.delivery_state('to clicked'), 'clicked delivered_at clicked_at',
  'advance_delivery keeps a higher status and sets the time of a lower one');
select pg_temp.advance('to opened', 'opened', '2026-01-03Z');
select is((select opened_at from notification_deliveries where id = tests.id('to opened')), '2026-01-01Z',
  'advance_delivery keeps the time of the first report');
select pg_temp.advance('to opened', 'opened', '2025-12-31Z');
select is((select opened_at from notification_deliveries where id = tests.id('to opened')), '2025-12-31Z',
  'advance_delivery takes the time of an earlier event that is reported later');

create function pg_temp.version(name text) returns text language sql as
  $$ select d.ctid::text from notification_deliveries d where d.id = tests.id(name) $$;
create temp table before as select pg_temp.version('to clicked') as version;
select pg_temp.advance('to clicked', 'clicked', '2026-01-05Z'),
  pg_temp.advance('to clicked', 'delivered', '2026-01-02Z');
select is(pg_temp.version('to clicked'), (select version from before),
  'advance_delivery writes no row for a repetition');

select tests.sent_email('canceled', 'ola', status => 'canceled');
select pg_temp.advance('canceled', 'clicked', '2026-01-01Z');
select is(tests.delivery_state('canceled'), 'canceled', 'advance_delivery leaves a canceled delivery as it is');
select lives_ok($$ select private.advance_delivery(gen_random_uuid(), 'sent') $$,
  'advance_delivery ignores an unknown delivery');

-- 60 histories of up to 12 reports, duplicates included
select setseed(0.13);
create temp table reports as
  select h.history, r.n, (array['sent', 'delivered', 'opened', 'clicked', 'bounced', 'failed'])[1 + floor(random() * 6)]
    as status, '2026-01-01Z'::timestamptz + floor(random() * 10) * interval '1 hour' as at
  from generate_series(1, 60) h (history)
  cross join lateral generate_series(1, 1 + (h.history % 12)) r (n);
insert into reports select history, n + 100, status, at from reports where random() < 0.3;
select tests.sent_email('history ' || h, 'ola', status => 'queued') from generate_series(1, 60) h;
create temp table steps (history int, before delivery_status, after delivery_status);
do $$
declare
  report record;
  before delivery_status;
begin
  for report in select * from reports order by random() loop
    select d.status into before from notification_deliveries d where d.id = tests.id('history ' || report.history);
    perform private.advance_delivery(tests.id('history ' || report.history), report.status::delivery_status, report.at);
    insert into steps select report.history, before, d.status from notification_deliveries d
    where d.id = tests.id('history ' || report.history);
  end loop;
end $$;
select is_empty('select * from steps where after < before', 'no report of a random history moves a delivery back');
select results_eq(
  $$ select h, d.status::text, d.sent_at, d.delivered_at, d.opened_at, d.clicked_at, d.failed_at
     from generate_series(1, 60) h join notification_deliveries d on d.id = tests.id('history ' || h) order by h $$,
  $$ select history, max(status::delivery_status)::text, min(at) filter (where status = 'sent'),
       min(at) filter (where status = 'delivered'), min(at) filter (where status = 'opened'),
       min(at) filter (where status = 'clicked'), min(at) filter (where status in ('bounced', 'failed'))
     from reports group by history order by history $$,
  'a random history ends with its highest status and the earliest time of each report');

select * from tests.finish();
rollback;
