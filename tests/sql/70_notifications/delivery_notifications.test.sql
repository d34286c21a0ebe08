-- delivery_notifications: what the email or push of a delivery is about.
begin;
select tests.start();

select tests.podcast('show', 'ola'), tests.member('mia', 'show'), tests.podcast('other', 'ola'),
  tests.member('mia', 'other'), tests.episode('pilot', 'show'),
  tests.guest('gus', 'pilot', 'active');
create function pg_temp.notification(name text, recipient text, type text default 'chat.message',
  at timestamptz default '2030-01-01 00:00:00+00') returns void language sql as $$
  select tests.remember(name, gen_random_uuid());
  insert into public.notifications (id, user_id, episode_guest_id, type, category, priority, title, metadata,
    created_at)
  select tests.id(name), (select p.id from public.profiles p where p.id = tests.id(recipient)),
    (select g.id from public.episode_guests g where g.id = tests.id(recipient)), t.type, t.category, t.priority, name,
    jsonb_build_object('podcast_id', tests.id('show')), at
  from public.notification_types t where t.type = $3 $$;
create function pg_temp.delivery(name text, notification text, collapse_key text default null) returns void
language sql as $$
  select tests.remember(name, gen_random_uuid());
  insert into public.notification_deliveries (id, notification_id, user_id, episode_guest_id, type, channel, priority,
    collapse_key)
  select tests.id(name), n.id, n.user_id, n.episode_guest_id, n.type, 'email', n.priority, $3
  from public.notifications n where n.id = tests.id(notification) $$;
create function pg_temp.listed(delivery text) returns text language sql as $$
  select concat_ws(' of ', string_agg((l.notification).title, ',' order by l.n), max(l.total_count))
  from private.delivery_notifications(tests.id(delivery)) with ordinality l (notification, total_count, n) $$;

select pg_temp.notification('alone', 'mia', 'podcast.member_removed'), pg_temp.delivery('one', 'alone');
select is(pg_temp.listed('one'), 'alone of 1', 'delivery_notifications returns the notification of a delivery');

select pg_temp.notification('n' || n, 'mia', at => '2030-01-01 00:00:00+00'::timestamptz + n * interval '1 second')
from generate_series(30, 10, -1) n;
select pg_temp.delivery('many', 'n30', 'chat');
insert into private.collapsed_notifications (notification_id, delivery_id)
select tests.id('n' || n), tests.id('many') from generate_series(10, 30) n;
select is(pg_temp.listed('many'),
  (select string_agg('n' || n, ',' order by n) || ' of 21' from generate_series(10, 29) n),
  'delivery_notifications returns the 20 oldest notifications of a collapsed email, and the number of all');
delete from private.collapsed_notifications where notification_id = tests.id('n30');
delete from public.notifications where id = tests.id('n11');
select is(pg_temp.listed('many'),
  (select string_agg('n' || n, ',' order by n) || ' of 19' from generate_series(10, 29) n where n <> 11),
  'delivery_notifications leaves out notifications that were taken from a collapsed email or deleted');

select pg_temp.notification('to gus', 'pilot/gus'), pg_temp.delivery('email', 'to gus');
select is(pg_temp.listed('email'), 'to gus of 1', 'delivery_notifications returns the notification of an active guest');
create function pg_temp.listed_as(status public.episode_guest_status) returns text language plpgsql as $$
begin
  update public.episode_guests g set status = listed_as.status where g.id = tests.id('pilot/gus');
  return pg_temp.listed('email');
end $$;
select is(pg_temp.listed_as(status), '', format('delivery_notifications sends nothing about the chat to a guest who %s',
  status)) from unnest(array['declined', 'removed']::public.episode_guest_status[]) status;

delete from public.podcast_members where user_id = tests.id('mia') and podcast_id = tests.id('show');
select is(pg_temp.listed('many'), '',
  'delivery_notifications sends nothing about the chat to a user who has left the team and is on another one');
select is(pg_temp.listed('one'), 'alone of 1',
  'delivery_notifications sends the notice of a removal, whose type requires no role');
select is_empty($$ select private.delivery_notifications(gen_random_uuid()) $$,
  'delivery_notifications returns no row for an unknown delivery');

select * from tests.finish();
rollback;
