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

create function pg_temp.of_podcast() returns jsonb language sql as $$
  select jsonb_build_object('podcast_title', 'Night Trains', 'podcast_url',
    'https://casts.test/listen/night-trains', 'feed_url', private.feed_url('night-trains'), 'host_name', 'Ola',
    'host_email', 'ola@test.example')
$$;

-- A booking without an episode
select tests.request_booking('first', 'berlin', 50, 'grace', '{"name": "Grace  Brewster\nHopper",
  "timezone": "America/New_York"}');
select tests.value_as('ola', format('select public.confirm_booking(%L)', tests.id('first')));
select is((tests.execution('confirmed')).context_data, jsonb_build_object('podcast_id', tests.id('Night Trains'),
    'booking_id', tests.id('first'), 'episode_id', null, 'episode_guest_id', null, 'import_id', null,
    'podcast_guest_id', null, 'occurred_at', private.format_timestamp(now()),
    'timezone', 'Europe/Berlin', 'tags', pg_temp.of_podcast() || jsonb_build_object('guest_first_name', 'Grace',
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
select is((select context -> 'tags' from of_second) - '{podcast_title,podcast_url,feed_url,host_name,host_email,
    booking_start,booking_end,booking_timezone,booking_link_name,recording_start}'::text[],
  jsonb_build_object('episode_title', 'Paris to Vienna', 'episode_number', '12',
    'episode_url', 'https://casts.test/listen/night-trains/paris-to-vienna', 'guest_first_name', 'Ada',
    'guest_full_name', 'Ada', 'guest_email', 'ada@guests.example'),
  'a booking with an episode provides the episode''s tags, and its own guest');

select tests.episode('Vienna to Rome', 'Night Trains');
update bookings set episode_id = tests.id('Vienna to Rome') where id = tests.id('second');
select is(private.current_automation_context(context, now()) #>> '{tags,episode_title}', 'Vienna to Rome',
  'the present context of a booking has the episode with which it is linked now') from of_second;

-- An episode without guests
select tests.published_episode('Solo', 'Night Trains');
select is((tests.execution('published')).context_data, jsonb_build_object('podcast_id', tests.id('Night Trains'),
    'booking_id', null, 'episode_id', tests.id('Solo'), 'episode_guest_id', null, 'import_id', null,
    'podcast_guest_id', null, 'occurred_at', private.format_timestamp(now()),
    'timezone', 'Europe/Vienna', 'tags', pg_temp.of_podcast() || jsonb_build_object('episode_title', 'Solo',
      'episode_url', 'https://casts.test/listen/night-trains/solo',
      'episode_audio_url', (select e.audio_url from episodes e where e.id = tests.id('Solo')),
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
    - '{podcast_title,podcast_url,feed_url,host_name,host_email,episode_url,episode_title,episode_audio_url,
      episode_published_at}'::text[],
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
    'episode_guest_id', null, 'import_id', null, 'podcast_guest_id', null,
    'occurred_at', private.format_timestamp(now()), 'timezone', 'UTC'),
  'the context of a podcast has no booking and no episode of another');
select is(private.automation_context(tests.id('other'), tests.id('first'), tests.id('Talk'), now()) -> 'tags',
  jsonb_build_object('podcast_title', 'other', 'podcast_url', 'https://casts.test/listen/other', 'feed_url',
    private.feed_url('other'), 'host_name', 'Otto', 'host_email', 'otto@test.example'),
  'the context of a podcast has no tags of another');

select is(private.automation_context(tests.id('other'), null, null, now(), tests.id('Talk/late'), tests.id('ours'))
  #>> '{}', private.automation_context(tests.id('other'), null, null, now()) #>> '{}',
  'the context of a podcast has no guest and no import of another')
from (select tests.import('ours', 'Night Trains', 'completed')) i;

-- The host, external podcasts and artwork
select tests.member('ada', 'Night Trains', 'admin'), tests.open_link('talk', 'Night Trains');
update podcasts set title = 'Night Trains', cover_image_url = 'https://casts.test/show.jpg'
where id = tests.id('Night Trains');
create function pg_temp.tag(booking text, tag text) returns text language sql as $$
  select pg_temp.context(booking) #>> array['tags', tag]
$$;
select tests.request_booking('hosted', 'talk', 70, 'grace');
select tests.value_as('ada', format('select public.confirm_booking(%L, %L)', tests.id('hosted'), tests.id('Solo')));
select is(concat_ws(' ', pg_temp.tag('hosted', 'host_name'), pg_temp.tag('hosted', 'host_email')),
  'Ada ada@test.example', 'the host of a booking is the admin who confirmed it');
update podcast_members set role = 'member' where user_id = tests.id('ada');
select is(pg_temp.tag('hosted', 'host_email'), 'ola@test.example',
  'the host of a booking is the owner once the admin who confirmed it is a plain member');
update auth.users set is_sso_user = true where id = tests.id('ola');
select is(pg_temp.tag('hosted', 'host_email'), null, 'a host without a confirmed address has no host_email');
select is(concat_ws(' ', pg_temp.tag('hosted', 'podcast_cover_url'), pg_temp.tag('hosted', 'episode_cover_url')),
  'https://casts.test/show.jpg https://casts.test/show.jpg', 'an episode without artwork has the podcast''s');
update episodes set cover_image_url = 'https://casts.test/solo.jpg' where id = tests.id('Solo');
select is(pg_temp.tag('hosted', 'episode_cover_url'), 'https://casts.test/solo.jpg',
  'an episode with artwork has its own');
update episodes set status = 'draft' where id = tests.id('Solo');
select is(pg_temp.tag('hosted', 'episode_audio_url'), null, 'a draft has no episode_audio_url');
select tests.podcast('abroad', 'otto', 'external');
select is(private.automation_context(tests.id('abroad'), null, null, now()) -> 'tags' ? 'feed_url', false,
  'an external podcast has no feed_url');

-- What the guest wrote, and the place
update booking_links set questions = '[{"id": "topic", "label": "Your topic"}, {"id": "long", "label": "More"},
  {"id": "none", "label": "Unanswered"}]', location = '{"type": "custom", "value": "Studio 1"}'
where id = tests.id('talk');
select tests.request_booking('asked', 'talk', 72, 'grace', jsonb_build_object('notes', repeat('n', 3000),
  'answers', jsonb_build_object('topic', 'Sleeping cars', 'long', repeat('x', 2000))));
select is(pg_temp.tag('asked', 'booking_answer:Your topic'), 'Sleeping cars', 'each answer is a tag by its question');
select is(pg_temp.tag('asked', 'booking_answer:More'), repeat('x', 999) || '…', 'a long answer is cut');
select is(pg_temp.tag('asked', 'booking_answers'), e'Your topic: Sleeping cars\nMore: ' || repeat('x', 2000),
  'booking_answers has a line for each answer');
select is(pg_temp.context('asked') -> 'tags' ? 'booking_answer:Unanswered', false,
  'a question without an answer has no tag');
select is(pg_temp.tag('asked', 'booking_notes'), repeat('n', 1999) || '…', 'long notes are cut');
select is(pg_temp.tag('asked', 'booking_location'), null, 'a request has no booking_location');
select tests.value_as('ola', format('select public.confirm_booking(%L)', tests.id('asked')));
select is(pg_temp.tag('asked', 'booking_location'), 'Studio 1', 'a confirmed booking has its booking_location');
select tests.value_as('ola', format('select public.cancel_booking(%L, %L)', tests.id('asked'), 'Snow'));
select is(concat_ws(' ', pg_temp.tag('asked', 'cancelled_by'), pg_temp.tag('asked', 'booking_status_message')),
  'host Snow', 'a canceled booking has who canceled it and the message');
select is(private.without_strangers_texts(pg_temp.context('asked') -> 'tags'),
  (pg_temp.context('asked') -> 'tags') - '{booking_notes,booking_answers,booking_answer:More,
    booking_answer:Your topic}'::text[], 'without_strangers_texts leaves out notes and answers');

-- Guests and imports
select tests.podcast('cast', 'otto'), tests.episode('Chat', 'cast'), tests.guest('ann', 'Chat', 'active'),
  tests.guest('bob', 'Chat', 'active'), tests.import('moved', 'cast', 'partial'), tests.open_link('slot', 'cast');
update podcast_imports set total_items = 5, completed_count = 3, failed_count = 2 where id = tests.id('moved');
select is(c -> 'tags' @> '{"guest_full_name": "Bob", "guest_email": "bob@test.example", "episode_title": "Chat"}'
    and c @> jsonb_build_object('episode_guest_id', tests.id('Chat/bob'), 'episode_id', tests.id('Chat'),
      'podcast_guest_id', (select g.podcast_guest_id from episode_guests g where g.id = tests.id('Chat/bob'))), true,
  'the context of an episode guest has this guest and the episode')
from private.automation_context(tests.id('cast'), null, null, now(), tests.id('Chat/bob')) c;
select is(array(select r.email from private.automation_recipients(c, 'guest') r), array['bob@test.example'],
  'the guest of an accepted invitation is the only recipient among the guests of the episode')
from private.automation_context(tests.id('cast'), null, null, now(), tests.id('Chat/bob')) c;
select is(private.update_field_targets(c, 'guest', 'guest.accepted'), array[(c ->> 'podcast_guest_id')::uuid],
  'update_field of a guest changes the guest who accepted only')
from private.automation_context(tests.id('cast'), null, null, now(), tests.id('Chat/bob')) c;
select is(c -> 'tags' @> '{"import_episode_count": "3", "import_failed_count": "2"}'
  and c @> jsonb_build_object('import_id', tests.id('moved')), true, 'the context of an import has its counts')
from private.automation_context(tests.id('cast'), null, null, now(), null, tests.id('moved')) c;
select tests.request_booking('known', 'slot', 80, 'ann');
update podcast_guests set email = 'ann@guests.example' where email = 'ann@test.example'
  and podcast_id = tests.id('cast');
select is(private.automation_context(tests.id('cast'), tests.id('known'), null, now()) ->> 'podcast_guest_id',
  (select g.podcast_guest_id from episode_guests g where g.id = tests.id('Chat/ann'))::text,
  'the context of a booking has the guest record of its address');

-- first_name
select is(private.first_name(full_name), first, format('the first name of %s is %s', full_name, first))
from (values ('Ada King', 'Ada'), ('Ada', 'Ada'), ('Dr. Ada King', 'Ada'), ('Prof. Dr. Ada King', 'Ada'),
  ('dr Ada King', 'Ada'), ('Mrs. Ada', 'Ada'), ('Frau Ada King', 'Ada'), ('Dr.', 'Dr.'), ('Drew King', 'Drew'),
  ('Missy King', 'Missy'), ('Ms', 'Ms'), ('J. R. R. Tolkien', 'J.')) v (full_name, first);

-- current_automation_context
create temp table before_change as select private.automation_context(tests.id('cast'), tests.id('known'), null,
  now() - interval '1 hour', _previous_start => tests.slot(70)) as context;
update podcasts set title = 'New title' where id = tests.id('cast');
select is(private.current_automation_context(context, now()),
  jsonb_set(context, '{tags,podcast_title}', '"New title"'),
  'current_automation_context has the facts of now, and keeps when it occurred and the previous time')
from before_change;
select is(private.current_automation_context(c, now()), c,
  'current_automation_context has the same episode guest and import')
from private.automation_context(tests.id('cast'), null, null, now(), tests.id('Chat/bob'), tests.id('moved')) c;

select * from tests.finish();
rollback;
