-- mark_guest_notifications_read: a guest has seen the chat of an episode.
begin;
select tests.start();

select tests.podcast('show', 'ola'), tests.episode('pilot', 'show'), tests.episode('second', 'show');
select tests.guest_with_token('gus', 'pilot', 'active'), tests.guest_with_token('gil', 'pilot', 'active'),
  tests.guest_with_token('far', 'second', 'active');
select tests.notify_of('m' || n) from generate_series(1, 2) n, tests.message('m' || n, 'pilot', 'ola');
select tests.notify_of('m3') from tests.message('m3', 'second', 'ola');
create function pg_temp.unread() returns text language sql as $$
  select string_agg(u.name || ' ' || u.count, ', ' order by u.name) from (
    select i.name, count(*) from public.notifications n join tests.ids i on i.id = n.episode_guest_id
    where n.read_at is null group by i.name) u $$;
create function pg_temp.call(token text, episode text default 'pilot') returns text language sql as $$
  select format('select public.mark_guest_notifications_read(%L, %L)', tests.id(episode), token) $$;

select is(tests.result_of('anon', pg_temp.call('gus')), 'ok 1',
  'mark_guest_notifications_read is executable by the holder of an access token');
select is(pg_temp.unread(), 'pilot/gil 2, second/far 1',
  'mark_guest_notifications_read marks all notifications of the guest and of no other guest');
select is((select count(*) from public.notifications where episode_guest_id = tests.id('pilot/gus')
  and read_at = now() and updated_at = now()), 2::bigint, 'mark_guest_notifications_read sets the time of reading');
select lives_ok($$ select private.mark_guest_notifications_read(tests.id('pilot'), 'gus', now() + interval '1 hour') $$,
  'mark_guest_notifications_read is safe to repeat');
select is((select count(*) from public.notifications where episode_guest_id = tests.id('pilot/gus')
  and read_at = now()), 2::bigint, 'mark_guest_notifications_read keeps the time of the first reading');
select is(tests.result_of('ola', pg_temp.call('gil')), 'ok 1',
  'mark_guest_notifications_read accepts the token from a signed-in user');

select is(tests.describe_error(pg_temp.call('far')), 'PT403 / The access token belongs to another episode',
  'mark_guest_notifications_read returns 403 to a guest of another episode');
select is(tests.describe_error(pg_temp.call(token)), 'PT401 / Invalid access token / INVALID',
  format('mark_guest_notifications_read returns 401 for %s', title))
from (values ('none', 'an unknown token'), (null, 'no token'), ('', 'an empty token')) t (token, title);
select is(tests.error_of($$ select private.mark_guest_notifications_read(tests.id('pilot'), 'gus',
  now() + interval '91 days') $$), 'PT401 EXPIRED', 'mark_guest_notifications_read rejects an expired token');
select is(pg_temp.unread(), 'second/far 1', 'rejected calls of mark_guest_notifications_read mark nothing');
select tests.set_status('show', 'pending_deletion');
select is(tests.result_of('anon', pg_temp.call('far', 'second')), 'ok 1',
  'mark_guest_notifications_read accepts guests of a podcast pending deletion');

select * from tests.finish();
rollback;
