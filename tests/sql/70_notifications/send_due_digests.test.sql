-- Digests: when they are due, what they list, and what does not wait for them.
begin;
select tests.start();

select tests.podcast('show', 'ola'), tests.podcast('alpha', 'ola'), tests.person('mia'), tests.member('mia', 'show'),
  tests.member('mia', 'alpha'), tests.episode('pilot', 'show');
update public.podcasts set title = 'Alpha' where id = tests.id('alpha');
update public.profiles set timezone = 'Europe/Berlin' where id = tests.id('mia');
create function pg_temp.notify(type text, podcast text, who text default 'mia', at timestamptz default now())
returns void language sql as $$
  select private.notify(type, private.user_recipients(tests.id(who)), jsonb_build_object('podcast_id',
    tests.id(podcast), 'episode_id', tests.id('pilot'), 'params', jsonb_build_object('excerpt', 'Hi', 'actor', 'Ann',
    'member', 'Ann')), _group_key => case when type like 'chat.%' then 'g' end, at => at) $$;
create function pg_temp.emails() returns text language sql as $$
  select string_agg(d.type, ' ' order by d.type) from public.notification_deliveries d where d.channel = 'email' $$;
-- The items of the digest that is due: '[<heading>] <title>'.
create function pg_temp.digest(at timestamptz) returns setof text language plpgsql as $$
declare
  digest uuid;
begin
  perform private.send_due_digests(at);
  perform private.enqueue_due_deliveries(at);
  select d.id into digest from public.notification_deliveries d where d.type = 'inbox.digest' and d.status = 'queued';
  return query
    select concat('[' || (i ->> 'heading') || '] ', i ->> 'title')
    from jsonb_array_elements(private.begin_email_delivery(digest, at => at) -> 'items') with ordinality e (i, n)
    order by n;
end $$;

-- When
create temp table due as
  select frequency, hour, weekday, after::timestamptz, expected::timestamptz from (values
    ('daily', 8, 1, '2026-06-01T05:59:00Z', '2026-06-01T06:00:00Z'),
    ('daily', 8, 1, '2026-06-01T06:00:00Z', '2026-06-02T06:00:00Z'),
    ('weekly', 8, 1, '2026-06-01T05:59:00Z', '2026-06-01T06:00:00Z'),
    ('weekly', 8, 1, '2026-06-01T06:00:00Z', '2026-06-08T06:00:00Z'),
    ('weekly', 20, 7, '2026-06-01T06:00:00Z', '2026-06-07T18:00:00Z'),
    ('daily', 2, 1, '2026-03-28T12:00:00Z', '2026-03-29T01:00:00Z'),   -- the clocks skip it
    ('daily', 2, 1, '2026-10-24T12:00:00Z', '2026-10-25T00:00:00Z')    -- the clocks repeat it
  ) v (frequency, hour, weekday, after, expected);
select is(private.next_digest_at(jsonb_populate_record(null::public.notification_preferences, jsonb_build_object(
    'digest_frequency', frequency, 'digest_hour', hour, 'digest_weekday', weekday)), 'Europe/Berlin', after), expected,
  format('a %s digest at %s:00, weekday %s, comes after %s at %s', frequency, hour, weekday, after, expected))
from due;
select is((select count(*) from private.digests), 0::bigint, 'no user has a digest who did not choose one');
select is(tests.result_of('mia', $$ update public.notification_preferences set digest_frequency = 'daily' $$), 'ok 1',
  'a user chooses a digest');
select ok((select d.next_at > now() and extract(hour from d.next_at at time zone 'Europe/Berlin') = 8
  from private.digests d where d.user_id = tests.id('mia')), 'a chosen digest is planned in the user''s zone');
update public.profiles set timezone = 'America/New_York' where id = tests.id('mia');
select ok((select extract(hour from d.next_at at time zone 'America/New_York') = 8 from private.digests d),
  'another time zone plans the digest again');
select is(tests.result_of('mia', format('update public.notification_preferences set %s', change)), '23514',
  format('the preferences reject %s', change))
from unnest(array['digest_hour = 24', 'digest_hour = -1', 'digest_weekday = 0', 'digest_weekday = 8']) change;

-- What
update private.digests set chosen_at = now() - interval '1 hour', next_at = now() + interval '1 hour';
select pg_temp.notify(type, 'show', at => now() - interval '20 minutes' + n * interval '1 minute')
from unnest(array['podcast.paused', 'chat.message', 'chat.mention', 'podcast.deletion_scheduled',
  'podcast.member_role_changed']) with ordinality t (type, n);
select is(pg_temp.emails(), 'chat.mention podcast.deletion_scheduled podcast.member_role_changed',
  'emails of types that cannot wait do not wait for the digest');
select pg_temp.notify('podcast.paused', 'show', 'ola');
select is(pg_temp.emails(), 'chat.mention podcast.deletion_scheduled podcast.member_role_changed podcast.paused',
  'a user without a digest gets each email');
select pg_temp.notify('podcast.unpaused', 'alpha'), pg_temp.notify('podcast.deletion_canceled', 'show');
update public.notifications set read_at = now() where type = 'podcast.deletion_canceled';
select is(private.send_due_digests(now() + interval '59 minutes'), 0, 'a digest is not sent before it is due');
select results_eq($$ select pg_temp.digest(now() + interval '1 hour') $$,
  $$ values ('[Alpha] Alpha is active again'), ('[show] show is paused'), ('Ann wrote about “pilot”') $$,
  'a digest lists what is unread and can wait, by podcast');
select is((select count(*) from public.notification_deliveries where type = 'inbox.digest'), 1::bigint,
  'a digest is one email');
select is((select s.content ->> 'subject' from private.delivery_sends s join public.notification_deliveries d
  on d.id = s.delivery_id where d.type = 'inbox.digest'), 'Your digest: 3 updates', 'a digest says how much it lists');
select is((select s.content #>> '{items,2,isQuoted}' from private.delivery_sends s join public.notification_deliveries d
  on d.id = s.delivery_id where d.type = 'inbox.digest'), 'true', 'a digest marks what people wrote as quoted');
select is((select s.content ->> 'url' from private.delivery_sends s join public.notification_deliveries d
  on d.id = s.delivery_id where d.type = 'inbox.digest'), 'https://casts.test', 'a digest leads to the app');
delete from public.notification_deliveries;
insert into public.notification_deliveries (notification_id, user_id, type, channel, priority)
select n.id, n.user_id, n.type, 'email', 'low' from public.notifications n where n.user_id = tests.id('mia');
select is(private.send_due_digests(now() + interval '2 days'), 0, 'a digest lists nothing that an email listed before');
select ok((select d.next_at > now() + interval '2 days' from private.digests d),
  'a digest without news plans the next');

-- reading, muting and turning off until it is sent
delete from public.notifications; delete from public.notification_deliveries;
update private.digests set chosen_at = now() - interval '1 hour', next_at = now();
select pg_temp.notify('podcast.paused', 'show'), pg_temp.notify('podcast.unpaused', 'alpha');
select private.send_due_digests(now());
update public.notifications set read_at = now() where type = 'podcast.paused';
select is((select array_agg((l.notification).type) from public.notification_deliveries d,
    private.delivery_notifications(d.id) l where d.type = 'inbox.digest'), array['podcast.unpaused'],
  'a digest leaves out what was read before it is sent');
insert into public.notification_mutes (user_id, scope, podcast_id)
values (tests.id('mia'), 'podcast', tests.id('alpha'));
update public.notification_deliveries set status = 'queued';
select is((select private.begin_email_delivery(d.id) from public.notification_deliveries d
  where d.type = 'inbox.digest'), null, 'a digest of muted podcasts is not sent');
delete from public.notification_mutes;
delete from public.notifications; delete from public.notification_deliveries;
update private.digests set chosen_at = now() - interval '1 hour', next_at = now();
update public.notification_preferences set email_podcast_paused = false where user_id = tests.id('mia');
select pg_temp.notify('podcast.paused', 'show');
select is(private.send_due_digests(now()), 0, 'a digest lists no type whose emails are off');
update public.notification_preferences set email_podcast_paused = true, in_app_podcast_paused = false
where user_id = tests.id('mia');
update private.digests set next_at = now();
select pg_temp.notify('podcast.paused', 'alpha');
select is(private.send_due_digests(now()), 1, 'a digest lists types whose app is off');
update public.notification_preferences set in_app_podcast_paused = true, email_digest = false
where user_id = tests.id('mia');
update public.notification_deliveries set status = 'queued' where type = 'inbox.digest';
select is((select private.begin_email_delivery(d.id) from public.notification_deliveries d
  where d.type = 'inbox.digest'), null, 'a user who unsubscribed from digests gets none');
update public.notification_preferences set email_digest = true where user_id = tests.id('mia');
select is(tests.result_of('mia', $$ update public.notification_preferences set digest_frequency = 'weekly',
  email_digest = false $$), 'ok 1', 'a user may choose a digest that is unsubscribed');
update public.notification_preferences set digest_frequency = 'daily' where user_id = tests.id('mia');
select ok((select p.email_digest from public.notification_preferences p where p.user_id = tests.id('mia')),
  'choosing another digest turns its emails on again');

-- chats are one item, and what is muted hides nothing
delete from public.notifications; delete from public.notification_deliveries;
insert into public.notification_mutes (user_id, scope, podcast_id)
values (tests.id('mia'), 'podcast', tests.id('alpha'));
update private.digests set chosen_at = now() - interval '1 hour', next_at = now();
select pg_temp.notify('podcast.paused', 'show', at => now() - interval '30 minutes');
select pg_temp.notify('podcast.unpaused', 'alpha', at => now() - interval '1 minute') from generate_series(1, 201);
select pg_temp.notify('chat.message', 'show', at => now() - interval '20 minutes' + n * interval '1 second')
from generate_series(1, 60) n;
select results_eq('select pg_temp.digest(now())',
  $$ values ('[show] show is paused'), ('60 new messages about “pilot”') $$,
  'a digest lists the messages of a chat as one, and nothing that is muted');
delete from public.notifications where type = 'podcast.paused';
select is((select private.email_content(d, now()) #>> '{items,0,heading}' from public.notification_deliveries d
  where d.type = 'inbox.digest'), 'show', 'a digest of one chat says of which podcast');
delete from public.notification_mutes;
delete from public.notifications; delete from public.notification_deliveries;
update private.digests set chosen_at = now() - interval '2 hours', next_at = now();
select pg_temp.notify('podcast.paused', podcast, at => now() - interval '90 minutes' + n * interval '1 second')
from generate_series(1, 26) n, unnest('{show,alpha}'::text[]) podcast;
create temp table long_digest as select d.item, row_number() over () as n from pg_temp.digest(now()) d (item);
select is((select string_agg(d.n || ' ' || d.item, ', ' order by d.n) from long_digest d where d.item ~ '^\[|more'),
  '1 [Alpha] Alpha is paused, 26 [show] show is paused, 51 And 2 more.',
  'a digest lists 50 items, each podcast with its title, and says how many more there are');

-- an email that was canceled has listed nothing
delete from public.notifications; delete from public.notification_deliveries;
update private.digests set chosen_at = now() - interval '1 hour', next_at = now();
select pg_temp.notify('podcast.paused', 'show'), private.send_due_digests(now());
update public.notification_deliveries set status = 'queued' where type = 'inbox.digest';
select results_eq($$ select c.content ->> 'subject', c.content #>> '{items,0,title}', c.content #>> '{items,0,heading}'
    from public.notification_deliveries d cross join private.email_content(d, now()) c (content)
    where d.type = 'inbox.digest' $$,
  $$ values ('show is paused', 'show is paused', null) $$, 'a digest of one notification is an email about it');
update public.notification_deliveries set status = 'canceled' where type = 'inbox.digest';
update private.digests set next_at = now();
select is(private.send_due_digests(now()), 1, 'a digest lists what a canceled one did');
update private.digests set next_at = now();
select is(private.send_due_digests(now()), 0, 'a digest lists nothing that an earlier one did');

-- off
delete from public.notifications; delete from public.notification_deliveries;
select pg_temp.notify('podcast.paused', 'show');
update public.notification_preferences set digest_frequency = 'off' where user_id = tests.id('mia');
select is(private.send_due_digests(now()), 1, 'a user who turns the digest off gets what had waited');
select is_empty('select from private.digests', 'a digest that is off is not planned');
select pg_temp.notify('podcast.unpaused', 'show');
select matches(pg_temp.emails(), 'podcast.unpaused', 'emails come at once after the digest is off');
update public.notification_preferences set digest_frequency = 'weekly' where user_id = tests.id('mia');
select tests.value_as('mia', 'select public.delete_account()') is not null;
select is_empty('select from private.digests', 'deleting the account deletes its digest');

select * from tests.finish();
rollback;
