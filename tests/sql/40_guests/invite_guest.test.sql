-- invite_guest: the podcast guest by podcast and email, the episode guest, and the message for the email.
begin;
select tests.start();

select tests.team('show', 'ola', 'ana', 'vic'), tests.person('stranger'), tests.podcast('other', 'otto');
select tests.episode('pilot', 'show'), tests.episode('second', 'show'), tests.episode('foreign', 'other');
create function tests.invite(
  email text, name text default 'Gina', episode text default 'pilot', message text default null)
returns jsonb language sql as $$ select public.invite_guest(tests.id(episode), email, name, message) $$;

select tests.access('invite_guest', $$ select tests.invite('x@guests.example') $$,
  'PT403: vic stranger otto; 42501: anon');
select is((select count(*) from public.podcast_guests), 0::bigint, 'a rejected invite_guest creates no podcast guest');

select tests.act_as('ana');
create temp table response as select tests.invite(' Gina@Guests.example', ' Gina ', message => ' Do come ') as data;
select is(current_setting('response.status'), '201', 'invite_guest sets the status 201');
select is((select data from response), (select jsonb_build_object(
    'episodeGuest', jsonb_build_object('id', e.id, 'episodeId', tests.id('pilot'), 'podcastGuestId', g.id,
      'status', 'invited', 'invitedAt', private.format_timestamp(now()), 'lastAccessedAt', null,
      'emailStatus', 'queued', 'emailDueAt', null),
    'guest', jsonb_build_object('id', g.id, 'displayName', 'Gina', 'email', 'gina@guests.example'))
  from public.podcast_guests g join public.episode_guests e on e.podcast_guest_id = g.id),
  'invite_guest returns the episode guest and the guest, with normalized name and email');
select tests.act_as('postgres');
select tests.remember('gina', (data #>> '{episodeGuest,id}')::uuid) from response;
select results_eq('select message, invited_by from private.guest_invitations',
  $$ values ('Do come', tests.id('ana')) $$, 'invite_guest stores message and inviter');
select is((select count(*) from private.events where type = 'guest.accepted'), 0::bigint,
  'invite_guest records no event guest.accepted');

-- another episode, another podcast
select is(tests.result_of('ana', $$ select tests.invite('GINA@guests.example', 'Regina', 'second') $$), 'ok 1',
  'invite_guest invites the same email to another episode');
select results_eq('select display_name, count(*) from public.podcast_guests group by 1',
  $$ values ('Gina', 1::bigint) $$, 'invite_guest reuses the podcast guest of an email and keeps its name');
select is((select count(*) from public.episode_guests), 2::bigint,
  'invite_guest creates one episode guest per episode');
select is(tests.result_of('otto', $$ select tests.invite('gina@guests.example', 'Gina', 'foreign') $$), 'ok 1',
  'invite_guest invites the same email for another podcast');
select is((select count(*) from public.podcast_guests), 2::bigint,
  'invite_guest creates one podcast guest per podcast and email');

-- inviting again, by the guest's status
create function pg_temp.invite_again(status public.episode_guest_status) returns text language plpgsql as $$
declare
  response jsonb;
begin
  perform tests.send_emails();
  delete from private.rate_limits;
  update public.episode_guests set status = invite_again.status, invited_at = '2020-01-01Z' where id = tests.id('gina');
  perform tests.act_as('ana');
  response := tests.invite('gina@guests.example', message => '   ') -> 'episodeGuest';
  perform tests.act_as('postgres');
  return (select concat_ws(', ', response ->> 'status',
      case when (response ->> 'invitedAt')::timestamptz > '2020-01-01Z' then 'new invitedAt' end,
      case when (response ->> 'id')::uuid = tests.id('gina') then 'same guest' end, response ->> 'emailStatus',
      case when i.message is null then 'no message' end)
    from private.guest_invitations i where i.episode_guest_id = tests.id('gina'));
end $$;
select is(pg_temp.invite_again('invited'), 'invited, same guest, queued, no message',
  'invite_guest of an invited guest sends another email');
select is(pg_temp.invite_again('active'), 'active, same guest, queued, no message',
  'invite_guest of an active guest keeps the status and sends an email with another link');
select is(pg_temp.invite_again('declined'), 'invited, new invitedAt, same guest, queued, no message',
  'invite_guest of a guest who declined sets invited and invitedAt');
select is(pg_temp.invite_again('removed'), 'invited, new invitedAt, same guest, queued, no message',
  'invite_guest of a removed guest sets invited and invitedAt');
select tests.send_emails();

-- names and messages
select is(tests.result_of('ana', format('select tests.invite(%L, %L, message => %L)', email, name, message)), '23514',
  format('invite_guest rejects %s', title))
from (values
  ('n@b.example', ' ', null, 'a blank name'), ('n@b.example', repeat('x', 201), null, 'a name of 201 characters'),
  ('gina@guests.example', 'Gina', repeat('x', 2001), 'a message of 2,001 characters')) v (email, name, message, title);
select is(tests.result_of('ana', 'select public.invite_guest(tests.id(''pilot''), null, ''X'')'), 'PT400',
  'invite_guest requires an email');
select is(tests.result_of('ana',
    format('select tests.invite(%L, message => %L)', 'gina@guests.example', repeat('𝄞', 2000))), 'ok 1',
  'invite_guest accepts a message of 2,000 characters outside the basic plane');

-- emails
select is(tests.result_of('ana', format('select tests.invite(%L)', email)), 'PT400',
  format('invite_guest rejects the email %s', to_json(email)))
from unnest(array['x', 'a@b.example,c@d.example', E'a@b.example\r\nBcc: c@d.example', E'a\u00a0b@c.example',
  E'a\u200b@c.example', E'a@c\u200d.example', E'a@b\u202e.example', E'a\u2066@b.example', E'a\u00ad@b.example',
  'a b@c.example', 'a@b c.example', 'a@b..c', 'a@b.c.', 'a@.b.c', 'a@.', 'a@', '@b.example', 'a@b.c/x',
  'a@b_c.example', 'a@b!.example', 'a@b。example', 'a@b…example', 'a@@b.example', 'a@b@c.example',
  'a@[10.0.0.1]']) email;
select is(tests.result_of('ana', format('select tests.invite(%L)', email)), 'ok 1',
  format('invite_guest accepts the email %s', email))
from unnest(array['a@localhost', 'o''brien+x/y=z@b-c.d1.example', '日本@例え.jp', 'हिन्दी@हिन्दी.भारत',
  'a@xn--bcher-kva.example', 'a..b.@c.example', 'É@Ü.example']) email;
create function pg_temp.invite_round(space text) returns text language plpgsql as $$
begin
  perform tests.send_emails();
  delete from private.rate_limits;
  return tests.result_of('ana', format('select tests.invite(%L)', space || 'round@guests.example' || space));
end $$;
select is(pg_temp.invite_round(space), 'ok 1', format('invite_guest accepts an email between %s', to_json(space)))
from unnest(array['', ' ', E'\t', E'\r\n', E'\u00a0', E'\u200b \ufeff', E'\u202a', E'\u2066', E'\u00ad']) space;
select results_eq($$ select email, count(*) from public.podcast_guests where email ~ 'round@' group by 1 $$,
  $$ values ('round@guests.example', 1::bigint) $$, 'invite_guest strips invisible characters around an email');

-- rate limit
update private.settings set value = '3' where key = 'max_guest_invitations_per_hour';
delete from private.rate_limits;
select is(tests.result_of('ana', format('select tests.invite(%L)', n || '@many.example')), expected,
  format('invitation %s of an hour, with max_guest_invitations_per_hour 3, returns %s', n, expected))
from generate_series(1, 4) n, lateral (select case when n < 4 then 'ok 1' else 'PT429' end) v (expected);
select is(tests.result_of('ola', $$ select tests.invite('4@many.example') $$), 'ok 1',
  'the invitation limit of one user does not limit another user');
select is(tests.result_of('ana', $$ select private.invite_guest(tests.id('pilot'), '5@many.example', 'Gina', null,
    at => now() + interval '1 hour') $$), 'ok 1', 'the invitation limit of a user ends after an hour');

-- pending deletion
select tests.set_status('show', 'pending_deletion');
select is(tests.result_of('ola', format('select tests.invite(%L)', email)), 'PT409',
  format('invite_guest of %s returns 409 on a podcast pending deletion', title))
from (values ('new@guests.example', 'a new guest'), ('1@many.example', 'an invited guest')) v (email, title);

select * from tests.finish();
rollback;
