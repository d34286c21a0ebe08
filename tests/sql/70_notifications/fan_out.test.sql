-- Fan-out: who is notified of an event, on which channels, in which language
begin;
select tests.start();

select tests.person(name) from unnest(array['ann', 'bob', 'cleo', 'dave']) name;
select tests.podcast('show', 'ann'), tests.episode('pilot', 'show'), tests.guest('gus', 'pilot', 'active');
delete from private.events;
delete from public.notifications;

-- What a person received, as channel or in_app with its state, and where it leads
create function pg_temp.received(person text) returns setof text language sql as $$
  select case when n.archived_at is not null then 'archived ' when n.read_at is not null then 'read ' else '' end
    || 'in_app' from public.notifications n where n.user_id = tests.id(person)
  union all select d.channel::text from public.notification_deliveries d where d.user_id = tests.id(person)
$$;
create function pg_temp.event(event_id bigint) returns private.events language sql volatile as $$
  select e from private.events e where e.id = event_id
$$;
create function pg_temp.notify(type text, people text[], payload jsonb default '{}', dedupe_key text default null,
  group_key text default null, priority text default null, scheduled_for timestamptz default null,
  at timestamptz default now())
returns private.events language sql as $$
  select pg_temp.event(private.notify(notify.type,
    private.user_recipients(variadic array(select tests.id(p) from unnest(people) p)), notify.payload,
    notify.dedupe_key, notify.group_key, null, notify.priority, notify.scheduled_for, notify.at))
$$;
create function pg_temp.forget() returns void language sql as $$
  delete from public.notifications; delete from public.notification_deliveries; delete from private.events
$$;

-- A row and its columns
select private.notify('episode.team_added', private.user_recipients(tests.id('bob')),
  jsonb_build_object('podcast_id', tests.id('show'), 'episode_id', tests.id('pilot'), 'actor_id', tests.id('ann'),
    'user_id', tests.id('bob')), _group_key => 'g', at => '2026-01-02T03:04:05Z');
select is(to_jsonb(n) - 'id', jsonb_build_object('user_id', tests.id('bob'), 'unlisted_user_id', null,
    'episode_guest_id', null,
    'type', 'episode.team_added', 'category', 'episode', 'priority', 'normal', 'title', 'You''re on “pilot”',
    'body', 'Ann added you to the team of this episode of show.',
    'link', format('/podcasts/%s/episodes/%s', tests.id('show'), tests.id('pilot')),
    'metadata', jsonb_build_object('podcast_id', tests.id('show'), 'episode_id', tests.id('pilot')),
    'group_key', 'g', 'scheduled_for', null, 'released_for', null, 'read_at', null, 'archived_at', null,
    'created_at', '2026-01-02T03:04:05+00:00'::timestamptz, 'updated_at', '2026-01-02T03:04:05+00:00'::timestamptz),
  'notify writes a notification with the catalogue''s columns, texts, link and ids, without people''s ids')
from public.notifications n;
select results_eq($$ select d.channel::text, d.status::text, d.user_id, n.id = d.notification_id, d.due_at
    from public.notification_deliveries d, public.notifications n $$,
  $$ values ('email', 'pending', tests.id('bob'), true, '2026-01-02T03:04:05Z'::timestamptz) $$,
  'notify writes a pending delivery per chosen channel');
select results_eq('select recipients, processed_at, notified_count, deduped_count from private.events',
  $$ values (null::jsonb, now(), 1, 0) $$, 'notify counts the notified and forgets the recipients');

-- Recipients
select pg_temp.forget();
select is((pg_temp.notify('import.completed', array['bob', 'bob'])).notified_count, 1,
  'notify notifies a user who is named twice once');
select is((pg_temp.event(private.notify('import.completed', private.user_recipients(gen_random_uuid(), null), '{}'))
  ).notified_count, 0, 'notify ignores users without a profile');
select is((pg_temp.event(private.notify('import.completed', null, '{}'))).notified_count, 0,
  'notify accepts an event without recipients');
select throws_ok($$ select private.notify('import.completed', '{}', '{}') $$, '23514',
  'The recipients of an event must be an array', 'notify rejects recipients that are not an array');
select throws_ok($$ select private.notify('import.completed', jsonb_agg('{}'::jsonb), '{}')
    from generate_series(1, 20001) $$, '23514', 'An event must have at most 20,000 recipients',
  'notify rejects more than 20,000 recipients');
select throws_ok($$ select private.notify('never.heard', '[]', '{}') $$, '23503',
  'Notification type ''never.heard'' is not in the catalogue; add it to install_notification_types',
  'notify rejects a type that is not in the catalogue');

-- Preferences
select pg_temp.forget();
insert into public.push_subscriptions (user_id, endpoint) values (tests.id('bob'), 'https://push.test/bob');
select pg_temp.notify('chat.message', array['ann', 'bob']);
select bag_eq($$ select pg_temp.received('bob') $$, array['in_app', 'email', 'push'],
  'notify uses every channel that a user chose');
select bag_eq($$ select pg_temp.received('ann') $$, array['in_app', 'email'],
  'notify writes no push for a user without a subscription');
update public.push_subscriptions set is_active = false;
select pg_temp.forget(), pg_temp.notify('chat.message', array['bob']);
select bag_eq($$ select pg_temp.received('bob') $$, array['in_app', 'email'],
  'notify writes no push for a user whose subscription is inactive');
update public.push_subscriptions set is_active = true;
update public.notification_preferences set in_app_chat_message = false, email_chat_message = false
where user_id = tests.id('bob');
select pg_temp.forget(), pg_temp.notify('chat.message', array['bob']);
select bag_eq($$ select pg_temp.received('bob') $$, array['push'],
  'notify lists no notification for a user who turned off the app');
select is((select n.id from public.notifications n where n.unlisted_user_id = tests.id('bob')),
  (select d.notification_id from public.notification_deliveries d where d.user_id = tests.id('bob')),
  'notify writes an unlisted notification for the push of a user who turned off the app');
update public.notification_preferences set push_chat_message = false where user_id = tests.id('bob');
select pg_temp.forget();
select is((pg_temp.notify('chat.message', array['bob'])).notified_count, 0,
  'notify writes nothing for a user who turned off every channel of a type');
select bag_eq($$ select pg_temp.received('bob') $$, array[]::text[],
  'notify writes no row for a user who turned off every channel of a type');
select pg_temp.notify('chat.mention', array['bob']);
select bag_eq($$ select pg_temp.received('bob') $$, array['in_app', 'email', 'push'],
  'notify reads the preferences of the event''s own type');
select pg_temp.forget(), pg_temp.notify('podcast.deletion_scheduled', array['cleo']);
select bag_eq($$ select pg_temp.received('cleo') $$, array['in_app', 'email'],
  'notify always writes the email of an essential type');
select pg_temp.forget(), pg_temp.notify('podcast.member_invited', array['cleo']);
select bag_eq($$ select pg_temp.received('cleo') $$, array['in_app'], 'notify writes no email of a type that has none');

-- Each type and channel by its own column
create function pg_temp.channels_without(type text, turned_off text) returns text[] language plpgsql as $$
declare
  columns text[] := array(
    select a.column_name from information_schema.columns a
    where a.table_schema = 'public' and a.table_name = 'notification_preferences' and a.data_type = 'boolean');
begin
  perform pg_temp.forget();
  execute (
    select 'update public.notification_preferences set ' || string_agg(format('%I = %L', c, c <> turned_off), ', ')
    from unnest(columns) c) || ' where user_id = tests.id(''bob'')';
  perform pg_temp.notify(channels_without.type, array['bob']);
  return array(select r from pg_temp.received('bob') r order by r);
end $$;
select is(pg_temp.channels_without(t.type, c.channel || '_' || t.preference),
    array(select k::text from unnest(t.channels) k where k <> c.channel or (k = 'email' and t.is_essential) order by 1),
    format('notify uses every channel of %s except %s, which the user turned off', t.type, c.channel))
from public.notification_types t, unnest(t.channels) c (channel);
update public.notification_preferences p set in_app_chat_message = false, email_chat_message = false,
  push_chat_message = false where p.user_id = tests.id('bob');

-- Languages
select pg_temp.forget();
update public.profiles set locale = 'de-AT', timezone = 'Pacific/Auckland' where id = tests.id('bob');
update public.profiles set locale = 'xx' where id = tests.id('cleo');
update public.profiles set locale = 'en-GB' where id = tests.id('dave');
select pg_temp.notify('podcast.paused', array['ann', 'bob', 'cleo', 'dave'], jsonb_build_object(
  'podcast_id', tests.id('show'), 'actor_id', tests.id('ann'), 'pause_expires_at', '2026-03-01T20:00:00Z'));
select results_eq($$ select f.display_name, n.title, n.body from public.notifications n
    join public.profiles f on f.id = n.user_id order by 1 $$,
  $$ with text (language, title, body) as (values
      ('en', 'show is paused', 'Ann paused the podcast. It stays public, and becomes active again by March 1, 2026 at '
        'the latest.'),
      ('en-150', 'show is paused', 'Ann paused the podcast. It stays public, and becomes active again by 1 March 2026 '
        'at the latest.'),
      ('de', 'show ist pausiert', 'Ann hat den Podcast pausiert. Er bleibt öffentlich und ist spätestens am 2. März '
        '2026 wieder aktiv.'))
    select name, title, body
    from text join (values ('Ann', 'en'), ('Bob', 'de'), ('Cleo', 'en-150'), ('Dave', 'en-150')) v (name, language)
      using (language) order by 1 $$,
  'notify writes the texts in the recipient''s language, with dates of the recipient''s region and time zone');
select pg_temp.forget(), pg_temp.notify('chat.message', array['ann'], jsonb_build_object(
  'episode_id', tests.id('pilot'), 'actor_id', gen_random_uuid(),
  'params', '{"excerpt":"{actor} & {episode}"}'::jsonb));
select results_eq('select title, body, metadata ? ''params'', link from public.notifications',
  $$ values ('Someone on the team wrote about “pilot”', '{actor} & {episode}', false, null) $$,
  'notify fills placeholders once, and names the team instead of an unknown person');
select is((select payload ? 'params' from private.events), false, 'notify forgets values that only the texts show');
select pg_temp.forget(), pg_temp.notify('chat.message', array['ann'],
  jsonb_build_object('params', jsonb_build_object('excerpt', repeat('é', 3000), 'actor', repeat('a', 400))));
select results_eq('select char_length(title), char_length(body) from public.notifications', 'values (300, 2000)',
  'notify cuts long texts to what a notification holds');

-- Keys, priority and time
select pg_temp.forget(), pg_temp.notify('import.completed', array['ann', 'bob'], dedupe_key => 'k');
select results_eq($$ select (e).notified_count, (e).deduped_count
    from pg_temp.notify('import.completed', array['ann', 'bob', 'cleo'], dedupe_key => 'k') e $$, 'values (1, 2)',
  'notify notifies a recipient once per dedupe key, and counts the others');
select is((select count(*) from public.notification_deliveries where channel = 'email'), 3::bigint,
  'notify writes no second email for a dedupe key');
select pg_temp.forget(), pg_temp.notify('import.completed', array['ann'], priority => 'immediate',
  scheduled_for => '2026-02-01T00:00:00Z', at => '2026-01-01T00:00:00Z');
select results_eq($$ select n.priority::text, n.scheduled_for, d.priority::text, d.due_at
    from public.notifications n join public.notification_deliveries d on d.notification_id = n.id $$,
  $$ select 'immediate', t, 'immediate', t from (values ('2026-02-01T00:00:00Z'::timestamptz)) v (t) $$,
  'notify gives notification and delivery its priority and its time');

-- Quiet hours
select pg_temp.forget();
update public.notification_preferences
set push_chat_message = true, quiet_hours_start = '22:00', quiet_hours_end = '07:00' where user_id = tests.id('bob');
update public.profiles set timezone = 'Europe/Berlin' where id = tests.id('bob');
select pg_temp.notify(type, array['bob'], at => '2026-01-01T22:30:00Z')
from unnest(array['chat.message', 'chat.mention', 'episode.published']) type;
select results_eq($$ select type, due_at from public.notification_deliveries where channel = 'push' order by type $$,
  $$ values ('chat.mention', '2026-01-01T22:30:00Z'::timestamptz), ('chat.message', '2026-01-02T06:00:00Z'),
    ('episode.published', '2026-01-02T06:00:00Z') $$,
  'notify postpones pushes of low and normal priority to the end of quiet hours');
select is((select due_at from public.notification_deliveries where channel = 'email' and type = 'chat.mention'),
  '2026-01-01T22:32:00Z', 'notify sends emails in quiet hours');

-- Guests
select pg_temp.forget();
select private.notify('chat.message', jsonb_build_array(jsonb_build_object('episode_guest_id', tests.id('pilot/gus'))),
  '{}', _group_key => 'g');
select results_eq($$ select n.episode_guest_id, n.user_id, d.channel::text, d.episode_guest_id, d.user_id
    from public.notifications n join private.collapsed_notifications c on c.notification_id = n.id
    join public.notification_deliveries d on d.id = c.delivery_id $$,
  $$ values (tests.id('pilot/gus'), null::uuid, 'email', tests.id('pilot/gus'), null::uuid) $$,
  'notify writes a notification and an email for a guest');
select pg_temp.forget();
select is((pg_temp.event(private.notify('automation.email', jsonb_build_array(
    jsonb_build_object('episode_guest_id', tests.id('pilot/gus'))), '{}'))).notified_count, 0,
  'notify does not count a guest whom a type for addresses alone cannot reach');
select is_empty('select from public.notifications', 'notify writes no notification of a type for addresses alone');
select pg_temp.forget();
update public.podcasts set language = 'de' where id = tests.id('show');
select private.notify('chat.message', jsonb_build_array(jsonb_build_object('episode_guest_id', tests.id('pilot/gus'))),
  jsonb_build_object('episode_id', tests.id('pilot')));
select is((select title from public.notifications), 'Jemand aus dem Team hat zu „pilot“ geschrieben',
  'notify writes to a guest without account in the podcast''s language');
select tests.person('gus');
select pg_temp.forget();
select private.notify('chat.message', jsonb_build_array(jsonb_build_object('episode_guest_id', tests.id('pilot/gus'))),
  jsonb_build_object('episode_id', tests.id('pilot')));
select is((select title from public.notifications), 'Someone on the team wrote about “pilot”',
  'notify writes to a guest with an account in the account''s language');

-- Addresses
select pg_temp.forget();
select private.notify('booking.confirmed', jsonb_build_array(jsonb_build_object('email', 'Zoe@Test.example',
    'name', 'Zoe', 'locale', 'de', 'timezone', 'Europe/Berlin', 'url', 'https://casts.test/b',
    'reply_to', 'Ann@test.example', 'is_essential', true,
    'attachments', '[{"filename":"a.ics","content_type":"text/calendar","content":"x"}]'::jsonb)),
  jsonb_build_object('podcast_id', tests.id('show'), 'start_at', '2026-01-01T23:30:00Z',
    'params', '{"guest":"Zoe"}'::jsonb), _dedupe_key => 'b', at => '2026-01-01T00:00:00Z');
select is(to_jsonb(a) - 'delivery_id', jsonb_build_object('email', 'zoe@test.example', 'name', 'Zoe', 'locale', 'de',
    'timezone', 'Europe/Berlin', 'url', 'https://casts.test/b', 'reply_to', 'ann@test.example',
    'attachments', '[{"filename":"a.ics","content_type":"text/calendar","content":"x"}]'::jsonb, 'is_essential', true,
    'title', 'Deine Aufnahme für show ist bestätigt',
    'body', 'Sie findet am 2. Januar 2026 um 0:30 Uhr (Europe/Berlin) statt.', 'html', null,
    'access', null, 'calendar_event', null, 'dedupe_key', 'b', 'podcast_title', 'show', 'subject', null,
    'sender_id', null, 'is_unsolicited', false, 'podcast_id', tests.id('show'),
    'thread_key', 'podcast:' || tests.id('show'), 'source_id', null),
  'notify writes everything that the email of an address needs')
from private.delivery_addresses a;
select results_eq($$ select channel::text, status::text, notification_id, user_id, episode_guest_id, due_at
    from public.notification_deliveries $$,
  $$ values ('email', 'pending', null::uuid, null::uuid, null::uuid, '2026-01-01T00:00:00Z'::timestamptz) $$,
  'notify writes the delivery of an address without a notification');
select private.notify(type, '[{"email":"type@test.example"}]', jsonb_build_object('podcast_id', tests.id('show'),
    'start_at', '2026-01-01T12:00:00Z', 'params', '{"guest":"Zoe","link_name":"Chat","message":"Sorry\nBye"}'::jsonb))
from unnest(array['booking.requested', 'booking.cancelled']) type;
select results_eq($$ select a.title, a.body from private.delivery_addresses a join public.notification_deliveries d
    on d.id = a.delivery_id where a.email = 'type@test.example' order by d.type desc $$,
  $$ values ('Your booking request for show', E'You asked for January 1, 2026 at 12:00 PM (UTC): Chat. '
      'You''ll get an email when it is confirmed or declined.'),
    ('Your booking for show is canceled', E'The host canceled it. It was planned for January 1, 2026 at 12:00 PM '
      '(UTC).\n\nMessage from the host:\n> Sorry\n> Bye') $$,
  'notify tells the person who booked, by their address, what became of the booking');
select private.notify('chat.message', '[{"email":"long@test.example"}]',
  jsonb_build_object('params', jsonb_build_object('excerpt', repeat('x', 5000))));
select is(char_length(a.body), 5000, 'notify does not cut the body of an email to an address')
from private.delivery_addresses a where a.email = 'long@test.example';
delete from public.notification_deliveries d using private.delivery_addresses a
where a.delivery_id = d.id and a.email in ('type@test.example', 'long@test.example');
select results_eq($$ select (e).notified_count, (e).deduped_count from pg_temp.event(private.notify(
    'booking.confirmed', '[{"email":"zoe@test.example"},{"email":"new@test.example"},{"email":"NEW@test.example"}]',
    '{}', _dedupe_key => 'b')) e $$, 'values (1, 1)', 'notify writes to an address once per dedupe key');
select results_eq($$ select locale, timezone, is_essential from private.delivery_addresses
    where email = 'new@test.example' $$, $$ values ('en', 'UTC', true) $$,
  'notify writes to an address in English and UTC by default');

select pg_temp.forget();
create temp table source as select gen_random_uuid() as id;
select results_eq($$ select (e).notified_count, (e).payload from source, pg_temp.event(private.notify(
    'automation.email', jsonb_build_array(jsonb_build_object('user_id', tests.id('bob')),
      jsonb_build_object('email', 'zoe@x.test', 'source_id', source.id)),
    jsonb_build_object('podcast_id', tests.id('show'), 'params', '{"rule": "x"}'::jsonb))) e $$,
  $$ values (1, jsonb_build_object('podcast_id', tests.id('show'))) $$,
  'notify sends an automation''s email to addresses alone, and forgets its params');
select results_eq('select source_id, title from private.delivery_addresses', $$ select id, 'show' from source $$,
  'notify keeps the source of an email whose type is rendered when it is sent');
select throws_ok($$ select private.notify('automation.email', '[]', jsonb_build_object('x', repeat('x', 1048576))) $$,
  '23514', 'The payload of an event must have at most 1 MB', 'notify rejects a payload of more than 1 MB');

-- Collapse
select pg_temp.forget();
update public.notification_preferences set email_chat_message = true where user_id = tests.id('bob');
select pg_temp.notify('chat.message', array['ann', 'bob'], group_key => 'g', at => '2026-01-01T00:00:00Z'),
  pg_temp.notify('chat.mention', array['ann'], group_key => 'g', at => '2026-01-01T00:01:00Z');
select results_eq($$ select f.display_name, d.due_at, d.priority::text, d.type, (
      select count(*) from private.collapsed_notifications c where c.delivery_id = d.id)
    from public.notification_deliveries d join public.profiles f on f.id = d.user_id
    where channel = 'email' order by 1 $$,
  $$ values ('Ann', '2026-01-01T00:02:00Z'::timestamptz, 'immediate', 'chat.mention', 2::bigint),
    ('Bob', '2026-01-01T00:02:00Z', 'normal', 'chat.message', 1) $$,
  'notify collapses delayed emails of a group into the pending one, with the higher priority and its type');
update public.notification_deliveries set status = 'queued' where user_id = tests.id('ann');
select pg_temp.notify('chat.message', array['ann'], group_key => 'g', at => '2026-01-01T00:03:00Z'),
  pg_temp.notify('chat.message', array['ann'], group_key => 'other', at => '2026-01-01T00:03:00Z'),
  pg_temp.notify('chat.message', array['ann'], at => '2026-01-01T00:03:00Z');
select results_eq($$ select status::text, collapse_key is null from public.notification_deliveries
    where channel = 'email' and user_id = tests.id('ann') order by status, collapse_key $$,
  $$ values ('pending', false), ('pending', false), ('pending', true), ('queued', false) $$,
  'notify does not add to an email that is queued or of another group, nor without a group');
select pg_temp.forget();
select private.notify_each('chat.message', '[]'), private.notify_each('chat.message', null);
select is_empty('select from private.events', 'notify_each of nothing records no event');
select private.notify_each('import.completed', jsonb_build_array(
  jsonb_build_object('recipients', private.user_recipients(tests.id('ann')), 'payload', '{"import_id":"1"}'::jsonb),
  jsonb_build_object('recipients', private.user_recipients(tests.id('ann'), tests.id('cleo')),
    'payload', '{"import_id":"2"}'::jsonb)));
select results_eq('select payload, notified_count from private.events order by id',
  $$ values ('{"import_id":"1"}'::jsonb, 1), ('{"import_id":"2"}', 2) $$, 'notify_each fans out each of its events');

-- Waiting events
select pg_temp.forget();
select private.notify('import.failed', '[]', jsonb_build_object('n', n)) from generate_series(1, 3) n;
update private.events set processed_at = null, recipients = private.user_recipients(tests.id('ann')),
  payload = payload || case payload ->> 'n' when '1' then '{"podcast_id": "x"}' else '{}' end::jsonb;
create function pg_temp.waiting() returns setof text language sql as $$
  select concat_ws(' ', e.payload ->> 'n', e.notified_count, case when e.recipients is not null then 'waits' end,
    e.last_error) from private.events e $$;
select is(private.fan_out_waiting_events(), 3, 'fan_out_waiting_events returns how many events it tried');
select set_eq('select pg_temp.waiting()', array['1 0 waits invalid input syntax for type uuid: "x"', '2 1', '3 1'],
  'fan_out_waiting_events notifies of the other events when one fails, which waits with its error');
select is(private.fan_out_waiting_events(now() + interval '23 hours'), 1,
  'fan_out_waiting_events tries a failed event again');
select private.fan_out_waiting_events(now() + interval '24 hours');
select set_has('select pg_temp.waiting()', $$ values ('1 0 invalid input syntax for type uuid: "x"') $$,
  'fan_out_waiting_events forgets the recipients of an event that still fails after a day, and keeps its error');
select is(private.fan_out_waiting_events(now() + interval '25 hours'), 0,
  'fan_out_waiting_events tries no event that failed for a day');
update private.events set processed_at = null, recipients = private.user_recipients(tests.id('ann')),
  payload = '{"n": 1}' where last_error is not null;
select private.fan_out_waiting_events();
select set_has('select pg_temp.waiting()', $$ values ('1 1') $$,
  'fan_out_waiting_events clears the error of an event that succeeds');

-- Bounds of an address
select results_eq(format('select (e).notified_count, (e).invalid_count, (e).recipients from pg_temp.event(
    private.notify(%L, %L, %L)) e', 'booking.confirmed', jsonb_build_array(
      jsonb_build_object('email', 'zoe@x.test') || entry, '{"email":"yan@x.test"}'::jsonb), '{}'),
  'values (1, 1, null::jsonb)', 'notify leaves out and counts an address with ' || what)
from (values
  ('attachments of more than 256 KB', jsonb_build_object('attachments', jsonb_build_array(repeat('x', 262144)))),
  ('attachments that are an object', '{"attachments": {}}'),
  ('a name of more than 1,000 characters', jsonb_build_object('name', repeat('x', 1001))),
  ('a URL of more than 2,048 characters', jsonb_build_object('url', repeat('x', 2049))),
  ('a reply_to that is not an address', '{"reply_to": "x"}'),
  ('a line break', '{"email": "a@b.test\r\nBcc: c@d.test"}')) t (what, entry);

-- Time zones that an update of Postgres dropped
select pg_temp.forget();
alter table public.profiles disable trigger t100_normalize;
update public.profiles set timezone = 'Europe/Atlantis', locale = 'en' where id = tests.id('bob');
alter table public.profiles enable trigger t100_normalize;
select pg_temp.notify('podcast.paused', array['bob'], '{"pause_expires_at": "2026-03-01T20:00:00Z"}'),
  pg_temp.notify('chat.message', array['bob'], at => '2026-01-01T22:30:00Z');
select results_eq($$ select n.body, d.due_at from public.notifications n, public.notification_deliveries d
    where n.type = 'podcast.paused' and d.type = 'chat.message' and d.channel = 'push' $$,
  $$ values ('Someone on the team paused the podcast. ' ||
    'It stays public, and becomes active again by March 1, 2026 at the latest.',
    '2026-01-02T07:00:00Z'::timestamptz) $$, 'notify uses UTC for a user whose time zone the database does not know');
select lives_ok($$ select private.notify('booking.confirmed', '[{"email":"zoe@x.test","timezone":"Europe/Atlantis"}]',
  '{"start_at": "2026-03-01T20:00:00Z"}') $$, 'notify accepts an address whose time zone the database does not know');
select is((select body from private.delivery_addresses where email = 'zoe@x.test' and timezone = 'UTC'),
  'It''s on March 1, 2026 at 8:00 PM (UTC).', 'notify uses UTC for an address whose time zone is unknown');

select * from tests.finish();
rollback;
