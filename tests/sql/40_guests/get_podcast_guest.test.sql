-- get_podcast_guest: a guest with the episodes of every invitation; notes and bio for admins.
begin;
select tests.start();

select tests.team('show', 'ola', 'ana', 'vic');
select tests.person('stranger'), tests.podcast('other', 'otto'), tests.episode('pilot', 'show'), tests.episode('second',
  'show');
insert into public.podcast_guests (podcast_id, display_name, email)
values (tests.id('show'), 'Bert', 'bert@guests.example'), (tests.id('show'), 'Zoë', 'zoe@guests.example');
select tests.remember(display_name, id) from public.podcast_guests;
insert into public.podcast_guest_notes (guest_id, notes, bio) values (tests.id('Bert'), 'Late, always', 'Sails');
insert into public.episode_guests (episode_id, podcast_guest_id, status, invited_at, last_accessed_at) values
  (tests.id('pilot'), tests.id('Bert'), 'removed', now(), null),
  (tests.id('second'), tests.id('Bert'), 'invited', now() - interval '1 day', now());

select tests.access('get_podcast_guest', $$ select public.get_podcast_guest(tests.id('Bert')) $$,
  'ok 1: ola ana vic; PT403: stranger otto; 42501: anon');
select is(tests.result_of('stranger', 'select public.get_podcast_guest(gen_random_uuid())'), 'PT404',
  'get_podcast_guest returns 404 for an unknown guest');

select tests.act_as('ana');
select is(public.get_podcast_guest(tests.id('Bert')) - 'episodes', (select jsonb_build_object('id', g.id,
    'displayName', 'Bert', 'email', 'bert@guests.example', 'userId', null, 'avatarUrl', null,
    'notes', 'Late, always', 'bio', 'Sails', 'privateNotesVisible', true,
    'createdAt', private.format_timestamp(g.created_at), 'updatedAt', private.format_timestamp(g.updated_at))
  from public.podcast_guests g where g.id = tests.id('Bert')),
  'get_podcast_guest returns the guest with notes and bio to an admin');
select is(jsonb_path_query_array(public.get_podcast_guest(tests.id('Bert')), '$.episodes[*].episodeTitle'),
  '["pilot", "second"]', 'get_podcast_guest returns the episodes of every invitation, newest first');
select is(public.get_podcast_guest(tests.id('Bert')) #> '{episodes,1}', (select jsonb_build_object(
    'episodeGuestId', g.id, 'episodeId', e.id, 'episodeTitle', 'second', 'episodeSlug', e.slug, 'status', 'invited',
    'invitedAt', private.format_timestamp(g.invited_at), 'lastAccessedAt', private.format_timestamp(g.last_accessed_at),
    'emailStatus', null, 'emailDueAt', null)
  from public.episode_guests g join public.episodes e on e.id = g.episode_id where e.id = tests.id('second')),
  'get_podcast_guest returns exactly these fields of an episode');
select is(public.get_podcast_guest(tests.id('Zoë')) -> 'episodes', '[]',
  'get_podcast_guest returns no episodes for a guest without invitations');
select tests.act_as('vic');
select is((select jsonb_object_agg(key, value) from jsonb_each(public.get_podcast_guest(tests.id('Bert')))
    where key in ('notes', 'bio', 'privateNotesVisible')), '{"notes": null, "bio": null, "privateNotesVisible": false}',
  'get_podcast_guest hides notes and bio from members without the admin role');
select tests.act_as('ola');
select is(public.get_podcast_guest(tests.id('Bert')) ->> 'bio', 'Sails',
  'get_podcast_guest returns the bio to the owner');
select tests.act_as('postgres');
select tests.set_status('show', 'pending_deletion');
select is(tests.result_of('vic', $$ select public.get_podcast_guest(tests.id('Bert')) $$), 'ok 1',
  'get_podcast_guest succeeds on a podcast pending deletion');

select * from tests.finish();
rollback;
