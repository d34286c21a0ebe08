-- preview_automation_template: renders texts without saving them, and says what is wrong with them.
begin;
select tests.start();

select tests.podcast('show', 'ola'), tests.member('vic', 'show'), tests.person('otto'), tests.person('new', false);
select private.set_setting('max_template_previews_per_minute', '1000');

select tests.access('preview_automation_template', $$ select public.preview_automation_template('Hi', 'Hi') $$,
  '42501: anon service; PT403: new; ok 1: otto vic ola');

create function pg_temp.preview(subject text default 'Hi', body_html text default '<p>Hi</p>',
  body_text text default '', sample_data jsonb default '{}', trigger_type text default null) returns jsonb
language sql as $$
  select tests.value_as('ola', format('select public.preview_automation_template(%L, %L, %L, %L, %L)', subject,
    body_html, body_text, sample_data, trigger_type))::jsonb
$$;
create function pg_temp.validation(subject text default 'Hi', body_html text default '<p>Hi</p>',
  body_text text default '', sample_data jsonb default '{}', trigger_type text default null) returns jsonb
language sql as $$ select pg_temp.preview(subject, body_html, body_text, sample_data, trigger_type) -> 'validation' $$;

select is(pg_temp.preview('Hi {guest_first_name}', '<p>{episode_title}</p>', '{episode_title}, {guest_first_name}',
  '{"guest_first_name": "Grace", "episode_title": "Trains"}'),
  '{"preview": {"subject": "Hi Grace", "body_html": "<p>Trains</p>", "body_text": "Trains, Grace"},
    "validation": {"used_tags": ["episode_title", "guest_first_name"], "invalid_tags": [], "missing_context": [],
      "errors": [], "is_valid": true}}', 'preview_automation_template renders a valid template');
select is((select count(*) from public.automation_templates), 0::bigint, 'preview_automation_template saves nothing');
select is(tests.value_as('ola', 'select public.preview_automation_template()')::jsonb,
  '{"preview": {"subject": "", "body_html": "", "body_text": ""}, "validation": {"used_tags": [], "invalid_tags": [],
    "missing_context": [], "errors": ["subject: must not be empty",
      "body_html: must have visible content, or body_text must not be empty"], "is_valid": false}}',
  'preview_automation_template without arguments says that the template is empty');
select is(pg_temp.preview(null, null, null, null), tests.value_as('ola',
  'select public.preview_automation_template()')::jsonb, 'preview_automation_template treats null as absent');

-- Values
select is(pg_temp.preview('{host_name}', '<p title="{host_name}">{host_name}</p>', '{host_name}',
    jsonb_build_object('host_name', $$<b>"A" & 'B'</b>$$)) -> 'preview',
  jsonb_build_object('subject', $$<b>"A" & 'B'</b>$$, 'body_text', $$<b>"A" & 'B'</b>$$, 'body_html',
    format('<p title="%1$s">%1$s</p>', '&lt;b&gt;&quot;A&quot; &amp; &#39;B&#39;&lt;/b&gt;')),
  'preview_automation_template escapes values in body_html only');
select is(pg_temp.preview('{host_name}', '{host_name}', '{host_name}',
    '{"host_name": "{guest_email} {x", "guest_email": "leak"}') -> 'preview',
  '{"subject": "{guest_email} {x", "body_html": "{guest_email} {x", "body_text": "{guest_email} {x"}',
  'preview_automation_template does not expand tags in values');
select is(pg_temp.preview('Hi {host_name}', 'x', 'x', '{"host_name": "A\r\nBcc: b@test.example"}')
    #>> '{preview,subject}', 'Hi A Bcc: b@test.example', 'preview_automation_template keeps the subject on one line');
select is(pg_temp.preview(body_text => '{host_name}|{episode_number}|{episode_title}', sample_data =>
    '{"host_name": true, "episode_number": 12, "episode_title": null, "other": "ignored"}') #>> '{preview,body_text}',
  'true|12|{episode_title}', 'preview_automation_template takes numbers and booleans, and ignores null and other keys');
select is(pg_temp.preview('{host_name}', '<i>{guest_email}</i>', '{guest_email}') -> 'preview',
  '{"subject": "{host_name}", "body_html": "<i>{guest_email}</i>", "body_text": "{guest_email}"}',
  'preview_automation_template leaves a tag without a value visible');
select is(pg_temp.preview(body_text => '{host_name}', sample_data => '{"host_name": ""}') #>> '{preview,body_text}', '',
  'preview_automation_template renders an empty value');
select is(pg_temp.preview('{nope} {<b>}', '{nope} {<b>}', '', '{"nope": "x", "<b>": "y"}') -> 'preview'
    @> '{"subject": "x {<b>}", "body_html": "x {<b>}"}', true,
  'preview_automation_template fills only names of lower case letters');
select is(pg_temp.preview(body_html => '<p>{<script>alert(1)</script>}</p>') #>> '{preview,body_html}',
  '<p>{<script>alert(1)</script>}</p>', 'preview_automation_template returns the caller''s own HTML');

-- Tags
select is(pg_temp.validation('{b} {host_name} {a} {host_name}', '{episode_title}{b}', '{guest_email}')
    - '{errors,missing_context}'::text[], '{"is_valid": false, "invalid_tags": ["a", "b"],
    "used_tags": ["a", "b", "episode_title", "guest_email", "host_name"]}',
  'preview_automation_template lists used and invalid tags of all texts once, in order');
select is(pg_temp.validation('Hi', format('{%s}', repeat('x', 200))) -> 'invalid_tags',
  jsonb_build_array(repeat('x', 200)), 'preview_automation_template lists an invalid tag');
select is(pg_temp.validation('Hi', format('{%s}', repeat('x', 400))) -> 'invalid_tags',
  jsonb_build_array(repeat('x', 316)), 'preview_automation_template cuts a long invalid tag');
select is(pg_temp.validation('a {b', 'c} d') -> 'used_tags', '[]', 'no tag reaches from one text into the next');
select is(pg_temp.validation('{host_name}{guest_email}', '{episode_title}{booking_start}', '{podcast_title}{nope}',
    sample, trigger) -> 'missing_context', missing,
  format('missing_context of a template with the sample %s for %s is %s', sample, coalesce(trigger, 'any trigger'),
    missing))
from (values
  ('{}'::jsonb, null, '["booking_start", "episode_title", "guest_email", "host_name", "podcast_title"]'::jsonb),
  ('{"host_name": "A", "booking_start": ""}', null, '["episode_title", "guest_email", "podcast_title"]'),
  ('{"host_name": null}', null, '["booking_start", "episode_title", "guest_email", "host_name", "podcast_title"]'),
  ('{}', 'booking.confirmed', '["episode_title"]'), ('{}', 'time.before_recording', '["episode_title"]'),
  ('{}', 'episode.published', '["booking_start", "guest_email"]'),
  ('{"guest_email": "g"}', 'episode.published', '["booking_start"]'),
  ('{"booking_start": 1, "guest_email": "g"}', 'episode.published', '[]')) v (sample, trigger, missing);
select is(pg_temp.validation('{feed_url}', '{episode_audio_url}', trigger_type => 'episode.published')
  -> 'missing_context', '["episode_audio_url", "feed_url"]',
  'missing_context lists the tags that podcasts hosted elsewhere lack');
select is(pg_temp.validation('{guest_email}', trigger_type => 'episode.published') -> 'is_valid', 'true',
  'a template with missing context is valid');
select is(tests.result_of('ola', $$ select public.preview_automation_template('Hi', 'Hi', trigger_type => 'x') $$),
  '22P02', 'preview_automation_template rejects an unknown trigger');

-- Errors
select is(validation - '{used_tags,invalid_tags,missing_context}'::text[],
  jsonb_build_object('errors', errors, 'is_valid', errors = '{}'),
  format('preview_automation_template finds in %s: %s', texts, errors))
from (values
  ('valid texts', pg_temp.validation(), '{}'::text[]),
  ('no subject', pg_temp.validation(' '), '{subject: must not be empty}'),
  ('a subject of 255 characters', pg_temp.validation(repeat('é', 255)), '{}'),
  ('a subject of 256 characters', pg_temp.validation(repeat('x', 256)), '{subject: must be at most 255 characters}'),
  ('bodies of 102,400 bytes', pg_temp.validation('Hi', repeat('x', 102400), repeat('x', 102400)), '{}'),
  ('long bodies', pg_temp.validation('Hi', repeat('x', 102401), repeat('é', 51201)),
    array['body_html: must be at most 102,400 bytes', 'body_text: must be at most 102,400 bytes']),
  ('no body', pg_temp.validation('Hi', '<p> </p>', ' '),
    array['body_html: must have visible content, or body_text must not be empty']),
  ('a text body only', pg_temp.validation('Hi', '', 'Hi'), '{}'),
  ('unbalanced braces', pg_temp.validation('{', '{{host_name}}', 'a}'),
    array['subject: the brace at character 1 is not part of a {tag}',
      'body_html: the brace at character 1 is not part of a {tag}',
      'body_text: the brace at character 2 is not part of a {tag}'])
) v (texts, validation, errors);

-- Sizes and shapes
select is(tests.value_as('ola', format($$ select tests.outcome_of($q$
    select public.preview_automation_template('Hi', 'Hi', sample_data => %L)::text is not null $q$) $$, sample)),
  outcome,   format('preview_automation_template with the sample %s gives %s', left(sample, 30), outcome))
from (values
  ('[]', 'PT400 sample_data: must be an object'), ('"a"', 'PT400 sample_data: must be an object'),
  ('null', 'PT400 sample_data: must be an object'),
  ('{"a": []}', 'PT400 sample_data: values must be texts of at most 2,000 characters'),
  ('{"a": {"b": "c"}}', 'PT400 sample_data: values must be texts of at most 2,000 characters'),
  (jsonb_build_object('a', repeat('é', 2000))::text, 'true'),
  (jsonb_build_object('a', repeat('x', 2001))::text,
    'PT400 sample_data: values must be texts of at most 2,000 characters'),
  (jsonb_build_object(repeat('k', 65528), '')::text, 'true'),
  (jsonb_build_object(repeat('k', 65529), '')::text, 'PT400 sample_data: must be at most 65,536 bytes'))
  v (sample, outcome);
select is(pg_temp.preview(subject, body_html, body_text) -> 'preview', preview, format('preview_automation_template '
  'shows no text that is too long to be saved, here of %s, %s and %s characters', char_length(subject),
  char_length(body_html), char_length(body_text)))
from (values
  (repeat('x', 256), 'Hi', 'Hi', '{"subject": "", "body_html": "Hi", "body_text": "Hi"}'::jsonb),
  ('Hi', repeat('{', 500000), 'Hi', '{"subject": "Hi", "body_html": "", "body_text": "Hi"}'),
  ('Hi', 'Hi', repeat('{host_name}', 301), '{"subject": "Hi", "body_html": "Hi", "body_text": ""}'))
  v (subject, body_html, body_text, preview);
select is(pg_temp.validation('Hi', repeat(text, n), sample_data => jsonb_build_object('host_name', repeat('#', 2000)))
    -> 'errors', outcome,
  format('preview_automation_template of %s tags with values of 2,000 characters in %s: %s', n, text, outcome))
from (values
  ('{host_name} ', 87, '[]'::jsonb),
  ('{host_name} ', 88, '["sample_data: its values make the preview too long"]'))
  v (text, n, outcome);

-- Moments
update public.profiles set timezone = 'Europe/Berlin', locale = 'de' where id = tests.id('ola');
select is(pg_temp.preview('{booking_start}', '{booking_end}', '{booking_timezone}|{episode_published_at}', sample)
    -> 'preview', preview, format('preview_automation_template shows %s as an email to the caller does', sample))
from (values
  ('{"booking_start": "2026-07-06T15:00:00.000Z", "booking_end": "2026-07-06T18:00:00+02:00",
    "episode_published_at": "2026-01-06 23:30Z"}'::jsonb,
    '{"subject": "6. Juli 2026, 17:00 Uhr (Europe/Berlin)", "body_html": "6. Juli 2026, 18:00 Uhr (Europe/Berlin)",
      "body_text": "{booking_timezone}|7. Januar 2026, 0:30 Uhr (Europe/Berlin)"}'::jsonb),
  ('{"booking_start": "2026-07-06T15:00:00.000Z", "booking_timezone": "America/New_York", "booking_end": "soon",
    "episode_published_at": "now"}',
    '{"subject": "6. Juli 2026, 11:00 Uhr (America/New_York)", "body_html": "soon",
      "body_text": "America/New_York|now"}'),
  ('{"booking_start": "2026-99-06T15:00:00.000Z", "booking_timezone": "Mars", "booking_end": "2026-07-06"}',
    '{"subject": "2026-99-06T15:00:00.000Z", "body_html": "2026-07-06",
      "body_text": "Europe/Berlin|{episode_published_at}"}')) v (sample, preview);

-- Settings
select private.set_setting('pages_url', null);
select is(pg_temp.validation('{podcast_url}{episode_url}{podcast_title}', sample_data => sample,
    trigger_type => trigger) -> 'missing_context', missing,
  format('without pages_url, missing_context for %s with the sample %s is %s', trigger, sample, missing))
from (values
  ('{}'::jsonb, 'episode.published', '["episode_url", "podcast_url"]'::jsonb),
  ('{"podcast_url": "https://casts.test"}', 'episode.published', '["episode_url"]')) v (sample, trigger, missing);

-- Rate
select private.set_setting('max_template_previews_per_minute', '3');
delete from private.rate_limits;
select pg_temp.preview('Hi', repeat('{host_name}', 300),
  sample_data => jsonb_build_object('host_name', repeat('#', 2000)));
select is((select request_count from private.rate_limits where key = 'template_previews:' || tests.id('ola')), 1,
  'a preview that is too long with its values counts for the limit');
select is(left(tests.value_as('ola', $$ select tests.outcome_of($q$ select
    public.preview_automation_template('Hi', 'Hi') ->> 'x' $q$) $$), 42), outcome,
  format('preview number %s of a minute gives %s', n, coalesce(outcome, 'no error')))
from (values (1, null), (2, null), (3, 'PT429 RATE_LIMITED {"rate_limit_reset_at":')) v (n, outcome);

select * from tests.finish();
rollback;
