-- update_podcast_guest: admins change a guest's name, notes and bio; an absent field stays, null clears.
begin;
select tests.start();

select tests.team('show', 'ola', 'ana', 'vic'), tests.person('stranger'), tests.podcast('other', 'otto');
insert into public.podcast_guests (podcast_id, display_name, email)
values (tests.id('show'), 'Bert', 'bert@guests.example'), (tests.id('show'), 'Zoë', 'zoe@guests.example');
select tests.remember(display_name, id) from public.podcast_guests;

select tests.access('update_podcast_guest',
  $$ select public.update_podcast_guest(tests.id('Bert'), '{"notes": "Late, always"}') $$,
  'ok 1: ola ana; PT403: vic stranger otto; 42501: anon');
select is(tests.result_of('ana', format('select public.update_podcast_guest(tests.id(''Bert''), %L)', changes)),
  expected, format('update_podcast_guest with %s returns %s', left(changes, 60), expected))
from (values
  ('{}', 'PT400'), ('[]', 'PT400'), ('null', 'PT400'), ('{"email": "x@y.example"}', 'PT400'),
  ('{"bio": "x", "userId": null}', 'PT400'), ('{"displayName": null}', 'PT400'), ('{"displayName": 5}', 'PT400'),
  ('{"notes": {}}', 'PT400'), ('{"displayName": ""}', '23514'), ('{"displayName": "  "}', '23514'),
  (format('{"displayName": "%s"}', repeat('x', 201)), '23514'),
  (format('{"notes": "%s"}', repeat('x', 2001)), '23514'), (format('{"bio": "%s"}', repeat('x', 2001)), '23514'),
  (format('{"bio": "%s"}', repeat('𝄞', 2000)), 'ok 1'), ('{"bio": "Sails"}', 'ok 1')) v (changes, expected);

create temp table before as select updated_at from public.podcast_guests where id = tests.id('Bert');
grant select on before to authenticated;
select tests.act_as('ana');
select is(public.update_podcast_guest(tests.id('Bert'), '{"notes": null}') - 'updatedAt', jsonb_build_object(
    'id', tests.id('Bert'), 'displayName', 'Bert', 'email', 'bert@guests.example', 'userId', null, 'notes', null,
    'bio', 'Sails'), 'update_podcast_guest clears a field that is null and keeps an absent one');
select ok((select g.updated_at > b.updated_at from public.podcast_guests g, before b where g.id = tests.id('Bert')),
  'update_podcast_guest moves updated_at of the guest when only notes change');
select is(public.update_podcast_guest(tests.id('Bert'), '{"displayName": " Bertha ", "bio": null, "notes": ""}')
    - '{id,email,userId,updatedAt}'::text[], '{"displayName": "Bertha", "notes": "", "bio": null}',
  'update_podcast_guest changes several fields at once');
select is(public.update_podcast_guest(tests.id('Zoë'), '{"displayName": "Zora"}')
    - '{id,email,userId,updatedAt}'::text[], '{"displayName": "Zora", "notes": null, "bio": null}',
  'update_podcast_guest changes the name alone');
select is((select count(*) from public.podcast_guest_notes), 1::bigint,
  'update_podcast_guest creates no notes when only the name changes');
create temp table response as select public.update_podcast_guest(tests.id('Bert'), '{"bio": "x"}') as data;
select is((select data -> 'notes' from response), '""',
  'update_podcast_guest keeps the notes when only the bio changes');
select is((select data ->> 'updatedAt' from response), (select private.format_timestamp(updated_at)
    from public.podcast_guests where id = tests.id('Bert')), 'update_podcast_guest returns updatedAt of the guest');

select * from tests.finish();
rollback;
