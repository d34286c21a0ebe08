-- Inviting: the record of the podcast and address, the episode's guest, and the message for the mail.
begin;
select tests.start();

select tests.podcast('show', 'ola'), tests.member('ana', 'show', 'admin'), tests.member('vic', 'show'), tests.person('stranger'), tests.podcast('other', 'otto');
select tests.episode('pilot', 'show'), tests.episode('second', 'show'), tests.episode('foreign', 'other');
create function tests.invite(email text, name text default 'Gina', episode text default 'pilot', message text default null) returns jsonb language sql as $$
  select public.invite_guest(tests.id(episode), email, name, message) $$;

select is(tests.result_of(who, $$ select tests.invite('nobody@guests.example') $$), expected, format('%s invites: %s', who, expected))
from (values ('vic', 'PT403'), ('stranger', 'PT403'), ('otto', 'PT403'), ('anon', '42501')) v (who, expected);
select is(tests.result_of('ana', $$ select public.invite_guest(gen_random_uuid(), 'a@b.example', 'A') $$), 'PT404', 'to an episode that is not there is 404');
select is((select count(*) from public.podcast_guests), 0::bigint, 'nothing of it stays');

select tests.act_as('ana');
create temp table said as select tests.invite(' Gina@Guests.example', ' Gina ', message => ' Do come ') as data;
select is(current_setting('response.status'), '201', 'inviting creates');
select is((select data from said), (select jsonb_build_object(
  'episodeGuest', jsonb_build_object('id', e.id, 'episodeId', tests.id('pilot'), 'podcastGuestId', g.id, 'status', 'invited', 'invitedAt', private.format_timestamp(now()), 'lastAccessedAt', null),
  'guest', jsonb_build_object('id', g.id, 'displayName', 'Gina', 'email', 'gina@guests.example', 'userId', null, 'avatarUrl', null))
  from public.podcast_guests g join public.episode_guests e on e.podcast_guest_id = g.id), 'and says who is invited to what');
select tests.act_as('postgres');
select tests.remember('gina', (data #>> '{episodeGuest,id}')::uuid) from said;
select results_eq('select message, invited_by, sent_at, token_hash from private.guest_invitations', $$ values ('Do come', tests.id('ana'), null::timestamptz, null::bytea) $$, 'the invitation waits for its mail');
select results_eq($$ select * from tests.queued('guest_invitations') $$, $$ values (jsonb_build_object('episode_guest_id', tests.id('gina'))) $$, 'which the worker is asked for, by id alone');
select is((select count(*) from private.events where type = 'guest.accepted'), 0::bigint, 'nobody has accepted');

-- the same address again
select is(tests.result_of('ana', $$ select tests.invite('GINA@guests.example', 'Regina', 'second') $$), 'ok 1', 'the same address is invited to another episode');
select results_eq('select display_name, count(*) from public.podcast_guests group by 1', $$ values ('Gina', 1::bigint) $$, 'with the record that is there, whose name stays');
select is((select count(*) from public.episode_guests), 2::bigint, 'as a guest of both');
select is(tests.result_of('otto', $$ select tests.invite('gina@guests.example', 'Gina', 'foreign') $$), 'ok 1', 'another podcast makes a record of its own');
select is((select count(*) from public.podcast_guests), 2::bigint, 'so that there are two');

create function tests.state(status public.episode_guest_status) returns text language plpgsql security definer as $$
begin
  update public.episode_guests set status = state.status, invited_at = '2020-01-01Z' where id = tests.id('gina');
  insert into private.guest_invitations (episode_guest_id, token_hash, expires_at, sent_at, requested_at)
  select tests.id('gina'), sha256('old'), 'infinity', now(), '2020-01-01Z' where status <> 'removed'
  on conflict (episode_guest_id) do update set (token_hash, expires_at, sent_at, requested_at) = (excluded.token_hash, excluded.expires_at, excluded.sent_at, excluded.requested_at);
  return status::text;
end $$;
create function tests.again(status public.episode_guest_status) returns text language plpgsql as $$
declare said jsonb;
begin
  perform tests.state(status), tests.empty_queue('guest_invitations');
  update private.guest_invitations set email_count = 0;
  perform tests.act_as('ana');
  said := tests.invite('gina@guests.example', message => '   ') -> 'episodeGuest';
  perform tests.act_as('postgres');
  return concat_ws(' ', said ->> 'status', case when (said ->> 'invitedAt')::timestamptz > '2020-01-01Z' then 'anew' end,
    case when (said ->> 'id')::uuid = tests.id('gina') then 'same' end, (select count(*) from tests.queued('guest_invitations')),
    (select case when i.requested_at > '2020-01-01Z' and i.sent_at is null and i.message is null then 'requested' end || case when i.token_hash is not null then ' open' else ' shut' end
     from private.guest_invitations i where i.episode_guest_id = tests.id('gina')));
end $$;
select is(tests.again('invited'), 'invited same 1 requested open', 'who is invited gets another mail; the token of the last opens until then');
select is(tests.again('active'), 'active same 1 requested open', 'who is active stays so, and gets another token');
select is(tests.again('declined'), 'invited anew same 1 requested open', 'who declined is invited anew');
select is(tests.again('removed'), 'invited anew same 1 requested shut', 'who was removed is invited anew; the old token stays void');

select is(tests.result_of('ana', format('select tests.invite(%L, %L, message => %L)', email, name, message)), '23514', format('an invitation is refused: %s', left(email || ' ' || name, 40)))
from (values ('nobody', 'X', null), ('a@b.example,c@d.example', 'X', null), (E'a@b.example\r\nBcc: c@d.example', 'X', null), ('n@b.example', ' ', null), ('n@b.example', repeat('x', 201), null),
  ('gina@guests.example', 'Gina', repeat('x', 2001))) v (email, name, message);
select is(tests.result_of('ana', 'select public.invite_guest(tests.id(''pilot''), null, ''X'')'), '23502', 'no address is a refusal');
select is(tests.result_of('ana', format('select tests.invite(%L, message => %L)', 'gina@guests.example', repeat('𝄞', 2000))), 'ok 1', 'a message has 2000 characters, of any kind');

-- Removing
select tests.state('active');
select is(tests.result_of(who, $$ select public.remove_episode_guest(tests.id('gina')) $$), expected, format('%s removes: %s', who, expected))
from (values ('vic', 'PT403'), ('stranger', 'PT403'), ('otto', 'PT403'), ('anon', '42501')) v (who, expected);
select is(tests.result_of('ana', $$ select public.remove_episode_guest(gen_random_uuid()) $$), 'PT404', 'a guest who is not there is 404');
select lives_ok($$ select private.authenticate_guest('old') $$, 'refusals void no token');
select tests.act_as('ana');
select is(public.remove_episode_guest(tests.id('gina')) #>> '{data,episodeGuest,status}', 'removed', 'an admin removes');
select is(public.remove_episode_guest(tests.id('gina')) #>> '{data,guest,displayName}', 'Gina', 'and may repeat it');
select tests.act_as('postgres');
select throws_ok($$ select private.authenticate_guest('old') $$, 'PT401', 'Invalid access token', 'the token opens nothing any more');
select is((select num_nonnulls(token_hash, expires_at, pending_token_hash, pending_expires_at, message) from private.guest_invitations where episode_guest_id = tests.id('gina')), 0, 'remove_episode_guest deletes the token''s digest and the message');
select is((select count(*) from public.podcast_guests), 2::bigint, 'the record stays');
select is(tests.result_of('ola', $$ select tests.invite('o@guests.example'); select public.remove_episode_guest(id) from public.episode_guests where status = 'invited' and episode_id = tests.id('pilot') $$), 'ok 1', 'the owner does both, also before an answer');

-- Addresses
select is(tests.result_of('ana', format('select tests.invite(%L)', email)), '23514', format('no mail reaches %s', to_json(email)))
from unnest(array[E'a\u00a0b@c.example', E'a\u200b@c.example', E'a@c\u200d.example', E'a@b\u202e.example', E'a\u2066@b.example', E'a\u00ad@b.example', 'a b@c.example', 'a@b c.example',
  'a@b..c', 'a@b.c.', 'a@.b.c', 'a@.', 'a@', '@b.example', 'a@b.c/x', 'a@b_c.example', 'a@b!.example', 'a@b。example', 'a@b…example', 'a@@b.example', 'a@b@c.example', 'a@[10.0.0.1]']) email;
select is(tests.result_of('ana', format('select tests.invite(%L)', email)), 'ok 1', format('%s is an address', email))
from unnest(array['a@localhost', 'o''brien+x/y=z@b-c.d1.example', '日本@例え.jp', 'हिन्दी@हिन्दी.भारत', 'a@xn--bcher-kva.example', 'a..b.@c.example', 'É@Ü.example']) email;
select is(tests.result_of('ana', format('select tests.invite(%L)', around || 'round@guests.example' || around)), 'ok 1', format('%s around an address', to_json(around)))
from unnest(array['', ' ', E'\t', E'\r\n', E'\u00a0', E'\u200b \ufeff', E'\u202a', E'\u2066', E'\u00ad']) around;
select results_eq($$ select email, count(*) from public.podcast_guests where email ~ 'round@' group by 1 $$, $$ values ('round@guests.example', 1::bigint) $$, 'is not part of it: there is one record');

-- Limits
update private.settings set value = '3' where key = 'max_guest_invitations_per_hour';
delete from private.rate_limits;
select is(tests.result_of('ana', format('select tests.invite(%L)', n || '@many.example')), case when n < 4 then 'ok 1' else 'PT429' end, format('invitation %s of three an hour', n)) from generate_series(1, 4) n;
select is(tests.result_of('ola', $$ select tests.invite('4@many.example') $$), 'ok 1', 'counted for each who invites');
delete from private.rate_limits;
update public.podcasts set status = 'pending_deletion' where id = tests.id('show');
select is(tests.result_of('ana', format('select tests.invite(%L)', email)), 'PT409', 'on the way out nobody is invited: ' || email) from unnest(array['x@guests.example', '1@many.example', 'gina@guests.example']) email;
select is(tests.result_of('ana', format('select public.remove_episode_guest(%L)', id)), 'PT409', 'nor removed') from public.episode_guests where episode_id = tests.id('pilot') limit 1;

select * from tests.finish();
rollback;
