-- list_automation_addresses: all addresses of a podcast.
begin;
select tests.start();

select tests.team('show', 'ola', 'ada', 'vic'), tests.podcast('theirs', 'otto');

select tests.access('list_automation_addresses', $$ select public.list_automation_addresses(tests.id('show')) $$,
  '42501: anon; PT403: otto vic; 42501: service; ok 1: ola');
select is(tests.result_of('ola', $$ select public.list_automation_addresses(gen_random_uuid()) $$), 'PT404',
  'list_automation_addresses returns 404 for an unknown podcast');
select is(tests.value_as('ada', $$ select public.list_automation_addresses(tests.id('show')) $$)::jsonb,
  '{"addresses": [], "total": 0}', 'list_automation_addresses returns an empty list');
insert into public.automation_addresses (podcast_id, email, confirmed_at, created_at) values
  (tests.id('show'), 'a@mail.example', null, '2026-01-01Z'),
  (tests.id('show'), 'b@mail.example', '2026-01-03Z', '2026-01-02Z'),
  (tests.id('theirs'), 'c@mail.example', null, '2026-01-03Z');
select is(tests.value_as('ada', $$ select public.list_automation_addresses(tests.id('show')) $$)::jsonb,
  jsonb_build_object('total', 2, 'addresses', jsonb_agg(jsonb_build_object('id', a.id, 'podcast_id', tests.id('show'),
    'email', a.email, 'status', case when a.confirmed_at is null then 'pending' else 'confirmed' end,
    'confirmed_at', private.format_timestamp(a.confirmed_at), 'unsubscribed_at', null, 'email_status', null,
    'email_due_at', null, 'created_at', private.format_timestamp(a.created_at)) order by a.created_at desc)),
  'list_automation_addresses lists the addresses of the podcast, newest first, without the user who requested them')
from public.automation_addresses a where a.podcast_id = tests.id('show');

select * from tests.finish();
rollback;
