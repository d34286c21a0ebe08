-- decline_guest_invitation: the guest of an access token declines, also after accepting.
begin;
select tests.start();

select tests.podcast('show', 'ola'), tests.episode('pilot', 'show');
select tests.guest_with_token('gina', 'pilot'), tests.guest_with_token('gus', 'pilot');

select tests.act_as('anon');
select is(public.decline_guest_invitation('gina') #>> '{episodeGuest,status}', 'declined',
  'decline_guest_invitation sets the status declined');
select is(public.decline_guest_invitation('gina') #>> '{guest,displayName}', 'Gina',
  'decline_guest_invitation succeeds when it is repeated');
select public.accept_guest_invitation('gina');
select is(public.decline_guest_invitation('gina') #>> '{episodeGuest,status}', 'declined',
  'decline_guest_invitation sets declined for a guest who accepted');
select tests.act_as('postgres');
select is((select status::text from public.episode_guests where id = tests.id('pilot/gus')), 'invited',
  'decline_guest_invitation changes no other guest');
select is((select count(*) from private.events where type = 'guest.declined'), 2::bigint,
  'decline_guest_invitation tells owner and admins, not again when it is repeated');
select is(tests.result_of('anon', $$ select public.decline_guest_invitation('none') $$), 'PT401',
  'decline_guest_invitation requires a valid token');
select is(tests.result_of('ola', $$ select public.decline_guest_invitation('gus') $$), 'ok 1',
  'decline_guest_invitation accepts the token from a signed-in user');
select is(tests.error_of(
    $$ select private.respond_to_guest_invitation('gina', false, at => now() + interval '90 days') $$),
  'PT401 EXPIRED', 'decline_guest_invitation rejects an expired token');

select * from tests.finish();
rollback;
