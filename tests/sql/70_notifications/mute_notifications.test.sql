-- mute_notifications: what it ends and what passes, who may call it, its values and its limit.
begin;
select tests.start();

select tests.podcast('show', 'ola'), tests.member('mia', 'show'), tests.episode('pilot', 'show'),
  tests.episode('second', 'show'), tests.podcast('other', 'ola'), tests.member('mia', 'other'), tests.person('eve'),
  tests.push_subscription('phone', 'mia');
create function pg_temp.id(name text) returns uuid language sql as
  $$ select i.id from tests.ids i where i.name = $1 $$;
create function pg_temp.mute(who text, scope text, podcast text, episode text, more text default '') returns text
language sql as $$
  select tests.describe_error(format('select tests.value_as(%L, %L)', who, format(
    'select public.mute_notifications(%L, %L, %L%s)', scope, pg_temp.id(podcast), pg_temp.id(episode), more))) $$;
create function pg_temp.value(statement text) returns text language plpgsql as $$
declare
  value text;
begin
  perform tests.act_as('mia');
  execute statement into value;
  perform tests.act_as('postgres');
  return value;
end $$;
-- What a worker sends to mia of an event: 'email push' or why not.
create function pg_temp.sent(type text, podcast text, episode text default null, group_key text default null,
  at timestamptz default now(), came_at timestamptz default null) returns text language plpgsql as $$
declare
  outcome text;
begin
  delete from public.notifications; delete from public.notification_deliveries;
  update public.notification_preferences set email_episode_published = true where user_id = tests.id('mia');
  perform private.notify(type, private.user_recipients(tests.id('mia')), jsonb_strip_nulls(jsonb_build_object(
    'podcast_id', tests.id(podcast), 'episode_id', pg_temp.id(episode))), _group_key => group_key,
    at => coalesce(came_at, at));
  update public.notification_deliveries set status = 'queued';
  select string_agg(case when r.content is not null then d.channel::text else s.last_error end, ' '
    order by d.channel) into outcome
  from public.notification_deliveries d
  cross join lateral (select case d.channel when 'push' then private.begin_push_delivery(d.id, at)
    else private.begin_email_delivery(d.id, at => at) end) r (content)
  left join private.delivery_sends s on s.delivery_id = d.id;
  if (select count(*) from public.notifications n where n.read_at is null) <> 1 then
    return 'not in the inbox';
  end if;
  return (select string_agg(case when s.content is not null then d.channel::text else s.last_error end, ' '
    order by d.channel) from public.notification_deliveries d
    left join private.delivery_sends s on s.delivery_id = d.id);
end $$;

-- What it ends
select is(pg_temp.sent('episode.published', 'show', 'pilot'), 'email push', 'a member gets emails and pushes');
select pg_temp.mute('mia', 'podcast', 'show', null);
select is(pg_temp.sent('episode.published', 'show', 'pilot'), 'The recipient muted it The recipient muted it',
  'a muted podcast sends neither emails nor pushes, and the inbox shows the notification');
select is(pg_temp.sent('episode.published', 'other'), 'email push', 'another podcast than the muted one sends both');
select is(pg_temp.sent('chat.mention', 'show', 'pilot', private.chat_group_key(tests.id('pilot'))), 'email push',
  'a mention passes the mute of its podcast');
select is(pg_temp.sent('podcast.deletion_scheduled', 'show'), 'email push', 'an essential type passes a mute');
select pg_temp.mute('mia', 'podcast', 'show', null, ', null, true');
select is(pg_temp.sent('chat.mention', 'show', 'pilot', private.chat_group_key(tests.id('pilot'))),
  'The recipient muted it The recipient muted it', 'mutes_mentions ends mentions, too');
select is((select count(*) from public.notification_mutes), 1::bigint, 'muting again changes the mute');
delete from public.notification_mutes;
select pg_temp.mute('mia', 'episode', null, 'pilot');
select is(pg_temp.sent('episode.published', 'show', 'pilot'), 'The recipient muted it The recipient muted it',
  'a muted episode sends neither emails nor pushes');
select is(pg_temp.sent('episode.published', 'show', 'second'), 'email push', 'another episode sends both');
select is(pg_temp.sent('podcast.paused', 'show'), 'email', 'the podcast of a muted episode sends emails');
delete from public.notification_mutes;
select pg_temp.mute('mia', 'chat', null, 'pilot');
select is(pg_temp.sent('chat.message', 'show', 'pilot', private.chat_group_key(tests.id('pilot'))),
  'The recipient muted it The recipient muted it', 'a muted chat sends neither emails nor pushes');
select is(pg_temp.sent('episode.published', 'show', 'pilot'), 'email push', 'the episode of a muted chat sends both');
delete from public.notification_mutes;
select pg_temp.mute('mia', 'podcast', 'show', null, format(', %L', now() + interval '1 hour'));
select is(pg_temp.sent('episode.published', 'show', 'pilot', at => now() + interval '59 minutes'),
  'The recipient muted it The recipient muted it', 'a mute until a time holds before it');
select is(pg_temp.sent('episode.published', 'show', 'pilot', at => now() + interval '61 minutes'), 'email push',
  'a mute until a time ends then');
select is(pg_temp.sent('episode.published', 'show', 'pilot', at => now() + interval '61 minutes',
    came_at => now() + interval '59 minutes'), 'The recipient muted it The recipient muted it',
  'what came while a mute held is not sent after it');
select is(pg_temp.sent('episode.published', 'show', 'pilot', at => now() + interval '61 minutes',
    came_at => now() - interval '1 minute'), 'email push', 'what came before a mute is sent after it');
select is(pg_temp.value('select private.list_notification_mutes(now() + interval ''2 hours'') -> ''mutes'''), '[]',
  'a mute that has ended is not listed');
select is(pg_temp.value(format($$ select private.mute_notifications('podcast', %L, null, null, false,
    now() + interval '2 hours') #>> '{mute,created_at}' $$, tests.id('show'))),
  private.format_timestamp(now() + interval '2 hours'), 'a mute that has ended begins again');
select is(current_setting('response.status'), '201', 'a mute that begins again is 201');
update public.notification_mutes set muted_until = now() + interval '3 hours';
select private.purge_notifications(now() + interval '30 days' + interval '2 hours');
select is((select count(*) from public.notification_mutes), 1::bigint, 'a mute is kept until 30 days after its end');
select private.purge_notifications(now() + interval '30 days' + interval '3 hours');
select is((select count(*) from public.notification_mutes), 0::bigint, 'purge_notifications deletes old mutes');
select pg_temp.mute('mia', 'podcast', 'show', null);
update public.notification_mutes set muted_until = null;
select private.notify('chat.message', private.user_recipients(tests.id('ola')), jsonb_build_object('podcast_id',
  tests.id('show')), _group_key => 'g');
select ok((select private.delivery_problem(d, now()) is null from public.notification_deliveries d
    where d.user_id = tests.id('ola') and d.channel = 'email'), 'a mute of one user ends nothing for another');

-- Callers and values
delete from public.notification_mutes;
select is(pg_temp.mute(who, 'podcast', 'show', null), expected, format('mute_notifications as %s', who))
from (values ('anon', '42501 / permission denied for function mute_notifications'),
  ('eve', 'PT403 / You are not a member of this podcast')) v (who, expected);
select is(pg_temp.mute('mia', 'podcast', null, null), 'PT400 / Invalid request / the scope podcast needs '
  'podcast_id, the scopes episode and chat need episode_id, and no other id',
  'mute_notifications needs the id of the scope');
select matches(pg_temp.mute('mia', scope, podcast, episode), '^PT400', format('mute_notifications rejects %s', title))
from (values ('podcast', 'show', 'pilot', 'a podcast with an episode'),
  ('episode', 'show', null, 'an episode without id'),
  ('chat', 'show', 'pilot', 'a chat with a podcast')) v (scope, podcast, episode, title);
select matches(pg_temp.mute('mia', 'podcast', 'show', null, format(', %L', until)), '^PT400 .*muted_until',
  format('mute_notifications rejects a time %s', title))
from (values (now() - interval '1 second', 'in the past'), (now() + interval '11 years', 'after ten years'))
  v (until, title);
select is(tests.error_of($$ select tests.value_as('mia', format(
  'select public.mute_notifications(''episode'', null, %L)',
  gen_random_uuid())) $$), 'PT404', 'mute_notifications returns 404 for an unknown episode');
select pg_temp.mute('mia', 'podcast', 'show', null), pg_temp.mute('ola', 'podcast', 'other', null);
select is(tests.result_of(who, 'select from public.notification_mutes'), expected,
  format('selecting mutes as %s returns %s', who, expected))
from (values ('anon', '42501'), ('eve', 'ok 0'), ('mia', 'ok 1'), ('ola', 'ok 1'), ('service', 'ok 2'))
  v (who, expected);
select is(tests.result_of('mia', statement), '42501', format('a user may not %s a mute directly', verb))
from (values ('insert', $$ insert into public.notification_mutes (user_id, scope, podcast_id)
    values (tests.id('mia'), 'podcast', tests.id('other')) $$),
  ('update', 'update public.notification_mutes set mutes_mentions = true'),
  ('delete', 'delete from public.notification_mutes')) v (verb, statement);
delete from public.podcast_members where user_id = tests.id('mia') and podcast_id = tests.id('show');
select is_empty($$ select from public.notification_mutes where user_id = tests.id('mia') $$,
  'who leaves the team loses the mute, and joins again without it');

-- Limit
select private.set_setting('max_notification_mutes_per_user', '2');
select is(pg_temp.mute('ola', 'podcast', 'show', null), 'none', 'a user mutes as much as the limit allows');
select is(pg_temp.mute('ola', 'episode', null, 'pilot'), 'PT409 / You have muted as much as possible; unmute '
  'something, or turn types off in your notification preferences / TOO_MANY_MUTES', 'one more is rejected');
select is(pg_temp.mute('ola', 'podcast', 'show', null), 'none', 'a mute at the limit can change');
update public.notification_mutes set muted_until = now() - interval '1 second' where podcast_id = tests.id('show');
select is(pg_temp.mute('ola', 'episode', null, 'pilot'), 'none', 'mutes that have ended do not count');

select * from tests.finish();
rollback;
