-- Public settings: default values that refer to other settings, and the values that each kind accepts
begin;
select tests.start();

select is(private.get_setting('media_url'), 'https://casts.test/storage/v1/object/public/media',
  'get_setting replaces the reference to another setting in a default value');
select is(private.get_setting('listen_url'), 'https://casts.test/functions/v1/public/listen',
  'get_setting replaces references over two steps');
select private.set_setting('media_url', 'https://cdn.test');
select is(private.get_setting('media_url'), 'https://cdn.test', 'set_setting overrides a default value');
select private.set_setting('media_url', null);
select is(private.get_setting('media_url'), 'https://casts.test/storage/v1/object/public/media',
  'set_setting restores the default value when the value is null');
select throws_ok($$ select private.get_setting('nope') $$, 'PT500', 'Setting ''nope'' is not set',
  'the error of setting names an unknown setting');
select private.set_setting('public_url', null);
select throws_ok($$ select private.get_setting('media_url') $$, 'PT500', 'Setting ''public_url'' is not set',
  'the error of setting names the missing setting that a default value refers to');
select private.set_setting('public_url', 'https://casts.test');
select is(private.get_setting('media_url'), 'https://casts.test/storage/v1/object/public/media',
  'get_setting follows a change of a setting that a default value refers to');
select throws_ok($$ select private.set_setting('public_url', '{media_url}') $$, 'PT400', null,
  'set_setting rejects settings that refer to each other');
insert into private.settings (key, kind, default_value, description)
values ('test_url', 'url', '{public_url}/test', 'A test');
select is(private.get_setting('test_url'), 'https://casts.test/test',
  'get_setting returns a setting that was inserted');
delete from private.settings where key = 'test_url';
select throws_ok($$ select private.set_setting('nope', 'x') $$, 'PT404', 'Unknown setting ''nope''',
  'set_setting rejects an unknown setting');

-- Kinds
insert into private.settings (key, kind, can_be_empty, choices, description)
select 'test_' || k, k, false, case k when 'choice' then '{red,blue}'::text[] end, 'A test'
from unnest(enum_range(null::private.setting_kind)) k
union all select 'optional_' || k, k, true, case k when 'choice' then '{red,blue}'::text[] end, 'A test'
from unnest(enum_range(null::private.setting_kind)) k;
create temp table proposals (kind text, is_accepted boolean, value text);
insert into proposals
select kinds.kind, true, values.value from (values
  ('count', '0 7 1000000000'), ('bytes', '0 1073741824'), ('seconds', '0 86400'), ('minutes', '10080'),
  ('hours', '87600'), ('days', '36500'),
  ('url', 'https://a.test http://kong:8000/functions/v1 https://a.test/?a=b {public_url} {public_url}/a/b'),
  ('urls', 'https://a.test https://a.test,{media_url},http://b.test/c'),
  ('hosts', 'a.test a.test:8080 127.0.0.1:54321 [::1]:80 LOCALHOST a.test,b.test ,a.test'),
  ('host_patterns', '* *.a.test a.test a.test,*.b.test'),
  ('email', 'ann@a.test'), ('choice', 'red blue'), ('text', '0x4AAA-1_b'),
  ('header', 'Castbase/1 x {public_url} a:b')
) kinds (kind, list) cross join regexp_split_to_table(kinds.list, ' ') values (value)
union all select kinds.kind, false, values.value from (values
  ('count', 'ten -1 1.5 1e3 1000000001 99999999999 ٣ +1'), ('bytes', '5MB 1073741825'), ('seconds', '86401 10s'),
  ('minutes', '10081'), ('hours', '87601 2562047789'), ('days', '36501 2147483647'),
  ('url', 'a.test ftp://a.test https:///x https://a:b@a.test {nope}/a {test_count}/a {public_url}a '
    '{public_url}/{base_url} https://a.test/{base_url} '
    'https://{public_url} /path {public_url https://a.test,https://b.test'),
  ('urls', 'junk https://a.test,junk https://a.test,,https://b.test {nope} ,'),
  ('hosts', 'https://a.test a.test/x *.a.test * a.test:99999 a..test , a@b'),
  ('host_patterns', '*a.test a.*.test *.*.test **'),
  ('email', 'ann ann@ ann@a.test,bob@a.test Ann@A.test'), ('choice', 'green RED red,blue'),
  ('text', 'a{b} {public_url}'), ('header', 'ä {media_url} a{b}')
) kinds (kind, list) cross join regexp_split_to_table(kinds.list, ' ') values (value);
insert into proposals values
  ('count', false, ' 7'), ('urls', true, ' https://a.test , https://b.test '), ('url', false, 'https://a.test/a b'),
  ('hosts', true, 'a.test b.test, c.test'), ('hosts', false, ' '), ('text', true, 'two words'), ('text', false, ' '),
  ('text', false, E'two\nlines'), ('url', false, 'https://a.test/' || repeat('x', 2048)),
  ('header', true, 'Mozilla/5.0 (compatible; Castbase/<version>; +{public_url})'), ('header', false, ' '),
  ('header', false, 'a '), ('header', false, E'a\r\nb: c'), ('header', false, E'a\tb'),
  ('header', false, repeat('x', 301));
select is(tests.error_of(format('select private.set_setting(%L, %L)', 'test_' || p.kind, p.value)),
  case when p.is_accepted then 'none' else 'PT400' end,
  format('a setting of the kind %s %s %s', p.kind, case when p.is_accepted then 'accepts' else 'rejects' end,
    to_json(left(p.value, 50))))
from proposals p;
select is(array[tests.error_of(format('select private.set_setting(%L, '''')', 'test_' || k)),
    tests.error_of(format('select private.set_setting(%L, '''')', 'optional_' || k))],
  '{PT400,none}', format('a setting of the kind %s is empty only if it can be', k))
from unnest(enum_range(null::private.setting_kind)) k;
select is(tests.error_of(format('select private.set_setting(%L, null)', s.key)), 'none',
  format('a setting of the kind %s returns to its default value', s.kind)) from private.settings s
where s.key like 'test\_%';
select throws_ok(format('select private.set_setting(%L, %L)', key, value), 'PT400', message,
  format('the error of set_setting says what %s accepts', key))
from (values
  ('max_bookings_per_hour', 'ten',
    'Setting ''max_bookings_per_hour'' cannot be ''ten''; it must be a whole number from 0 to 1000000000'),
  ('pending_booking_ttl_hours', '1 hour',
    'Setting ''pending_booking_ttl_hours'' cannot be ''1 hour''; it must be a whole number of hours from 0 to 87600'),
  ('cdn_purge_format', 'varnish',
    'Setting ''cdn_purge_format'' cannot be ''varnish''; it must be fastly or cloudflare'),
  ('booking_organizer_email', 'ann',
    'Setting ''booking_organizer_email'' cannot be ''ann''; it must be an email address in lower case, or empty'),
  ('fetch_allowed_hosts', 'https://a.test', 'Setting ''fetch_allowed_hosts'' cannot be ''https://a.test''; it must be '
    'hosts with commas between them, as host or host:port, or empty'),
  ('listen_url', 'listen', 'Setting ''listen_url'' cannot be ''listen''; it must be an http or https URL of at most '
    '2,048 characters without a user name, or a path after another such setting, as {public_url}/path')
) v (key, value, message);
select throws_ok($$ update private.settings set value = 'ten' where key = 'max_bookings_per_hour' $$, 'PT400', null,
  'an update of private.settings rejects a wrong value');
select throws_ok($$ insert into private.settings (key, kind, default_value, description)
  values ('wrong_days', 'days', 'ten', 'A test') $$, 'PT400', null, 'an insert rejects a wrong default value');
select throws_ok($$ insert into private.settings (key, kind, value, description)
  values ('wrong_days', 'days', 'ten', 'A test') $$, 'PT400', null, 'an insert rejects a wrong value');
alter table private.settings disable trigger t300_guard;
update private.settings set value = 'kept' where key = 'test_days';
alter table private.settings enable trigger t300_guard;
select lives_ok($$ update private.settings set default_value = '7' where key = 'test_days' $$,
  'a new default value does not check what an operator set before');
delete from private.settings where key ~ '^(test|optional)_';

-- The settings of the service
select is_empty($$ select key from private.settings s where private.expected_setting(s, s.default_value) is not null $$,
  'each setting accepts its default value');
select is_empty($$ select key, kind from private.settings
  where coalesce(substring(key from '_(bytes|seconds|minutes|hours|days|url|urls|hosts|email)$'), kind::text)
    <> regexp_replace(kind::text, '^host_patterns$', 'hosts') $$, 'the name of a setting says its unit');
select set_eq($$ select key from private.settings where default_value is null $$, array['public_url'],
  'public_url alone has no default value');

select * from tests.finish();
rollback;
