-- list_booking_links: all links of a podcast.
begin;
select tests.start();

select tests.team('show', 'ola', 'ada', 'vic'), tests.podcast('theirs', 'otto');
select tests.booking_link('talk', 'show', '{"created_at": "2026-01-01Z"}');

select tests.access('list_booking_links', $$ select public.list_booking_links(tests.id('show')) $$,
  '42501: anon; PT403: otto vic; 42501: service');
select is(tests.result_of('ola', $$ select public.list_booking_links(gen_random_uuid()) $$), 'PT404',
  'list_booking_links returns 404 for an unknown podcast');

select tests.booking_link('theirs too', 'theirs'), tests.booking_link('hidden', 'show', '{"is_active": false}');
select tests.act_as('ada');
select is((select array_agg(l ->> 'slug') from jsonb_array_elements(public.list_booking_links(tests.id('show'))) l),
  '{talk,hidden}', 'list_booking_links lists the links of the podcast, inactive ones too, oldest first');
select is(public.list_booking_links(tests.id('show')) -> 0 ->> 'created_at', '2026-01-01T00:00:00.000Z',
  'list_booking_links returns timestamps in ISO 8601 with Z');
select tests.act_as('postgres');
delete from public.booking_links;
select is(tests.value_as('ada', $$ select public.list_booking_links(tests.id('show')) $$), '[]',
  'list_booking_links returns an empty list');

select * from tests.finish();
rollback;
