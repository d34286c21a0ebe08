-- rotate_webhook_secret: a new secret, beside which the present one stays valid for a day.
begin;
select tests.start();

select tests.team('show', 'ola', 'ada', 'vic'), tests.podcast('theirs', 'otto');
select tests.template('greet', 'show'), tests.rule('rule', 'show', 'booking.confirmed', jsonb_build_array(
    tests.webhook_action(), tests.email_action('greet'), tests.webhook_action()));
create function pg_temp.secret(letter text) returns text language sql as $$ select 'whsec_' || repeat(letter, 32) $$;
create function pg_temp.secrets(at timestamptz, action text default 'rule/0') returns text language sql volatile as $$
  select string_agg(case when s ~ '^whsec_(.)\1*$' then substr(s, 7, 1) else 'generated' end, ' ' order by n)
  from jsonb_array_elements_text(private.webhook_secrets_of(tests.id(action), at)) with ordinality e (s, n)
$$;
create function pg_temp.rotate(letter text, at timestamptz default now()) returns text language sql as $$
  select tests.value_as('ada', format('select private.rotate_webhook_secret(tests.id(''rule/0''), %L, %L)',
    pg_temp.secret(letter), at))
$$;

select tests.access('rotate_webhook_secret', format('select public.rotate_webhook_secret(tests.id(''rule/2''), %L)',
  pg_temp.secret('A')), '42501: anon; PT403: otto vic; 42501: service; ok 1: ola');
select is(tests.value_as('ada', format('select tests.describe_error(%L)', format(
    'select public.rotate_webhook_secret(%L, %L)', action, secret))), error,
  format('rotate_webhook_secret(%s, %s) returns: %s', what, coalesce(secret, 'null'), error))
from (values
  (gen_random_uuid(), 'whsec_' || repeat('A', 32), 'an unknown action', 'PT404 / Automation action not found'),
  (tests.id('rule/1'), 'whsec_' || repeat('A', 32), 'an email',
    'PT409 / Only a send_webhook action has a secret / NOT_A_WEBHOOK'),
  (tests.id('rule/0'), null, 'a webhook',
    'PT400 / Invalid request / secret: must be whsec_ and 24 to 64 bytes in base64'),
  (tests.id('rule/0'), 'secret', 'a webhook',
    'PT400 / Invalid request / secret: must be whsec_ and 24 to 64 bytes in base64'),
  (tests.id('rule/0'), 'whsec_' || repeat('A', 28), 'a webhook',
    'PT400 / Invalid request / secret: must be whsec_ and 24 to 64 bytes in base64')) v (action, secret, what, error);
select is(pg_temp.secrets(now()), 'generated', 'a rejected rotate_webhook_secret changes no secret');

select is(pg_temp.rotate('A', '2030-01-01Z')::jsonb, jsonb_build_object('action_id', tests.id('rule/0'),
    'previous_secret_expires_at', '2030-01-02T00:00:00.000Z'),
  'rotate_webhook_secret returns the end of the previous secret');
select is(pg_temp.secrets(at), secrets, format('the secrets of a webhook at %s are: %s', at, secrets))
from (values ('2030-01-01Z'::timestamptz, 'A generated'), ('2030-01-01T23:59:59Z', 'A generated'),
  ('2030-01-02Z', 'A'), ('2031-01-01Z', 'A')) v (at, secrets);
select pg_temp.rotate('B', '2030-01-03Z');
select is(pg_temp.secrets(at), secrets, format('after a second rotation the secrets at %s are: %s', at, secrets))
from (values ('2030-01-03Z'::timestamptz, 'B A'), ('2030-01-04Z', 'B')) v (at, secrets);
select pg_temp.rotate('C', '2030-01-03T12:00Z');
select is(pg_temp.secrets(at), secrets, format('after a third rotation within the overlap the secrets at %s are: %s',
  at, secrets))
from (values ('2030-01-03T12:00Z'::timestamptz, 'C B'), ('2030-01-04T11:59Z', 'C B'), ('2030-01-04T12:00Z', 'C'))
  v (at, secrets);
select is((select count(*) from vault.secrets v join private.webhook_secrets s on v.id in (s.secret_id,
    s.previous_secret_id) where s.action_id = tests.id('rule/0')), 2::bigint, 'a webhook has at most two secrets');
select is((select count(*) from vault.decrypted_secrets v where v.decrypted_secret = pg_temp.secret('A')), 1::bigint,
  'a third rotation deletes the first secret of the webhook from Vault');
select is(pg_temp.rotate('C', '2030-01-03T13:00Z')::jsonb ->> 'previous_secret_expires_at', '2030-01-04T12:00:00.000Z',
  'a repeated rotate_webhook_secret returns the same end of the previous secret');
select is(pg_temp.secrets('2030-01-03T14:00Z'), 'C B', 'a repeated rotate_webhook_secret keeps the previous secret');
select is(pg_temp.rotate('C', '2030-01-05Z')::jsonb ->> 'previous_secret_expires_at', '2030-01-04T12:00:00.000Z',
  'rotate_webhook_secret with the present secret starts no overlap');
select is(pg_temp.secrets('2030-01-05Z'), 'C', 'rotate_webhook_secret with the present secret adds no second one');
select is(pg_temp.secrets(now(), 'rule/2'), 'A generated', 'rotate_webhook_secret changes only the named action');
select is(tests.value_as('ada', format('select public.rotate_webhook_secret(tests.id(''rule/2''), %L)',
    pg_temp.secret('D')))::jsonb ->> 'previous_secret_expires_at', private.format_timestamp(now() + interval '1 day'),
  'the public rotate_webhook_secret rotates now');
select private.store_webhook_secret(tests.id('rule/0'), pg_temp.secret('E'), '0', '2030-02-01Z');
select is(pg_temp.secrets('2030-02-01Z'), 'E', 'without an overlap the previous secret ends at once');

select * from tests.finish();
rollback;
