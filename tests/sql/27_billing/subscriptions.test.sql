-- The desired state of a subscription follows from the statuses of its user's podcasts.
begin;
select tests.start();

select tests.person('ola'), tests.person('eva'), tests.person('none');
select tests.subscription('ola'), tests.subscription('eva');
create function pg_temp.version(who text) returns int language sql as $$
  select desired_version from private.subscriptions where id = tests.id(who || '/subscription') $$;
-- Runs a statement; returns the state afterwards and the number of enqueued messages
create function pg_temp.after(statement text, who text default 'ola') returns text language plpgsql as $$
declare
  version int := pg_temp.version(who);
begin
  perform tests.empty_queue('billing_sync');
  execute statement;
  return format('%s, versions %s, messages %s', tests.desired_state(who), pg_temp.version(who) - version,
    (select count(*) from tests.queued('billing_sync') m
     where m = jsonb_build_object('subscription_id', tests.id(who || '/subscription'))));
end $$;

select is(tests.desired_state('ola'), 'collect, open', 'a subscription without podcasts collects and is not canceled');
select is(pg_temp.after($$ select tests.podcast('one', 'ola') $$), 'collect, open, versions 0, messages 0',
  'creating the first podcast changes no desired state');
select is(pg_temp.after($$ select tests.set_podcast_status('one', 'paused') $$), 'void, open, versions 1, messages 1',
  'pausing the last active podcast voids collection');
select is(pg_temp.after($$ update public.podcasts set title = 'Uno' where id = tests.id('one') $$),
  'void, open, versions 0, messages 0', 'an edit of a podcast enqueues no billing_sync');
select is(pg_temp.after($$ select tests.podcast('two', 'ola') $$), 'collect, open, versions 1, messages 1',
  'creating a podcast resumes collection');
select is(pg_temp.after($$ select tests.set_podcast_status('two', 'paused') $$), 'void, open, versions 1, messages 1',
  'pausing every podcast voids collection');
select is(pg_temp.after($$ select tests.set_podcast_status('one', 'active') $$),
  'collect, open, versions 1, messages 1', 'unpausing one of two podcasts resumes collection');
select is(pg_temp.after($$ select tests.set_podcast_status('one', 'pending_deletion') $$),
  'void, open, versions 1, messages 1', 'deleting the active podcast beside a paused one voids collection');
select is(pg_temp.after($$ select tests.set_podcast_status('two', 'pending_deletion') $$),
  'collect, closed, versions 1, messages 1', 'deleting the last paused podcast cancels and resumes collection');
select is(pg_temp.after($$ select tests.set_podcast_status('two', 'paused') $$), 'void, open, versions 1, messages 1',
  'canceling the deletion of a paused podcast withdraws the cancellation and voids collection');
select is(pg_temp.after($$ select tests.set_podcast_status('one', 'active') $$),
  'collect, open, versions 1, messages 1', 'canceling the deletion of an active podcast resumes collection');
select is(pg_temp.after($$ delete from public.podcasts where id = tests.id('two') $$),
  'collect, open, versions 0, messages 0', 'deleting the row of a podcast beside an active one changes nothing');
select is(pg_temp.after($$ delete from public.podcasts where id = tests.id('one') $$),
  'collect, closed, versions 1, messages 1', 'deleting the row of the last podcast cancels');
select is(pg_temp.after($$ select tests.podcast('site', 'ola', 'external') $$), 'collect, open, versions 1, messages 1',
  'an external podcast withdraws the cancellation');
select is(pg_temp.after($$ select tests.set_podcast_status('site', 'paused') $$), 'void, open, versions 1, messages 1',
  'pausing an external podcast voids collection');
select tests.podcast('gift', 'ola'), tests.set_podcast_status('site', 'active');
delete from public.podcasts where id = tests.id('site');

-- a transfer changes both sides
select tests.member('eva', 'gift');
select is(pg_temp.after($$ update public.podcasts set owner_id = tests.id('eva') where id = tests.id('gift') $$),
  'collect, closed, versions 1, messages 1', 'transferring away the last podcast cancels');
select tests.set_podcast_status('gift', 'paused');
select is(tests.desired_state('eva'), 'void, open', 'a paused podcast voids collection of its new owner');
select is(pg_temp.after($$ update public.podcasts set owner_id = tests.id('ola') where id = tests.id('gift') $$),
  'void, open, versions 1, messages 1', 'receiving a paused podcast withdraws the cancellation and voids collection');
select is(tests.desired_state('eva'), 'collect, closed', 'transferring away the last paused podcast cancels');
select lives_ok($$ select tests.podcast('theirs', 'none'), tests.set_podcast_status('theirs', 'paused') $$,
  'podcasts of a user without a subscription change freely');

-- the operations of owners
select tests.person('pia'), tests.person('rob'), tests.subscription('pia'), tests.subscription('rob'),
  tests.podcast('late show', 'pia'), tests.member('rob', 'late show');
update public.billing_accounts set plan_code = 'pro' where user_id = tests.id('pia');
create function pg_temp.after_call(who text, call text, whose text default 'pia') returns text language plpgsql as $$
begin
  perform tests.act_as(who);
  execute 'select public.' || call;
  perform tests.act_as('postgres');
  return tests.desired_state(whose);
end $$;
select is(pg_temp.after_call('pia', $$ pause_podcast(tests.id('late show')) $$), 'void, open',
  'pause_podcast of the last active podcast voids collection');
select is(pg_temp.after_call('pia', $$ delete_podcast(tests.id('late show'), 'late show') $$), 'collect, closed',
  'delete_podcast of the last paused podcast cancels');
select is(pg_temp.after_call('pia', $$ cancel_deletion(tests.id('late show')) $$), 'void, open',
  'cancel_deletion of a paused podcast withdraws the cancellation and voids collection');
select private.end_expired_pauses(now() + interval '91 days');
select is(tests.desired_state('pia'), 'collect, open', 'end_expired_pauses resumes collection');
update public.podcasts set last_pause_ended_at = null where id = tests.id('late show');
select is(pg_temp.after_call('pia', $$ pause_podcast(tests.id('late show')) $$), 'void, open',
  'pause_podcast voids collection again');
select is(pg_temp.after_call('pia', $$ unpause_podcast(tests.id('late show')) $$), 'collect, open',
  'unpause_podcast resumes collection');
select tests.transfer('late show', 'rob');
select is(pg_temp.after_call('rob', $$ accept_podcast_transfer(tests.id('late show/transfer')) $$), 'collect, closed',
  'accept_podcast_transfer of the last podcast cancels for the previous owner');
select is(tests.desired_state('rob'), 'collect, open', 'accept_podcast_transfer opens the new owner''s account');
select is(pg_temp.after_call('pia', $$ create_podcast('Back again') $$), 'collect, open',
  'create_podcast withdraws the cancellation');
select is(pg_temp.after_call('rob', $$ delete_podcast(tests.id('late show'), 'late show', redirect_days => 0) $$,
  'rob'), 'collect, closed', 'delete_podcast without a window cancels');
select tests.empty_queue('billing_sync');
select ok(private.delete_due_podcast(tests.id('late show'), now() + interval '1 day'),
  'delete_due_podcast deletes a podcast of a subscriber');
select is_empty($$ select tests.queued('billing_sync') $$,
  'the deletion of a due podcast changes no desired state, because it was closed before');
select is(pg_temp.after_call('rob', $$ delete_account() $$, 'rob'), 'collect, closed',
  'delete_account keeps the subscription''s row');
select is((select count(*) from tests.queued('billing_sync')), 1::bigint, 'delete_account enqueues billing_sync');
select is(pg_temp.after_call('pia', $$ create_podcast('Elsewhere', 'external') $$), 'collect, open',
  'create_podcast of an external podcast keeps the account open');

-- the address
create function pg_temp.address_version(who text) returns int language sql as $$
  select address_version from private.subscriptions where id = tests.id(who || '/subscription') $$;
select is(pg_temp.after($$ update auth.users set email = 'pia@other.example' where id = tests.id('pia') $$, 'pia'),
  'collect, open, versions 1, messages 1', 'a confirmed change of the address enqueues billing_sync');
select is(pg_temp.address_version('pia'), 2, 'a confirmed change of the address raises its version');
select is(pg_temp.after($$ update auth.users set email_change = 'pia@third.example', last_sign_in_at = now()
  where id = tests.id('pia') $$, 'pia'), 'collect, open, versions 0, messages 0',
  'an address that is not confirmed yet changes no desired state');
update auth.users set email = 'pia@fourth.example', email_confirmed_at = null where id = tests.id('pia');
select is(pg_temp.after($$ update auth.users set email_confirmed_at = now() where id = tests.id('pia') $$, 'pia'),
  'collect, open, versions 1, messages 1', 'a confirmation that comes later than the change enqueues billing_sync');
select is(pg_temp.after($$ update auth.users set email_confirmed_at = now() + interval '1 minute'
  where id = tests.id('pia') $$, 'pia'), 'collect, open, versions 0, messages 0',
  'another confirmation of the same address changes no desired state');
select lives_ok($$ update auth.users set email = 'none@other.example' where id = tests.id('none') $$,
  'the address of a user without a subscription changes freely');

-- the begin of a pause
create function pg_temp.void_since(who text) returns timestamptz language sql as $$
  select collection_void_since from private.subscriptions where id = tests.id(who || '/subscription') $$;
select is(private.end_settled_pause(s, '[]')::text || coalesce(pg_temp.void_since('pia')::text, ''), '',
  'end_settled_pause forgets the begin of a pause that has ended') from private.subscriptions s
where s.id = tests.id('pia/subscription');
select tests.podcast('first', 'eva'), tests.set_podcast_status('first', 'paused');
create temp table begun as select pg_temp.void_since('eva') as since;
select tests.set_podcast_status('first', 'active'), tests.set_podcast_status('first', 'paused');
select is(pg_temp.void_since('eva'), since, 'a second pause keeps the begin of one whose invoices are not settled')
from begun;
create function pg_temp.settled(changes jsonb) returns boolean language plpgsql as $$
declare
  subscription private.subscriptions;
begin
  update private.subscriptions set collection_void_since = to_timestamp(1000)
  where id = tests.id('eva/subscription') returning * into subscription;
  perform private.end_settled_pause(subscription, jsonb_build_array(tests.stripe_subscription(changes)));
  return pg_temp.void_since('eva') is null;
end $$;
select is(pg_temp.settled('{}'), false, 'end_settled_pause keeps the begin of a pause that continues');
select tests.set_podcast_status('first', 'pending_deletion');
select is(pg_temp.settled('{}'), false, 'end_settled_pause keeps the begin of a pause while no podcast is open');
select tests.set_podcast_status('first', 'active');
select is(pg_temp.settled(changes), wanted, format('end_settled_pause forgets the begin of a pause: %s, given %s',
  wanted, changes))
from (values ('{}'::jsonb, true), ('{"pause_collection": {"behavior": "keep_as_draft"}}', true),
  ('{"latest_invoice": {"status": "void", "created": 1000}, "items": {"data": [{"current_period_start": 1000}]}}',
    false),
  ('{"latest_invoice": {"status": "void", "created": 1000}, "items": {"data": [{"current_period_start": 1000}]},
    "status": "canceled"}', true),
  ('{"latest_invoice": {"status": "void", "created": 999}, "items": {"data": [{"current_period_start": 999}]}}', true))
  v (changes, wanted);

-- before there is a customer, nothing can be synchronized
select tests.person('late');
insert into private.subscriptions (user_id) values (tests.id('late'));
select tests.empty_queue('billing_sync'), tests.podcast('early', 'late'), tests.set_podcast_status('early', 'paused');
select is_empty($$ select tests.queued('billing_sync') $$, 'a subscription without a customer enqueues nothing');

-- the account's deletion
delete from public.podcasts where owner_id = tests.id('ola');
select tests.empty_queue('billing_sync');
delete from auth.users where id = tests.id('ola');
select is((select (user_id is null, stripe_customer_id)::text from private.subscriptions
  where id = tests.id('ola/subscription')), '(t,cus_ola)', 'a subscription survives its user');
select is((select count(*) from tests.queued('billing_sync')), 1::bigint,
  'the deletion of a user enqueues billing_sync once');
select is(private.begin_billing_sync(tests.id('ola/subscription')) - 'observedAt',
  '{"customerId": "cus_ola", "isDeleted": true}', 'begin_billing_sync says that the account was deleted');
select is(private.begin_billing_sync((select id from private.subscriptions where user_id = tests.id('late'))), null,
  'begin_billing_sync returns null for a subscription without a customer');
select is(private.begin_billing_sync(gen_random_uuid()), null,
  'begin_billing_sync returns null for an unknown subscription');

select * from tests.finish();
rollback;
