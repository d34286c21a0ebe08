-- change_inbox: the slices in which the verbs of many notifications change them.
begin;
select tests.start();

select tests.person('ola');
insert into public.notifications (user_id, type, category, priority, title, created_at)
select tests.id('ola'), 'chat.message', 'team', 'low', 'N', '2026-01-01'::timestamptz + n / 3 * interval '1 minute'
from generate_series(1, 10) n;
create function pg_temp.change(max_slice_rows int, time_limit interval) returns jsonb language sql as $$
  select private.change_inbox('count', 'read_at = $1', 'n.read_at is null', time_limit => $2, max_slice_rows => $1)
$$;
create function pg_temp.unread_count() returns bigint language sql as $$
  select count(*) from public.notifications n where n.read_at is null
$$;
select set_config('request.jwt.claims', jsonb_build_object('sub', tests.id('ola'))::text, true);

select is(pg_temp.change(4, '0 s'), '{"count": 4, "hasMore": true}',
  'change_inbox changes one slice when its time has ended before');
select is(array(select n.created_at from public.notifications n where n.read_at is not null order by 1 desc),
  array(select n.created_at from public.notifications n order by 1 desc limit 4),
  'change_inbox begins with the newest notifications');
select is(pg_temp.change(4, '1 hour'), '{"count": 6, "hasMore": false}',
  'change_inbox changes all slices that its time allows');
select is(pg_temp.unread_count(), 0::bigint, 'change_inbox leaves no gap between its slices');
select is((select sum(c.unread) from private.my_notification_counts() c), 0::bigint,
  'change_inbox changes the counts with each slice');
update public.notifications set read_at = null;
select is(array(select pg_temp.change(10, time_limit::interval) from unnest(array['1 hour', '0 s']) time_limit),
  array['{"count": 10, "hasMore": false}', '{"count": 0, "hasMore": false}']::jsonb[],
  'change_inbox looks for more after a full slice');
update public.notifications set read_at = null;
select is(pg_temp.change(10, '0 s'), '{"count": 10, "hasMore": false}',
  'change_inbox that has to end says that there is more only if there is');

select * from tests.finish();
rollback;
