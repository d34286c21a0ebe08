-- list_push_subscriptions: the caller's own subscriptions.
begin;
select tests.start();

select tests.person('ada'), tests.person('ben'), tests.person('new'), tests.push_subscription('phone', 'ada'),
  tests.push_subscription('laptop', 'ada'), tests.push_subscription('bens', 'ben');
update public.push_subscriptions set created_at = '2025-01-01', last_used_at = '2026-01-01 12:00Z',
  device_label = 'Phone' where id = tests.id('phone');
update public.push_subscriptions set is_active = false where id = tests.id('bens');

select is(tests.value_as('ada', 'select public.list_push_subscriptions() #> ''{subscriptions,1}''')::jsonb,
  jsonb_build_object('id', tests.id('phone'), 'endpoint', 'https://fcm.googleapis.com/fcm/send/phone',
    'device_label', 'Phone', 'user_agent', null, 'is_active', true, 'last_used_at', '2026-01-01T12:00:00.000Z',
    'created_at', '2025-01-01T00:00:00.000Z'), 'list_push_subscriptions returns the fields of a subscription');
select is(tests.value_as('ben', $$ select jsonb_path_query_array(public.list_push_subscriptions(),
    '$.subscriptions[*].id') $$)::jsonb, jsonb_build_array(tests.id('bens')),
  'list_push_subscriptions returns the caller''s subscriptions only, inactive ones included');

select is(tests.value_as('new', 'select public.list_push_subscriptions()')::jsonb, '{"subscriptions": []}',
  'list_push_subscriptions returns an empty list to a user without browsers');

select * from tests.finish();
rollback;
