-- What the worker does with an invitation: facts, token, mark; and what it no longer does.
begin;
select tests.start();

select tests.podcast('show', 'ola'), tests.episode('pilot', 'show');
create function pg_temp.invited(name text, message text default null) returns void language plpgsql as $$
declare
  record uuid;
  made   uuid;
begin
  insert into public.podcast_guests (podcast_id, display_name, email) values (tests.id('show'), initcap(name), name || '@guest.example') returning id into record;
  insert into public.episode_guests (episode_id, podcast_guest_id) values (tests.id('pilot'), record) returning id into made;
  insert into private.guest_invitations (episode_guest_id, message, invited_by) values (made, invited.message, tests.id('ola'));
  perform tests.remember(name, made);
end $$;
create function pg_temp.request(name text) returns timestamptz language sql as $$
  select requested_at from private.guest_invitations where episode_guest_id = tests.id(name) $$;
create function pg_temp.opens(token text, at timestamptz default now()) returns text language sql as $$
  select tests.result_of('postgres', format('select private.authenticate_guest(%L, at => %L)', token, at)) $$;
create function pg_temp.issue(name text, token text, requested_at timestamptz default null) returns timestamptz language sql as $$
  select private.issue_guest_token(tests.id(name), coalesce(requested_at, pg_temp.request(name)), sha256(convert_to(token, 'UTF8'))) $$;
create function pg_temp.sent(name text, token text, requested_at timestamptz default null) returns void language sql as $$
  select private.mark_guest_invitation_sent(sha256(convert_to(token, 'UTF8')), coalesce(requested_at, pg_temp.request(name))) $$;
select pg_temp.invited('gus', 'Do come'), pg_temp.invited('ida');

select is(private.guest_invitation_email(tests.id('gus')), jsonb_build_object('requestedAt', pg_temp.request('gus')::text,
  'to', '{"name": "Gus", "address": "gus@guest.example"}'::jsonb, 'podcastTitle', 'show', 'episodeTitle', 'pilot', 'invitedBy', 'Ola',
  'message', 'Do come', 'guestUrl', 'https://casts.test/functions/v1/public/guest'), 'what the mail says');
select is((private.guest_invitation_email(tests.id('gus')) ->> 'requestedAt')::timestamptz, pg_temp.request('gus'), 'the request is named to the microsecond');
select is(private.guest_invitation_email(tests.id('ida')) ->> 'message', null, 'without words of the host''s, none');
select is(private.guest_invitation_email(gen_random_uuid()), null, 'of nobody nothing');
select is(tests.result_of(who, format('select private.%s', call)), '42501', format('%s cannot call %s', who, call))
from unnest(array['ola', 'anon', 'service']) who, unnest(array['guest_invitation_email(tests.id(''gus''))',
  'issue_guest_token(tests.id(''gus''), now(), ''x'')', 'mark_guest_invitation_sent(''x'', now())']) call;

select is(pg_temp.issue('gus', 'one'), now() + interval '90 days', 'a token opens for 90 days');
select is(pg_temp.opens('one'), 'ok 1', 'it opens');
select is(pg_temp.opens('one', now() + interval '89 days 23 hours'), 'ok 1', 'until the end');
select is(pg_temp.opens('one', now() + interval '90 days'), 'PT401', 'of its days');
select is(pg_temp.issue('gus', 'two'), now() + interval '90 days', 'another attempt at the mail makes another token');
select is(pg_temp.opens('two'), 'ok 1', 'which opens');
select is(pg_temp.opens('one'), 'PT401', 'instead of the first, whose mail never went out');
select private.set_setting('guest_token_ttl_days', '2');
select is(pg_temp.issue('gus', 'three'), now() + interval '2 days', 'the installation says how long');
select is(pg_temp.issue('gus', 'late', pg_temp.request('gus') - interval '1 microsecond'), null, 'a request that was overtaken issues nothing');
select is(pg_temp.opens('late'), 'PT401', 'that opened');
select pg_temp.sent('gus', 'two');
select isnt(private.guest_invitation_email(tests.id('gus')), null, 'nor is an attempt sent that another one followed');
select pg_temp.sent('gus', 'three');
select is(private.guest_invitation_email(tests.id('gus')), null, 'once it went out there is nothing to send');
select is(pg_temp.issue('gus', 'again'), null, 'and no token to issue');
select is(pg_temp.opens('three'), 'ok 1', 'so that the mailed one stays');

-- Inviting again
update private.guest_invitations set (requested_at, sent_at) = (requested_at + interval '1 second', null) where episode_guest_id = tests.id('gus');
select private.set_setting('guest_token_ttl_days', '5');
select is(pg_temp.issue('gus', 'four'), now() + interval '5 days', 'another request makes another token');
select is(pg_temp.opens(token), 'ok 1', 'until its mail went out both open: ' || token) from unnest(array['three', 'four']) token;
select is(pg_temp.opens(token, now() + interval '2 days'), expected, 'each to its own end: ' || token) from (values ('three', 'PT401'), ('four', 'ok 1')) v (token, expected);
select is(pg_temp.issue('gus', 'five'), now() + interval '5 days', 'an attempt that failed is followed by one more');
select is(pg_temp.opens(token), expected, 'which takes the place of that attempt alone: ' || token) from (values ('three', 'ok 1'), ('four', 'PT401'), ('five', 'ok 1')) v (token, expected);
update private.guest_invitations set requested_at = requested_at + interval '1 second' where episode_guest_id = tests.id('gus');
select pg_temp.sent('gus', 'five', pg_temp.request('gus') - interval '1 second');
select is(pg_temp.opens(token), expected, 'a mail that went out takes the old one''s place: ' || token) from (values ('three', 'PT401'), ('five', 'ok 1')) v (token, expected);
select isnt(private.guest_invitation_email(tests.id('gus')), null, 'and is not taken for that of a later request');

update public.episode_guests set status = 'removed' where id = tests.id('ida');
select is(private.guest_invitation_email(tests.id('ida')), null, 'who was removed gets no mail');
select is_empty($$ select from private.guest_invitations i where i::text ~ 'five' or encode(token_hash, 'escape') ~ 'five' $$, 'no token is stored');

select * from tests.finish();
rollback;
