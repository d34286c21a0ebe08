-- get_guest_episode: the public details of the episode of an access token.
begin;
select tests.start();

select tests.podcast('show', 'ola'), tests.published_episode('live', 'show'), tests.episode('pilot', 'show');
select tests.guest_with_token('gina', 'pilot'), tests.guest_with_token('gus', 'live');

select tests.act_as('anon');
create temp table response as select public.get_guest_episode('gina') as data;
select is((select data - 'guest' from response), (select jsonb_build_object(
    'episodeGuest', jsonb_build_object('id', tests.id('pilot/gina'), 'episodeId', tests.id('pilot'),
      'podcastGuestId', data #>> '{guest,id}', 'status', 'invited', 'invitedAt', private.format_timestamp(now()),
      'lastAccessedAt', private.format_timestamp(now())),
    'episode', jsonb_build_object('id', tests.id('pilot'), 'slug', 'pilot', 'title', 'pilot', 'description', '',
      'status', 'draft', 'scheduledAt', null, 'coverImageUrl', null, 'coverCopies', jsonb_build_array(),
      'publishedAt', null, 'audioUrl', null),
    'podcast', jsonb_build_object('id', tests.id('show'), 'slug', 'show', 'title', 'show', 'language', 'en',
      'coverImageUrl', null, 'coverCopies', jsonb_build_array()))
  from response), 'get_guest_episode returns exactly the public details of the episode');
select is((select (data -> 'guest') - 'id' from response),
  '{"displayName": "Gina", "email": "gina@test.example", "userId": null, "avatarUrl": null}',
  'get_guest_episode returns the guest as invited');
select tests.act_as('postgres');
select tests.remember('new user', gen_random_uuid());
insert into auth.users (id, aud, role, email) values (tests.id('new user'), 'authenticated', 'authenticated',
  'gina@test.example');
select tests.act_as('anon');
select is(public.get_guest_episode('gina') #>> '{guest,userId}', null,
  'get_guest_episode returns no user while the guest''s sign-up is unconfirmed');
select tests.act_as('postgres');
update auth.users set email_confirmed_at = now() where id = tests.id('new user');
select tests.act_as('anon');
select is(public.get_guest_episode('gina') #>> '{guest,userId}', tests.id('new user')::text,
  'get_guest_episode returns the guest''s user once the user has confirmed the address');
select is(public.get_guest_episode('gus') #>> '{episode,slug}', 'live',
  'get_guest_episode returns the episode of the token, not of another guest');
select ok(public.get_guest_episode('gus') #>> '{episode,audioUrl}' like 'https://%/media/podcasts/%',
  'get_guest_episode returns the audio URL of a published episode');
select isnt(public.get_guest_episode('gus') #>> '{episode,publishedAt}', null,
  'get_guest_episode returns the publication time of a published episode');
select tests.act_as('postgres');
update public.episodes set status = 'draft', summary = 'In short', show_notes_html = 'secret'
where id = tests.id('live');
select tests.act_as('anon');
select is(
  (public.get_guest_episode('gus') -> 'episode')
    - '{id,slug,title,status,scheduledAt,coverImageUrl,coverCopies}'::text[],
  '{"audioUrl": null, "publishedAt": null, "description": "In short"}',
  'get_guest_episode hides audio and publication time of an unpublished episode');
select throws_ok($$ select public.get_guest_episode('none') $$, 'PT401', null,
  'get_guest_episode requires a valid token');
select tests.act_as('postgres');

select is((select status::text from public.episode_guests where id = tests.id('pilot/gina')), 'invited',
  'get_guest_episode does not change the guest''s status');

select * from tests.finish();
rollback;
