-- run_send_email: recipients, what their emails say, and the limits of addresses. automation_email_content.test.sql
-- has what an email says later, when it is sent, automation_limits.test.sql has the
-- hourly limit, automation_templates.test.sql and preview_automation_template.test.sql the rendering of tags.
begin;
select tests.start();
update private.settings set value = 'https://casts.test/listen' where key = 'listen_url';

select tests.team('show', 'ola', 'ada', 'mel'),
  tests.podcast('other', 'otto'), tests.open_link('open', 'show', '{"timezone": "Europe/Berlin"}');
select tests.member('una', 'show');
update auth.users set email_confirmed_at = null where id = tests.id('una');
select tests.published_episode('pilot', 'show'), tests.published_episode('bare', 'show'),
  tests.episode('foreign', 'other');
select tests.guest(name, 'pilot', status::episode_guest_status)
from (values ('abe', 'active'), ('bea', 'active'), ('cid', 'invited'), ('dan', 'removed')) v (name, status);
select tests.guest('spy', 'foreign', 'active');
insert into automation_addresses (podcast_id, email, confirmed_at) values
  (tests.id('show'), 'press@news.example', now()), (tests.id('show'), 'new@news.example', null),
  (tests.id('other'), 'press@other.example', now());
insert into podcast_guests (podcast_id, display_name, email) values (tests.id('other'), 'Zed', 'zed@guests.example');
select tests.booking_in('first', 'open', 50, 'confirmed', 'gus');
select tests.template('welcome', 'show',
  '{"subject": "Hi {guest_first_name}", "body_html": "<p>{guest_full_name}</p>"}');

-- Runs an email of a template for a booking or an episode; the same key is the same occurrence and action
create function pg_temp.run(target text, booking text default 'first', episode text default '',
  template text default 'welcome', key uuid default gen_random_uuid(), at timestamptz default now()) returns jsonb
language plpgsql as $$
declare
  execution automation_executions;
  action    automation_actions;
begin
  insert into automation_executions (podcast_id, rule_id, rule_name, trigger_type, occurrence_id, context_data)
  values (tests.id('show'), tests.id('rule'), 'rule', case when booking = '' then 'episode.published'
    else 'booking.confirmed' end::automation_trigger, key, private.automation_context(tests.id('show'),
      case when booking <> '' then tests.id(booking) end, case when episode <> '' then tests.id(episode) end, now()))
  returning * into execution;
  update automation_rules set trigger_type = execution.trigger_type
  where id = tests.id('rule') and trigger_type <> execution.trigger_type;
  insert into automation_actions (id, rule_id, podcast_id, action_type, action_config, execution_order)
  values (key, tests.id('rule'), tests.id('show'), 'send_email',
    jsonb_build_object('template_id', tests.id(template), 'to', target), nextval('place'))
  on conflict on constraint automation_actions_pkey do update set action_config = excluded.action_config
  returning * into action;
  return private.run_send_email(execution, action, run.at) - '{action_id,action_type}'::text[];
end $$;
create temp sequence place;
select tests.rule('rule', 'show', 'booking.confirmed');
alter table public.automation_actions disable trigger user;  -- a rule has at most 10 actions
alter table public.automation_actions drop constraint execution_order_is_0_to_99;
-- The emails as they would be sent now
create temp view email as select a.email, a.name, a.podcast_title, a.thread_key, a.timezone, a.locale, a.is_essential,
    a.source_id, d.id, d.due_at, d.created_at, d.priority::text, c ->> 'title' as title, c ->> 'html' as html,
    c ->> 'body' as body, c ->> 'url' as url, c ->> 'problem' as problem
  from private.delivery_addresses a join notification_deliveries d on d.id = a.delivery_id
  cross join lateral private.automation_email_content(a.source_id, now()) c
  where d.type = 'automation.email';
-- The addresses of the emails since the last call
create function pg_temp.sent() returns text language plpgsql as $$
declare
  sent text := (select string_agg(e.email, ' ' order by e.email) from email e);
begin
  delete from notification_deliveries d where d.type = 'automation.email';
  return sent;
end $$;
create function pg_temp.sent_to(target text, booking text default 'first', episode text default '') returns text
language plpgsql as $$
begin
  perform pg_temp.run(target, booking, episode);
  return pg_temp.sent();
end $$;

-- Recipients
select is(pg_temp.sent_to(target, booking, episode), expected, format('send_email to %s', what))
from (values ('guest', 'first', 'pilot', 'gus@guests.example', 'the guest of a booking reaches that guest only'),
  ('guest', '', 'pilot', 'abe@test.example bea@test.example', 'the guests of an episode reaches the active ones'),
  ('host', 'first', '', 'ola@test.example', 'the host reaches the owner'),
  ('team', 'first', '', 'ada@test.example mel@test.example ola@test.example',
    'the team reaches its members with a confirmed address'),
  ('Mel@Test.example ', 'first', '', 'mel@test.example', 'a member''s address reaches the member'),
  ('abe@test.example', 'first', '', 'abe@test.example', 'a guest''s address reaches the guest'),
  ('press@news.example', 'first', '', 'press@news.example', 'a confirmed address reaches it'))
  v (target, booking, episode, expected, what);
select is(pg_temp.run(target), '{"status": "failed", "result": {"error":
    "The address is no longer a member, a guest who accepted an invitation or a confirmed address"}}',
  format('send_email to %s fails', what))
from (values ('new@news.example', 'an address that is not confirmed'),
  ('una@test.example', 'a member''s unconfirmed address'),
  ('press@other.example', 'an address that another podcast confirmed'),
  ('zed@guests.example', 'a guest of another podcast'), ('otto@test.example', 'a member of another podcast'),
  ('anyone@example.com', 'an unknown address')) v (target, what);
select is(pg_temp.run(target) #- '{result,template_id}', jsonb_build_object('status', 'skipped', 'result',
    jsonb_build_object('reason', 'No recipient may get the email: ' || private.skip_text('declined'),
      'recipient_count', 0, 'skipped_count', 1, 'recipients', jsonb_build_array(jsonb_build_object('status', 'skipped',
        'recipient', private.mask_email(target), 'code', 'declined', 'reason', private.skip_text('declined'))))),
  format('send_email to %s is skipped, and its result names the recipient', what))
from (values ('cid@test.example', 'a guest who has not accepted'), ('dan@test.example', 'a guest who was removed'))
  v (target, what);
select is(pg_temp.run('guest', booking, episode),
  '{"status": "skipped", "result": {"reason": "The occurrence has no such recipient"}}',
  format('send_email to %s is skipped', what))
from (values ('', 'bare', 'the guests of an episode that has none'),
  ('', 'foreign', 'the guests of another podcast''s episode')) v (booking, episode, what);
select is(pg_temp.sent(), null, 'an email that fails or is skipped is not sent');
select is((select count(*) from private.automation_usage), 7::bigint,
  'an email that fails or is skipped is not counted');
insert into podcast_guests (podcast_id, display_name, email) values (tests.id('show'), 'Mel', 'mel@test.example'),
  (tests.id('show'), 'Press', 'press@news.example');
insert into automation_addresses (podcast_id, email, confirmed_at) values (tests.id('show'), 'mel@test.example', now());
select is(pg_temp.sent_to('mel@test.example'), 'mel@test.example',
  'an address that is several recipients gets one email');

-- What is written
delete from private.automation_usage;
create temp table ran as select pg_temp.run('team') as result;
select is(result #- '{result,recipients}', jsonb_build_object('status', 'completed', 'result', jsonb_build_object(
    'template_id', tests.id('welcome'), 'recipient_count', 3, 'sent_count', 0, 'failed_count', 0, 'skipped_count', 0,
    'missing_tags', '[]'::jsonb)), 'the result of send_email counts the recipients') from ran;
select set_eq($$ select r - 'id', (r ->> 'id')::uuid
    from ran, jsonb_array_elements(result #> '{result,recipients}') r $$,
  $$ select jsonb_build_object('recipient', private.mask_email(e.email), 'status', 'sending'), e.source_id
    from email e $$, 'the result of send_email lists each recipient with a masked address and the id of the email');
select is((select sum(units) from private.automation_usage), 3::bigint, 'send_email counts each recipient');
select results_eq($$ select e.email, e.name, e.podcast_title, e.title, e.html, e.body, e.url, e.priority, e.due_at,
    e.is_essential from email e where e.email = 'ada@test.example' $$,
  $$ values ('ada@test.example', 'Ada', 'show', 'Hi Gus', '<p>Gus</p>', null, 'https://casts.test/listen/show',
    'normal', now(), false) $$, 'send_email writes a delivery that can be unsubscribed');
select pg_temp.sent();
select pg_temp.run('guest', '', 'pilot');
select results_eq('select email, title, html, url from email order by email', $$ values
    ('abe@test.example', 'Hi Abe', '<p>Abe</p>', 'https://casts.test/listen/show/pilot'),
    ('bea@test.example', 'Hi Bea', '<p>Bea</p>', 'https://casts.test/listen/show/pilot') $$,
  'the email to each guest of an episode has this guest''s name, and links to the episode');
select is_empty($$ select from private.events e where e.type = 'automation.email'
  and (e.recipients is not null or e.payload ? 'params') $$, 'the events of emails keep no addresses and no texts');
select pg_temp.sent();

-- Each email once
create temp table once as select gen_random_uuid() as key;
select is(pg_temp.run('team', key => key) -> 'status', expected,
  format('send_email to the team, run again and again, is %s', expected))
from once, (values ('"completed"'::jsonb), ('"skipped"')) v (expected);
select is(pg_temp.run('host', key => key) -> 'result', jsonb_build_object('template_id', tests.id('welcome'),
    'recipient_count', 0, 'skipped_count', 1, 'recipients', '[{"recipient": "o***@t***.example", "status": "skipped",
      "code": "repeated", "reason": "The occurrence has an email to this recipient already"}]'::jsonb,
    'reason', 'No recipient may get the email: The occurrence has an email to this recipient already'),
  'send_email that runs again with other recipients skips those who got the email') from once;
select is(pg_temp.sent(), 'ada@test.example mel@test.example ola@test.example',
  'an action emails an address once per occurrence');

-- Time zones and languages
update podcasts set language = 'de-AT' where id = tests.id('show');
update profiles set timezone = 'America/New_York', locale = 'en-US' where id = tests.id('mel');
update profiles set timezone = 'Asia/Tokyo', locale = 'de' where id = tests.id('ada');
update bookings set start_time = '2027-03-14 17:30Z', end_time = '2027-03-14 18:30Z', guest_timezone = 'Europe/London',
  guest_locale = 'fr' where id = tests.id('first');
select tests.template('times', 'show', '{"subject": "{recording_start}",
  "body_html": "<p>{booking_start} to {booking_end}</p>", "body_text": "{booking_timezone}"}');
select pg_temp.run(target, template => 'times') from unnest(array['team', 'guest', 'press@news.example']) target;
select results_eq('select email, title, html, body, timezone, locale from email order by email',
  $$ select v.email, pg_temp_start, format('<p>%s to %s</p>', pg_temp_start, pg_temp_end), v.zone, v.zone, v.locale
  from (values ('ada@test.example', 'Asia/Tokyo', 'de'), ('gus@guests.example', 'Europe/London', 'fr'),
      ('mel@test.example', 'America/New_York', 'en-US'), ('ola@test.example', 'Europe/Berlin', 'en'),
      ('press@news.example', 'Europe/Berlin', 'de-AT')) v (email, zone, locale)
  cross join private.date_formats('de') f
  cross join lateral (select concat_ws(', ', private.format_local_date('2027-03-14 17:30Z', v.zone, f),
      private.format_local_time('2027-03-14 17:30Z', v.zone, f)) as pg_temp_start,
    concat_ws(', ', private.format_local_date('2027-03-14 18:30Z', v.zone, f),
      private.format_local_time('2027-03-14 18:30Z', v.zone, f)) as pg_temp_end) t order by v.email $$,
  'moments are in the recipient''s time zone, else the link''s, and in the podcast''s language');
select is((select title from email where email = 'mel@test.example'), '14. März 2027, 13:30 Uhr (America/New_York)',
  'a moment names its time zone');
select pg_temp.sent();

-- Values
select tests.template('values', 'show', '{"subject": "{guest_full_name} at {podcast_title}{episode_number}",
  "body_html": "<a href=\"{podcast_url}\" title=\"{guest_full_name}\">{guest_full_name}</a>{episode_title}",
  "body_text": "{guest_full_name}{episode_title}"}');
update bookings set guest_name = '<b onclick="x">O''Neil & {host_name}' where id = tests.id('first');
update podcasts set title = '{guest_email} {body}' where id = tests.id('show');
select is(pg_temp.run('host', template => 'values') #> '{result,missing_tags}', '["episode_number", "episode_title"]',
  'the result of send_email has the tags without value');
select results_eq($$ select title, html, body from email $$, $$ values (
    '<b onclick="x">O''Neil & {host_name} at {guest_email} {body}',
    '<a href="https://casts.test/listen/show" title="&lt;b onclick=&quot;x&quot;&gt;O&#39;Neil &amp; {host_name}">'
      '&lt;b onclick=&quot;x&quot;&gt;O&#39;Neil &amp; {host_name}</a>', '<b onclick="x">O''Neil & {host_name}') $$,
  'values are escaped in HTML only, are never expanded, and missing ones are empty');
select pg_temp.sent();
alter table public.bookings disable trigger user;
alter table public.podcasts disable trigger user;
update bookings set guest_name = E'Eve\r\nBcc: all@evil.example\u2028X-A: b' where id = tests.id('first');
update podcasts set title = E'A\nB' where id = tests.id('show');
alter table public.bookings enable trigger user;
alter table public.podcasts enable trigger user;
select pg_temp.run('host', template => 'values');
select is((select title from email), 'Eve Bcc: all@evil.example X-A: b at A B',
  'line breaks of values become spaces in the subject');
select pg_temp.sent();
update bookings set guest_name = repeat('&', 200) where id = tests.id('first');
update automation_templates set body_html = repeat('{guest_full_name}', 300),
  body_text = repeat('{guest_full_name}', 300) where id = tests.id('values');
select is(pg_temp.run('team', template => 'values'),
  '{"status": "failed", "result": {"error": "The email is too long with its values"}}',
  'an email that its values make longer than 256 KB fails');
select is(pg_temp.sent(), null, 'an email that is too long is not sent');

-- Emails per guest
delete from private.rate_limits;
select private.set_setting('max_sender_emails_per_recipient_per_day', '3');
update bookings set guest_name = 'Gus' where id = tests.id('first');
create function pg_temp.runs_of(target text, runs int default 5) returns text language plpgsql as $$
declare
  statuses text;
begin
  select string_agg(pg_temp.run(target)::jsonb ->> 'status', ' ') into statuses from generate_series(1, runs);
  return format('%s, %s emails', statuses, (select count(*) from email));
end $$;
select is(pg_temp.runs_of(target), result, format('five emails to %s give %s', what, result)) from (values
  ('guest', 'completed completed completed failed failed, 3 emails', 'the guest of a booking'),
  ('abe@test.example', 'completed completed completed failed failed, 6 emails', 'the address of a guest'),
  ('mel@test.example', 'completed completed completed completed completed, 11 emails', 'a member who is a guest, too,'),
  ('press@news.example', 'completed completed completed completed completed, 16 emails',
    'a confirmed address that is a guest''s, too,'),
  ('host', 'completed completed completed completed completed, 21 emails', 'the host'))
  v (target, result, what);
select is(pg_temp.run('guest')::jsonb #>> '{result,error}',
  'The daily limit of emails to the guest, or to all unverified guests, is reached; try again tomorrow',
  'an email over the podcast''s budget for a guest fails with what to do');
select pg_temp.sent();

-- Another podcast, and the recipient's day
delete from private.rate_limits;
delete from private.email_windows;
select private.try_consume_email_budget('podcast:' || tests.id('other'), 'gus@guests.example', now(), null)
from generate_series(1, 5);
select is(pg_temp.run('guest')::jsonb ->> 'status', 'completed',
  'the emails of another podcast spend nothing of a podcast''s budget for a guest');
select private.set_setting('max_emails_from_strangers_per_day', '1');
create function pg_temp.run_after(waited interval) returns jsonb language sql as $$
  update private.email_windows w set window_started_at = now() - waited, email_count = 1
  where w.digest = private.email_window_digest(format('podcast:%s/gus@guests.example', tests.id('show')));
  select pg_temp.run('guest') -> 'result';
$$;
create function pg_temp.tell(booking text, at timestamptz) returns text language sql as $$
  update bookings set guest_told_at = at where id = tests.id(booking) returning name
$$;
select pg_temp.sent();
select is(pg_temp.run_after('23 hours') ->> 'delayed_until', private.format_timestamp(now() + interval '1 hour'),
  'an email waits an hour for the guest of a booking whom many wrote to, and its result says so');
select results_eq('select due_at from email', $$ values (now() + interval '1 hour') $$,
  'an email to a guest whom many wrote to is due later');
select is(pg_temp.run_after('22 hours') ->> 'error',
  'The daily limit of emails to the guest, or to all unverified guests, is reached; try again tomorrow',
  'an email that would wait longer than an hour is left out');
select pg_temp.sent();
select is(pg_temp.run_after('2 days') ->> 'error',
  'Many wrote to the guest, who could not be told of the booking yet; try again later',
  format('an email to a guest who is told of the booking %s fails', coalesce(told, 'never')))
from (values (null), ('2099-01-01')) v (told)
cross join lateral pg_temp.tell('first', told::timestamptz) t;
select private.verify_guest_booking(tests.booking_token('first'));
select is(pg_temp.run_after('1 hour') - '{template_id,missing_tags,recipients}'::text[],
  '{"recipient_count": 1, "sent_count": 0, "failed_count": 0, "skipped_count": 0}',
  'an email to a guest who is verified is not delayed');
select is(pg_temp.run('guest', '', 'pilot') #>> '{result,delayed_until}', null,
  'an email to guests who accepted an invitation is not delayed')
from (select private.recipient_email_time('podcast:' || tests.id('show'), email, now())
  from unnest('{abe@test.example,bea@test.example}'::text[]) email, generate_series(1, 2)) f limit 1;
select private.try_consume_email_budget('podcast:' || tests.id('show'), 'abe@test.example', now(), null)
from generate_series(1, 3);
select is(pg_temp.run('guest', '', 'pilot') #- '{result,recipients,0,id}' -> 'result' -> 'recipients',
  '[{"recipient": "b***@t***.example", "status": "sending"}, {"recipient": "a***@t***.example", "status": "skipped",
    "code": "daily_limit",
    "reason": "The daily limit of emails to the guest, or to all unverified guests, is reached"}]',
  'the result names the guests over the podcast''s budget');

-- What anyone may have typed on the booking page
select tests.template('notes', 'show', '{"subject": "{guest_first_name}", "body_text": "Notes: {booking_notes}"}');
select tests.request_booking('typed', 'open', 90, 'eve',
  '{"notes": "Win at https://spam.test", "name": "Dr. Eve Hall"}');
update bookings set guest_told_at = now(), status = 'confirmed', expires_at = null where id = tests.id('typed');
select pg_temp.sent(), private.set_setting('max_emails_from_strangers_per_day', '20');
select pg_temp.run('host', 'typed', template => 'notes'), pg_temp.run('guest', 'typed', template => 'notes');
select results_eq($$ select e.title, e.body from email e order by e.email = 'eve@guests.example' $$,
  $$ values ('Eve', 'Notes: Win at https://spam.test'), ('Eve', 'Notes: ') $$,
  'an email to a guest who is not verified has no notes, which anyone may have typed');
select private.verify_guest_booking(tests.booking_token('typed'));
select pg_temp.sent();
select pg_temp.run('guest', 'typed', template => 'notes');
select results_eq('select e.body from email e', array['Notes: Win at https://spam.test'],
  'an email to a guest who is verified has the notes');
select private.set_setting('max_emails_from_strangers_per_day', '1');

-- The result tells no host whether an address has an account
create function pg_temp.results(guest text) returns jsonb language plpgsql as $$
declare
  results jsonb := '[]';
begin
  perform tests.booking_in(guest, 'open', 60 + (select count(*)::int from bookings), 'confirmed', guest);
  for n in 1..3 loop
    results := results || jsonb_build_array(pg_temp.run('guest', guest) #- '{result,delayed_until}'
      #- '{result,recipients,0,id}' #- '{result,recipients,0,recipient}');
  end loop;
  return results;
end $$;
insert into auth.users (id, aud, role, email, email_confirmed_at, created_at, updated_at) values
  (gen_random_uuid(), 'authenticated', 'authenticated', 'known@guests.example', now(), now(), now());
select is(pg_temp.results('known'), pg_temp.results('unknown'),
  'the results of emails to a guest with and without an account are equal');

-- Threads
select pg_temp.sent();
select pg_temp.run('host', 'first', 'pilot');
select is((select thread_key from email), 'booking:' || tests.id('first'),
  'send_email about a booking joins the thread of the booking');
select pg_temp.sent(), pg_temp.run('host', '', 'pilot');
select is((select thread_key from email), 'episode:' || tests.id('pilot'),
  'send_email about an episode joins the thread of the episode');
select pg_temp.sent();

select * from tests.finish();
rollback;
