-- require_user: users of an anonymous sign-in own nothing, and nothing reaches them until they confirm an email.
begin;
select tests.start();

select tests.podcast('show', 'ola'), tests.episode('pilot', 'show');
select tests.anonymous_user('ann'), tests.person('eve', false);
-- The error of a statement, by a user whose token has the claim is_anonymous
create function pg_temp.error_with_claim(who text, claim text, statement text) returns text language plpgsql as $$
declare
  error text;
begin
  perform tests.act_as(who), set_config('request.jwt.claims', jsonb_set(
    current_setting('request.jwt.claims')::jsonb, '{is_anonymous}', claim::jsonb)::text, true);
  error := tests.error_of(statement);
  perform tests.act_as('postgres');
  return error;
end $$;

-- require_user and require_account
select tests.act_as('ann');
select is(tests.describe_error('select private.require_user()'),
  'PT403 / Anonymous users have no account; sign in, or add an email address and confirm it / ANONYMOUS_USER',
  'require_user returns 403 and says what an anonymous user can do');
select is(tests.error_of(format('select private.require_role(%L, %L)', gen_random_uuid(), 'member')),
  'PT403 ANONYMOUS_USER', 'require_role returns 403 to an anonymous user for an unknown podcast');
select tests.act_as('postgres');
select is(pg_temp.error_with_claim('ola', 'true', 'select private.require_user()'), 'PT403 ANONYMOUS_USER',
  'require_user trusts the claim of the token');
select is(pg_temp.error_with_claim('ola', '"other"', 'select private.require_user()'), 'none',
  'require_user accepts a token whose claim is not true');
select is(pg_temp.error_with_claim('ann', 'null', 'select private.require_account()'), 'PT403 ANONYMOUS_USER',
  'require_account returns ANONYMOUS_USER to an anonymous user whose token lacks the claim');
select is(pg_temp.error_with_claim('ann', 'null', $$ select public.create_podcast('Mine') $$), 'PT403 ANONYMOUS_USER',
  'create_podcast returns ANONYMOUS_USER to an anonymous user whose token lacks the claim');
select is(pg_temp.error_with_claim('eve', 'false', 'select private.require_account()'), 'PT403 ACCOUNT_REQUIRED',
  'require_account returns ACCOUNT_REQUIRED to an unconfirmed user who is not anonymous');

-- Nothing reaches an anonymous user before the address is confirmed
update auth.users set email_change = 'ann@test.example', email_change_sent_at = now() where id = tests.id('ann');
select tests.invitation('show', 'ann@test.example', 'ola'), tests.guest('ann', 'pilot');
select is(tests.result_of('ann', 'select from public.podcast_invitations'), 'ok 0',
  'an anonymous user may not read an invitation to the address of an open email change');
select is((select g.user_id from public.podcast_guests g where g.email = 'ann@test.example'), null,
  'a guest is not linked to an anonymous user with an open email change to the address');
select is((select count(*) from public.notifications n where n.user_id = tests.id('ann')), 0::bigint,
  'an anonymous user gets no notification of an invitation to the address of an open email change');
select throws_ok(format('insert into public.podcast_members (podcast_id, user_id) values (%L, %L)', tests.id('show'),
  tests.id('ann')), '23503', null, 'the service cannot make an anonymous user a member');

-- Conversion, in the order of Auth's updates
update auth.users set is_anonymous = false where id = tests.id('ann');
update auth.users set email = email_change, email_change = '', email_change_token_new = '' where id = tests.id('ann');
select is_empty(format('select from public.profiles where id = %L', tests.id('ann')),
  'provision_user creates no profile before the email of a former anonymous user is confirmed');
update auth.users set confirmation_token = '', email_confirmed_at = now() where id = tests.id('ann');
update auth.users set raw_user_meta_data = '{"email_verified": true}' where id = tests.id('ann');
select is((select (a.plan_code, n.email_new_booking is not null)::text from public.profiles f
  join public.billing_accounts a on a.user_id = f.id join public.notification_preferences n on n.user_id = f.id
  where f.id = tests.id('ann')), '(free,t)',
  'provision_user creates profile, billing account and preferences of a former anonymous user');
select is((select g.user_id from public.podcast_guests g where g.email = 'ann@test.example'), tests.id('ann'),
  'provision_user links the guest with the address of a former anonymous user');
select is(tests.result_of('ann', 'select from public.podcast_invitations'), 'ok 1',
  'a former anonymous user reads the invitation to the confirmed address');

-- A token from before the conversion
select is(pg_temp.error_with_claim('ann', 'true', statement), 'PT403 ANONYMOUS_USER',
  format('a former anonymous user may not until the token is refreshed: %s', statement))
from (values ($$ select public.create_podcast('Mine') $$),
  ($$ update public.profiles set display_name = 'Ann' where true $$)) v (statement);
select is(pg_temp.error_with_claim('ann', 'false', $$ select public.create_podcast('Mine') $$), 'none',
  'create_podcast accepts a former anonymous user with a refreshed token');

select * from tests.finish();
rollback;
