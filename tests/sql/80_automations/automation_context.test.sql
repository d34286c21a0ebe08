-- What an execution knows of its occurrence: context_data of each trigger. fire_automations.test.sql has the triggers.
begin;
select tests.start();
update private.settings set value = 'https://casts.test/listen' where key = 'listen_url';

select tests.podcast('Night Trains', 'ola'), tests.podcast('other', 'otto');
update profiles set timezone = 'Europe/Vienna' where id = tests.id('ola');
select tests.open_link('berlin', 'Night Trains', '{"timezone": "Europe/Berlin", "name": "Interview"}');
select tests.rule('confirmed', 'Night Trains', 'booking.confirmed'),
  tests.rule('published', 'Night Trains', 'episode.published'),
  tests.rule('before', 'Night Trains', 'time.before_recording', trigger_config => '{"offset_minutes": 60}');

-- A booking without an episode
select tests.request_booking('first', 'berlin', 50, 'grace', '{"name": "Grace  Brewster\nHopper",
  "timezone": "America/New_York"}');
select tests.value_as('ola', format('select public.confirm_booking(%L)', tests.id('first')));
select is((tests.execution('confirmed')).context_data, jsonb_build_object('podcast_id', tests.id('Night Trains'),
    'booking_id', tests.id('first'), 'episode_id', null, 'occurred_at', private.format_timestamp(now()),
    'timezone', 'Europe/Berlin', 'tags', jsonb_build_object('podcast_title', 'Night Trains',
      'podcast_url', 'https://casts.test/listen/night-trains', 'host_name', 'Ola', 'guest_first_name', 'Grace',
      'guest_full_name', 'Grace Brewster Hopper', 'guest_email', 'grace@guests.example',
      'booking_start', private.format_timestamp(tests.slot(50)),
      'booking_end', private.format_timestamp(tests.slot(51)), 'booking_timezone', 'Europe/Berlin',
      'booking_link_name', 'Interview', 'recording_start', private.format_timestamp(tests.slot(50)))),
  'booking.confirmed provides podcast, host, guest and booking; the zone is that of the link');
select private.start_due_automations(tests.slot(49));
select is((tests.execution('before')).context_data, (tests.execution('confirmed')).context_data
  || jsonb_build_object('occurred_at', private.format_timestamp(tests.slot(49))),
  'time.before_recording provides the same, and when it ran');

-- A booking with an episode
select tests.episode('Paris to Vienna', 'Night Trains'), tests.guest('other-guest', 'Paris to Vienna', 'active');
update episodes set episode_number = 12 where id = tests.id('Paris to Vienna');
select tests.request_booking('second', 'berlin', 60, 'ada');
select tests.value_as('ola', format('select public.confirm_booking(%L, %L)', tests.id('second'),
  tests.id('Paris to Vienna')));
create temp view of_second as select e.context_data as context from automation_executions e
  where e.rule_name = 'confirmed' and e.context_data ->> 'booking_id' = tests.id('second')::text;
select is((select context ->> 'episode_id' from of_second), tests.id('Paris to Vienna')::text,
  'the context of a booking has its episode');
select is((select context -> 'tags' from of_second) - '{podcast_title,podcast_url,host_name,booking_start,booking_end,
    booking_timezone,booking_link_name,recording_start}'::text[],
  jsonb_build_object('episode_title', 'Paris to Vienna', 'episode_number', '12',
    'episode_url', 'https://casts.test/listen/night-trains/paris-to-vienna', 'guest_first_name', 'Ada',
    'guest_full_name', 'Ada', 'guest_email', 'ada@guests.example'),
  'a booking with an episode provides the episode''s tags, and its own guest');

-- An episode without guests
select tests.published_episode('Solo', 'Night Trains');
select is((tests.execution('published')).context_data, jsonb_build_object('podcast_id', tests.id('Night Trains'),
    'booking_id', null, 'episode_id', tests.id('Solo'), 'occurred_at', private.format_timestamp(now()),
    'timezone', 'Europe/Vienna', 'tags', jsonb_build_object('podcast_title', 'Night Trains',
      'podcast_url', 'https://casts.test/listen/night-trains', 'host_name', 'Ola', 'episode_title', 'Solo',
      'episode_url', 'https://casts.test/listen/night-trains/solo',
      'episode_published_at', private.format_timestamp(now()))),
  'episode.published provides podcast, host and episode, without tags that have no value; the zone is the owner''s');

-- An episode with guests
delete from automation_executions;
select tests.episode('Talk', 'Night Trains'), tests.upload_audio('Talk');
select tests.guest('late', 'Talk', 'active'), tests.guest('early', 'Talk', 'active'),
  tests.guest('earlier', 'Talk', 'invited'), tests.guest('earliest', 'Talk', 'removed');
update episode_guests g set invited_at = now() - make_interval(days => v.days)
from (values ('early', 1), ('earlier', 2), ('earliest', 3)) v (name, days) where g.id = tests.id('Talk/' || v.name);
update podcast_guests set display_name = 'Early Byrd' where email = 'early@test.example';
update episodes set status = 'published', episode_number = 7 where id = tests.id('Talk');
select is(((tests.execution('published')).context_data -> 'tags')
    - '{podcast_title,podcast_url,host_name,episode_url,episode_title,episode_published_at}'::text[],
  '{"episode_number": "7", "guest_first_name": "Early", "guest_full_name": "Early Byrd",
    "guest_email": "early@test.example"}', 'episode.published provides the active guest who was invited first');
update episode_guests g set invited_at = now() - interval '4 days' where g.id = tests.id('Talk/late');
select is(private.automation_context(tests.id('Night Trains'), null, tests.id('Talk'), now())
  #>> '{tags,guest_email}', 'late@test.example', 'a guest who was invited again at another time has another place');

-- The context is a snapshot
update podcasts set title = 'Renamed' where id = tests.id('Night Trains');
update episodes set title = 'Renamed' where id = tests.id('Talk');
select is((tests.execution('published')).context_data #>> '{tags,podcast_title}', 'Night Trains',
  'the context keeps the values of the occurrence');

-- Values that are missing
create function pg_temp.context(booking text, episode text default null) returns jsonb language sql as $$
  select private.automation_context(tests.id('Night Trains'), tests.id(booking),
    case when episode is not null then tests.id(episode) end, now())
$$;
alter table public.booking_links disable trigger user;  -- or the link could not be deleted with open bookings
delete from booking_links where id = tests.id('berlin');
alter table public.booking_links enable trigger user;
select is(pg_temp.context('first') ->> 'timezone', 'Europe/Vienna', 'a booking without link has the owner''s zone');
select is(pg_temp.context('first') #>> '{tags,booking_timezone}', 'America/New_York',
  'a booking without link has the guest''s zone as booking_timezone');
select is(pg_temp.context('first') #>> '{tags,booking_link_name}', 'Interview',
  'a booking without link has the name that the link had');
update profiles set display_name = null where id = tests.id('ola');
update podcasts set author = 'The Night Team' where id = tests.id('Night Trains');
select is(pg_temp.context('first') #>> '{tags,host_name}', 'The Night Team',
  'an owner without name has the podcast''s author as host_name');
update podcasts set author = null where id = tests.id('Night Trains');
select is(pg_temp.context('first') #>> '{tags,host_name}', 'Renamed',
  'an owner without name and author has the podcast''s title as host_name');

-- Other podcasts
select tests.episode('foreign', 'other'), tests.guest('spy', 'foreign', 'active');
update bookings set episode_id = tests.id('foreign') where id = tests.id('second');
select is(pg_temp.context('second') -> 'episode_id', 'null', 'the episode of another podcast is not in the context');
select is(pg_temp.context('second') -> 'tags' ?| '{episode_title,episode_url}', false,
  'the context has no tags of another podcast''s episode');
select is(private.automation_context(tests.id('other'), tests.id('first'), tests.id('Talk'), now()) - '{tags}'::text[],
  jsonb_build_object('podcast_id', tests.id('other'), 'booking_id', null, 'episode_id', null,
    'occurred_at', private.format_timestamp(now()), 'timezone', 'UTC'),
  'the context of a podcast has no booking and no episode of another');
select is(private.automation_context(tests.id('other'), tests.id('first'), tests.id('Talk'), now()) -> 'tags',
  '{"podcast_title": "other", "podcast_url": "https://casts.test/listen/other", "host_name": "Otto"}',
  'the context of a podcast has no tags of another');

-- The registry of tags
update profiles set display_name = 'Ola' where id = tests.id('ola');
select is_empty(format($$ select t from (
    select jsonb_object_keys(pg_temp.context('first') -> 'tags') union
    select jsonb_object_keys(private.automation_context(%L, null, %L, now()) -> 'tags')) k (t)
  where t not in (select tag from automation_tags) $$, tests.id('Night Trains'), tests.id('Talk')),
  'each tag of a context is in the registry');
select is_empty(format($$ select t.tag, v.trigger from automation_tags t
  join (values ('booking.confirmed'::automation_trigger, pg_temp.context('first')),
    ('time.before_recording', pg_temp.context('first')),
    ('episode.published', private.automation_context(%L, null, %L, now()))) v (trigger, context)
    on v.trigger = any (t.triggers)
  where not v.context -> 'tags' ? t.tag $$, tests.id('Night Trains'), tests.id('Talk')),
  'a context has each tag that the registry promises of its trigger');

select * from tests.finish();
rollback;
