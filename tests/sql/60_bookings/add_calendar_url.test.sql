-- add_calendar_url and begin_calendar_url.
begin;
select tests.start();

select tests.person('ada');
create function pg_temp.begun(url text, provider text default 'ics', username text default null,
  password text default null) returns text language sql as $$
  select tests.outcome_of(format('select private.begin_calendar_url(%L, %L, %L, %L, %L)', tests.id('ada'), provider,
    url, username, password))
$$;
create function pg_temp.added(url text, username text default null, password text default null) returns jsonb
language sql as $$
  select private.add_calendar_url(tests.id('ada'), 'ics', url,
    '[{"externalId": "ics", "name": "Shifts", "isPrimary": false, "isWritable": false}]', username, password)
$$;

-- the URL
select is(pg_temp.begun(url), expected, format('begin_calendar_url returns %s for %s', expected, url))
from (values
  ('https://cal.example/a.ics?key=1', 'https://cal.example/a.ics?key=1'),
  (' webcal://cal.example/a.ics#top ', 'https://cal.example/a.ics'),
  ('WEBCALS://cal.example', 'https://cal.example'),
  ('http://cal.example/a.ics', 'PT400 INVALID_URL'),
  ('https://user:pass@cal.example/', 'PT400 INVALID_URL'),
  ('ftp://cal.example/', 'PT400 INVALID_URL'), ('file:///etc/passwd', 'PT400 INVALID_URL'),
  ('https://cal.example:99999/', 'PT400 INVALID_URL'), ('https://0x7f000001/', 'PT400 INVALID_URL'),
  ('https://127.0.0.1/a.ics', 'PT400 BLOCKED_URL'), ('webcal://localhost/a.ics', 'PT400 BLOCKED_URL'),
  ('https://[fd00::1]/', 'PT400 BLOCKED_URL'), ('https://cal.example:993/', 'PT400 BLOCKED_URL'),
  ('', 'PT400 INVALID_URL'), (null, 'PT400 INVALID_URL')) v (url, expected);
select private.set_setting('fetch_allowed_hosts', 'nas.example, 10.0.0.2:8080');
select is(pg_temp.begun(url), expected,
  format('begin_calendar_url returns %s for %s if its host is allowed', expected, url))
from (values ('http://NAS.example/a.ics', 'http://NAS.example/a.ics'),
  ('http://nas.example:81/', 'http://nas.example:81/'),
  ('http://10.0.0.2:8080/', 'http://10.0.0.2:8080/'), ('http://10.0.0.2/', 'PT400 INVALID_URL'),
  ('http://other.example/', 'PT400 INVALID_URL')) v (url, expected);
select is(left(pg_temp.begun('https://cal.example/', provider, username, password), 5), 'PT400',
  format('begin_calendar_url returns 400 for %s, %s, %s', provider, left(username, 9), left(password, 9)))
from (values ('google', null, null), (null, null, null), ('ics', null, 'x'), ('ics', '', 'x'),
  ('caldav', null, 'x'),
  ('caldav', 'ada', null), ('caldav', null, null), ('caldav', 'a:b', 'x'), ('caldav', repeat('a', 256), 'x'),
  ('caldav', 'ada', repeat('x', 1025)), ('caldav', 'ada', E'x\n')) v (provider, username, password);
select is(pg_temp.begun('https://cal.example/', provider, 'ada', 'x'), 'https://cal.example/',
  format('begin_calendar_url accepts a login for %s', provider)) from unnest(array['ics', 'caldav']) provider;
select is(pg_temp.begun('https://cal.example/', 'ics', 'TOKEN', password), 'https://cal.example/',
  format('begin_calendar_url accepts a username of ics with the password %L', password))
from unnest(array[null, '']) password;
select private.set_setting('max_calendar_urls_per_hour', '0');
select is(left(pg_temp.begun('https://cal.example/'), 18), 'PT429 RATE_LIMITED',
  'begin_calendar_url returns 429 over its limit');
select is(tests.error_of(format('select private.begin_calendar_url(%L, ''ics'', ''https://a.example'')',
  gen_random_uuid())), 'PT403 ACCOUNT_REQUIRED', 'begin_calendar_url returns 403 for a deleted account');

-- the connection
create temp table added as select pg_temp.added('https://cal.example/SECRET.ics', 'ada', 'PASSWORD') as result;
select is((select (result -> 'isNew', result #>> '{connection,provider}', result #>> '{connection,accountName}',
    result #>> '{connection,calendars,0,name}', result #>> '{connection,calendars,0,isSelected}')::text from added),
  '(true,ics,cal.example,Shifts,true)', 'add_calendar_url returns the connection, whose calendar counts');
select doesnt_match(result::text || (select string_agg(c::text, '') from public.calendar_connections c),
  'SECRET|PASSWORD', 'add_calendar_url returns neither URL nor password, and stores them in no table') from added;
select results_eq('select tests.calendar_secrets()', $$ values
  ('{"url": "https://cal.example/SECRET.ics", "username": "ada", "password": "PASSWORD"}'::jsonb) $$,
  'add_calendar_url stores URL and password in Vault');
select is((pg_temp.added('https://cal.example/SECRET.ics', 'ada', 'NEW') -> 'isNew')::text, 'false',
  'add_calendar_url renews a known URL');
select is((select s ->> 'password' from tests.calendar_secrets() s), 'NEW', 'add_calendar_url stores the new password');
select is((pg_temp.added('https://cal.example/other.ics') -> 'isNew')::text, 'true',
  'add_calendar_url connects another URL of the host');
select is(private.claim_calendar_token((result #>> '{connection,id}')::uuid) ->> 'state', 'missing',
  'claim_calendar_token has no token of a URL') from added;
select is(private.find_revocable_grant((result #>> '{connection,id}')::uuid, tests.id('ada')), null,
  'find_revocable_grant returns null for a URL') from added;

-- transparent calendars
create function pg_temp.selected(calendars jsonb) returns text language sql as $$
  select string_agg(c ->> 'name', ' ' order by c ->> 'name') filter (where (c -> 'isSelected')::boolean)
  from private.add_calendar_url(tests.id('ada'), 'caldav', 'https://dav.example/', calendars, 'ada', 'x') r,
    jsonb_array_elements(r #> '{connection,calendars}') c $$;
create function pg_temp.calendar(name text, is_transparent boolean) returns jsonb language sql as $$
  select jsonb_strip_nulls(jsonb_build_object('externalId', name, 'name', name, 'isPrimary', name = 'a',
    'isWritable', false, 'isTransparent', is_transparent)) $$;
select is(pg_temp.selected(jsonb_build_array(pg_temp.calendar('a', true), pg_temp.calendar('b', null),
    pg_temp.calendar('c', false), pg_temp.calendar('d', true))), 'b c',
  'add_calendar_url selects all new calendars but those that the server marks as transparent');
update connected_calendars set is_selected = name in ('a', 'c') where external_id in ('a', 'b', 'c', 'd');
select is(pg_temp.selected(jsonb_build_array(pg_temp.calendar('a', true), pg_temp.calendar('b', false),
    pg_temp.calendar('c', true), pg_temp.calendar('e', null))), 'a c e',
  'add_calendar_url keeps what the user selected of known calendars');

select * from tests.finish();
rollback;
