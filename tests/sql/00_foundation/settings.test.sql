-- Public settings: defaults that refer to others, a name when one is missing.
select is(private.setting('media_url'), 'https://casts.test/storage/v1/object/public/media', 'a default refers to another setting');
select is(private.setting('listen_url'), 'https://casts.test/functions/v1/public/listen', 'over two steps');
select private.set_setting('media_url', 'https://cdn.test');
select is(private.setting('media_url'), 'https://cdn.test', 'and can be overridden');
select private.set_setting('media_url', null);
select is(private.setting('media_url'), 'https://casts.test/storage/v1/object/public/media', 'null goes back');
select throws_ok($$ select private.setting('nope') $$, 'PT500', 'The setting ''nope'' is missing', 'a missing one is named');
select private.set_setting('public_url', null);
select throws_ok($$ select private.setting('media_url') $$, 'PT500', 'The setting ''public_url'' is missing', 'so is one that a default needs');
select throws_ok($$ select private.set_setting('nope', 'x') $$, 'PT404', null, 'only known settings are set');
select is(tests.outcome('anon', $$ select private.set_setting('public_url', 'x') $$), '42501', 'and not by clients');
select is(tests.outcome('anon', 'select from private.settings'), '42501', 'who do not read the table');
