-- Public settings: default values that refer to other settings
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
select throws_ok($$ select private.set_setting('public_url', '{media_url}{media_url}') $$, 'PT400', null,
  'set_setting rejects settings that refer to each other');
insert into private.settings (key, default_value, description) values ('test_url', '{public_url}/test', 'A test');
select is(private.get_setting('test_url'), 'https://casts.test/test',
  'get_setting returns a setting that was inserted');
delete from private.settings where key = 'test_url';
select throws_ok($$ select private.set_setting('nope', 'x') $$, 'PT404', 'Unknown setting ''nope''',
  'set_setting rejects an unknown setting');
select is(tests.result_of('anon', $$ select private.set_setting('public_url', 'x') $$), '42501',
  'set_setting is not executable for clients');
select is(tests.result_of('anon', 'select from private.settings'), '42501', 'clients cannot read private.settings');

select * from tests.finish();
rollback;
