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
  ('https://fcm.googleapis.com/fcm/send/b', 'none'), ('https://web.push.apple.com/Q', 'none'),
  ('https://updates.push.services.mozilla.com/wpush/v2/g', 'none'), ('https://wns2-am3p.notify.windows.com/w', 'none'),
  ('https://FCM.googleapis.com/c', 'none'), ('http://fcm.googleapis.com/d', 'PT400 UNKNOWN_PUSH_SERVICE'),
  ('https://fcm.googleapis.com:8443/d', 'PT400 UNKNOWN_PUSH_SERVICE'),
  ('https://fcm.googleapis.com@evil.example/d', 'PT400 UNKNOWN_PUSH_SERVICE'),
  ('https://evil.example/fcm.googleapis.com', 'PT400 UNKNOWN_PUSH_SERVICE'),
  ('https://notify.windows.com/', 'PT400 UNKNOWN_PUSH_SERVICE'),
  ('https://evilnotify.windows.com/', 'PT400 UNKNOWN_PUSH_SERVICE'),
  ('https://127.0.0.1/', 'PT400 UNKNOWN_PUSH_SERVICE'), ('fcm.googleapis.com', 'PT400 UNKNOWN_PUSH_SERVICE'),
  ('', 'PT400 UNKNOWN_PUSH_SERVICE'), (null, 'PT400'),
  ('https://fcm.googleapis.com/' || repeat('x', 2048 - 27), 'none'),
  ('https://fcm.googleapis.com/' || repeat('x', 2049 - 27), 'PT400 UNKNOWN_PUSH_SERVICE')) w (endpoint, expected);
select is(tests.describe_error(format('select public.add_push_subscription(%L)',
    jsonb_set(tests.browser_subscription(), '{endpoint}', '"https://evil.example/"'))),
  'PT400 / The endpoint must be an https URL of a known push service / UNKNOWN_PUSH_SERVICE',
  'add_push_subscription names an unknown push service as the error');
select is(tests.describe_error(format('select public.add_push_subscription(%L)', subscription)),
  'PT400 / Invalid request / subscription must be {endpoint, expirationTime, keys: {p256dh, auth}}, as the browser '
    'returns it', format('add_push_subscription rejects %s', left(subscription::text, 40)))
from (values ('[]'), ('{}'), ('"x"'), ('{"endpoint": 1}'), ('{"endpoint": {"a": 1}}'),
  ('{"endpoint": "https://fcm.googleapis.com/", "expirationTime": "2030"}')) w (subscription);
select is(tests.result_of('ada', format('select public.add_push_subscription(%L, %L, %L)',
    jsonb_set(tests.browser_subscription(), path, value), label, agent)), expected,
  format('add_push_subscription returns %s for %s', expected, title))
from (values
  ('{keys,auth}'::text[], to_jsonb(repeat('A', 21)), null, null, '23514', 'a secret of less than 16 bytes'),
  ('{keys,auth}', to_jsonb(repeat('A', 23)), null, null, '23514', 'a secret of more than 16 bytes'),
  ('{keys,auth}', to_jsonb(repeat('+', 22)), null, null, '23514', 'a secret in base64 instead of base64url'),
  ('{keys,auth}', 'null', null, null, '23502', 'no secret'),
  ('{keys,p256dh}', 'null', null, null, '23502', 'no public key'),
  ('{keys}', '5', null, null, '23502', 'keys that are a number'),
  ('{keys,p256dh}', to_jsonb('B' || repeat('A', 86)), null, null, '23514', 'a point off the curve'),
  ('{keys,p256dh}', to_jsonb('x'::text), null, null, '23514', 'a key that is too short'),
  ('{keys,p256dh}', to_jsonb('C' || substr(tests.browser_subscription() #>> '{keys,p256dh}', 2)), null, null, '23514',
    'a point that is not uncompressed'),
  ('{expirationTime}', '4102444800000', null, null, 'ok 1', 'an expiration time'),
  ('{expirationTime}', '1e300', null, null, '22008', 'an expiration time beyond all calendars'),
  ('{keys,p256dh}', to_jsonb(
    'BP____8AAAABAAAAAAAAAAAAAAABAAAAAAAAAAAAAAAERZJDuapYGAb-kTvOmYF63hHKUDxk2aPFM0FcCDJI-8w'::text),
    null, null, '23514', 'a point with a coordinate beyond the field'),
  ('{extra}', '1', repeat('x', 200), repeat('x', 500), 'ok 1', 'a label of 200 and a user agent of 500 characters'),
  ('{extra}', '1', repeat('x', 201), null, '23514', 'a label of 201 characters'),
  ('{extra}', '1', ' ', null, '23514', 'a blank label'),
  ('{extra}', '1', null, repeat('x', 501), '23514', 'a user agent of 501 characters')
) w (path, value, label, agent, expected, title);
select is((pg_temp.row_of('https://fcm.googleapis.com/fcm/send/a')).expiration_time, null::timestamptz,
  'add_push_subscription clears an expiration time that the browser no longer gives');
select pg_temp.add(jsonb_set(tests.browser_subscription(), '{expirationTime}', '4102444800000')) is not null;
select is((pg_temp.row_of('https://fcm.googleapis.com/fcm/send/a')).expiration_time, '2100-01-01Z'::timestamptz,
  'add_push_subscription reads the expiration time as milliseconds since 1970');

-- other push services
select tests.act_as('postgres');
select private.set_setting('fetch_allowed_hosts', '127.0.0.1:9, push.local');
select tests.act_as('ada');
select is(tests.error_of(format('select public.add_push_subscription(%L)',
    tests.browser_subscription('http://127.0.0.1:9/a'))), 'PT400 UNKNOWN_PUSH_SERVICE',
  'a host that imports may fetch from is not a push service');
select tests.act_as('postgres');
select private.set_setting('push_service_hosts', '*');
select tests.act_as('ada');
select is(tests.error_of(format('select public.add_push_subscription(%L)', tests.browser_subscription(endpoint))),
  expected, format('with push_service_hosts * and allowed hosts, %s returns %s', endpoint, expected))
from (values ('https://push.example/a', 'none'), ('http://push.example/a', 'PT400 UNKNOWN_PUSH_SERVICE'),
  ('http://127.0.0.1:9/a', 'none'), ('http://127.0.0.1:10/a', 'PT400 UNKNOWN_PUSH_SERVICE'),
  ('http://push.local:8080/a', 'none'), ('https://127.0.0.1/a', 'PT400 UNKNOWN_PUSH_SERVICE'),
  ('https://localhost/a', 'PT400 UNKNOWN_PUSH_SERVICE')) w (endpoint, expected);

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
