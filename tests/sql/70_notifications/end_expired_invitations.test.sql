-- end_expired_invitations: an invitation to a team that was not answered in time is no longer unread.
begin;
select tests.start();

select tests.podcast('show', 'ola'), tests.podcast('other', 'ola'), tests.person('una');
insert into public.push_subscriptions (user_id, endpoint) values (tests.id('una'), 'https://push.test/una');
select tests.invitation(podcast, 'una@test.example', 'ola') from unnest('{show,other}'::text[]) podcast;
create function pg_temp.state_of(podcast text) returns text language sql as $$
  select format('%s, push %s', case when n.read_at is null then 'unread' else 'read' end, d.status)
  from public.notifications n join public.notification_deliveries d on d.notification_id = n.id and d.channel = 'push'
  where n.group_key = 'podcast_invitation:' || tests.id(podcast || '/una@test.example')
$$;
update public.podcast_invitations i set expires_at = now() + interval '1 day'
where i.id = tests.id('show/una@test.example');

select is(private.end_expired_invitations(now() + interval '1 day' - interval '1 second'), 0,
  'end_expired_invitations ends nothing before an invitation expires');
select is(pg_temp.state_of('show'), 'unread, push pending', 'an open invitation is unread');
select is(private.end_expired_invitations(now() + interval '1 day', 0), 0,
  'end_expired_invitations ends at most max_rows invitations');
select is(private.end_expired_invitations(now() + interval '1 day'), 1,
  'end_expired_invitations returns how many invitations expired');
select is(pg_temp.state_of('show'), 'read, push canceled',
  'the notification of an expired invitation is read, and its push is canceled');
select is(pg_temp.state_of('other'), 'unread, push pending', 'other invitations to the same user stay unread');
select is(private.end_expired_invitations(now() + interval '1 day'), 0,
  'end_expired_invitations ends an invitation once');

select * from tests.finish();
rollback;
