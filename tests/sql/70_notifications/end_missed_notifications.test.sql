-- end_missed_notifications: invitations to a team that expired, and notifications that were locked when they ended.
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

select is(private.end_missed_notifications(now() + interval '1 day' - interval '1 second'), 0,
  'end_missed_notifications ends nothing before an invitation expires');
select is(pg_temp.state_of('show'), 'unread, push pending', 'an open invitation is unread');
select is(private.end_missed_notifications(now() + interval '1 day', 0), 0,
  'end_missed_notifications ends at most max_rows invitations');
select is(private.end_missed_notifications(now() + interval '1 day'), 1,
  'end_missed_notifications returns how many invitations expired');
select is(pg_temp.state_of('show'), 'read, push canceled',
  'the notification of an expired invitation is read, and its push is canceled');
select is(pg_temp.state_of('other'), 'unread, push pending', 'other invitations to the same user stay unread');
select is(private.end_missed_notifications(now() + interval '1 day'), 0,
  'end_missed_notifications ends an invitation once');

-- A verb that failed had locked the notification when its subject ended
select tests.act_as('ola'), public.withdraw_podcast_invitation(tests.id('other/una@test.example'));
select tests.act_as('postgres');
select is(pg_temp.state_of('other'), 'read, push canceled', 'a withdrawn invitation is read');
create function pg_temp.unread(at timestamptz) returns void language sql as $$
  update public.notifications n set read_at = null, updated_at = at
  where n.group_key = 'podcast_invitation:' || tests.id('other/una@test.example') $$;
select pg_temp.unread(now());
select is(private.end_missed_notifications(now() + interval '2 days'), 0,
  'end_missed_notifications reads nothing whose subject ended two days ago');
select is(private.end_missed_notifications(now() + interval '1 hour'), 1,
  'end_missed_notifications reads a notification that stayed unread although its subject ended');
select is(pg_temp.state_of('other'), 'read, push canceled', 'end_missed_notifications reads what an ending missed');
select pg_temp.unread(now() + interval '1 second');
select is(private.end_missed_notifications(now() + interval '1 hour'), 0,
  'end_missed_notifications leaves what its user marked as unread');

select * from tests.finish();
rollback;
