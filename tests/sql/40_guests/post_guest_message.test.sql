-- post_guest_message: guests write into the chat of their episode.
begin;
select tests.start();

select tests.podcast('show', 'ola'), tests.person('stranger'), tests.episode('pilot', 'show');
select tests.podcast('other', 'otto'), tests.episode('foreign', 'other');
select tests.guest_with_token('gus', 'pilot', 'active'), tests.guest_with_token('ida', 'pilot'),
  tests.guest_with_token('dan', 'pilot', 'declined'), tests.guest_with_token('far', 'foreign', 'active');
create function pg_temp.post(token text, body text default 'Hello', who text default 'anon') returns text
language sql as $$ select tests.result_of(who, format('select public.post_guest_message(%L, %L)', token, body)) $$;

select is(pg_temp.post(token), expected, format('post_guest_message with %s returns %s', title, expected))
from (values ('gus', 'ok 1', 'the token of an active guest'), ('ida', 'ok 1', 'the token of an invited guest'),
  ('dan', 'PT403', 'the token of a guest who declined'), ('none', 'PT401', 'an unknown token'),
  ('', 'PT401', 'an empty token'), (null, 'PT401', 'no token')) w (token, expected, title);
select is(pg_temp.post('gus', body), expected, format('post_guest_message with %s returns %s', title, expected))
from (values ('', '23514', 'an empty body'), ('  ', '23514', 'a blank body'), (null, '23514', 'no body'),
  (repeat('x', 4001), '23514', '4,001 characters'), (repeat('x', 4000), 'ok 1', '4,000 characters')
) w (body, expected, title);
select is((select count(*) from public.episode_messages
    where sender_guest_id = tests.id('pilot/gus') and sender_user_id is null and episode_id = tests.id('pilot')),
  2::bigint, 'post_guest_message writes as the guest into the chat of the token''s episode');
select is(pg_temp.post('gus', 'From a user', 'stranger'), 'ok 1',
  'post_guest_message accepts the token from a signed-in user');
select is((select sender_user_id from public.episode_messages where body = 'From a user'), null,
  'post_guest_message writes as the guest even if a signed-in user calls it');
select tests.act_as('anon');
select is(public.post_guest_message('gus', 'Status') ->> 'isMine', 'true',
  'post_guest_message returns the message as own');
select is(current_setting('response.status', true), '201', 'post_guest_message sets the status 201');
select tests.act_as('postgres');
select is(pg_temp.post('far', 'From afar'), 'ok 1', 'post_guest_message accepts a guest of another podcast');
select is((select episode_id from public.episode_messages where body = 'From afar'), tests.id('foreign'),
  'post_guest_message writes into the episode of that guest''s token');

-- visits
update public.episode_guests set last_accessed_at = now() - interval '30 seconds';
select pg_temp.post('gus') is not null;
select is((select last_accessed_at from public.episode_guests where id = tests.id('pilot/gus')),
  now() - interval '30 seconds', 'post_guest_message records no second visit within a minute');

-- rate limit
delete from private.rate_limits;
select is(array_agg(distinct pg_temp.post('ida', n::text)), array['ok 1'],
  'post_guest_message accepts 30 messages of a guest in a minute')
from generate_series(1, 30) n;
select is(pg_temp.post('ida'), 'PT429', 'post_guest_message rejects message 31 of a guest in a minute');
select is(pg_temp.post('gus'), 'ok 1', 'the message limit of one guest does not limit another guest');
select is(tests.result_of('postgres',
    $$ select private.post_guest_message('ida', 'Later', at => now() + interval '1 minute') $$), 'ok 1',
  'the message limit of a guest ends after a minute');

select is(tests.error_of($$ select private.post_guest_message('gus', 'Late', at => now() + interval '90 days') $$),
  'PT401 EXPIRED', 'post_guest_message rejects an expired token');
update public.episode_guests set status = 'removed' where id = tests.id('pilot/gus');
select is(pg_temp.post('gus'), 'PT401', 'post_guest_message rejects the token of a removed guest');
select isnt_empty($$ select from public.episode_messages where sender_guest_id = tests.id('pilot/gus') $$,
  'removing a guest keeps their messages');

select * from tests.finish();
rollback;
