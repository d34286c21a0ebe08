-- claim_calendar_token, store_calendar_token and fail_calendar_token.
begin;
select tests.start();

select tests.person('ada'), tests.connect_account('first', 'ada');
create function pg_temp.claim(rejected text default null, at interval default '0') returns jsonb language sql as $$
  select private.claim_calendar_token(tests.id('first'), rejected, now() + at)
$$;
create function pg_temp.store(claim jsonb, access text, refresh text default null) returns boolean language sql as $$
  select private.store_calendar_token(tests.id('first'), (claim ->> 'leaseId')::uuid, access, 3600, refresh, now())
$$;

select is(pg_temp.claim(), '{"state": "valid", "accessToken": "ACCESS"}', 'claim_calendar_token returns a valid token');
select is(private.claim_calendar_token(gen_random_uuid()), '{"state": "missing"}',
  'claim_calendar_token reports a connection that does not exist');
select is(pg_temp.claim('OTHER') ->> 'state', 'valid',
  'claim_calendar_token ignores that an earlier token was rejected');

-- a lease
create temp table claims as select pg_temp.claim(null, '59 minutes 1 second') as claim;
select is((select claim - 'leaseId' from claims),
  '{"state": "claimed", "provider": "google", "refreshToken": "REFRESH"}',
  'claim_calendar_token gives the refresh of a token that expires within a minute to the caller');
update private.calendar_credentials set lease_id = null, lease_expires_at = null;
update claims set claim = pg_temp.claim('ACCESS');
select is((select claim ->> 'state' from claims), 'claimed', 'claim_calendar_token has a rejected token refreshed');
select is(pg_temp.claim('ACCESS'), '{"state": "refreshing"}',
  'claim_calendar_token lets one process refresh at a time');
select is(pg_temp.claim() ->> 'state', 'valid', 'claim_calendar_token returns a token that is valid during a refresh');
select is(pg_temp.claim('ACCESS', '29.9 seconds') ->> 'state', 'refreshing',
  'claim_calendar_token waits 30 seconds for the process that refreshes');
insert into claims select pg_temp.claim('ACCESS', '30 seconds');
select is((select array_agg(claim ->> 'state') from claims), '{claimed,claimed}',
  'claim_calendar_token gives the refresh to another process after 30 seconds');
select is((select array_agg(pg_temp.store(claim, 'ACCESS' || n) order by n) from (
    select claim, row_number() over () as n from claims) c), '{f,t}',
  'store_calendar_token stores nothing for a process that lost its lease');
select is(pg_temp.claim() ->> 'accessToken', 'ACCESS2', 'store_calendar_token stores the access token');
select is(private.read_calendar_secret(tests.id('first')) ->> 'refreshToken', 'REFRESH',
  'store_calendar_token keeps the refresh token if there is no other');
select ok(pg_temp.store(pg_temp.claim('ACCESS2'), 'ACCESS3', 'REFRESH3'),
  'store_calendar_token stores a rotated token');
select is(private.read_calendar_secret(tests.id('first')), '{"accessToken": "ACCESS3", "refreshToken": "REFRESH3"}',
  'store_calendar_token replaces the refresh token');

-- failures
truncate claims;
insert into claims select pg_temp.claim('ACCESS3');
select private.fail_calendar_token(tests.id('first'), gen_random_uuid(), 'It is over');
select is((select status from public.calendar_connections), 'pending',
  'fail_calendar_token changes nothing for a process that lost its lease');
select private.fail_calendar_token(tests.id('first'), (claim ->> 'leaseId')::uuid) from claims;
select is((select status from public.calendar_connections), 'pending',
  'fail_calendar_token keeps the connection after a temporary failure');
update claims set claim = pg_temp.claim('ACCESS3');
select is((select claim ->> 'state' from claims), 'claimed', 'fail_calendar_token ends the lease');
select private.fail_calendar_token(tests.id('first'), (claim ->> 'leaseId')::uuid, 'It is over') from claims;
select is((select (status, last_error)::text from public.calendar_connections), '(revoked,"It is over")',
  'fail_calendar_token records a revocation');
select is(pg_temp.claim(), '{"state": "revoked", "error": "It is over"}',
  'claim_calendar_token returns no token of a revoked connection');
select tests.connect_account('first', 'ada');
select is(pg_temp.claim() ->> 'state', 'valid', 'connecting the account again ends a revocation');

-- a removed connection
update claims set claim = pg_temp.claim('ACCESS');
delete from public.calendar_connections;
select is(pg_temp.store(claim, 'ACCESS4'), false,
  'store_calendar_token stores nothing for a removed connection') from claims;
select is_empty('select tests.calendar_secrets()', 'a refresh leaves no secret of a removed connection');

select * from tests.finish();
rollback;
