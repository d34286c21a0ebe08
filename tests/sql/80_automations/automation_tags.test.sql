-- automation_tags: the registry of tags, its readers, and the values that triggers provide.
begin;
select tests.start();

select tests.podcast('show', 'ola'), tests.member('vic', 'show'), tests.podcast('theirs', 'otto');

-- Who
select tests.access('reading automation tags', $$ select from public.automation_tags $$,
  '42501: anon; ok 15: otto vic ola service');

-- The rows
select set_eq('select tag from public.automation_tags', '{episode_title,episode_number,episode_url,
  episode_published_at,podcast_title,podcast_url,host_name,guest_first_name,guest_full_name,guest_email,booking_start,
  booking_end,booking_timezone,booking_link_name,recording_start}'::text[],
  'the registry has the tags that the documents name');
select throws_ok(format($$ insert into public.automation_tags (tag, kind, triggers, example)
  values (%L, 'text', '{}', 'x') $$, tag), '23514', null, format('the registry rejects the tag %L', tag))
from unnest(array['', 'Title', '1st', 'a-b', 'a b', '{a}', repeat('a', 51)]) tag;
update public.automation_tags set triggers = '{}', example = 'changed' where tag = 'podcast_title';
delete from public.automation_tags where tag = 'host_name';
select private.install_automations();
select results_eq($$ select tag, example, cardinality(triggers) from public.automation_tags
  where tag in ('podcast_title', 'host_name') order by tag $$,
  $$ values ('host_name', 'Ada', 3), ('podcast_title', 'Night Trains', 3) $$,
  'install_automations repairs the rows and adds missing ones');

-- The values
select tests.open_link('talk', 'show'), tests.booking_in('session', 'talk', 30, 'confirmed'),
  tests.published_episode('pilot', 'show');
create function pg_temp.provided(booking uuid, episode uuid) returns text[] language sql as $$
  select array_agg(k order by k) from jsonb_object_keys(
    private.automation_context(tests.id('show'), booking, episode, now()) -> 'tags') k
$$;
select is(pg_temp.provided(booking, episode), (
    select array_agg(t.tag order by t.tag) from public.automation_tags t where trigger = any (t.triggers)),
  format('an occurrence of %s provides exactly the tags of the registry', trigger))
from (values ('booking.confirmed'::public.automation_trigger, tests.id('session'), null::uuid),
  ('time.before_recording', tests.id('session'), null), ('episode.published', null, tests.id('pilot')))
  v (trigger, booking, episode);
update public.bookings set episode_id = tests.id('pilot') where id = tests.id('session');
update public.episodes set episode_number = 3;
select is(pg_temp.provided(tests.id('session'), null), (
  select array_agg(t.tag order by t.tag) from public.automation_tags t),
  'a booking that is linked with a published, numbered episode provides every tag');
select is(pg_temp.provided(tests.id('session'), tests.id('pilot')) <@ (
  select array_agg(t.tag) from public.automation_tags t), true, 'an occurrence provides no tag outside the registry');
select tests.guest('gus', 'pilot', 'active'), tests.guest('ivy', 'pilot'), tests.guest('dee', 'pilot', 'declined');
select is(private.automation_context(tests.id('show'), null, tests.id('pilot'), now()) -> 'tags'
  @> '{"guest_full_name": "Gus", "guest_first_name": "Gus", "guest_email": "gus@test.example"}', true,
  'an episode provides the tags of its active guest');

select * from tests.finish();
rollback;
