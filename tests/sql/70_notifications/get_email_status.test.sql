-- get_email_status: whether emails to the caller's own address stopped.
begin;
select tests.start();
select tests.person('ola'), tests.person('ana'), tests.person('sso'), tests.anonymous_user('nemo');
update auth.users set is_sso_user = true where id = tests.id('sso');

create function pg_temp.status(who text) returns jsonb language sql as
  $$ select tests.value_as(who, 'select public.get_email_status()')::jsonb $$;
create function pg_temp.digest(name text) returns bytea language sql as
  $$ select private.email_digest(name || '@test.example') $$;

select is(pg_temp.status('ola'),
  '{"email": "ola@test.example", "isSuppressed": false, "reason": null, "since": null}',
  'get_email_status of an address without suppressions');
select private.suppress_email(pg_temp.digest('ola'), 'unsubscribed', 'chat.message');
select is(pg_temp.status('ola') -> 'isSuppressed', 'false', 'get_email_status ignores types that were turned off');
select private.suppress_email(pg_temp.digest('ola'), 'complaint', at => '2026-01-02Z');
select is(pg_temp.status('ola'), '{"email": "ola@test.example", "isSuppressed": true, "reason": "complaint",
  "since": "2026-01-02T00:00:00.000Z"}', 'get_email_status returns a complaint and its time');
select private.suppress_email(pg_temp.digest('ola'), 'bounce', detail => 'No such user', at => '2026-01-03Z');
select is(pg_temp.status('ola'), '{"email": "ola@test.example", "isSuppressed": true, "reason": "bounce",
  "since": "2026-01-03T00:00:00.000Z"}', 'get_email_status returns a bounce before a complaint, without its detail');
select is(pg_temp.status('ana') -> 'isSuppressed', 'false', 'get_email_status returns no address of others');
select private.suppress_email(pg_temp.digest('sso'), 'bounce');
select is(pg_temp.status('sso'), '{"email": null, "isSuppressed": false, "reason": null, "since": null}',
  'get_email_status has no address that single sign-on alone asserts');
select * from tests.access('get_email_status', 'select public.get_email_status()', '42501: anon; PT403: nemo');

select * from tests.finish();
rollback;
