-- automation_tags: the registry of tags, its readers, and the values that triggers provide.
begin;
select tests.start();

select tests.podcast('show', 'ola', 'external'), tests.member('vic', 'show'), tests.podcast('theirs', 'otto');

-- Who
select tests.access('reading automation tags', $$ select from public.automation_tags $$,
  '42501: anon; ok 30: otto vic ola service');

-- The rows
select set_eq('select tag from public.automation_tags', '{episode_title,episode_number,episode_url,
  episode_published_at,episode_scheduled_at,episode_audio_url,episode_cover_url,podcast_title,podcast_url,
  podcast_cover_url,feed_url,host_name,host_email,guest_first_name,guest_full_name,guest_email,booking_start,
  booking_end,booking_previous_start,booking_timezone,booking_link_name,booking_manage_url,booking_location,
  booking_notes,booking_answers,booking_status_message,cancelled_by,recording_start,import_episode_count,
  import_failed_count}'::text[],
  'the registry has the tags that the documents name');
select throws_ok(format($$ insert into public.automation_tags (tag, kind, triggers, example)
  values (%L, 'text', '{}', 'x') $$, tag), '23514', null, format('the registry rejects the tag %L', tag))
from unnest(array['', 'Title', '1st', 'a-b', 'a b', '{a}', repeat('a', 51)]) tag;
update public.automation_tags set triggers = '{}', example = 'changed' where tag = 'podcast_title';
delete from public.automation_tags where tag = 'host_name';
select private.install_automations();
select results_eq($$ select tag, example, cardinality(triggers) from public.automation_tags
  where tag in ('podcast_title', 'host_name') order by tag $$,
  $$ values ('host_name', 'Ada', 11), ('podcast_title', 'Night Trains', 11) $$,
  'install_automations repairs the rows and adds missing ones');

select is_empty($$ select tag from public.automation_tags where triggers && optional_triggers $$,
  'a trigger provides a tag always or sometimes, not both');
select is_empty($$ select tag, example from public.automation_tags
  where kind = 'moment' and (example ~ 'Z$' or not pg_input_is_valid(left(example, -16), 'timestamptz')) $$,
  'the example of a moment is written as an email shows it');

-- The values: each trigger fires for what has nothing optional (bare, and hosted elsewhere), and for what has
-- everything (full).
update private.settings set value = 'https://casts.test/listen' where key = 'listen_url';
create function pg_temp.rules(podcast text) returns void language sql as $$
  select tests.rule(podcast || '/' || t, podcast, t,
    trigger_config => case when t::text like 'time.%' then '{"offset_minutes": 60}' else '{}' end::jsonb)
  from unnest(enum_range(null::automation_trigger)) t
$$;
select tests.podcast('full', 'ola'), pg_temp.rules('show'), pg_temp.rules('full');
select tests.open_link('show link', 'show'), tests.open_link('full link', 'full', '{"questions":
  [{"id": "topic", "label": "Your topic"}], "location": {"type": "custom", "value": "Studio 1"}}');
update podcasts set cover_image_url = 'https://casts.test/cover.jpg' where id = tests.id('full');
update auth.users set email_confirmed_at = null where id = tests.id('ola');
create function pg_temp.host(call text, variadic args text[]) returns text language sql as $$
  select tests.value_as('ola', format('select public.' || call, variadic args))
$$;
create function pg_temp.run_all(podcast text) returns void language plpgsql as $$
declare
  optional constant jsonb := case podcast when 'full' then jsonb_build_object('episode', tests.id('full next'),
    'notes', 'On a train', 'answers', '{"topic": "Night"}'::jsonb) else '{}' end;
begin
  perform tests.request_booking(podcast || n, podcast || ' link', 40 + n, 'gus', optional)
  from generate_series(1, 2) n;
  perform pg_temp.host('confirm_booking(%L)', tests.id(podcast || 1)::text),
    pg_temp.host('decline_booking(%L, %L)', tests.id(podcast || 2)::text, case podcast when 'full' then 'Sorry' end),
    pg_temp.host('reschedule_booking(%L, %L)', tests.id(podcast || 1)::text, tests.slot(50)::text),
    private.start_due_automations(tests.slot(49)), private.start_due_automations(tests.slot(52)),
    pg_temp.host('cancel_booking(%L)', tests.id(podcast || 1)::text);
  perform tests.guest('eve', podcast || ' next', 'active');
  delete from episode_guests where id = tests.id(podcast || ' next/eve') and podcast = 'show';
  update episodes set status = 'scheduled', scheduled_at = now() + interval '1 day'
  where id = tests.id(podcast || ' next');
  update episodes set status = 'published' where id = tests.id(podcast || ' next');
  perform tests.import(podcast || ' import', podcast, 'running');
  update podcast_imports i set status = 'completed' where i.id = tests.id(podcast || ' import');
end $$;
select tests.episode('show next', 'show'), tests.episode('full next', 'full'), tests.upload_audio('full next');
update episodes set episode_number = 12, cover_image_url = 'https://casts.test/next.jpg'
where id = tests.id('full next');
select pg_temp.run_all('show');
update auth.users set email_confirmed_at = now() where id = tests.id('ola');
select pg_temp.run_all('full');
create temp table provided as
select split_part(e.rule_name, '/', 1) as podcast, e.trigger_type, k.tag
from automation_executions e cross join jsonb_object_keys(e.context_data -> 'tags') k (tag);

select is((select array_agg(distinct p.tag order by p.tag) from provided p
    where p.podcast = 'show' and p.trigger_type = t),
  (select array_agg(r.tag order by r.tag) from automation_tags r
    where t = any (r.triggers) and r.tag <> 'booking_manage_url'),
  format('a bare occurrence of %s provides exactly the tags that the registry promises', t))
from unnest(enum_range(null::automation_trigger)) t;
select is_empty($$ select p.trigger_type, p.tag from provided p
  where p.tag not like 'booking\_answer:%' and not exists (select from automation_tags r
    where r.tag = p.tag and p.trigger_type = any (r.triggers || r.optional_triggers)) $$,
  'no occurrence provides a tag that the registry lacks for its trigger');
select is_empty($$ select r.tag from automation_tags r
  where r.tag <> 'booking_manage_url' and r.tag not in (select p.tag from provided p) $$,
  'each tag of the registry is provided by an occurrence');

select * from tests.finish();
rollback;
