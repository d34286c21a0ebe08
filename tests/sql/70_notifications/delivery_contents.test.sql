-- Pushes of a group that wait become one, chat emails back off, and people who lost their role receive nothing.
begin;
select tests.start();

select tests.podcast('show', 'ola'), tests.member('mia', 'show'), tests.episode('pilot', 'show'),
  tests.push_subscription('phone', 'mia');
create function pg_temp.notify(type text, title text, at timestamptz, priority text default null) returns void
language sql as $$
  select private.notify(type, private.user_recipients(tests.id('mia')), jsonb_build_object('podcast_id',
    tests.id('show'), 'episode_id', tests.id('pilot'), 'params', jsonb_build_object('excerpt', title, 'actor', title)),
    _group_key => 'chat', _priority => priority, at => notify.at);
$$;
create function pg_temp.pushes() returns text language sql as $$
  select string_agg(concat_ws(' ', d.type, d.priority, d.status, to_char(d.due_at at time zone 'UTC', 'HH24:MI'), (
    select count(*) from private.collapsed_notifications c where c.delivery_id = d.id)), ', '
    order by d.created_at, d.id)
  from public.notification_deliveries d where d.channel = 'push' $$;
create function pg_temp.begun(at timestamptz) returns jsonb language sql as $$
  select (private.begin_push_delivery(d.id, at) -> 'content') - '{deliveryId,notificationId}'::text[]
  from public.notification_deliveries d where d.channel = 'push' and d.status = 'queued' $$;

-- quiet hours
update public.notification_preferences set quiet_hours_start = '22:00', quiet_hours_end = '07:00', email_chat_message =
  false, email_chat_mention = false where user_id = tests.id('mia');
select pg_temp.notify('chat.message', 'n' || n, '2026-01-01T23:00:00Z'::timestamptz + n * interval '1 minute')
from generate_series(1, 25) n order by n;
select is(pg_temp.pushes(), 'chat.message normal pending 07:00 25', 'the messages of a night become one push');
select is(private.enqueue_due_deliveries('2026-01-02T07:00:00Z'), 1, 'the push of a night is due when quiet hours end');
select is(pg_temp.begun('2026-01-02T07:00:00Z'), jsonb_build_object('title', (
    select n.title || ' (25)' from public.notifications n where n.body = 'n25'), 'body', 'n25', 'url',
    format('https://casts.test/podcasts/%s/episodes/%s', tests.id('show'), tests.id('pilot')),
    'count', 25, 'tag', 'chat'),
  'a push for several notifications has the texts of the newest, their number, and the group as its tag');
select private.record_push_sends(d.id, jsonb_build_array(jsonb_build_object('subscription_id', tests.id('phone'),
  'outcome', 'accepted'))), private.record_push_click(d.id, n.id)
from public.notification_deliveries d, public.notifications n where d.channel = 'push' and n.body = 'n25';
select is(pg_temp.pushes(), 'chat.message normal clicked 07:00 25',
  'a click on a push for several notifications is recorded with the id of the newest');

delete from public.notifications; delete from public.notification_deliveries;
select pg_temp.notify('chat.message', 'first', '2026-01-01T23:00:00Z'),
  pg_temp.notify('chat.mention', 'second', '2026-01-01T23:01:00Z');
select is(pg_temp.pushes(), 'chat.mention immediate pending 23:01 2', 'a mention sends the push of its group at once');
select private.enqueue_due_deliveries('2026-01-01T23:01:00Z');
update public.notifications set read_at = now() where type = 'chat.mention';
select is(pg_temp.begun('2026-01-01T23:01:01Z'), null, 'a push whose mention was read waits like the messages');
select is(pg_temp.pushes(), 'chat.message normal pending 07:00 1',
  'a push whose mention was read is pending until quiet hours end');
select pg_temp.notify('chat.message', 'third', '2026-01-01T23:02:00Z');
select is(private.enqueue_due_deliveries('2026-01-02T07:00:00Z'), 2,
  'messages after a push that was postponed are a push of their own');

delete from public.notifications; delete from public.notification_deliveries;
select pg_temp.notify('chat.mention', 'usual', '2026-01-01T23:00:00Z', 'normal');
select is(pg_temp.pushes(), 'chat.mention normal pending 07:00 1', 'a mention over the limit waits for the morning');
delete from public.notifications; delete from public.notification_deliveries;
select private.notify(t.type, private.user_recipients(tests.id('mia')), jsonb_build_object('podcast_id',
  tests.id('show')), at => '2026-01-01T23:00:00Z')
from public.notification_types t where t.priority = 'immediate' and 'push' = any (t.channels);
update public.notification_preferences set push_billing = true where user_id = tests.id('mia');
select set_eq($$ select d.type from public.notification_deliveries d
    where d.channel = 'push' and d.due_at = '2026-01-01T23:00:00Z' $$,
  $$ select type from public.notification_types where passes_quiet_hours $$,
  'only types that pass quiet hours are pushed in them');

-- order
delete from public.notifications; delete from public.notification_deliveries;
update public.notification_preferences set push_team_changes = true where user_id = tests.id('mia');
select private.notify('podcast.member_removed', private.user_recipients(tests.id('mia')), jsonb_build_object(
  'podcast_id', tests.id('show'), 'params', jsonb_build_object('member', 'm' || to_char(n, 'FM00'))),
  at => '2026-01-01T23:00:00Z'::timestamptz + n * interval '1 second')
from generate_series(1, 20) n;
select private.enqueue_due_deliveries('2026-01-02T07:00:00Z');
select is((
    select array_agg(substring(n.title from 'm\d\d') order by q.msg_id) from pgmq.q_push_deliveries q
    join public.notification_deliveries d on d.id = (q.message ->> 'delivery_id')::uuid
    join public.notifications n on n.id = d.notification_id),
  array(select 'm' || to_char(n, 'FM00') from generate_series(1, 20) n),
  'pushes that are due at the same time are enqueued in the order in which they were written');

-- emails back off
update public.notification_preferences set quiet_hours_start = null, quiet_hours_end = null, email_chat_message = true
where user_id = tests.id('mia');
create function pg_temp.email_delay(at timestamptz) returns interval language plpgsql as $$
declare
  email public.notification_deliveries;
begin
  perform pg_temp.notify('chat.message', 'again', at);
  select * into email from public.notification_deliveries d where d.channel = 'email' and d.status = 'pending';
  perform private.enqueue_due_deliveries(email.due_at);
  perform private.begin_email_delivery(email.id, at => email.due_at);
  perform private.record_email_sent(email.id, at => email.due_at);
  return email.due_at - at;
end $$;
delete from public.notifications; delete from public.notification_deliveries;
select is((select array_agg(pg_temp.email_delay('2026-02-01Z'::timestamptz + n * interval '2 days') order by n)
    from generate_series(1, 12) n),
  array['2 minutes', '4 minutes', '8 minutes', '16 minutes', '32 minutes', '64 minutes', '128 minutes', '256 minutes',
    '512 minutes', '1024 minutes', '24 hours', '24 hours']::interval[],
  'each email of a group that its recipient does not read waits twice as long, up to a day');
update public.notifications set read_at = now() where body = 'again' and created_at = '2026-02-05Z';
select is(pg_temp.email_delay('2026-03-01Z'), '24 hours',
  'reading one of several messages of a group does not end the back-off');
update public.notifications set read_at = now() where body = 'again';
select is(pg_temp.email_delay('2026-03-01T12:00Z'), '2 minutes',
  'reading the last message of the group ends the back-off');
select is(pg_temp.email_delay('2026-03-01T13:00Z'), '4 minutes', 'a back-off begins again after reading');
select private.purge_notifications('2026-03-08T13:03:00Z');
select is(pg_temp.email_delay('2026-03-08T13:03:00Z'), '4 minutes' + interval '4 minutes',
  'a back-off stays for a week');
select private.purge_notifications('2026-03-20Z');
select is(pg_temp.email_delay('2026-03-20Z'), '2 minutes', 'a back-off ends a week after its email');
update public.notification_preferences set in_app_chat_message = false where user_id = tests.id('mia');
delete from private.email_backoffs;
select is(pg_temp.email_delay('2026-04-01Z') || ' ' || pg_temp.email_delay('2026-04-02Z'), '00:02:00 00:02:00',
  'a user who turned the app off gets each email without back-off');

delete from public.notifications; delete from public.notification_deliveries;
select pg_temp.notify('chat.message', 'left', '2026-05-01Z');
select private.enqueue_due_deliveries('2026-05-01Z');
delete from public.podcast_members where user_id = tests.id('mia');
select is(pg_temp.begun('2026-05-01Z'), null, 'a push of a group is not sent to a member who left');
select matches(pg_temp.pushes(), '^chat.message normal canceled', 'a push of a group to a member who left is canceled');
select tests.member('mia', 'show');

-- roles: nothing that waits tells those who lost theirs
select tests.member('ada', 'show', 'admin'), tests.push_subscription('adas', 'ada'),
  tests.guest('gus', 'pilot', 'active');
create function pg_temp.after_loss(type text, loss text, is_begun boolean, podcast text default 'show') returns text
language plpgsql as $$
declare
  sent public.notification_deliveries;
  outcome text;
begin
  delete from public.notifications; delete from public.notification_deliveries;
  update public.podcast_members set role = 'admin' where user_id = tests.id('ada');
  perform tests.member('ada', podcast, 'admin') where not exists (
    select from public.podcast_members where user_id = tests.id('ada') and podcast_id = tests.id(podcast));
  delete from public.notifications; delete from public.notification_deliveries;
  perform private.notify(type, private.user_recipients(tests.id('ada')), jsonb_build_object('podcast_id',
    tests.id(podcast), 'episode_id', tests.id('pilot')));
  update public.notification_deliveries set status = 'queued';
  select * into sent from public.notification_deliveries where channel = 'email';
  if is_begun then
    perform private.begin_email_delivery(sent.id);
  end if;
  execute loss;
  perform private.begin_email_delivery(d.id), private.begin_push_delivery(d.id)
  from public.notification_deliveries d where d.type = after_loss.type;
  return (select string_agg(distinct concat_ws(' ', d.status, s.last_error), ', ')
    from public.notification_deliveries d join private.delivery_sends s on s.delivery_id = d.id
    where d.type = after_loss.type);
end $$;
select is(pg_temp.after_loss(type, format('update public.podcast_members set role = ''member'' where user_id = %L',
    tests.id('ada')), is_begun), 'canceled The recipient no longer has access',
  format('a former admin gets nothing of %s that waits (%s)', type,
    case when is_begun then 'between attempts' else 'not begun' end))
from unnest(array['booking.requested', 'import.failed']) type, unnest(array[true, false]) is_begun;
select is(pg_temp.after_loss(type, format('delete from public.podcast_members where user_id = %L',
    tests.id('ada')), is_begun), 'canceled The recipient no longer has access',
  format('a former member gets nothing of %s that waits (%s)', type,
    case when is_begun then 'between attempts' else 'not begun' end))
from unnest(array['booking.cancelled', 'chat.mention', 'podcast.transfer_offered']) type,
  unnest(array[true, false]) is_begun;
select matches(pg_temp.after_loss('podcast.member_removed', format(
  'delete from public.podcast_members where user_id = %L', tests.id('ada')), false), '^queued',
  'a removed member gets the notice of the removal');
select is(pg_temp.after_loss(type, format('delete from public.podcasts where id = %L', tests.id(podcast)), is_begun,
    podcast), 'canceled The recipient no longer has access',
  format('nothing of %s that waits is sent after the podcast was deleted (%s)', type,
    case when is_begun then 'between attempts' else 'not begun' end))
from (values ('one', 'podcast.paused', false), ('two', 'chat.message', true)) v (podcast, type, is_begun)
cross join lateral tests.podcast(podcast, 'ola') p;
select matches(pg_temp.after_loss('podcast.deleted', format('delete from public.podcasts where id = %L',
  tests.id('three')), false, 'three'), '^queued',
  'a member gets the notice of a deletion after the podcast was deleted')
from tests.podcast('three', 'ola') p;

select * from tests.finish();
rollback;
