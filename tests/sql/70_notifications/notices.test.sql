-- Notices of the team, of answers, of deletions and pauses, of billing and storage: when, to whom, with which text.
begin;
select tests.start();

select tests.podcast('show', 'ola'), tests.member('ada', 'show', 'admin'), tests.member('mia', 'show'),
  tests.episode('pilot', 'show'), tests.person('una');
-- Who is told what since the last call: '<name>: <title> / <body>'.
create function pg_temp.told() returns setof text language plpgsql as $$
begin
  return query select p.display_name || ': ' || n.title || coalesce(' / ' || n.body, '')
    from public.notifications n join public.profiles p on p.id = n.user_id order by 1;
  delete from public.notifications;
end $$;
create function pg_temp.act(who text, statement text) returns void language plpgsql as $$
begin
  perform tests.act_as(who);
  execute statement;
  perform tests.act_as('postgres');
end $$;

-- Team
select pg_temp.act('ada', $$ select public.invite_podcast_member(tests.id('show'), 'una@test.example', 'member') $$);
select pg_temp.told() is not null;
create function pg_temp.invitation() returns uuid language sql as
  $$ select id from public.podcast_invitations where status = 'pending' $$;
create temp table open_invitation as select pg_temp.invitation() as id;
grant select on open_invitation to authenticated;
select pg_temp.act('una', $$ select public.decline_podcast_invitation(id) from open_invitation $$);
select is_empty($$ select * from pg_temp.told() t
    where t <> 'Ada: Invitation to show declined / una@test.example declined your invitation to join the team.' $$,
  'decline_podcast_invitation tells who invited, and no one else');
select pg_temp.act('una', $$ select public.decline_podcast_invitation(id) from open_invitation $$);
select is_empty('select pg_temp.told()', 'decline_podcast_invitation tells no one when it is repeated');
delete from private.rate_limits;
select pg_temp.act('ada', $$ select public.invite_podcast_member(tests.id('show'), 'una@test.example', 'member') $$);
delete from public.notifications;
update open_invitation set id = pg_temp.invitation();
select pg_temp.act('una', $$ select public.accept_podcast_invitation(id) from open_invitation $$);
select results_eq('select pg_temp.told()',
  $$ values ('Ola: Una joined the team of show / They accepted an invitation.') $$,
  'accept_podcast_invitation tells the owner');
select pg_temp.act('ada', $$ update public.podcast_members set role = 'admin' where user_id = tests.id('una') $$);
select results_eq('select pg_temp.told()',
  $$ values ('Ola: Una is now an admin of show / Ada changed the role.'),
    ('Una: You''re now an admin of show / Ada changed your role.') $$,
  'a changed role tells the person and the owner, not the admin who changed it');
select pg_temp.act('ola', $$ update public.podcast_members set role = 'member' where user_id = tests.id('una') $$);
select results_eq('select pg_temp.told()',
  $$ values ('Una: You''re no longer an admin of show / Ola changed your role. You stay on the team.') $$,
  'a role that the owner changed tells the person alone');
select pg_temp.act('ola', $$ update public.podcast_members set auto_add_to_new_episodes = true
  where user_id = tests.id('una') $$);
select is_empty('select pg_temp.told()', 'another change of a member tells no one');
select pg_temp.act('ada', $$ delete from public.podcast_members where user_id = tests.id('una') $$);
select results_eq('select pg_temp.told()',
  $$ values ('Ola: Una was removed from the team of show / Ada removed Una from the team.'),
    ('Una: You''re no longer on the team of show / Ada removed you from the team.') $$,
  'a removal tells the person and the owner');
select tests.member('una', 'show');
select pg_temp.act('una', $$ delete from public.podcast_members where user_id = tests.id('una') $$);
select results_eq('select pg_temp.told()',
  $$ values ('Ola: Una left the team of show / The podcast and its episodes stay as they are.') $$,
  'leaving a team tells the owner alone');
select tests.member('una', 'show'), tests.value_as('una', 'select public.delete_account()') is not null;
select results_eq('select pg_temp.told()',
  $$ values ('Ola: Someone on the team left the team of show / The podcast and its episodes stay as they are.') $$,
  'a member whose account is deleted has left the team');
select tests.podcast('gone', 'ola'), tests.member('mia', 'gone');
delete from public.podcasts where id = tests.id('gone');
select is_empty('select pg_temp.told()', 'the deletion of a podcast removes its members silently');
select pg_temp.act('ola', $$ select public.offer_podcast_transfer(tests.id('show'), tests.id('mia')) $$);
delete from public.notifications;
create temp table open_transfer as select id from public.podcast_transfers where status = 'pending';
grant select on open_transfer to authenticated;
select pg_temp.act('mia', $$ select public.decline_podcast_transfer(id) from open_transfer $$);
select results_eq('select pg_temp.told()',
  $$ values ('Ola: show stays yours / Mia declined your offer to take over the podcast.') $$,
  'decline_podcast_transfer tells who offered');
select pg_temp.act('ola', $$ select public.offer_podcast_transfer(tests.id('show'), tests.id('mia')) $$);
delete from public.notifications;
select pg_temp.act('ola', $$ select public.withdraw_podcast_transfer(id) from public.podcast_transfers
  where status = 'pending' $$);
select is_empty('select pg_temp.told()', 'withdraw_podcast_transfer tells no one');
select is((
  select count(*) from generate_series(1, 14) n, lateral (
    select pg_temp.act('ada', format('update public.podcast_members set role = %L where user_id = %L',
      case n % 2 when 1 then 'admin' else 'member' end, tests.id('mia')))) c), 14::bigint, 'a role changes 14 times');
select is((select count(*) from public.notifications where user_id = tests.id('mia')), 11::bigint,
  'changes of a role tell the person ten times a day, then once per hour');
delete from public.notifications;

-- Guests
select tests.guest_with_token('gus', 'pilot', 'invited');
select private.respond_to_guest_invitation('gus', false);
select results_eq('select pg_temp.told()',
  $$ values ('Ada: Gus declined the invitation / Gus won''t be a guest on “pilot”, an episode of show.'),
    ('Ola: Gus declined the invitation / Gus won''t be a guest on “pilot”, an episode of show.') $$,
  'a guest who declines is announced to owner and admins');
delete from public.notifications;

-- Deletions and pauses
select tests.set_podcast_status('show', 'active');
update public.podcasts set status = 'pending_deletion', deletion_requested_at = '2026-01-01T08:00:00Z',
  deletion_scheduled_at = '2026-01-31T08:00:00Z' where id = tests.id('show');
delete from public.notifications;
create function pg_temp.reminded(at text) returns text language sql as $$
  select private.announce_near_ends(at::timestamptz)::text || coalesce((
    select ': ' || string_agg(t, ', ') from pg_temp.told() t), '') $$;
select is(pg_temp.reminded('2026-01-24T07:59:00Z'), '0', 'announce_near_ends says nothing more than a week ahead');
select is(pg_temp.reminded('2026-01-24T08:00:00Z'), '1: Ada: show will be deleted in a week / The podcast and all its '
  'episodes will be deleted on January 31, 2026. Until then, its owner can cancel the deletion., '
  'Ola: show will be deleted in a week / The podcast and all its episodes will be deleted on January 31, 2026. '
  'Until then, its owner can cancel the deletion.', 'a deletion in a week is announced to owner and admins');
select is(pg_temp.reminded('2026-01-25T08:00:00Z'), '0', 'a deletion in a week is announced once');
select matches(pg_temp.reminded('2026-01-30T08:30:00Z'), '^1: Ada: show will be deleted tomorrow.*Ola: show will',
  'a deletion within a day is announced');
select is(pg_temp.reminded('2026-01-30T09:30:00Z'), '0', 'a deletion within a day is announced once');
select is(pg_temp.reminded('2026-01-31T09:30:00Z'), '0', 'a deletion that is due is not announced');
delete from private.podcast_reminders;
select matches(pg_temp.reminded('2026-01-30T08:30:00Z'), '^1: Ada: show will be deleted tomorrow',
  'after days without cron, a deletion tomorrow is not announced as one in a week');
update public.podcasts set deletion_requested_at = '2026-01-24T08:00:00Z' where id = tests.id('show');
delete from private.podcast_reminders;
select is(pg_temp.reminded('2026-01-24T09:00:00Z'), '0', 'a deletion that was just scheduled is not announced again');
update public.podcasts set deletion_requested_at = '2026-01-31T07:00:00Z' where id = tests.id('show');
select is(pg_temp.reminded('2026-01-31T07:30:00Z'), '0', 'a deletion at once is not announced');
select tests.set_podcast_status('show', 'active');
update public.podcasts set status = 'paused', paused_at = '2026-01-01Z', pause_expires_at = '2026-01-31T08:00:00Z'
where id = tests.id('show');
delete from public.notifications;
select is(pg_temp.reminded('2026-01-24T08:00:00Z'), '1: Ola: The pause of show ends in a week / The podcast becomes '
  'active again on January 31, 2026, and your subscription is billed again from then on. If it was due for renewal '
  'during the pause, it''s renewed that day.',
  'the end of a pause is announced to the owner a week ahead');
select is(pg_temp.reminded('2026-01-24T09:00:00Z'), '0', 'the end of a pause is announced once');
update public.podcasts set pause_expires_at = '2026-02-20T08:00:00Z' where id = tests.id('show');
select matches(pg_temp.reminded('2026-02-14T08:00:00Z'), '^1: Ola', 'another end of a pause is announced again');
select tests.set_podcast_status('show', 'active');
delete from public.notifications;
create function pg_temp.in_90_days() returns text language sql as $$
  select to_char(now() at time zone 'UTC' + interval '90 days', 'FMMonth FMDD, YYYY') $$;
select pg_temp.act('ola', $$ select public.delete_podcast(tests.id('show'), 'show', 'https://new.example/feed') $$);
select results_eq('select pg_temp.told()', $$ select who || ': ' || t from unnest(array['Ada', 'Mia', 'Ola']) who,
    unnest(array['The feed of show leads to another address / Ola changed where the feed sends apps and listeners: '
      'https://new.example/feed. If you don''t know this address, change the redirect, or ask the owner of the '
      'podcast.',
      'show will be deleted / Ola scheduled the podcast and all its episodes for deletion on ' || pg_temp.in_90_days()
      || '. Until then, its owner can cancel the deletion.']) t order by 1 $$,
  'delete_podcast tells the whole team the deletion, and where the feed leads');
select pg_temp.act('ola', $$ select public.update_deletion_redirect(tests.id('show'), 'https://other.example/feed') $$);
select results_eq('select pg_temp.told()', $$ select who || ': The feed of show leads to another address / Ola changed '
    'where the feed sends apps and listeners: https://other.example/feed. If you don''t know this address, change the '
    'redirect, or ask the owner of the podcast.'
    from unnest(array['Ada', 'Mia', 'Ola']) who $$, 'update_deletion_redirect tells the whole team the target');
select pg_temp.act('ola', $$ select public.update_deletion_redirect(tests.id('show'), 'https://other.example/feed') $$);
select is_empty('select pg_temp.told()', 'update_deletion_redirect to the same target tells no one');
select pg_temp.act('ola', $$ select public.update_deletion_redirect(tests.id('show'), null) $$);
select results_eq('select pg_temp.told()', $$ select who || ': The feed of show no longer leads elsewhere / Ola ended '
    'the redirect.' from unnest(array['Ada', 'Mia', 'Ola']) who $$,
  'update_deletion_redirect tells the whole team of an ended redirect');
select count(pg_temp.act('ola', format('select public.update_deletion_redirect(tests.id(''show''), %L)',
  'https://new.example/' || n))) from generate_series(1, 12) n;
select is((select count(*) from public.notifications where user_id = tests.id('mia')
  and type = 'podcast.redirect_changed' and scheduled_for is null), 12::bigint,
  'each of twelve changes of the target in a day is told at once');
select pg_temp.act('ola', $$ select public.cancel_deletion(tests.id('show')) $$);
select is_empty($$ select from public.notifications n join public.notification_deliveries d on d.notification_id = n.id
  where n.type = 'podcast.redirect_changed' and (n.read_at is not null or d.channel = 'email' and d.status <> 'pending')
  $$, 'a canceled deletion ends no notice of where the feed led');
select isnt_empty($$ select from pg_temp.told() t where t ~ '^Mia: The feed of show no longer leads elsewhere' $$,
  'a canceled deletion tells the team that its redirect has ended');
-- What a thief of a session would do: deletions and cancellations until their notices come once an hour
select count(pg_temp.act('ola', $$ select public.delete_podcast(tests.id('show'), 'show') $$)),
  count(pg_temp.act('ola', $$ select public.cancel_deletion(tests.id('show')) $$)) from generate_series(1, 6);
delete from public.notifications;
select pg_temp.act('ola', $$ select public.delete_podcast(tests.id('show'), 'show', 'https://evil.example/') $$);
select is((select count(*) from public.notification_deliveries d join public.notifications n on n.id = d.notification_id
    where n.type = 'podcast.redirect_changed' and n.body ~ 'https://evil.example/' and n.scheduled_for is null
    and d.channel = 'email' and d.status = 'pending' and d.due_at <= now()), 3::bigint,
  'after six deletions that were canceled, the target of the next one is emailed to the whole team at once');
select pg_temp.act('ola', $$ select public.cancel_deletion(tests.id('show')) $$);
delete from public.notifications;
select pg_temp.act('ola', $$ select public.delete_podcast(tests.id('show'), 'show', null, 0) $$);
delete from public.notifications;
select private.delete_due_podcast(tests.id('show'), now() + interval '1 second');
select is((select count(*) from public.notification_deliveries d join public.notifications n on n.id = d.notification_id
    where n.type = 'podcast.deleted' and private.delivery_problem(d, now()) is null), 3::bigint,
  'the emails about a deleted podcast are sent');
select is((select distinct private.email_content(d, now()) ->> 'reason' from public.notification_deliveries d
  where d.type = 'podcast.deleted' and d.channel = 'email'),
  'You get this email because it concerns a podcast of yours.', 'the email about a deleted podcast says why it comes');
select results_eq('select pg_temp.told()', $$ select who || ': show was deleted / The podcast and all its episodes '
    'were deleted, as scheduled.' from unnest(array['Ada', 'Mia', 'Ola']) who $$,
  'a deletion as scheduled tells the whole team');

-- Billing
create function pg_temp.billing(change text) returns text language plpgsql as $$
begin
  execute format('update public.billing_accounts set %s where user_id = tests.id(''ola'')', change);
  return (select string_agg(t, ', ') from pg_temp.told() t);
end $$;
select is(pg_temp.billing($$ plan_code = 'pro', subscription_status = 'active', storage_bytes_used = 0 $$), null,
  'a larger plan tells nothing');
select is(pg_temp.billing($$ subscription_status = 'past_due' $$), 'Ola: Your payment failed / We couldn''t '
  'collect the payment for the plan Pro. Please check your payment method; we''ll try again.',
  'a failed payment tells its user');
select is(pg_temp.billing($$ subscription_status = 'unpaid' $$), null,
  'a payment that stays unpaid tells nothing more');
select is(pg_temp.billing($$ subscription_status = 'active' $$), null, 'a payment that succeeds tells nothing');
select is(pg_temp.billing($$ cancel_at_period_end = true, current_period_end = '2026-03-01Z' $$), null,
  'a subscription that its user canceled tells nothing');
select is(pg_temp.billing('cancel_at_period_end = false'), null, 'a subscription that continues tells nothing');
select tests.subscription('ola');
update private.subscriptions set has_open_podcasts = false, podcasts_closed_at = now();
select is(pg_temp.billing('cancel_at_period_end = true'), 'Ola: Your subscription ends / You have no podcast left that '
  'needs it, so it isn''t renewed after March 1, 2026. If you keep or create a podcast before, it continues.',
  'a subscription that ends because the last podcast was closed tells its user');
select is(pg_temp.billing($$ plan_code = 'free', subscription_status = 'canceled', cancel_at_period_end = false $$),
  'Ola: Your plan is now Free / It includes 1 GB of storage. Nothing is deleted, but you can upload more only within '
  'that.', 'a smaller plan tells its user');

select private.notify('billing.plan_reduced', private.user_recipients(tests.id('ola')), '{}');
select is((select private.email_content(d, now()) ->> 'reason' from public.notification_deliveries d
    where d.type = 'billing.plan_reduced' and d.channel = 'email'),
  'You get this email because it concerns your account.', 'an email about the account says why it comes');
delete from public.notifications;

-- Storage: of 1,073,741,824 bytes
select is(pg_temp.billing('storage_bytes_used = ' || bytes), told, title)
from (values (858993459, null, 'storage under 80 % tells nothing'),
  (858993460, 'Ola: Your storage is almost full / You use more than 80% of the 1 GB of your plan, Free.',
    'storage from 80 % tells its user'),
  (900000000, null, 'storage at the same level tells nothing more'),
  (1063004406, 'Ola: Your storage is full / Your plan, Free, includes 1 GB. To upload more, delete files or choose a '
    'larger plan.', 'storage from 99 % tells its user'),
  (900000000, null, 'storage that falls to 80 % tells nothing'),
  (1000, null, 'storage that is free again tells nothing')) v (bytes, told, title);
select is(pg_temp.billing('storage_bytes_used = 2000000000, plan_code = ''pro'''), null,
  'storage of a larger plan tells nothing');
select matches(pg_temp.billing('plan_code = ''free'''), 'Your plan is now Free.*Your storage is full',
  'a smaller plan tells that the storage is full');

select * from tests.finish();
rollback;
