-- Rate limits: a window begins with the first call, and calls over the limit are not counted.
begin;
select tests.start();

select is(private.try_consume_rate_limit('a', 2, interval '1 hour', '2026-01-01 10:00Z'), null,
  'try_consume_rate_limit accepts the first call of a window');
select is(private.try_consume_rate_limit('a', 2, interval '1 hour', '2026-01-01 10:30Z'), null,
  'try_consume_rate_limit accepts as many calls as the limit');
select is(private.try_consume_rate_limit('a', 2, interval '1 hour', '2026-01-01 10:40Z'),
  '2026-01-01 11:00Z'::timestamptz, 'try_consume_rate_limit returns the end of the window over the limit');
select is((select request_count from private.rate_limits where key = 'a'), 2,
  'try_consume_rate_limit does not count a call over the limit');
select is(private.try_consume_rate_limit('a', 3, interval '1 hour', '2026-01-01 10:50Z'), null,
  'try_consume_rate_limit accepts again when the limit was raised');
select is(private.try_consume_rate_limit('b', 2, interval '1 hour', '2026-01-01 10:50Z'), null,
  'try_consume_rate_limit counts each key by itself');
select is(private.try_consume_rate_limit('a', 2, interval '1 hour', '2026-01-01 11:00Z'), null,
  'try_consume_rate_limit begins a new window when the last one has ended');
select is((select (window_started_at, request_count)::text from private.rate_limits where key = 'a'),
  $$("2026-01-01 11:00:00+00",1)$$, 'a new rate-limit window begins at its first call with a count of 1');
select is(private.try_consume_rate_limit('none', 0, interval '1 hour', '2026-01-01 10:00Z'),
  '2026-01-01 11:00Z'::timestamptz, 'try_consume_rate_limit accepts nothing with a limit of 0');

select is(private.is_rate_limit_reached(key, max_count, '1 hour', at), is_reached,
  format('is_rate_limit_reached tells whether a call is refused (%s of %s at %s)', key, max_count, at))
from (values ('a', 1, '2026-01-01 11:59Z'::timestamptz, true), ('a', 2, '2026-01-01 11:59Z', false),
  ('a', 1, '2026-01-01 12:00Z', false), ('none', 0, '2026-01-01 10:00Z', true), ('none', 1, '2026-01-01 10:00Z', false))
  v (key, max_count, at, is_reached);
select is((select request_count from private.rate_limits where key = 'a'), 1, 'is_rate_limit_reached counts nothing');

select lives_ok($$ select private.consume_rate_limit('c', 1, interval '1 hour', '2026-01-01 10:00Z') $$,
  'consume_rate_limit accepts a call within the limit');
select throws_ok($$ select private.consume_rate_limit('c', 1, interval '1 hour', '2026-01-01 10:01Z') $$, 'PT429',
  'Too many requests; try again later', 'consume_rate_limit raises 429 over the limit');

create function pg_temp.detail_of(statement text) returns text language plpgsql as $$
declare detail text;
begin
  execute statement;
  return null;
exception when others then
  get stacked diagnostics detail = pg_exception_detail;
  return detail;
end $$;
select is(pg_temp.detail_of($$ select private.consume_rate_limit('c', 1, interval '1 hour', '2026-01-01 10:01Z') $$),
  '{"rate_limit_reset_at": "2026-01-01T11:00:00.000Z"}',
    'the error of consume_rate_limit contains rate_limit_reset_at');

select is(private.address_rate_limit_key('a', address), 'a:' || expected,
  format('address_rate_limit_key counts %s as %s', address, expected))
from (values
  ('192.0.2.7', '192.0.2.7'), ('2001:db8:1:2:3::4', '2001:db8:1:2::/64'), ('2001:DB8:1:2::9', '2001:db8:1:2::/64'),
  ('2001:db8:1:3::4', '2001:db8:1:3::/64'), ('::ffff:192.0.2.7', '::ffff:192.0.2.7'), ('unknown', 'unknown')
) case_of (address, expected);

insert into private.rate_limits values ('webhooks:192.0.2.1', now(), now() + interval '1 minute', 2998);
select lives_ok($$ select private.limit_webhooks('webhooks', '192.0.2.1', 3000),
    private.limit_webhooks('webhooks', '192.0.2.1', 3000) $$,
  'limit_webhooks accepts as many requests a minute as the limit');
select is(tests.error_of($$ select private.limit_webhooks('webhooks', '192.0.2.1', 3000) $$), 'PT429 RATE_LIMITED',
  'limit_webhooks rejects further requests of the address');
select lives_ok($$ select private.limit_webhooks('webhooks', '192.0.2.1', 3000, now() + interval '1 minute') $$,
  'limit_webhooks accepts requests again after a minute');
select lives_ok($$ select private.limit_webhooks('webhooks', '192.0.2.2', 3000) $$,
  'limit_webhooks counts each address apart');
delete from private.rate_limits where key like 'webhooks:%';

select private.try_consume_rate_limit('month', 2, interval '30 days', '2026-01-01 10:00Z');
select private.purge_rate_limits('2026-01-01 11:50Z');
select set_eq('select key from private.rate_limits', array['a', 'month'],
  'purge_rate_limits deletes the windows that have ended, and keeps a window of a month');
select private.try_consume_rate_limit('month', 2, interval '30 days', '2026-01-31 10:00Z');
select private.purge_rate_limits('2026-02-02 10:00Z');
select set_eq('select key from private.rate_limits', array['month'],
  'purge_rate_limits keeps a window that began again');

select * from tests.finish();
rollback;
