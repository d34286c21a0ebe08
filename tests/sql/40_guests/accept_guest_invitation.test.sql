-- accept_guest_invitation: the guest of an access token becomes active.
begin;
select tests.start();

select tests.podcast('show', 'ola'), tests.episode('pilot', 'show');
select tests.guest_with_token('gina', 'pilot'), tests.guest_with_token('gus', 'pilot');
create function pg_temp.events() returns bigint language sql as $$
  select count(*) from private.events where type = 'guest.accepted' $$;
create function pg_temp.respond(response text, token text) returns jsonb language plpgsql as $$
declare
  result jsonb;
begin
  perform tests.act_as('anon');
  execute format('select public.%I($1)', response || '_guest_invitation') into result using token;
  perform tests.act_as('postgres');
  return result;
end $$;

select is(pg_temp.respond('accept', 'gina') #>> '{episodeGuest,status}', 'active',
  'accept_guest_invitation makes the guest active');
select is(pg_temp.events(), 1::bigint, 'accept_guest_invitation records the event guest.accepted');
select is((select payload from private.events where type = 'guest.accepted'), (select jsonb_build_object(
    'episode_guest_id', g.id, 'podcast_guest_id', g.podcast_guest_id, 'episode_id', g.episode_id,
    'podcast_id', g.podcast_id)
  from public.episode_guests g where g.id = tests.id('pilot/gina')),
  'the event guest.accepted contains episode guest, podcast guest, episode and podcast');
select is(pg_temp.respond('accept', 'gina') #>> '{guest,displayName}', 'Gina',
  'accept_guest_invitation succeeds when it is repeated');
select is(pg_temp.events(), 1::bigint, 'accept_guest_invitation records no event when it is repeated');
select pg_temp.respond('decline', 'gina');
select is(pg_temp.respond('accept', 'gina') #>> '{episodeGuest,status}', 'active',
  'accept_guest_invitation makes a guest who declined active');
select is(pg_temp.events(), 2::bigint,
  'accept_guest_invitation records the event guest.accepted again after a decline');
select is((select status::text from public.episode_guests where id = tests.id('pilot/gus')), 'invited',
  'accept_guest_invitation changes no other guest');
select is(tests.result_of('anon', $$ select public.accept_guest_invitation('none') $$), 'PT401',
  'accept_guest_invitation requires a valid token');
select is(tests.result_of('ola', $$ select public.accept_guest_invitation('gus') $$), 'ok 1',
  'accept_guest_invitation accepts the token from a signed-in user');

-- limits
delete from private.rate_limits;
select is(tests.result_of('anon', format('select public.%I(%L)', response || '_guest_invitation', 'gina')), expected,
  format('guest response %s within an hour (%s) returns %s', n, response, expected))
from generate_series(1, 31) n, lateral (select case n % 2 when 0 then 'accept' else 'decline' end,
  case when n <= 30 then 'ok 1' else 'PT429' end) v (response, expected);
select is(tests.result_of('anon', $$ select public.accept_guest_invitation('gus') $$), 'ok 1',
  'the response limit of one guest does not limit another guest');
select is(tests.result_of('postgres',
    $$ select private.respond_to_guest_invitation('gina', true, at => now() + interval '1 hour') $$), 'ok 1',
  'the response limit of a guest ends after an hour');

select is(tests.error_of(
    $$ select private.respond_to_guest_invitation('gina', true, at => now() + interval '90 days') $$),
  'PT401 EXPIRED', 'accept_guest_invitation rejects an expired token');

select * from tests.finish();
rollback;
