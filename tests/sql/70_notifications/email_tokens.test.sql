-- Tokens in emails of notifications
begin;
select tests.start();
select tests.person('ola'), tests.sent_email('mail', 'ola'), tests.sent_email('other', 'ola');
create temp view tokens as
  select t.* from private.email_tokens t where t.delivery_id = tests.id('mail');
create function pg_temp.found(token text, kind text, at timestamptz default now()) returns uuid language sql as
  $$ select (private.find_email_token(token, kind::private.email_token_kind, at)).delivery_id $$;

-- store_email_tokens
select results_eq($$ select kind::text, destination, expires_at from tokens order by tokens.kind $$,
  $$ values ('open', null, now() + interval '90 days'),
    ('click', 'https://app.test/chat', now() + interval '90 days'),
    ('unsubscribe', null, now() + interval '90 days') $$,
  'store_email_tokens stores kind, destination and an expiry in 90 days');
select lives_ok(format($$ select private.store_email_tokens(%L, jsonb_build_array(jsonb_build_object(
  'kind', 'click', 'digest', encode(sha256('mail click'), 'hex'), 'destination', 'https://app.test/other')),
    now() + interval '1 day') $$,
  tests.id('mail')), 'store_email_tokens accepts tokens that are stored');
select is((select (destination, expires_at)::text from tokens where kind = 'click'),
  ('https://app.test/other', now() + interval '90 days')::text,
  'store_email_tokens changes the destination of a stored token, and not its expiry');
select private.set_setting('email_token_ttl_days', '30');
select private.store_email_tokens(tests.id('mail'), jsonb_build_array(jsonb_build_object('kind', 'open',
  'digest', repeat('ab', 32))), '2026-01-01Z');
select is((select expires_at from tokens where digest = decode(repeat('ab', 32), 'hex')), '2026-01-31Z',
  'store_email_tokens reads the lifetime from email_token_ttl_days');
select is(tests.error_of(format($$ select private.store_email_tokens(%L, %L) $$, tests.id('mail'), tokens)), expected,
  'store_email_tokens returns ' || expected || ' for ' || what)
from (values
  ('a digest of another length', '[{"kind": "open", "digest": "abcd"}]', '23514'),
  ('a missing digest', '[{"kind": "open"}]', '23502'),
  ('an unknown kind', format('[{"kind": "reply", "digest": "%s"}]', repeat('cd', 32)), '22P02'),
  ('a missing kind', format('[{"digest": "%s"}]', repeat('cd', 32)), '23502'),
  ('an open with a destination',
    format('[{"kind": "open", "digest": "%s", "destination": "https://a.test/"}]', repeat('cd', 32)), '23514'),
  ('a destination that is not an http URL',
    format('[{"kind": "click", "digest": "%s", "destination": "javascript:alert(1)"}]', repeat('cd', 32)), '23514')
) v (what, tokens, expected);
select is(tests.error_of(format($$ select private.store_email_tokens(%L, '[]') $$, gen_random_uuid())), '23503',
  'store_email_tokens returns 23503 for a delivery that was deleted');

-- find_email_token
select is(pg_temp.found('mail ' || kind, kind), tests.id('mail'), 'find_email_token finds the token of ' || kind)
from unnest(array['open', 'click', 'unsubscribe']) kind;
select is(pg_temp.found('mail open', 'click'), null, 'find_email_token finds no token of another kind');
select is(pg_temp.found(token, 'open'), null, 'find_email_token finds no token for ' || what) from (values
  ('an unknown one', 'mail close'), ('an empty text', ''), ('the digest itself', encode(sha256('mail open'), 'hex')),
  ('a text of 100,000 characters', repeat('x', 100000)), ('null', null)) v (what, token);
select is(pg_temp.found('mail open', 'open', now() + interval '90 days' - interval '1 second'), tests.id('mail'),
  'find_email_token finds a token until it expires');
select is(pg_temp.found('mail open', 'open', now() + interval '90 days'), null,
  'find_email_token finds no expired token');

-- Retention
select is(private.purge_notifications('2026-01-30T23:59Z'), 0,
  'purge_notifications keeps tokens that have not expired');
select is(private.purge_notifications('2026-01-31Z'), 1, 'purge_notifications deletes expired tokens and counts them');
select is((select count(*) from private.email_tokens), 6::bigint, 'purge_notifications deletes no other token');
delete from public.notifications where id = (
  select d.notification_id from notification_deliveries d where d.id = tests.id('mail'));
select is((select count(*) from private.email_tokens), 3::bigint, 'tokens are deleted with their delivery');

select * from tests.finish();
rollback;
