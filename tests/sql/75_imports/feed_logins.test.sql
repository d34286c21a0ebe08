-- Feeds behind Basic auth: the login of an import is in Vault for the import's life, and nowhere else.
begin;
select tests.start();

select tests.team('show', 'ola', 'ana', 'mo');
select private.set_setting('fetch_allowed_hosts', 'inside.example');
create function pg_temp.split(feed_url text, username text default null, password text default null) returns text
language sql as $$
  select tests.outcome_of(format(
    'select f.url || '' '' || coalesce(f.login ->> ''username'' || ''|'' || (f.login ->> ''password''), ''none'')
    from private.split_feed_login(%L, %L, %L) f', feed_url, username, password)) $$;
select is(pg_temp.split(given, username, password), wanted, format('split_feed_login: %s', title))
from (values
  ('a URL without a login', 'https://a.example/f.xml?a=b@c', null, null, 'https://a.example/f.xml?a=b@c none'),
  ('a URL with a login', 'https://jo:pass@a.example/f.xml', null, null, 'https://a.example/f.xml jo|pass'),
  ('a login in percent-encoding', 'https://j%40x.org:p%3A%2Fw@a.example', null, null, 'https://a.example j@x.org|p:/w'),
  ('a login with an @', 'https://jo@x.org:p@ss@a.example/f@1', null, null, 'https://a.example/f@1 jo@x.org|p@ss'),
  ('a URL with a user name only', 'https://token@a.example/f.xml', null, null, 'https://a.example/f.xml token|'),
  ('a login beside the URL', 'https://a.example/f.xml', 'jo', 'p:w', 'https://a.example/f.xml jo|p:w'),
  ('the login beside the URL counts', 'https://a:b@a.example/f.xml', 'jo', 'pw', 'https://a.example/f.xml jo|pw'),
  ('http to an allowed host', 'http://jo:pw@inside.example/', null, null, 'http://inside.example/ jo|pw'),
  ('http', 'http://jo:pw@a.example/', null, null, 'PT400 INVALID_URL'),
  ('a password without a user name', 'https://a.example/', null, 'pw', 'PT400'),
  ('a user name without a password', 'https://a.example/', 'jo', null, 'PT400'),
  ('a colon in the user name', 'https://a.example/', 'j:o', 'pw', 'PT400'),
  ('a line break', 'https://a.example/', 'jo', E'p\nw', 'PT400'),
  ('a long password', 'https://a.example/', 'jo', repeat('x', 1001), 'PT400')
) v (title, given, username, password, wanted);

-- Started
create function pg_temp.start() returns void language plpgsql as $$ begin
  perform tests.act_as('ana');
  perform tests.remember('one', (public.start_import(tests.id('show'), 'https://jo:s3cret@a.example/f.xml')
    ->> 'importId')::uuid);
  perform tests.act_as('postgres');
end $$;
create function pg_temp.secrets() returns bigint language sql as $$
  select count(*) from vault.decrypted_secrets s where s.decrypted_secret like '%s3cret%' $$;
select pg_temp.start();
select is((select feed_url from public.podcast_imports), 'https://a.example/f.xml',
  'start_import stores the URL without its login');
select is(private.read_import_login(tests.id('one')),
  '{"username": "jo", "password": "s3cret", "feedUrl": "https://a.example/f.xml"}',
  'read_import_login returns the login and the URL whose origin it is for');
select is_empty($$ select from public.podcast_imports i where i::text like '%s3cret%'
  union all select from pgmq.q_import_feeds q where q::text like '%s3cret%' $$,
  'start_import writes the password to Vault only');
select is(tests.result_of(who, 'select private.read_import_login(tests.id(''one''))'), '42501',
  format('read_import_login cannot be executed by %s', who)) from unnest('{ana,ola}'::text[]) who;

-- Deleted
savepoint started;
delete from public.podcast_imports;
select is(pg_temp.secrets(), 0::bigint, 'the deletion of an import deletes its login from Vault');
rollback to started;
delete from public.podcasts where id = tests.id('show');
select is(pg_temp.secrets(), 0::bigint, 'the deletion of a podcast deletes the logins of its imports from Vault');
rollback to started;
update public.podcast_imports set status = 'canceled';
select private.delete_stale_imports(now() + interval '7 days');
select is(pg_temp.secrets(), 1::bigint, 'delete_stale_imports keeps the login of a finished import for a week');
select private.delete_stale_imports(now() + interval '7 days 1 second');
select is(pg_temp.secrets(), 0::bigint, 'delete_stale_imports deletes a login a week after the import has finished');
select isnt_empty('select from public.podcast_imports', 'delete_stale_imports keeps the finished import');
rollback to started;
update public.podcast_imports set staged_at = now(), status = 'preview';
select private.delete_stale_imports(now() + interval '30 days 1 second');
select is(pg_temp.secrets(), 0::bigint, 'delete_stale_imports deletes the login of an unfinished import after 30 days');

select * from tests.finish();
rollback;
