-- A guest's access token: what it opens, until when, and what its holder may do.
begin;
select tests.start();

select tests.podcast('show', 'ola'), tests.published_episode('live', 'show'), tests.episode('pilot', 'show');
create function tests.guest(name text, episode text, token text, status public.episode_guest_status default 'invited') returns uuid language plpgsql security definer as $$
declare record uuid; made uuid;
begin
  insert into public.podcast_guests (podcast_id, display_name, email) values (tests.id('show'), name, name || '@guests.example') returning id into record;
  insert into public.episode_guests (episode_id, podcast_guest_id, status) values (tests.id(episode), record, guest.status) returning id into made;
  insert into private.guest_invitations (episode_guest_id, token_hash, expires_at) values (made, sha256(convert_to(token, 'UTF8')), now() + interval '90 days');
  return tests.remember(name, made);
end $$;
select tests.guest('gina', 'pilot', 'Zm9v-open'), tests.guest('gus', 'live', 'Zm9v-other');
create function tests.status(name text) returns text language sql security definer as $$ select status::text from public.episode_guests where id = tests.id(name) $$;
create function tests.accepted() returns bigint language sql security definer as $$ select count(*) from private.events where type = 'guest.accepted' $$;

select is((private.authenticate_guest('Zm9v-open')).id, tests.id('gina'), 'a token finds its guest');
select throws_ok(format('select private.authenticate_guest(%L)', token), 'PT401', 'Invalid access token', format('%L opens nothing', token))
from unnest(array['', 'Zm9v', 'zm9v-open', 'Zm9v-open ', 'Zm9v-opem', null, encode(sha256('Zm9v-open'), 'hex'), sha256('Zm9v-open')::text, repeat('x', 100000)]) token;
create function tests.hint(statement text) returns text language plpgsql as $$
declare said text;
begin
  execute statement; return 'none';
exception when others then get stacked diagnostics said = pg_exception_hint; return sqlstate || ' ' || said;
end $$;
select is(tests.hint($$ select private.authenticate_guest('none') $$), 'PT401 INVALID', 'an unknown token is INVALID');
select is(tests.hint($$ select private.authenticate_guest('Zm9v-open', at => now() + interval '90 days') $$), 'PT401 EXPIRED', 'one that is over is EXPIRED');
select is(tests.hint($$ select private.authenticate_guest('Zm9v-open', at => now() + interval '89 days 23 hours') $$), 'none', 'until then it opens');

-- Visits
update public.episode_guests set last_accessed_at = null;
create function tests.visit(at timestamptz) returns text language sql as $$ select private.format_timestamp((private.authenticate_guest('Zm9v-open', at => visit.at)).last_accessed_at) $$;
select is(tests.visit(at::timestamptz), expected, 'a visit at ' || at) from (values
  ('2026-01-01 12:00:00Z', '2026-01-01T12:00:00.000Z'), ('2026-01-01 12:00:59Z', '2026-01-01T12:00:00.000Z'), ('2026-01-01 12:01:00Z', '2026-01-01T12:01:00.000Z')) v (at, expected);
select is((select private.format_timestamp(last_accessed_at) from public.episode_guests where id = tests.id('gina')), '2026-01-01T12:01:00.000Z', 'is noted once a minute');
select is((select last_accessed_at from public.episode_guests where id = tests.id('gus')), null, 'for that guest alone');

-- Reading the episode
select tests.act_as('anon');
select is(public.get_guest_episode('Zm9v-open') - 'guest', (select jsonb_build_object(
  'episodeGuest', jsonb_build_object('id', tests.id('gina'), 'episodeId', tests.id('pilot'), 'podcastGuestId', (public.get_guest_episode('Zm9v-open') #>> '{guest,id}'), 'status', 'invited', 'invitedAt', private.format_timestamp(now()), 'lastAccessedAt', private.format_timestamp(now())),
  'episode', jsonb_build_object('id', tests.id('pilot'), 'slug', 'pilot', 'title', 'pilot', 'description', '', 'status', 'draft', 'scheduledAt', null, 'coverImageUrl', null, 'publishedAt', null, 'audioUrl', null),
  'podcast', jsonb_build_object('id', tests.id('show'), 'slug', 'show', 'title', 'show', 'coverImageUrl', null))), 'a token shows the public side of its episode, and no more');
select is((public.get_guest_episode('Zm9v-open') -> 'guest') - 'id', '{"displayName": "gina", "email": "gina@guests.example", "userId": null, "avatarUrl": null}', 'and the guest as who they are invited');
select is(public.get_guest_episode('Zm9v-other') #>> '{episode,slug}', 'live', 'another token another episode');
select ok(public.get_guest_episode('Zm9v-other') #>> '{episode,audioUrl}' like 'https://%/media/podcasts/%', 'a published one with its audio');
select isnt(public.get_guest_episode('Zm9v-other') #>> '{episode,publishedAt}', null, 'and its time');
select tests.act_as('postgres');
update public.episodes set status = 'draft', summary = 'In short', show_notes_html = 'secret' where id = tests.id('live');
select tests.act_as('anon');
select results_eq($$ select public.get_guest_episode('Zm9v-other') #>> '{episode,audioUrl}', public.get_guest_episode('Zm9v-other') #>> '{episode,publishedAt}', public.get_guest_episode('Zm9v-other') #>> '{episode,description}' $$,
  $$ values (null::text, null::text, 'In short') $$, 'which an unpublished one hides again');
select throws_ok($$ select public.get_guest_episode('none') $$, 'PT401', null, 'no token, no episode');

-- Answers
select is(tests.status('gina'), 'invited', 'looking answers nothing');
select is(public.accept_guest_invitation('Zm9v-open') #>> '{episodeGuest,status}', 'active', 'accepting makes the guest active');
select is(tests.accepted(), 1::bigint, 'which is told');
select is(public.accept_guest_invitation('Zm9v-open') #>> '{guest,displayName}', 'gina', 'accepting twice is the same');
select is(tests.accepted(), 1::bigint, 'and told once');
select is(public.decline_guest_invitation('Zm9v-open') #>> '{episodeGuest,status}', 'declined', 'who accepted may decline');
select is(public.decline_guest_invitation('Zm9v-open') #>> '{episodeGuest,status}', 'declined', 'more than once');
select is(public.accept_guest_invitation('Zm9v-open') #>> '{episodeGuest,status}', 'active', 'and accept after all');
select is(tests.accepted(), 2::bigint, 'which is told again');
select is(tests.status('gus'), 'invited', 'others have not answered');
select is(tests.result_of('anon', $$ select public.$$ || verb || $$('none') $$), 'PT401', verb || ' takes no other token') from unnest(array['accept_guest_invitation', 'decline_guest_invitation']) verb;
select is(tests.result_of('ola', $$ select public.decline_guest_invitation('Zm9v-other') $$), 'ok 1', 'a signed-in holder of a token is its guest');
select is(tests.status('gus'), 'declined', 'and answers as such');

select tests.act_as('postgres');
select is((select payload from private.events where type = 'guest.accepted' order by id limit 1), (select jsonb_build_object('episode_guest_id', g.id, 'podcast_guest_id', g.podcast_guest_id, 'episode_id', g.episode_id, 'podcast_id', g.podcast_id)
  from public.episode_guests g where g.id = tests.id('gina')), 'an event names guest, record, episode and podcast');
delete from private.rate_limits;
select is(tests.result_of('anon', format('select public.%s(''Zm9v-open'')', case n % 2 when 0 then 'accept_guest_invitation' else 'decline_guest_invitation' end)), case when n <= 30 then 'ok 1' else 'PT429' end, format('answer %s of an hour', n))
from generate_series(1, 31) n;
select is(tests.result_of('anon', $$ select public.accept_guest_invitation('Zm9v-other') $$), 'ok 1', 'other guests have answers of their own');
update private.guest_invitations set expires_at = now() where episode_guest_id = tests.id('gina');
select is(tests.hint($$ select public.accept_guest_invitation('Zm9v-open') $$), 'PT401 EXPIRED', 'an expired invitation is not accepted');
update private.guest_invitations set expires_at = 'infinity';
update public.podcasts set status = 'pending_deletion' where id = tests.id('show');
delete from private.rate_limits;
select is(tests.result_of('anon', $$ select public.decline_guest_invitation('Zm9v-open') $$), 'PT409', 'on the way out nobody answers');
select is(tests.result_of('anon', $$ select public.get_guest_episode('Zm9v-open') $$), 'ok 1', 'but guests still read');
update public.podcasts set status = 'active' where id = tests.id('show');
update public.episode_guests set status = 'removed' where id = tests.id('gina');
select is(tests.hint($$ select public.get_guest_episode('Zm9v-open') $$), 'PT401 INVALID', 'the token of someone removed is INVALID');
update private.guest_invitations set (token_hash, expires_at) = (sha256('Zm9v-open'), 'infinity') where episode_guest_id = tests.id('gina');
select is(tests.hint($$ select public.get_guest_episode('Zm9v-open') $$), 'PT401 INVALID', 'also if it were kept');
delete from public.episodes where id = tests.id('live');
select is(tests.hint($$ select public.get_guest_episode('Zm9v-other') $$), 'PT401 INVALID', 'with an episode its tokens go');
select is((select count(*) from public.podcast_guests), 2::bigint, 'the records stay');

select * from tests.finish();
rollback;
