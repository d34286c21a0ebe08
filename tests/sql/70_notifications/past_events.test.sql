-- Events from before notifications existed
begin;
select tests.start();

select tests.team('show', 'ola', 'ada', 'max'),
  tests.person('una'), tests.episode('pilot', 'show'), tests.guest('gus', 'pilot');
insert into public.push_subscriptions (user_id, endpoint) values (tests.id('ada'), 'https://push.test/ada');
insert into public.podcast_invitations (podcast_id, email, invited_by, expires_at)
values (tests.id('show'), 'una@test.example', tests.id('ola'), 'infinity');
delete from private.events;
delete from public.notifications;
delete from public.notification_deliveries;

alter table private.events disable trigger t900_fan_out;
create function pg_temp.past(type text, payload jsonb) returns void language sql as $$
  insert into private.events (type, payload, created_at) values ($1, $2, '2026-01-02T03:04:05Z')
$$;
select pg_temp.past('episode.team_added', jsonb_build_object('user_id', tests.id('max'), 'actor_id', tests.id('ola'),
    'podcast_id', tests.id('show'), 'episode_id', tests.id('pilot'), 'channels', '["in_app","email"]'::jsonb)),
  pg_temp.past('podcast.paused', jsonb_build_object('actor_id', tests.id('ola'), 'podcast_id', tests.id('show'))),
  pg_temp.past('podcast.deletion_scheduled', jsonb_build_object('actor_id', tests.id('ola'), 'podcast_id',
    tests.id('show'))),
  pg_temp.past('guest.accepted', jsonb_build_object('podcast_id', tests.id('show'), 'podcast_guest_id', (
    select id from public.podcast_guests))),
  pg_temp.past('podcast.member_invited', jsonb_build_object('podcast_id', tests.id('show'), 'actor_id',
    tests.id('ola'), 'invitation_id', (select id from public.podcast_invitations))),
  pg_temp.past('import.completed', jsonb_build_object('user_id', tests.id('ola'), 'podcast_id', gen_random_uuid())),
  pg_temp.past('episode.team_added', jsonb_build_object('user_id', tests.id('max'), 'podcast_id', tests.id('show'),
    'episode_id', gen_random_uuid())),
  pg_temp.past('import.failed', jsonb_build_object('user_id', gen_random_uuid(), 'podcast_id', gen_random_uuid())),
  pg_temp.past('podcast.unpaused', jsonb_build_object('actor_id', null, 'podcast_id', gen_random_uuid()));
alter table private.events enable trigger t900_fan_out;

select private.fan_out_past_events();
select results_eq($$ select n.type, i.name from public.notifications n join tests.ids i on i.id = n.user_id
    order by 1, 2 $$,
  $$ values ('episode.team_added', 'max'), ('guest.accepted', 'ada'), ('guest.accepted', 'ola'),
    ('podcast.deletion_scheduled', 'ada'), ('podcast.deletion_scheduled', 'max'),
    ('podcast.deletion_scheduled', 'ola'), ('podcast.member_invited', 'una'), ('podcast.paused', 'ada'),
    ('podcast.paused', 'max') $$,
  'fan_out_past_events writes the notifications that the events would have caused, if their subject still exists');
select set_eq('select created_at, read_at, archived_at from public.notifications',
  $$ select t, t as t2, null::timestamptz from (values ('2026-01-02T03:04:05Z'::timestamptz)) v (t) $$,
  'fan_out_past_events writes read notifications with the time of the event');
select is_empty('select from public.notification_deliveries', 'fan_out_past_events writes no email and no push');
select is_empty('select from private.events where processed_at is null or recipients is not null',
  'fan_out_past_events processes every event');
create temp table before as select count(*) from public.notifications;
select private.fan_out_past_events();
select results_eq('select count(*) from public.notifications', 'select count from before',
  'fan_out_past_events writes nothing a second time');

-- Profiles from before the preferences
delete from public.notification_preferences where user_id = tests.id('max');
update public.notification_preferences set email_chat_message = false where user_id = tests.id('ada');
select private.add_missing_notification_preferences();
select results_eq($$ select i.name, email_chat_message from public.notification_preferences p
    join tests.ids i on i.id = p.user_id where i.name in ('ada', 'max') order by 1 $$,
  $$ values ('ada', false), ('max', true) $$,
  'add_missing_notification_preferences adds missing rows and keeps what users chose');

-- Profiles from before the counts
delete from public.notifications;
select private.fold_notification_counts();
delete from private.notification_counts where user_id = tests.id('max');
select tests.notification('first', 'max'), tests.notification('second', 'max', tests.read());
create function pg_temp.counts() returns jsonb language sql as $$
  select tests.value_as('max', 'select public.get_notification_counts()')::jsonb - '{byCategory,needsAttention}'::text[]
$$;
select is(pg_temp.counts(), '{"inbox": 2, "unread": 1, "archived": 0}',
  'get_notification_counts is right for a user without a row of counts');
select private.add_missing_notification_counts();
select is(pg_temp.counts(), '{"inbox": 2, "unread": 1, "archived": 0}',
  'add_missing_notification_counts changes no result of get_notification_counts');
select private.fold_notification_counts();
select is_empty('select from private.notification_count_changes',
  'fold_notification_counts folds the changes of users whose rows were added');
select is(pg_temp.counts(), '{"inbox": 2, "unread": 1, "archived": 0}', 'the folded counts are right');
delete from private.notification_counts where user_id = tests.id('max') and category = 'team';
select private.add_missing_notification_counts();
select is((select count(*) from private.notification_counts where user_id = tests.id('max')), 5::bigint,
  'add_missing_notification_counts adds the row of a category from after the profile');
create function pg_temp.reject_row() returns trigger language plpgsql as $$ begin raise 'tried'; end $$;
create trigger reject_row before insert on private.notification_counts
  for each row execute function pg_temp.reject_row();
select lives_ok('select private.add_missing_notification_counts()',
  'add_missing_notification_counts tries to insert no row that exists');

select * from tests.finish();
rollback;
