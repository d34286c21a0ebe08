-- get_public_booking_link: what guests may know about a booking link.
begin;
select tests.start();

select tests.podcast('show', 'ola'), tests.podcast('other', 'vic');
select tests.booking_link('talk', 'show', '{"description": "About trains", "buffer_before_minutes": 5,
  "location": {"type": "link", "value": "https://meet.example/room"},
  "questions": [{"id": "topic", "label": "Topic?", "isRequired": true}]}');
select tests.booking_link('theirs', 'other', '{"slug": "talk"}');
create function pg_temp.by_slugs(podcast text, link text) returns text language sql as $$
  select tests.outcome_of(format(
    'select public.get_public_booking_link(podcast_slug => %L, link_slug => %L)', podcast, link))
$$;

select is(public.get_public_booking_link(tests.id('talk')), jsonb_build_object(
  'bookingLink', jsonb_build_object('id', tests.id('talk'), 'slug', 'talk', 'name', 'talk',
    'description', 'About trains', 'duration_minutes', 60, 'timezone', 'Europe/Berlin',
    'questions', '[{"id": "topic", "label": "Topic?", "isRequired": true}]'::jsonb,
    'location', '{"type": "link"}'::jsonb, 'requires_confirmation', true),
  'podcast', jsonb_build_object('id', tests.id('show'), 'slug', 'show', 'title', 'show', 'coverImageUrl', null)),
  'get_public_booking_link returns the link with its questions and the type of its place, and the podcast');
select is(pg_temp.by_slugs(podcast, 'talk')::jsonb #>> '{bookingLink,id}', tests.id(link)::text,
  format('get_public_booking_link finds the link of %s by slugs', podcast))
from (values ('show', 'talk'), ('other', 'theirs')) v (podcast, link);
select is(pg_temp.by_slugs(podcast, link), 'PT404',
  format('get_public_booking_link returns 404 for the slugs %s and %s', podcast, link))
from (values ('show', 'unknown'), ('unknown', 'talk'), ('show', ''), ('talk', 'show')) v (podcast, link);

select is(tests.outcome_of(format('select public.get_public_booking_link(%L, %L, %L)', id, podcast, link)),
  'PT400 Provide either the ID of the booking link, or the slugs of its podcast and of the link',
  format('get_public_booking_link rejects (%s, %s, %s)', id, podcast, link))
from (values (null, null, null), (null, 'show', null), (null, null, 'talk'), (tests.id('talk'), 'show', null),
  (tests.id('talk'), 'show', 'talk')) v (id, podcast, link);

-- Who
select is(tests.result_of(who, $$ select public.get_public_booking_link(tests.id('talk')) $$), 'ok 1',
  format('%s may call get_public_booking_link', who)) from unnest('{anon,ola,vic,service}'::text[]) who;

-- Links that do not exist for guests
update public.podcasts set status = 'paused', paused_at = now(), pause_expires_at = now() + interval '1 day'
where id = tests.id('show');
select is(left(pg_temp.by_slugs('show', 'talk'), 1), '{', 'get_public_booking_link shows links of a paused podcast');
update public.podcasts set status = 'active', paused_at = null, pause_expires_at = null where id = tests.id('show');
update public.booking_links set is_active = false where id = tests.id('talk');
select is(pg_temp.by_slugs('show', 'talk'), 'PT404', 'get_public_booking_link returns 404 for an inactive link');
update public.podcasts set status = 'pending_deletion', deletion_requested_at = now(), deletion_scheduled_at = now()
where id = tests.id('other');
select is(tests.result_of('anon', $$ select public.get_public_booking_link(tests.id('theirs')) $$), 'PT404',
  'get_public_booking_link returns 404 for a podcast pending deletion');
select is(tests.result_of('anon', $$ select public.get_public_booking_link(tests.id('show')) $$), 'PT404',
  'get_public_booking_link returns 404 for an unknown link');

select * from tests.finish();
rollback;
