-- authenticate_guest: the guest of an access token, until it expires, with the visit recorded at most once a minute.
begin;
select tests.start();

select tests.podcast('show', 'ola'), tests.episode('pilot', 'show'), tests.episode('second', 'show');
select tests.guest_with_token('zm9v-gina', 'pilot'), tests.guest_with_token('zm9v-gus', 'second');

select is((private.authenticate_guest('zm9v-gina')).id, tests.id('pilot/zm9v-gina'),
  'authenticate_guest returns the guest of the token');
select throws_ok(format('select private.authenticate_guest(%L)', token), 'PT401', 'Invalid access token',
  format('authenticate_guest rejects the token %L', left(token, 70)))
from unnest(array['', 'zm9v', 'Zm9v-gina', 'zm9v-gina ', 'zm9v-ginb', null, encode(sha256('zm9v-gina'), 'hex'),
  sha256('zm9v-gina')::text, repeat('x', 100000)]) token;
select is(tests.error_of($$ select private.authenticate_guest('none') $$), 'PT401 INVALID',
  'authenticate_guest returns INVALID for an unknown token');
select is(tests.error_of($$ select private.authenticate_guest('zm9v-gina', at => now() + interval '90 days') $$),
  'PT401 EXPIRED', 'authenticate_guest returns EXPIRED for a token past its expiry');
select is(tests.error_of(
    $$ select private.authenticate_guest('zm9v-gina', at => now() + interval '89 days 23 hours') $$), 'none',
  'authenticate_guest accepts a token until it expires');

-- visits
update public.episode_guests set last_accessed_at = null;
create function pg_temp.visit(at timestamptz, for_write boolean default false) returns text language sql as $$
  select private.format_timestamp((private.authenticate_guest('zm9v-gina', for_write, at)).last_accessed_at) $$;
select is(pg_temp.visit(at::timestamptz), recorded, 'authenticate_guest records a visit once a minute: ' || at)
from (values
  ('2026-01-01 12:00:00Z', '2026-01-01T12:00:00.000Z'),
  ('2026-01-01 12:00:59Z', '2026-01-01T12:00:00.000Z'),
  ('2026-01-01 12:01:00Z', '2026-01-01T12:01:00.000Z')) v (at, recorded);
select is(pg_temp.visit('2026-01-01 12:01:59Z', true), '2026-01-01T12:01:00.000Z',
  'authenticate_guest with for_write keeps a visit of the same minute');
select is((select private.format_timestamp(last_accessed_at) from public.episode_guests
    where id = tests.id('pilot/zm9v-gina')), '2026-01-01T12:01:00.000Z', 'authenticate_guest stores the visit');
select is((select last_accessed_at from public.episode_guests where id = tests.id('second/zm9v-gus')), null,
  'authenticate_guest records no visit of other guests');

-- revoked tokens
update public.episode_guests set status = 'removed' where id = tests.id('pilot/zm9v-gina');
select is(tests.error_of($$ select private.authenticate_guest('zm9v-gina') $$), 'PT401 INVALID',
  'authenticate_guest returns INVALID for the token of a removed guest');
select is_empty($$ select from private.access_tokens where subject_id = tests.id('pilot/zm9v-gina') $$,
  'removing a guest deletes the digests of all links');
insert into private.access_tokens (digest, kind, subject_id, expires_at)
values (sha256('zm9v-gina'), 'guest_invitation', tests.id('pilot/zm9v-gina'), 'infinity');
select is(tests.error_of($$ select private.authenticate_guest('zm9v-gina') $$), 'PT401 INVALID',
  'authenticate_guest returns INVALID for a removed guest even if the digest is kept');
delete from public.episodes where id = tests.id('second');
select is(tests.error_of($$ select private.authenticate_guest('zm9v-gus') $$), 'PT401 INVALID',
  'authenticate_guest returns INVALID for the token of a deleted episode');
select is((select count(*) from public.podcast_guests), 2::bigint, 'deleting an episode keeps its podcast guests');

select * from tests.finish();
rollback;
