-- remove_push_subscription, and who reads the tables.
begin;
select tests.start();

select tests.person('ada'), tests.person('ben'), tests.push_subscription('phone', 'ada'),
  tests.push_subscription('laptop', 'ada'), tests.push_subscription('bens', 'ben');
create function pg_temp.removed(who text, arguments text) returns text language plpgsql as $$
declare result text;
begin
  perform tests.act_as(who);
  result := tests.outcome_of(format('select public.remove_push_subscription(%s) #>> ''{subscription,is_active}''',
    arguments));
  perform tests.act_as('postgres');
  return result;
end $$;

-- the tables
select is(tests.value_as('ada', 'select count(*) from public.push_subscriptions'), '2',
  'users read their own push subscriptions');
select is(tests.result_of('service', 'select from public.push_subscriptions'), 'ok 3',
  'the service reads all push subscriptions');

-- by id
select is(pg_temp.removed('ada', format('%L', tests.id('phone'))), 'false',
  'remove_push_subscription makes a subscription inactive by its id');
select is((
    select not is_active and last_failure_at = now() from public.push_subscriptions where id = tests.id('phone')), true,
  'remove_push_subscription sets is_active to false, and last_failure_at');
select is(pg_temp.removed('ada', format('%L', tests.id('phone'))), 'false',
  'remove_push_subscription returns the same for an inactive subscription');
select is(pg_temp.removed('ben', format('%L', tests.id('laptop'))), 'PT404',
  'remove_push_subscription returns 404 for another user''s subscription');
select is(pg_temp.removed('ada', format('%L', gen_random_uuid())), 'PT404',
  'remove_push_subscription returns 404 for an unknown id');
-- by endpoint
select is(pg_temp.removed('ben', $$ endpoint => 'https://fcm.googleapis.com/fcm/send/laptop' $$), 'PT404',
  'remove_push_subscription returns 404 for another user''s endpoint');
select is(pg_temp.removed('ada', $$ endpoint => 'https://fcm.googleapis.com/fcm/send/none' $$), 'PT404',
  'remove_push_subscription returns 404 for an unknown endpoint');
select is((select is_active from public.push_subscriptions where id = tests.id('laptop')), true,
  'remove_push_subscription changes nothing of another user');
select is(pg_temp.removed('ada', $$ endpoint => 'https://fcm.googleapis.com/fcm/send/laptop' $$), 'false',
  'remove_push_subscription makes a subscription inactive by its endpoint');
-- arguments
select tests.act_as('ada');
select is(tests.describe_error(format('select public.remove_push_subscription(%s)', arguments)),
  'PT400 / Provide exactly one of: subscription_id, endpoint', 'remove_push_subscription requires exactly one argument')
from unnest(array['', format('%L, %L', gen_random_uuid(), 'https://push.example/')]) arguments;

select * from tests.finish();
rollback;
