-- add_push_subscription: registers the caller's browser.
begin;
select tests.start();

select tests.person('ada'), tests.person('ben');
create function pg_temp.add(subscription jsonb, label text default null, agent text default null) returns text
language sql as $$
  select tests.outcome_of(format('select public.add_push_subscription(%L, %L, %L)', subscription, label, agent)) $$;
grant execute on function pg_temp.add to authenticated;
create function pg_temp.row_of(endpoint text) returns public.push_subscriptions
language sql security definer as $$ select s from public.push_subscriptions s where s.endpoint = $1 $$;
grant execute on function pg_temp.row_of to authenticated;

select tests.act_as('ada');
select is((pg_temp.add(tests.browser_subscription(), e' Ada''s \n phone ', 'Firefox')::jsonb -> 'subscription') - 'id'
    - 'created_at',
  jsonb_build_object('endpoint', 'https://fcm.googleapis.com/fcm/send/a', 'device_label', 'Ada''s phone',
    'user_agent', 'Firefox', 'is_active', true, 'last_used_at', null),
  'add_push_subscription returns the subscription without its keys');
select is(current_setting('response.status', true), '201', 'add_push_subscription sets the status 201');

select tests.act_as('postgres');
select is((select count(*) from private.push_subscription_keys k where k.p256dh = tests.browser_subscription() #>>
    '{keys,p256dh}' and k.auth = repeat('A', 22)), 1::bigint, 'add_push_subscription stores the keys of the browser');

-- the same endpoint
update public.push_subscriptions set is_active = false, last_used_at = '2026-01-01', last_failure_at = '2026-01-02',
  created_at = '2025-01-01';
select tests.act_as('ada');
select is(pg_temp.add(jsonb_set(tests.browser_subscription(), '{keys,auth}', to_jsonb(repeat('B', 22))), 'Phone')::jsonb
    #> '{subscription,is_active}', 'true', 'add_push_subscription makes a known endpoint active');
select tests.act_as('postgres');
select is(concat_ws(' ', count(*), min(s.device_label), min(s.created_at at time zone 'UTC'),
    min(s.last_used_at at time zone 'UTC'), min(k.auth)),
  '1 Phone 2025-01-01 00:00:00 2026-01-01 00:00:00 ' || repeat('B', 22),
  'add_push_subscription gives a known endpoint of the caller the new label and keys and keeps its history')
from public.push_subscriptions s join private.push_subscription_keys k on k.subscription_id = s.id;

-- another user's endpoint: the browser has another user now
select tests.push_delivery('d', 'ada');
select tests.act_as('ben');
select isnt(pg_temp.add(tests.browser_subscription(), null, 'Safari'), null, 'add_push_subscription accepts it');
select tests.act_as('postgres');
select is(s.user_id = tests.id('ben') and s.device_label is null and s.user_agent = 'Safari' and s.last_used_at is null
    and s.last_failure_at is null and s.created_at > '2026-06-01' and k.auth = repeat('A', 22), true,
  'add_push_subscription moves another user''s endpoint to the caller, with nothing of the other user')
from public.push_subscriptions s join private.push_subscription_keys k on k.subscription_id = s.id;
select is(private.begin_push_delivery(tests.id('d')), null, 'a moved endpoint gets no message of its former user');

-- what is accepted
select tests.act_as('ada');
select is(tests.error_of(format('select public.add_push_subscription(%L)',
    jsonb_set(tests.browser_subscription(), '{endpoint}', to_jsonb(endpoint)))), expected,
  format('add_push_subscription returns %s for the endpoint %s', expected, left(endpoint, 60)))
from (values
  ('https://fcm.googleapis.com/fcm/send/b', 'none'), ('https://push.example.com/abc', 'none'),
  ('HTTPS://FCM.googleapis.com/c', 'none'), ('https://fcm.googleapis.com:8443/d', 'none'),
  ('https://127.0.0.1/', 'none'), ('http://fcm.googleapis.com/d', 'PT400 INVALID_URL'),
  ('https://fcm.googleapis.com@evil.example/d', 'PT400 INVALID_URL'), ('https://a b/', 'PT400 INVALID_URL'),
  ('https://1.2.3/', 'PT400 INVALID_URL'), ('https://x.example:99999/', 'PT400 INVALID_URL'),
  ('fcm.googleapis.com', 'PT400 INVALID_URL'), ('', 'PT400 INVALID_URL'), (null, 'PT400'),
  ('https://fcm.googleapis.com/' || repeat('x', 2048 - 27), 'none'),
  ('https://fcm.googleapis.com/' || repeat('x', 2049 - 27), 'PT400 INVALID_URL')) w (endpoint, expected);
select is(tests.describe_error(format('select public.add_push_subscription(%L)', subscription)),
  'PT400 / Invalid request / subscription must be {endpoint, expirationTime, keys: {p256dh, auth}}, as the browser '
    'returns it', format('add_push_subscription rejects %s', left(subscription::text, 40)))
from (values ('[]'), ('{}'), ('"x"'), ('{"endpoint": 1}'), ('{"endpoint": {"a": 1}}'),
  ('{"endpoint": "https://fcm.googleapis.com/", "expirationTime": "2030"}'),
  ('{"endpoint": "https://fcm.googleapis.com/", "keys": 5}'),
  ('{"endpoint": "https://fcm.googleapis.com/", "keys": {"p256dh": "a"}}'),
  ('{"endpoint": "https://fcm.googleapis.com/", "keys": {"p256dh": "a", "auth": 5}}'),
  ('{"endpoint": "https://fcm.googleapis.com/", "keys": {"p256dh": null, "auth": "a"}}')) w (subscription);
select is(tests.result_of('ada', format('select public.add_push_subscription(%L, %L, %L)',
    jsonb_set(tests.browser_subscription(), path, value), label, agent)), expected,
  format('add_push_subscription returns %s for %s', expected, title))
from (values
  ('{keys,auth}'::text[], '"a"', null, null, 'ok 1', 'a secret of less than 16 bytes'),
  ('{keys,auth}', to_jsonb(repeat('A', 200)), null, null, 'ok 1', 'a secret of 200 characters'),
  ('{keys,auth}', to_jsonb(repeat('A', 201)), null, null, '23514', 'a secret of 201 characters'),
  ('{keys,auth}', '""', null, null, '23514', 'an empty secret'),
  ('{keys,p256dh}', '"x"', null, null, 'ok 1', 'a key that is too short'),
  ('{keys,p256dh}', to_jsonb(repeat('A', 201)), null, null, '23514', 'a key of 201 characters'),
  ('{keys,p256dh}', '"a b"', null, null, '23514', 'a key that is not base64'),
  ('{expirationTime}', '4102444800000', null, null, 'ok 1', 'an expiration time'),
  ('{expirationTime}', '1e300', null, null, '22008', 'an expiration time beyond all calendars'),
  ('{extra}', '1', repeat('x', 200), repeat('x', 500), 'ok 1', 'a label of 200 and a user agent of 500 characters'),
  ('{extra}', '1', repeat('x', 201), null, '23514', 'a label of 201 characters'),
  ('{extra}', '1', ' ', null, '23514', 'a blank label'),
  ('{extra}', '1', null, repeat('🎙', 501), 'ok 1', 'a user agent of 501 characters')
) w (path, value, label, agent, expected, title);
select is((pg_temp.row_of('https://fcm.googleapis.com/fcm/send/a')).user_agent, repeat('🎙', 500),
  'add_push_subscription keeps the first 500 characters of a user agent');
select is((pg_temp.row_of('https://fcm.googleapis.com/fcm/send/a')).expiration_time, null::timestamptz,
  'add_push_subscription clears an expiration time that the browser no longer gives');
select pg_temp.add(jsonb_set(tests.browser_subscription(), '{expirationTime}', '4102444800000')) is not null;
select is((pg_temp.row_of('https://fcm.googleapis.com/fcm/send/a')).expiration_time, '2100-01-01Z'::timestamptz,
  'add_push_subscription reads the expiration time as milliseconds since 1970');

-- keys in base64 with padding
select pg_temp.add(jsonb_set(tests.browser_subscription('https://fcm.googleapis.com/padded'),
  '{keys}', jsonb_build_object('auth', repeat('A', 22) || '==',
    'p256dh', translate(tests.browser_subscription() #>> '{keys,p256dh}', '-_', '+/') || '='
))) is not null;
select tests.act_as('postgres');
select is(jsonb_build_object('p256dh', k.p256dh, 'auth', k.auth), tests.browser_subscription() -> 'keys',
  'add_push_subscription stores keys in base64url without padding')
from private.push_subscription_keys k
where k.subscription_id = (pg_temp.row_of('https://fcm.googleapis.com/padded')).id;

-- http for hosts of the installation
select private.set_setting('fetch_allowed_hosts', '127.0.0.1:9, push.local');
select tests.act_as('ada');
select is(tests.error_of(format('select public.add_push_subscription(%L)', tests.browser_subscription(endpoint))),
  expected, format('with allowed hosts, add_push_subscription returns %s for %s', expected, endpoint))
from (values ('http://push.example/a', 'PT400 INVALID_URL'), ('http://127.0.0.1:9/a', 'none'),
  ('http://127.0.0.1:10/a', 'PT400 INVALID_URL'), ('http://push.local:8080/a', 'none')) w (endpoint, expected);

-- where messages are sent
select tests.act_as('postgres');
create function pg_temp.endpoint_problem(endpoint text) returns text language sql as $$
  select coalesce(private.push_problem($1, k ->> 'p256dh', k ->> 'auth'), 'none')
  from (values (tests.browser_subscription() -> 'keys')) s (k) $$;
select is(pg_temp.endpoint_problem(endpoint), problem, format('push_problem returns %s for %s', problem, endpoint))
from (values
  ('https://fcm.googleapis.com/fcm/send/b'), ('https://web.push.apple.com/Q'), ('https://FCM.googleapis.com/c'),
  ('https://updates.push.services.mozilla.com/wpush/v2/g'), ('https://wns2-am3p.notify.windows.com/w')) w (endpoint)
cross join (values ('none')) p (problem)
union all
select is(pg_temp.endpoint_problem(endpoint), problem, format('push_problem rejects %s', endpoint))
from (values
  ('http://fcm.googleapis.com/d'), ('https://fcm.googleapis.com:8443/d'), ('HTTPS://fcm.googleapis.com/d'),
  ('https://evil.example/fcm.googleapis.com'), ('https://notify.windows.com/'), ('https://evilnotify.windows.com/'),
  ('https://127.0.0.1/'), ('http://127.0.0.1:9/a'), ('')) w (endpoint)
cross join (values ('The endpoint is of no push service in push_service_hosts')) p (problem);
select private.set_setting('push_service_hosts', '*');
select is(pg_temp.endpoint_problem(endpoint) = 'none', is_sent,
  format('with push_service_hosts * and allowed hosts, a message for %s is sent: %s', endpoint, is_sent))
from (values ('https://push.example/a', true), ('http://push.example/a', false), ('http://127.0.0.1:9/a', true),
  ('http://127.0.0.1:10/a', false), ('http://push.local:8080/a', true), ('https://127.0.0.1/a', false),
  ('https://localhost/a', false)) w (endpoint, is_sent);
select is(private.push_problem('https://push.example/a',
    coalesce(p256dh, tests.browser_subscription() #>> '{keys,p256dh}'),
    coalesce(auth, repeat('A', 22))), 'The keys are not a point of P-256 and a secret of 16 bytes',
  format('push_problem rejects %s', title))
from (values
  (null, repeat('A', 21), 'a secret of less than 16 bytes'), (null, repeat('A', 23), 'a secret of more than 16 bytes'),
  ('B' || repeat('A', 86), null, 'a point off the curve'), ('x', null, 'a key that is too short'),
  ('C' || substr(tests.browser_subscription() #>> '{keys,p256dh}', 2), null, 'a point that is not uncompressed'),
  ('BP____8AAAABAAAAAAAAAAAAAAABAAAAAAAAAAAAAAAERZJDuapYGAb-kTvOmYF63hHKUDxk2aPFM0FcCDJI-8w', null,
    'a point with a coordinate beyond the field')) w (p256dh, auth, title);

-- limits
select tests.act_as('postgres');
delete from public.push_subscriptions;
delete from private.rate_limits;
select private.set_setting('max_push_subscriptions_per_hour', '100');
select tests.push_subscription('used', 'ada'), tests.push_subscription('ended', 'ada'),
  tests.push_subscription('bens', 'ben');
update public.push_subscriptions set created_at = '2020-01-01', last_used_at = '2100-01-01'
where id = tests.id('used');
update public.push_subscriptions set is_active = false, created_at = '2100-01-01' where id = tests.id('ended');
select tests.act_as('ada');
select pg_temp.add(tests.browser_subscription('https://push.example/' || n)) is not null from generate_series(1, 19) n;
select tests.act_as('postgres');
select is(concat_ws(' ', count(*), count(*) filter (where not is_active),
    count(*) filter (where id = tests.id('used'))),
  '20 0 1', 'over 20 subscriptions, add_push_subscription deletes an inactive one')
from public.push_subscriptions where user_id = tests.id('ada');
update public.push_subscriptions set created_at = '2025-01-01' where endpoint = 'https://push.example/7';
select tests.act_as('ada');
select pg_temp.add(tests.browser_subscription('https://push.example/20')) is not null;
select pg_temp.add(tests.browser_subscription('https://push.example/20')) is not null;
select tests.act_as('postgres');
select is(concat_ws(' ', count(*), count(*) filter (where endpoint = 'https://push.example/7'),
    count(*) filter (where endpoint = 'https://push.example/20')), '20 0 1',
  'over 20 active subscriptions, add_push_subscription deletes the one that was unused for longest')
from public.push_subscriptions where user_id = tests.id('ada');
select is((select count(*) from public.push_subscriptions where id = tests.id('bens')), 1::bigint,
  'add_push_subscription deletes no subscription of another user');
select private.set_setting('max_push_subscriptions_per_hour', '22');
select tests.act_as('ada');
select isnt(pg_temp.add(tests.browser_subscription('https://push.example/21')), null,
  'add_push_subscription accepts the last registration of an hour');
select is(tests.error_of(format('select public.add_push_subscription(%L)', tests.browser_subscription())),
  'PT429 RATE_LIMITED', 'add_push_subscription returns 429 over the registrations of an hour');

select * from tests.finish();
rollback;
