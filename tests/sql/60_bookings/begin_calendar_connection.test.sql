-- begin_calendar_connection, and the state that ends with consume_calendar_authorization.
begin;
select tests.start();

select tests.person('ada'), tests.person('ben'), tests.person('early', false);
create temp table begun (state text, challenge text);
grant all on begun to public;
create function pg_temp.begin_as(who text, provider text default 'google') returns jsonb language plpgsql as $$
declare result jsonb;
begin
  perform tests.act_as(who);
  result := public.begin_calendar_connection(provider);
  perform tests.act_as('postgres');
  return result;
end $$;
create function pg_temp.consumed(who text, state text, at timestamptz default now()) returns text language sql as $$
  select tests.outcome_of(format('select private.consume_calendar_authorization(%L, %L, %L)', tests.id(who), state, at))
$$;

-- who
select tests.access('begin_calendar_connection', $$ select public.begin_calendar_connection('google') $$,
  '42501: anon service; PT403: early; ok 1: ada');

-- the state
insert into begun select r ->> 'state', r ->> 'codeChallenge' from pg_temp.begin_as('ada') r;
select is((select r - '{state,codeChallenge}'::text[] from pg_temp.begin_as('ada') r), jsonb_build_object(
    'redirectUri', 'https://casts.test/functions/v1/api/calendars/callback',
    'expiresAt', private.format_timestamp(now() + interval '10 minutes')),
  'begin_calendar_connection returns the redirect URI and when the state expires');
select ok((select state ~ '^[0-9a-f]{64}$' and challenge ~ '^[A-Za-z0-9_-]{43}$' from begun),
  'begin_calendar_connection returns a state of 64 digits and a challenge of 43 characters');
select is_empty($$ select from private.calendar_authorizations a, begun b where a::text like '%' || b.state || '%' $$,
  'begin_calendar_connection stores the digest of the state alone');
select is(private.code_challenge('dBjftJeZ4CVP-mB92K27uhbUJU1p1r_wW1gFWFOEjXk'),
  'E9Melhoa2OwvFrEMTJguCHaoeK1t8URWbuGJSstw-cM', 'code_challenge returns the example of RFC 7636, appendix B');
select is(tests.result_of('ada', format('select public.begin_calendar_connection(%L)', provider)), 'PT400',
  format('begin_calendar_connection returns 400 for the provider %L', provider))
from unnest(array['ics', 'caldav', 'yahoo', '', null]) provider;

-- its end
select is(pg_temp.consumed('ben', (select state from begun)), 'PT400 INVALID_AUTHORIZATION',
  'consume_calendar_authorization rejects the state of another user');
select is(pg_temp.consumed('ada', (select state from begun), now() + interval '10 minutes'),
  'PT400 INVALID_AUTHORIZATION', 'consume_calendar_authorization rejects an expired state');
select is(pg_temp.consumed('ada', 'unknown'), 'PT400 INVALID_AUTHORIZATION',
  'consume_calendar_authorization rejects an unknown state');
create temp table consumed as select pg_temp.consumed('ada', (select state from begun))::jsonb as result;
select is((select result - 'verifier' from consumed),
  '{"provider": "google", "redirectUri": "https://casts.test/functions/v1/api/calendars/callback"}',
  'consume_calendar_authorization returns provider and redirect URI');
select is((select private.code_challenge(result ->> 'verifier') from consumed), (select challenge from begun),
  'consume_calendar_authorization returns the verifier of the challenge');
select is(pg_temp.consumed('ada', (select state from begun)), 'PT400 INVALID_AUTHORIZATION',
  'consume_calendar_authorization rejects a used state');

-- limits
update private.calendar_authorizations set expires_at = now() - interval '1 second';
select is((pg_temp.begin_as('ben') ->> 'state') is not null, true,
  'begin_calendar_connection succeeds for another user');
select is((select count(*)::int from private.calendar_authorizations), 1,
  'begin_calendar_connection deletes expired authorizations of all users');
select private.set_setting('max_calendar_connections_per_hour', '3');
select is(array(select tests.result_of('ben', $$ select public.begin_calendar_connection('microsoft') $$)
  from generate_series(1, 3)), '{"ok 1","ok 1",PT429}', 'begin_calendar_connection returns 429 over its limit');
delete from auth.users where id = tests.id('ben');
select is_empty($$ select from private.calendar_authorizations where user_id = tests.id('ben') $$,
  'a deletion of the account deletes its authorizations');

select * from tests.finish();
rollback;
