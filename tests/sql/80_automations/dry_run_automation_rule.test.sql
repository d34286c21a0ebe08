-- dry_run_automation_rule: what a rule would do for an occurrence, without doing it.
begin;
select tests.start();

select tests.team('show', 'ola', 'ada', 'vic'), tests.podcast('theirs', 'otto');
select tests.template('greet', 'show', '{"subject": "Hi {guest_first_name}", "body_html":
  "<p>{guest_full_name}: {episode_title}</p>", "body_text": "{guest_email}"}');
select tests.open_link('talk', 'show'), tests.open_link('other talk', 'show', '{"slug": "other"}'),
  tests.booking_in('session', 'talk', 30, 'confirmed', 'gus'), tests.booking_in('asked', 'talk', 40),
  tests.booking_in('canceled', 'talk', 46, 'cancelled'),
  tests.booking_in('by other', 'other talk', 50, 'confirmed', 'kim'),
  tests.published_episode('pilot', 'show'), tests.episode('draft', 'show'), tests.guest('ivy', 'pilot', 'active'),
  tests.open_link('foreign', 'theirs'), tests.booking_in('foreign session', 'foreign', 30, 'confirmed', 'lee'),
  tests.published_episode('foreign pilot', 'theirs');
update public.bookings set guest_name = 'Gus <b>Grissom</b>' where id = tests.id('session');
insert into public.podcast_guests (podcast_id, display_name, email)
values (tests.id('show'), 'Gus', 'gus@guests.example') returning tests.remember('guest gus', id);
select tests.rule('booked', 'show', 'booking.confirmed', jsonb_build_array(tests.email_action('greet'),
    tests.webhook_action(), tests.update_action('notes', '"Booked"', 'guest'))),
  tests.rule('soon', 'show', 'time.before_recording', jsonb_build_array(tests.email_action('greet', 'host')),
    '{"offset_minutes": 60}'),
  tests.rule('published', 'show', 'episode.published', jsonb_build_array(tests.email_action('greet', 'team'),
    tests.update_action('title', '"Renamed"'), tests.update_action('bio', '"Was here"', 'guest')));

select tests.access('dry_run_automation_rule',
  $$ select public.dry_run_automation_rule(tests.id('booked'), tests.id('session')) $$,
  '42501: anon; PT403: otto vic; 42501: service; ok 1: ola');

-- Subjects
create function pg_temp.error(rule uuid, booking uuid, episode uuid) returns text language sql as $$
  select tests.value_as('ada', format('select tests.describe_error(%L)', format(
    'select public.dry_run_automation_rule(%L, %L, %L)', rule, booking, episode)))
$$;
select is(tests.value_as('ada', format('select tests.describe_error(%L)', format(
    'select public.dry_run_automation_rule(%L, %L, %s => gen_random_uuid())', tests.id('booked'), tests.id('session'),
    other))), 'PT400 / Provide booking_id, and no other id, for this rule',
  format('dry_run_automation_rule of a booking rule with an %s returns 400', other))
from unnest(array['episode_guest_id', 'import_id']) other;
select is(pg_temp.error(rule, booking, episode), error, format('dry_run_automation_rule for %s returns: %s',
  subject, error))
from (values
  (gen_random_uuid(), tests.id('session'), null, 'an unknown rule', 'PT404 / Automation rule not found'),
  (tests.id('booked'), null, null, 'a booking rule without a subject',
    'PT400 / Provide booking_id, and no other id, for this rule'),
  (tests.id('booked'), tests.id('session'), tests.id('pilot'), 'a booking rule with both subjects',
    'PT400 / Provide booking_id, and no other id, for this rule'),
  (tests.id('soon'), null, tests.id('pilot'), 'a booking rule with an episode',
    'PT400 / Provide booking_id, and no other id, for this rule'),
  (tests.id('published'), null, null, 'an episode rule without a subject',
    'PT400 / Provide episode_id, and no other id, for this rule'),
  (tests.id('published'), tests.id('session'), null, 'an episode rule with a booking',
    'PT400 / Provide episode_id, and no other id, for this rule'),
  (tests.id('booked'), gen_random_uuid(), null, 'an unknown booking', 'PT404 / Booking not found'),
  (tests.id('booked'), tests.id('foreign session'), null, 'a booking of another podcast', 'PT404 / Booking not found'),
  (tests.id('published'), null, gen_random_uuid(), 'an unknown episode', 'PT404 / Episode not found'),
  (tests.id('published'), null, tests.id('foreign pilot'), 'an episode of another podcast',
    'PT404 / Episode not found')) v (rule, booking, episode, subject, error);

-- Results
create temp table before as select md5(concat(
  (select json_agg(e order by id) from public.episodes e),
  (select json_agg(g order by id) from public.podcast_guests g),
  (select json_agg(g) from public.podcast_guest_notes g),
  (select json_agg(r order by id) from public.automation_rules r),
  (select json_agg(b order by id) from public.bookings b))) as rows,
  (select count(*) from public.notification_deliveries) as deliveries, (select count(*) from private.events) as events,
  (select count(*) from private.rate_limits) as limits,
  (select count(*) from public.automation_executions) as executions,
  (select count(*) from pgmq.q_feed_invalidation) as feeds, (select count(*) from pgmq.q_automation_runs) as executed;
create function pg_temp.run(rule text, booking text, episode text default null) returns jsonb language sql as $$
  select tests.value_as('ada', format('select public.dry_run_automation_rule(%L, %L, %L) -> ''dry_run''',
    tests.id(rule),
    (select id from tests.ids where name = booking), (select id from tests.ids where name = episode)))::jsonb
$$;
create temp table runs as select 'booked' as rule, pg_temp.run('booked', 'session') as run
union all select 'soon', pg_temp.run('soon', 'session') union all select 'published', pg_temp.run('published', null,
  'pilot');
select is(run - '{context_data,action_results}'::text[], '{"would_run": true, "problem": null}',
  format('the dry run of the rule %s says that it would run', rule)) from runs;
select is(run #> '{action_results,0}' #- '{result,recipients,0,id}', jsonb_build_object(
  'action_id', tests.id('booked/0'), 'action_type',
  'send_email', 'status', 'completed', 'result', jsonb_build_object('subject', 'Hi Gus',
      'body_html', '<p>Gus &lt;b&gt;Grissom&lt;/b&gt;: </p>', 'body_text', 'gus@guests.example',
      'template_id', tests.id('greet'), 'recipient_count', 1, 'missing_tags', '["episode_title"]'::jsonb,
      'sent_count', 0, 'failed_count', 0, 'skipped_count', 0,
      'recipients', '[{"recipient": "g***@g***.example", "status": "sending"}]'::jsonb)),
  'a dry run shows the email of the first recipient and the missing tags') from runs where rule = 'booked';
select is(run #> '{action_results,1}', jsonb_build_object('action_id', tests.id('booked/1'), 'action_type',
    'send_webhook', 'status', 'completed', 'result', jsonb_build_object('url', 'https://hooks.test/in', 'payload',
      jsonb_build_object('type', 'booking.confirmed', 'timestamp', private.format_timestamp(now()), 'data',
        jsonb_build_object('podcast_id', tests.id('show'), 'booking_id', tests.id('session'), 'episode_id', null,
          'episode_guest_id', null, 'import_id', null, 'podcast_guest_id', tests.id('guest gus'),
          'rule_id', tests.id('booked'), 'rule_name', 'booked', 'tags', run #> '{context_data,tags}')),
      'header_names', '[]'::jsonb, 'is_signed', true)), 'a dry run shows the payload of the webhook')
from runs where rule = 'booked';
select is(run #> '{action_results,2}', jsonb_build_object('action_id', tests.id('booked/2'), 'action_type',
    'update_field', 'status', 'completed', 'result', jsonb_build_object('entity', 'guest', 'field', 'notes', 'value',
      'Booked', 'ids', jsonb_build_array(tests.id('guest gus')))), 'a dry run shows the update that it tried')
from runs where rule = 'booked';
select is(run #> '{action_results,0,result}' @> '{"recipient_count": 1, "body_text": "gus@guests.example"}', true,
  'a dry run before a recording shows the email to the host') from runs where rule = 'soon';
select is(run #>> '{action_results,0,result,recipient_count}', '3', 'a dry run counts the recipients of the team')
from runs where rule = 'published';
select is((select array_agg(concat_ws(' ', r ->> 'status', r #>> '{result,field}', r #> '{result,ids}') order by n)
    from jsonb_array_elements(run -> 'action_results') with ordinality e (r, n)
      where r ->> 'action_type' = 'update_field'),
  array[format('completed title ["%s"]', tests.id('pilot')), format('completed bio ["%s"]', (
    select id from public.podcast_guests where email = 'ivy@test.example'))],
  'a dry run of a published episode tries the updates of the episode and its guests')
from runs where rule = 'published';
select is(run -> 'context_data' @> jsonb_build_object('booking_id', tests.id('session'), 'tags',
  '{"guest_full_name": "Gus <b>Grissom</b>", "booking_link_name": "talk"}'::jsonb), true,
  'a dry run shows the context of the occurrence') from runs where rule = 'booked';
select results_eq($$ select md5(concat(
    (select json_agg(e order by id) from public.episodes e),
    (select json_agg(g order by id) from public.podcast_guests g),
    (select json_agg(g) from public.podcast_guest_notes g),
    (select json_agg(r order by id) from public.automation_rules r),
    (select json_agg(b order by id) from public.bookings b))),
    (select count(*) from public.notification_deliveries), (select count(*) from private.events),
    (select count(*) from private.rate_limits), (select count(*) from public.automation_executions),
    (select count(*) from pgmq.q_feed_invalidation), (select count(*) from pgmq.q_automation_runs) $$,
  'select * from before', 'dry_run_automation_rule changes no row, sends nothing and creates no execution');
select is_empty('select from private.automation_usage', 'dry_run_automation_rule uses no hourly limit');
select is_empty($$ select from tests.queued('automation_webhooks') $$, 'dry_run_automation_rule enqueues no webhook');

-- What a run would meet
create function pg_temp.results(rule text) returns jsonb language sql as $$
  select jsonb_agg(r - '{action_id,action_type}'::text[] order by n)
  from jsonb_array_elements(pg_temp.run(rule, 'session') -> 'action_results') with ordinality u (r, n)
$$;
select private.consume_automation_limit(tests.id('show'), type, units, now() - interval '20 minutes')
from (values ('send_email'::public.automation_action_type, 100), ('send_webhook', 500), ('update_field', 199))
  v (type, units);
select is(pg_temp.results('booked') -> n, expected, 'a dry run says that the hourly limit of ' || type || ' is reached')
from (values (0, 'send_email'), (1, 'send_webhook')) v (n, type)
cross join lateral jsonb_build_object('status', 'rate_limited', 'result', jsonb_build_object('error',
  format('Rate limit exceeded for %s. Try again in 40 minutes.', type), 'rate_limit_reset_at',
  private.format_timestamp(now() + interval '40 minutes'))) expected;
select is(pg_temp.results('booked') #>> '{2,status}', 'completed', 'a dry run of an action within its limit shows it');
select tests.rule('twice', 'show', 'booking.confirmed', jsonb_build_array(
  tests.update_action('notes', '"One"', 'guest'), tests.update_action('notes', '"Two"', 'guest')));
select is((select string_agg(r ->> 'status', ' ') from jsonb_array_elements(pg_temp.results('twice')) r),
  'completed rate_limited', 'a dry run counts its own actions for the hourly limit');
delete from private.automation_usage;
select tests.rule('stops', 'show', 'booking.confirmed', jsonb_build_array(
    tests.update_action('notes', '"x"', 'guest'),
    tests.update_action('display_name', to_jsonb(repeat('x', 201)), 'guest'), tests.email_action('greet'))),
  tests.rule('continues', 'show', 'booking.confirmed', jsonb_build_array(
    tests.update_action('display_name', to_jsonb(repeat('x', 201)), 'guest', '{"continue_on_error": true}'),
    tests.email_action('greet')));
select is((select string_agg(r ->> 'status', ' ') from jsonb_array_elements(pg_temp.results('stops')) r),
  'completed failed skipped', 'a dry run skips the actions after one that would fail');
select is(pg_temp.results('stops') #> '{2,result}', '{"reason": "An earlier action failed"}',
  'a dry run says why an action after one that would fail is skipped');
select is((select string_agg(r ->> 'status', ' ') from jsonb_array_elements(pg_temp.results('continues')) r),
  'failed completed', 'a dry run shows the actions after one that continues on errors');
select private.set_setting('fetch_allowed_hosts', '127.0.0.1');
select tests.rule('blocked', 'show', 'booking.confirmed', jsonb_build_array(tests.webhook_action(
  '{"action_config": {"url": "http://127.0.0.1/in"}}')));
select private.set_setting('fetch_allowed_hosts', null);
select is(pg_temp.results('blocked') #>> '{0,status}', 'failed', 'a dry run of a webhook to a blocked URL fails');
select is(pg_temp.results('blocked') #>> '{0,result,error}', private.blocked_url_reason('http://127.0.0.1/in'),
  'a dry run of a webhook to a blocked URL says why');
select tests.template('long', 'show', jsonb_build_object('body_text', repeat('{episode_title}', 300),
  'body_html', repeat('{episode_title}', 300)));
select tests.rule('long email', 'show', 'booking.confirmed', jsonb_build_array(tests.email_action('long')));
update public.episodes set title = repeat('é', 255) where id = tests.id('draft');
update public.bookings set episode_id = tests.id('draft') where id = tests.id('session');
select is(pg_temp.results('long email'),
  '[{"status": "failed", "result": {"error": "The email is too long with its values"}}]',
  'a dry run of an email that is too long with its values fails');
update public.bookings set episode_id = null where id = tests.id('session');

-- Updates that would fail or have no target
create function pg_temp.update_result(action jsonb, booking text, episode text default null) returns jsonb
language plpgsql as $$
declare
  run jsonb;
begin
  perform tests.rule('tried', 'show', case when booking is null then 'episode.published'::public.automation_trigger
    else 'booking.confirmed' end, jsonb_build_array(action));
  run := pg_temp.run('tried', booking, episode);
  raise sqlstate 'ZZ999';
exception when sqlstate 'ZZ999' then
  return (run #> '{action_results,0}') - '{action_id,action_type}'::text[];
end $$;
select is(pg_temp.update_result(action, booking, episode), result::jsonb, format('the dry run of %s gives %s',
  left(action ->> 'action_config', 80), result))
from (values
  (tests.update_action('title', to_jsonb(repeat('x', 256))), null, 'pilot',
    '{"status": "failed", "result": {"error": "The value was rejected: The title must have 1 to 255 characters"}}'),
  (tests.update_action('display_name', to_jsonb(repeat('x', 201)), 'guest'), 'session', null,
    '{"status": "failed", "result": {"error": "The value was rejected: The display name must have 1 to 200 '
    'characters"}}'),
  (tests.update_action('notes', to_jsonb(repeat('x', 2001)), 'guest'), 'session', null,
    '{"status": "failed", "result": {"error": "The value was rejected: The notes and the bio must each have at '
    'most 2,000 characters"}}'),
  (tests.update_action('title', '"New"'), 'session', null,
    '{"status": "skipped", "result": {"reason": "The occurrence has no episode"}}'),
  (tests.update_action('notes', '"New"', 'guest'), 'by other', null,
    '{"status": "skipped", "result": {"reason": "The occurrence has no guest"}}'),
  (tests.email_action('greet', 'guest'), null, 'draft',
    '{"status": "skipped", "result": {"reason": "The occurrence has no such recipient"}}'))
  v (action, booking, episode, result);
insert into public.automation_addresses (podcast_id, email, confirmed_at)
values (tests.id('show'), 'list@mail.example', now());
select tests.rule('to list', 'show', 'booking.confirmed', jsonb_build_array(tests.email_action('greet',
  'list@mail.example')));
delete from public.automation_addresses;
select is((pg_temp.run('to list', 'session') #> '{action_results,0}') - '{action_id,action_type}'::text[],
  '{"status": "failed", "result": {"error":
    "The address is no longer a member, a guest who accepted an invitation or a confirmed address"}}',
  'a dry run of an email to an address that is confirmed no longer fails');
select is((select title from public.episodes where id = tests.id('pilot')), 'pilot',
  'a dry run of an update that fails changes nothing');

-- Problems
create function pg_temp.problem(rule text, booking text, episode text default null, setup text default 'select')
returns text language plpgsql as $$
declare
  run jsonb;
begin
  execute setup;
  run := pg_temp.run(rule, booking, episode);
  raise sqlstate 'ZZ999';
exception when sqlstate 'ZZ999' then
  return concat_ws(' ', run ->> 'would_run', run ->> 'problem', jsonb_array_length(run -> 'action_results'));
end $$;
select is(pg_temp.problem(rule, booking, episode, setup), problem, format('a dry run of %s for %s%s says: %s', rule,
  coalesce(booking, episode), ' after' || nullif(setup, 'select'), problem))
from (values
  ('booked', 'session', null, 'update public.automation_rules set is_enabled = false', 'false The rule was disabled 3'),
  ('booked', 'session', null, 'update public.automation_rules set is_paused = true', 'false The rule was paused 3'),
  ('booked', 'asked', null, 'select', 'true 3'),
  ('booked', 'canceled', null, 'select', 'false The booking was canceled 3'),
  ('booked', 'asked', null, $$ select tests.value_as('ada', 'select public.decline_booking(tests.id(''asked''))') $$,
    'false The booking was declined 3'),
  ('soon', 'session', null, $$ update public.bookings set start_time = now() - interval '1 hour', end_time = now()
    where id = tests.id('session') $$, 'false The recording has begun 1'),
  ('booked', 'session', null, $$ create or replace function private.unmet_condition(rule public.automation_rules,
    context jsonb) returns text language sql as
    'select ''The guest is '' || (context #>> ''{tags,guest_first_name}'')' $$,
    'false The guest is Gus 3'),
  ('published', null, 'draft', 'select', 'true 3'),
  ('booked', 'session', null, $$ update public.bookings set start_time = now() - interval '1 hour', end_time = now()
    where id = tests.id('session') $$, 'false The session is over 3'),
  ('booked', 'session', null, $$ update public.automation_rules set trigger_config =
    jsonb_build_object('booking_link_id', tests.id('other talk')) where id = tests.id('booked') $$,
    'false The rule is for another booking link 3'),
  ('booked', 'session', null, $$ update public.automation_rules set trigger_config =
    jsonb_build_object('booking_link_id', tests.id('talk')) where id = tests.id('booked') $$, 'true 3'),
  ('booked', 'session', null, $$ update public.automation_rules set author_id = tests.id('vic') $$,
    'false The author of the rule is no longer an admin 3'),
  ('booked', 'session', null, $$ update public.podcasts set status = 'pending_deletion', deletion_requested_at = now(),
    deletion_scheduled_at = now() $$, 'false The podcast is scheduled for deletion 3'))
  v (rule, booking, episode, setup, problem);

select * from tests.finish();
rollback;
