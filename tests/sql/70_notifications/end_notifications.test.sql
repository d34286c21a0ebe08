-- A subject that no longer waits reads its notifications and cancels their emails and pushes, for all recipients.
begin;
select tests.start();

select tests.podcast('show', 'ola'), tests.member('mia', 'show'), tests.person('una'), tests.podcast('other', 'ola');
insert into public.push_subscriptions (user_id, endpoint)
select tests.id(name), 'https://push.test/' || name from unnest(array['mia', 'una']) name;

-- What is left of a person's request after a verb: unread notifications, and the state of each delivery.
create function pg_temp.left_after(who text, actor text default null, verb text default null, id uuid default null)
returns text language plpgsql as $$
begin
  if verb is not null then
    perform tests.act_as(actor);
    execute format('select public.%I($1)', verb) using id;
    perform tests.act_as('postgres');
  end if;
  return (
    select count(*) filter (where n.read_at is null) || ' unread'
    from public.notifications n where n.user_id = tests.id(who))
    || coalesce((select ', ' || string_agg(d.channel || ' ' || d.status, ', ' order by d.channel)
      from public.notification_deliveries d where d.user_id = tests.id(who)), '');
end $$;
create function pg_temp.invite() returns void language plpgsql as $$
begin
  delete from public.notifications;
  delete from public.podcast_invitations;
  delete from private.podcast_invitation_blocks;
  delete from private.rate_limits;  -- emails of invitations are limited
  perform tests.act_as('ola');
  perform public.invite_podcast_member(tests.id('show'), 'una@test.example', 'member');
  perform public.invite_podcast_member(tests.id('other'), 'una@test.example', 'member');
  perform tests.act_as('postgres');
  delete from public.notification_deliveries d using public.notifications n
  where n.id = d.notification_id and n.metadata ->> 'podcast_id' = tests.id('other')::text;
end $$;
create function pg_temp.invitation_id() returns uuid language sql as
  $$ select id from public.podcast_invitations where podcast_id = tests.id('show') $$;
create function pg_temp.offer() returns void language plpgsql as $$
begin
  delete from public.notifications;
  delete from public.podcast_transfers;
  perform tests.act_as('ola');
  perform public.offer_podcast_transfer(tests.id('show'), tests.id('mia'));
  perform tests.act_as('postgres');
end $$;
create function pg_temp.transfer_id() returns uuid language sql as
  $$ select id from public.podcast_transfers $$;

select pg_temp.invite();
select is(pg_temp.left_after('una'), '2 unread, push pending',
  'an open invitation has an unread notification and a push');
select pg_temp.invite();
select is(pg_temp.left_after('una', 'una', 'decline_podcast_invitation', pg_temp.invitation_id()),
  '1 unread, push canceled', 'decline_podcast_invitation reads the notification of that invitation alone');
select pg_temp.invite();
select is(pg_temp.left_after('una', 'ola', 'withdraw_podcast_invitation', pg_temp.invitation_id()),
  '1 unread, push canceled', 'withdraw_podcast_invitation reads the invited user''s notification');
select pg_temp.invite();
select is(pg_temp.left_after('una', 'una', 'accept_podcast_invitation', pg_temp.invitation_id()),
  '1 unread, push canceled', 'accept_podcast_invitation reads the notification of that invitation alone');

update public.notification_preferences set in_app_member_invited = false where user_id = tests.id('una');
select pg_temp.invite();
select is(pg_temp.left_after('una', 'ola', 'withdraw_podcast_invitation', pg_temp.invitation_id()),
  '0 unread, push canceled', 'withdraw_podcast_invitation cancels the push of a user who turned the app off');

select pg_temp.offer();
select is(pg_temp.left_after('mia'), '1 unread, email pending, push pending',
  'an open offer has an unread notification, an email and a push');
select is(pg_temp.left_after('mia', 'mia', 'decline_podcast_transfer', pg_temp.transfer_id()),
  '0 unread, email canceled, push canceled', 'decline_podcast_transfer reads the notification of the offer');
select pg_temp.offer();
select is(pg_temp.left_after('mia', 'ola', 'withdraw_podcast_transfer', pg_temp.transfer_id()),
  '0 unread, email canceled, push canceled', 'withdraw_podcast_transfer reads the member''s notification');
select pg_temp.offer();
select private.enqueue_due_deliveries(now() + interval '1 hour');
select is(pg_temp.left_after('mia', 'mia', 'decline_podcast_transfer', pg_temp.transfer_id()),
  '0 unread, email canceled, push canceled', 'decline_podcast_transfer cancels an email that is enqueued');
select pg_temp.offer();
select private.enqueue_due_deliveries(now() + interval '1 hour');
select private.begin_email_delivery(d.id) is not null from public.notification_deliveries d
where d.channel = 'email' and d.user_id is not null;
select is(pg_temp.left_after('mia', 'ola', 'withdraw_podcast_transfer', pg_temp.transfer_id()),
  '0 unread, email canceled, push canceled', 'withdraw_podcast_transfer cancels an email between two attempts');
select results_eq($$ select s.content, s.last_error from private.delivery_sends s
    join public.notification_deliveries d on d.id = s.delivery_id
    where d.channel = 'email' and d.user_id is not null $$,
  $$ values (null::jsonb, 'What it asks for is over') $$, 'a canceled email has a reason and no content');
select private.record_email_sent(d.id) from public.notification_deliveries d
where d.channel = 'email' and d.user_id is not null;
select is(pg_temp.left_after('mia'), '0 unread, email canceled, push canceled',
  'an attempt that ends late leaves the email canceled');

select pg_temp.offer();
delete from public.notifications;
update private.events set processed_at = null, recipients = private.user_recipients(tests.id('mia'))
where id = (select max(e.id) from private.events e where e.type = 'podcast.transfer_offered');
select tests.act_as('ola'), public.withdraw_podcast_transfer(pg_temp.transfer_id()), tests.act_as('postgres');
select private.fan_out_waiting_events();
select is((select count(*) from public.notifications where type = 'podcast.transfer_offered'), 0::bigint,
  'a withdrawn offer is not told to a member who was locked when it was made');

-- bookings: owner and admin are asked, each may answer
select tests.podcast('talk', 'ola'), tests.member('ada', 'talk', 'admin'), tests.open_link('chat', 'talk');
create function pg_temp.asked(action text, booking text, slot int) returns text language plpgsql as $$
begin
  delete from public.bookings;
  delete from public.notifications;
  perform tests.request_booking(booking, 'chat', slot);
  perform tests.act_as('ada');
  execute replace(action, '$id', quote_literal(tests.id(booking)));
  perform tests.act_as('postgres');
  return (
    select string_agg(concat_ws(' ', p.display_name, n.type, case when n.read_at is null then 'unread' else 'read' end,
      (select string_agg(d.channel || ' ' || d.status, ' ' order by d.channel) from public.notification_deliveries d
        where d.notification_id = n.id)), ', ' order by p.display_name, n.type)
    from public.notifications n join public.profiles p on p.id = n.user_id);
end $$;
select is(pg_temp.asked(action, 'b' || n, n), expected, title)
from (values
  (1, 'select public.confirm_booking($id)', 'Ada booking.requested read email canceled, '
    'Ola booking.confirmed unread email pending, Ola booking.requested read email canceled',
    'confirm_booking ends the request for all hosts'),
  (2, 'select public.decline_booking($id)',
    'Ada booking.requested read email canceled, Ola booking.declined unread, Ola booking.requested read email canceled',
    'decline_booking ends the request for all hosts, and tells the others in the app'),
  (3, 'select public.cancel_booking($id)', 'Ada booking.requested read email canceled, '
    'Ola booking.cancelled unread email pending, Ola booking.requested read email canceled',
    'cancel_booking ends the request for all hosts'),
  (4, 'select public.reschedule_booking($id, now() + interval ''40 days'')',
    'Ada booking.requested read email canceled, Ola booking.requested read email canceled, '
    'Ola booking.requested unread email pending', 'reschedule_booking asks the other hosts again')
) v (n, action, expected, title);
select is(pg_temp.asked(
  'select tests.act_as(''postgres''); select private.expire_pending_bookings(now() + interval ''5 days'')',
  'late', 100),
  'Ada booking.cancelled unread email pending, Ada booking.requested read email canceled, '
  'Ola booking.cancelled unread email pending, Ola booking.requested read email canceled',
  'a request that expires ends for all hosts');
select is(pg_temp.asked('select tests.act_as(''postgres''); delete from public.podcasts where id = tests.id(''talk'')',
  'gone', 10), 'Ada booking.requested read email canceled, Ola booking.requested read email canceled',
  'a request whose podcast is deleted ends for all hosts');

-- the other subjects
create function pg_temp.ends(subject text, type text, wait text, finish text) returns text language plpgsql as $$
begin
  delete from public.notifications;
  execute wait;
  perform private.notify(type, private.user_recipients(tests.id('ola')), jsonb_build_object('podcast_id',
    tests.id('show')), _group_key => subject);
  execute finish;
  return (select concat_ws(' ', case when n.read_at is null then 'unread' else 'read' end, d.status)
    from public.notifications n left join public.notification_deliveries d on d.notification_id = n.id
      and d.channel = 'email' where n.type = ends.type);
end $$;
insert into public.calendar_connections (id, user_id, provider, account_name)
values (tests.remember('google', gen_random_uuid()), tests.id('ola'), 'google', 'ola@mail.example');
select is(pg_temp.ends(subject || ':' || tests.id(named), type, wait, finish), 'read canceled', title)
from (values
  ('podcast_deletion', 'show', 'podcast.deletion_near',
    $$ select tests.set_podcast_status('show', 'pending_deletion') $$,
    $$ select tests.set_podcast_status('show', 'active') $$, 'a canceled deletion ends its reminder'),
  ('podcast_pause', 'show', 'podcast.pause_ending', $$ select tests.set_podcast_status('show', 'paused') $$,
    $$ select tests.set_podcast_status('show', 'active') $$, 'the end of a pause ends its reminder'),
  ('podcast_owner_email', 'show', 'podcast.owner_email_needed', $$ select $$,
    $$ update public.podcasts set owner_email = 'ola@test.example' where id = tests.id('show') $$,
    'an owner''s address that is entered ends the request for it'),
  ('calendar_connection', 'google', 'calendar.failing',
    $$ update public.calendar_connections set status = 'failing', last_error = 'x' $$,
    $$ update public.calendar_connections set status = 'active', last_error = null $$,
    'a calendar that works again ends the notice of its failure'),
  ('calendar_connection', 'google', 'calendar.failing',
    $$ update public.calendar_connections set status = 'failing', last_error = 'x' $$,
    $$ update public.calendar_connections set status = 'revoked' $$,
    'a revoked calendar ends the notice of its earlier failure'),
  ('calendar_connection', 'google', 'calendar.revoked', $$ select $$, $$ delete from public.calendar_connections $$,
    'a calendar that is removed ends its notices'),
  ('payment', 'ola', 'billing.payment_failed',
    $$ update public.billing_accounts set subscription_status = 'past_due' where user_id = tests.id('ola');
      delete from public.notifications $$,
    $$ update public.billing_accounts set subscription_status = 'active' where user_id = tests.id('ola') $$,
    'a payment that succeeds ends the notice of its failure'),
  ('subscription_end', 'ola', 'billing.subscription_ending',
    $$ update public.billing_accounts set cancel_at_period_end = true where user_id = tests.id('ola') $$,
    $$ update public.billing_accounts set cancel_at_period_end = false where user_id = tests.id('ola') $$,
    'a subscription that continues ends the notice of its end'),
  ('storage', 'ola', 'billing.storage_high',
    $$ update public.billing_accounts set storage_bytes_used = 900000000 where user_id = tests.id('ola');
      delete from public.notifications $$,
    $$ update public.billing_accounts set storage_bytes_used = 1000 where user_id = tests.id('ola') $$,
    'storage that is freed ends the notice of its level'),
  ('storage_overage', 'ola', 'billing.storage_exceeded',
    $$ update public.billing_accounts set storage_bytes_used = 2000000000 where user_id = tests.id('ola');
      delete from public.notifications $$,
    $$ update public.billing_accounts set storage_bytes_used = 1073741824 where user_id = tests.id('ola') $$,
    'an account that is within its allowance again ends its reminder'),
  ('redirect_failure', 'show', 'podcast.redirect_failing',
    $$ update public.podcasts set feed_redirect_url = 'https://new.example/' where id = tests.id('show');
      update private.feed_redirects set check_code = 'HTTP_ERROR' $$,
    $$ update private.feed_redirects set check_code = null $$, 'a check that succeeds ends the notice of a failure'),
  ('redirect_failure', 'show', 'podcast.redirect_failing',
    $$ update private.feed_redirects set check_code = 'HTTP_ERROR'; delete from public.notifications $$,
    $$ update public.podcasts set feed_redirect_url = 'https://other.example/' where id = tests.id('show') $$,
    'another target ends the notice of a failure'),
  ('redirect_failure', 'show', 'podcast.redirect_failing',
    $$ update private.feed_redirects set check_code = 'HTTP_ERROR'; delete from public.notifications $$,
    $$ update public.podcasts set feed_redirect_url = null where id = tests.id('show') $$,
    'a redirect that ends ends the notice of a failure')
) v (subject, named, type, wait, finish, title);

select * from tests.finish();
rollback;
