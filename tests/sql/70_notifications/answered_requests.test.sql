-- Requests that are answered, withdrawn or ended mark the notification that asks for an answer as read.
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
select is(pg_temp.left_after('mia', 'mia', 'accept_podcast_transfer', pg_temp.transfer_id()),
  '0 unread, email queued, push canceled', 'accept_podcast_transfer leaves an email that is enqueued');

select * from tests.finish();
rollback;
