-- automation_email_content: what an automation's email says when it is sent, and why it is not. The emails are begun as
-- the worker begins them, by begin_email_delivery.
begin;
select tests.start();
update private.settings set value = 'https://casts.test/listen' where key = 'listen_url';
update private.settings set value = 'https://casts.test/booking' where key = 'booking_url';

select tests.team('show', 'ola', 'ada', 'mel'), tests.open_link('open', 'show', '{"timezone": "UTC"}');
select tests.published_episode('pilot', 'show'), tests.guest('abe', 'pilot', 'active');
insert into automation_addresses (podcast_id, email, confirmed_at)
values (tests.id('show'), 'press@news.example', now());
select tests.booking_in('first', 'open', 50, 'confirmed', 'gus');
select private.verify_guest_booking(tests.booking_token('first'));
insert into automation_tags (tag, kind, triggers, example) values
  ('booking_manage_url', 'text', '{booking.confirmed}', 'https://app.example/booking') on conflict do nothing;
select tests.template('plain', 'show', '{"subject": "{booking_start}", "body_html": "<p>{podcast_title}</p>"}'),
  tests.template('manage', 'show', '{"subject": "Manage {booking_manage_url}",
    "body_html": "<p><a href=\"{booking_manage_url}\">Manage</a></p>", "body_text": "{booking_manage_url}"}'),
  tests.template('out', 'show', '{"subject": "{episode_title}", "body_text": "{guest_first_name}"}');
select tests.rule('booked', 'show', 'booking.confirmed', jsonb_build_array(tests.email_action('plain'))),
  tests.rule('ahead', 'show', 'time.before_recording', jsonb_build_array(tests.email_action('plain')),
    '{"offset_minutes": 60}'),
  tests.rule('published', 'show', 'episode.published', jsonb_build_array(tests.email_action('out', 'team')));

-- Runs a rule for the booking or the episode, and queues the emails
create function pg_temp.run(rule text, at timestamptz default now()) returns void language plpgsql as $$
begin
  delete from notification_deliveries;
  delete from automation_executions;
  delete from private.rate_limits;
  delete from private.email_windows;
  perform private.fire_automations(r.trigger_type, tests.id('show'),
    case when rule not in ('published', 'numbering') then tests.id('first') end,
    case when rule in ('published', 'numbering') then tests.id('pilot') end, gen_random_uuid()::text, at, r.id)
  from automation_rules r where r.id = tests.id(rule);
  perform private.run_automation_execution(e.id, at) from automation_executions e where e.status = 'pending';
  update notification_deliveries set status = 'queued';
end $$;
create function pg_temp.delivery(who text default null) returns uuid language sql as $$
  select a.delivery_id from private.delivery_addresses a
  where a.source_id is not null and a.email = coalesce(who || '@test.example', a.email)
$$;
create function pg_temp.begin_email(who text default null, at timestamptz default now()) returns jsonb
language sql as $$ select private.begin_email_delivery(pg_temp.delivery(who), at => begin_email.at) $$;
-- What is sent after a change that is undone: a member of the content, or why the email is canceled
create function pg_temp.after(rule text, change text, path text default '{subject}', who text default null,
  at timestamptz default now()) returns text language plpgsql as $$
declare
  sent jsonb;
begin
  perform pg_temp.run(rule);
  execute change;
  sent := pg_temp.begin_email(who, after.at);
  raise exception using message = coalesce(case when sent is null then (
    select concat_ws(': ', d.status, s.last_error) from notification_deliveries d
    join private.delivery_sends s on s.delivery_id = d.id where d.id = pg_temp.delivery(who))
    else sent #>> path::text[] end, 'none');
exception when raise_exception then
  return sqlerrm;
end $$;

-- Facts of now
select is(pg_temp.after('booked', 'update bookings set start_time = ''2027-01-05 15:00Z'',
  end_time = ''2027-01-05 16:00Z'' where id = tests.id(''first'')'), 'January 5, 2027, 3:00 PM (UTC)',
  'the email of a booking names the time to which it moved while the email waited');
select is(pg_temp.after('published', change, path, 'mel'), expected, format('an email is sent with %s', what))
from (values ('update episodes set title = ''Renamed'' where id = tests.id(''pilot'')',
    '{subject}', 'Renamed', 'the episode''s title of now'),
  ('update private.settings set value = ''https://new.test'' where key = ''listen_url''', '{url}',
    'https://new.test/show/pilot', 'the episode''s link of now'),
  ('update automation_templates set subject = ''New''', '{subject}', 'New',
    'the template of now'),
  ('update podcasts set title = ''Renamed''', '{fromName}', 'Renamed',
    'the podcast''s title of now as the name of the sender'),
  ('update automation_rules set reply_to = ''none''', '{replyTo}', 'none',
    'the reply address of now')) v (change, path, expected, what);

select is(pg_temp.after('booked', 'update automation_templates set subject = ''{guest_first_name}''; update bookings
  set guest_name = ''Zoe''', path => '{subject}'), 'Zoe', 'an email is sent with the guest''s name of now');

-- What no longer holds
select is(pg_temp.after(rule, change, who => who, at => at), 'canceled: ' || problem,
  format('an email is not sent after %s', what))
from (values
  ('booked', 'update bookings set status = ''cancelled'', cancelled_by = ''host''', null, now(),
    'The booking was canceled', 'the booking was canceled'),
  ('ahead', 'update bookings set start_time = start_time + interval ''1 hour'', end_time = end_time + interval
    ''1 hour''', null, now(), 'The booking was rescheduled', 'the booking of a reminder moved'),
  ('ahead', 'select', null, now() + interval '5 days', 'The recording has begun', 'the session of a reminder began'),
  ('published', 'update episodes set status = ''draft''', 'mel', now(), 'The episode is no longer published',
    'the episode was unpublished'),
  ('published', 'delete from podcast_members where user_id =
    tests.id(''mel'')', 'mel', now(), 'The rule no longer sends to this recipient', 'the member left'),
  ('published', 'update auth.users set email = ''new@test.example''
    where id = tests.id(''mel'')', 'mel', now(), 'The rule no longer sends to this recipient',
    'the member gave the address up'),
  ('published', 'update automation_actions set action_config =
    action_config || ''{"to": "host"}''', 'mel', now(), 'The rule no longer sends to this recipient',
    'the recipients of the action changed'),
  ('booked', 'delete from automation_actions', null, now(), 'The email was removed from the rule',
    'its action was removed'),
  ('booked', 'delete from automation_rules', null, now(), 'The rule was deleted', 'its rule was deleted'),
  ('booked', 'update automation_rules set is_enabled = false', null, now(), 'The rule was disabled',
    'its rule was disabled'),
  ('booked', 'update automation_rules set is_paused = true, is_enabled = false', null, now(),
    'The rule was disabled', 'its paused rule was disabled'),
  ('booked', 'update automation_rules set conditions = ''[{"field": "guest_full_name",
    "operator": "equals", "value": "Zoe"}]''', null, now(), 'The condition "guest_full_name equals Zoe" does not hold',
    'a condition of its rule is not met'),
  ('booked', 'select tests.set_status(''show'', ''pending_deletion'')', null, now(),
    'The podcast is scheduled for deletion', 'the deletion of the podcast was scheduled'),
  ('booked', 'update bookings set guest_name = repeat(''&'', 200); update automation_templates set
    body_html = repeat(''{guest_full_name}'', 300), body_text = repeat(''{guest_full_name}'', 300)', null, now(),
    'The email is too long with its values',
    'its values made it too long')) v (rule, change, who, at, problem, what);

-- A paused rule holds its emails
create function pg_temp.paused(at timestamptz) returns text language plpgsql as $$
begin
  perform pg_temp.run('booked');
  update automation_rules set is_paused = true where id = tests.id('booked');
  perform pg_temp.begin_email(at => paused.at);
  return (select concat_ws(' ', d.status, d.due_at - paused.at, s.last_error) from notification_deliveries d
    left join private.delivery_sends s on s.delivery_id = d.id);
end $$;
update bookings set start_time = start_time + interval '30 days', end_time = end_time + interval '30 days';
select is(pg_temp.paused(now()), 'pending 00:10:00', 'an email of a paused rule is tried again after ten minutes');
update automation_rules set is_paused = false;
update notification_deliveries set status = 'queued';
select is(pg_temp.begin_email() ->> 'reason', 'You get this email because you booked a session with show.',
  'an email is sent when its rule is resumed');
select is(pg_temp.after('booked', 'update automation_rules set is_paused = true;
  update automation_executions set created_at = now() - interval ''7 days'''),
  'canceled: The rule was paused for a week',
  'an email waits for a paused rule for a week at most');

-- Attempts
select pg_temp.run('booked');
create temp table attempt as select 1 as n, pg_temp.begin_email() as content;
insert into attempt select 2, pg_temp.begin_email();
update bookings set start_time = '2027-01-05 15:00Z', end_time = '2027-01-05 16:00Z';
insert into attempt select 3, pg_temp.begin_email();
insert into attempt select 4, pg_temp.begin_email();
select is((select count(distinct content) from attempt where n <= 2), 1::bigint,
  'a repeated attempt sends the same email under the same key');
select results_eq($$ select n, content ->> 'subject', (content -> 'version')::int from attempt where n > 2
    order by n $$,
  $$ values (3, 'January 5, 2027, 3:00 PM (UTC)', 2), (4, 'January 5, 2027, 3:00 PM (UTC)', 2) $$,
  'an attempt after the booking moved sends the new time, under a key of its own');
select is((select title from private.delivery_addresses), 'January 5, 2027, 3:00 PM (UTC)',
  'the record of an email has the subject that was sent last');

-- What an email waits for: the session moves meanwhile
create function pg_temp.move(start text) returns void language sql as $$
  update bookings set start_time = start::timestamptz, end_time = start::timestamptz + interval '1 hour'
$$;
select tests.rule('hooked', 'show', 'booking.confirmed', jsonb_build_array(tests.webhook_action(),
  tests.email_action('plain')));
select pg_temp.run('hooked'), pg_temp.move('2027-02-01 15:00Z');
select tests.run_rule('hooked', jsonb_build_object('action_id', tests.id('hooked/0'), 'status', 'failed',
  'result', '{"error": "503"}'::jsonb), now()), tests.run_rule('hooked', null, now());
select is((tests.execution('hooked')).status::text, 'failed', 'a webhook that fails stops the email behind it');
update automation_actions set continue_on_error = true where rule_id = tests.id('hooked') and execution_order = 0;
select pg_temp.move('2027-02-02 15:00Z'), pg_temp.run('hooked'), pg_temp.move('2027-02-03 15:00Z');
select tests.run_rule('hooked', jsonb_build_object('action_id', tests.id('hooked/0'), 'status', 'failed',
  'result', '{"error": "503"}'::jsonb), now());
update notification_deliveries set status = 'queued';
select is(pg_temp.begin_email() ->> 'subject', 'February 3, 2027, 3:00 PM (UTC)',
  'an email names the time to which the booking moved between the attempts of an earlier webhook');
insert into private.automation_usage (podcast_id, action_type, used_at, units)
values (tests.id('show'), 'send_email', now(), 100);
select pg_temp.run('booked'), pg_temp.move('2027-02-04 15:00Z');
select is((tests.execution('booked')).status::text, 'pending', 'an email over the hourly limit waits');
select tests.run_rule('booked', at => now() + interval '61 minutes');
update notification_deliveries set status = 'queued';
select is(pg_temp.begin_email(at => now() + interval '61 minutes') ->> 'subject', 'February 4, 2027, 3:00 PM (UTC)',
  'an email names the time to which the booking moved while it waited for the hourly limit');
delete from private.automation_usage;

-- Reply-To
select is(pg_temp.after('booked', change, '{replyTo}'), expected, format('replies to an email go to %s', what))
from (values ('select', 'ola@test.example', 'the owner if no host confirmed the booking'),
  ('update bookings set confirmed_by = tests.id(''ada'')', 'ada@test.example', 'the host who confirmed the booking'),
  ('update bookings set confirmed_by = tests.id(''ada''); update automation_rules set reply_to = ''owner''',
    'ola@test.example', 'the owner if the rule says so'),
  ('update automation_rules set reply_to = ''none''', 'none', 'the sender if the rule says none'),
  ('update automation_rules set reply_to = ''Press@News.example ''', 'press@news.example',
    'a confirmed address of the rule'),
  ('update automation_rules set reply_to = ''press@news.example''; delete from automation_addresses',
    'ola@test.example', 'the host once the address of the rule is no longer confirmed'),
  ('update automation_rules set reply_to = ''ada@test.example''; update podcast_members set role = ''member''
    where user_id = tests.id(''ada'')', 'ola@test.example', 'the host once the address is no longer an admin''s'))
  v (change, expected, what);

-- The button
select is(pg_temp.after('published', change, '{action}', 'mel') || ' ' || pg_temp.after('published', change, '{url}',
    'mel'), expected, format('the button of an email about an episode: %s', what))
from (values ('select', 'Listen https://casts.test/listen/show/pilot', 'leads to the episode'),
  ('update automation_templates set has_button = false', 'View podcast none', 'is left out if the template says so'),
  ('select private.set_setting(''listen_url'', null), private.set_setting(''pages_url'', null)', 'Listen none',
    'is left out while no pages are served')) v (change, expected, what);
select is(pg_temp.after('booked', change, '{action}') || ' ' || pg_temp.after('booked', change, '{url}'), expected,
  format('the button of an email about a booking: %s', what))
from (values ('select', 'View podcast https://casts.test/listen/show', 'leads to the podcast'),
  ('update episodes set status = ''draft''', 'View podcast none', 'is left out before an episode is published'),
  ('update bookings set episode_id = tests.id(''pilot'')', 'Listen https://casts.test/listen/show/pilot',
    'leads to the published episode of the booking')) v (change, expected, what);

-- Why the recipient gets it
create function pg_temp.reason(target text, who text, is_verified boolean default true) returns text
language plpgsql as $$
begin
  update automation_actions set action_config = action_config || jsonb_build_object('to', target)
  where action_type = 'send_email';
  update bookings set guest_verified_at = case when is_verified then now() end, guest_told_at = now();
  return pg_temp.after(case when target = 'guest' and who is not null then 'published' else 'booked' end, 'select',
    '{reason}', who);
end $$;
select is(pg_temp.reason(target, who, is_verified), 'You get this email because ' || expected,
  format('the footer of an email tells %s why they get it', what))
from (values
  ('team', 'mel', true, 'you''re on the team of show, and its automation “booked” sends to you.', 'the team'),
  ('host', 'ola', true, 'you''re on the team of show, and its automation “booked” sends to you.', 'the owner'),
  ('press@news.example', null, true, 'this address was confirmed for automatic emails of show.', 'confirmed addresses'),
  ('guest', null, true, 'you booked a session with show.', 'the guest of a booking'),
  ('guest', null, false, 'someone booked a session with show with this address.', 'a guest who is not verified'),
  ('guest', 'abe', true, 'you''re a guest of show.', 'the guests of an episode'))
  v (target, who, is_verified, expected, what);
update profiles set locale = 'de' where id = tests.id('mel');
select is(pg_temp.after('booked', 'select', '{reason}', 'mel'), 'Du bekommst diese E-Mail, weil du zum Team von show '
  'gehörst und dessen Automation „booked“ an dich sendet.', 'the footer of an email is in the recipient''s language')
from pg_temp.reason('team', 'mel');

-- Another guest's address
select tests.template('names', 'show', '{"subject": "{guest_full_name} {guest_email}", "body_text": "-"}');
create function pg_temp.subject_to_abe(rule text) returns text language plpgsql as $$
begin
  update automation_actions set action_config = jsonb_build_object('template_id', tests.id('names'),
    'to', 'abe@test.example') where rule_id = tests.id(rule);
  return pg_temp.after(rule, 'select', '{subject}', 'abe');
end $$;
select is(pg_temp.subject_to_abe('booked'), 'Gus gus@guests.example',
  'an email about a booking to the address of another guest names the guest of the booking');
select is(pg_temp.subject_to_abe('published'), 'Abe abe@test.example',
  'an email about an episode to the address of a guest names this guest');
update automation_actions a set action_config = jsonb_build_object('template_id', tests.id(v.template), 'to', v.target)
from (values ('booked', 'plain', 'guest'), ('published', 'out', 'team')) v (rule, template, target)
where a.rule_id = tests.id(v.rule);

-- A guest who is not verified: anyone may have typed what the booking says
select pg_temp.reason('guest', null, false);
alter table public.podcasts disable trigger user;
update podcasts set title = 'https://evil.test' where id = tests.id('show');
select is(pg_temp.after('booked', 'select', '{fromName}'), 'none',
  'the sender of an email to a guest who is not verified has no name that is a link');
update podcasts set title = 'show' where id = tests.id('show');
create temp table said as select private.automation_email_tags('{"tags": {"booking_notes": "see evil.test",
  "booking_answer:Link": "https://evil.test", "podcast_title": "Node.js"}}', r, 'en') as tags
from (select 'x@test.example' as email, 'UTC' as timezone, null::text as guest_name, false as is_guest,
  false as has_agreed, '{}'::jsonb as audience) r;
select is(tags, '{"podcast_title": "Node.js"}',
  'the notes and answers of a guest who is not verified are left out') from said;

-- The link that manages the booking
update automation_actions set action_config = jsonb_set(action_config, '{template_id}', to_jsonb(tests.id('manage')))
where rule_id = tests.id('booked');
select pg_temp.run('booked');
create temp table managed as select pg_temp.begin_email() as content;
select is(content #> '{items,0}', '{"title": "Manage",
    "body": "https://casts.test/booking#token=…",
    "html": "<p><a href=\"https://casts.test/booking#token=…\">Manage</a></p>",
    "isQuoted": false}', 'the guest of a booking gets the link that manages it, not in the subject')
from (select replace(content::text, pg_temp.delivery()::text, '…')::jsonb as content from managed) m;
select is(content ->> 'accessFragment', '#token=' || pg_temp.delivery(),
  'the content of an email says where the worker writes the token, which no author of a template can know')
from managed;
select is((select access from private.delivery_addresses), jsonb_build_object('kind', 'booking', 'subject_id',
  tests.id('first'), 'expires_at', private.format_timestamp((tests.booking('first')).end_time + interval '7 days')),
  'the link that manages a booking opens it until a week after its end');
select is(pg_temp.after('booked', format('update automation_templates set %s where id = tests.id(''manage'')', texts),
  '{accessFragment}'), 'none', format('an email has no access token in %s', what))
from (values
  ($$ body_text = '', body_html = '<img src="https://spy.test/{booking_manage_url}.gif">' $$, 'the URL of an image'),
  ($$ body_text = '', body_html = '<a href="https://spy.test/?u={booking_manage_url}">x</a>' $$, 'another link'),
  ($$ body_html = '', body_text = 'https://spy.test/?u={booking_manage_url}' $$, 'another link of its text'))
  v (texts, what);
select pg_temp.run('booked');
select is((select e.action_results #> '{0,result,missing_tags}' from tests.execution('booked') e), '[]',
  'the link that manages a booking is not missing in an email to its guest');
select is_empty($$ select from automation_executions e where e::text like '%token=%' $$,
  'executions have no link that manages a booking');
select is(pg_temp.after('booked', 'select', '{items,0,html}', 'ola'), '<p><a href="">Manage</a></p>',
  'another recipient than the guest of the booking gets no link that manages it')
from (select pg_temp.reason('host', 'ola')) r;
select is((private.preview_automation_email(e, a, now()) - 'template_id'), '{"subject": "Manage",
    "body_html": "<p><a href=\"\">Manage</a></p>", "body_text": "", "missing_tags": ["booking_manage_url"]}',
  'preview_automation_email lists the link that manages a booking as missing for others than its guest')
from tests.execution('booked') e, automation_actions a where a.rule_id = tests.id('booked');
select pg_temp.reason('guest', null);
select is(private.preview_automation_email(e, a, now()) ->> 'body_text', 'https://casts.test/booking#token=…',
  'preview_automation_email shows no token')
from tests.execution('booked') e, automation_actions a where a.rule_id = tests.id('booked');

select is(private.begin_email_delivery(pg_temp.delivery()) ->> 'subject', 'Manage', 'an email is begun again');
update notification_deliveries set status = 'failed';
update notification_deliveries set status = 'pending';
update bookings set sequence = sequence + 1, start_time = start_time + interval '1 day',
  end_time = end_time + interval '1 day';
select is((select status::text from notification_deliveries), 'pending',
  'an email that is sent again is not canceled when its booking moves, as it will name the new time');
select tests.rule('after', 'show', 'time.after_recording', jsonb_build_array(tests.email_action('manage')),
  '{"offset_minutes": 43200}');
select pg_temp.run('after', b.end_time + interval '30 days') from tests.booking('first') b;
select pg_temp.begin_email(at => b.end_time + interval '30 days') from tests.booking('first') b;
select is((select access ->> 'expires_at' from private.delivery_addresses), private.format_timestamp(
    (tests.booking('first')).end_time + interval '37 days'),
  'the link in an email that is sent long after the session opens the booking for a week');

-- Its rule wrote what its condition tests
select tests.rule('numbering', 'show', 'episode.published', jsonb_build_array(tests.email_action('out', 'team'),
  tests.update_action('episode_number', '7')));
update automation_rules set conditions = '[{"field": "episode_number", "operator": "is_empty"}]'
where id = tests.id('numbering');
select is(pg_temp.after('numbering', 'select', who => 'mel'), (select title from episodes where id = tests.id('pilot')),
  'an email is sent although an action of its rule wrote what the condition tests');

select * from tests.finish();
rollback;
