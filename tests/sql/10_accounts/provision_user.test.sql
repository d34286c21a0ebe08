-- provision_user: profile and billing account are created when the email is confirmed.
begin;
select tests.start();

create function pg_temp.rows_of(name text) returns bigint language sql as $$
  select (select count(*) from public.profiles p where p.id = tests.id(name))
    + (select count(*) from public.billing_accounts a where a.user_id = tests.id(name))
$$;
select tests.person('early', confirmed => false), tests.person('ready');
select is(pg_temp.rows_of('early'), 0::bigint, 'an unconfirmed user has neither profile nor billing account');
select is((select display_name from public.profiles where id = tests.id('ready')), 'Ready',
  'a user who is confirmed at insert has a profile with the display name of the sign-up');
select is((select plan_code from public.billing_accounts where user_id = tests.id('ready')), 'free',
  'a confirmed user has a billing account on the free plan');

update auth.users set raw_user_meta_data = '{"x":1}' where id = tests.id('early');
select is(pg_temp.rows_of('early'), 0::bigint, 'an update of an unconfirmed user provisions nothing');
update auth.users set email_confirmed_at = now() where id = tests.id('early');
select is(pg_temp.rows_of('early'), 2::bigint, 'confirming the email provisions profile and billing account');
update auth.users set email_confirmed_at = now() + interval '1 second' where id = tests.id('early');
select is(pg_temp.rows_of('early'), 2::bigint, 'a second confirmation changes nothing');

create function pg_temp.profile_of(provider text, metadata jsonb) returns public.profiles language plpgsql as $$
declare
  profile public.profiles;
begin
  insert into auth.users (id, email, email_confirmed_at, raw_app_meta_data, raw_user_meta_data)
  values (gen_random_uuid(), gen_random_uuid() || '@test.example', now(), jsonb_build_object('provider', provider),
    metadata)
  returning id into profile.id;
  select f.* into profile from public.profiles f where f.id = profile.id;
  return profile;
end $$;
select is(
  (select (char_length(f.display_name), f.avatar_url)::text from pg_temp.profile_of('google',
    jsonb_build_object('full_name', repeat('x', 500), 'avatar_url', 'javascript:alert(1)')) f),
  '(200,)', 'provision_user truncates a long name and drops an invalid avatar_url');
select is(f.display_name, expected, format('provision_user takes the display name from %s', metadata))
from (values
  ('{"display_name": "Ada", "full_name": "Ada B.", "name": "A. B."}'::jsonb, 'Ada'),
  ('{"full_name": "Ada B.", "name": "A. B."}', 'Ada B.'), ('{"name": " A.  B. "}', 'A. B.'),
  ('{"name": " "}', null), ('{}', null)) v (metadata, expected),
  pg_temp.profile_of('google', metadata) f;
select is(f.avatar_url, expected,
  format('provision_user sets the avatar_url of a sign-up by %L to %L', provider, expected))
from (values ('google', 'https://pictures.example/a.png'), ('email', null), ('phone', null), (null, null))
  v (provider, expected),
  pg_temp.profile_of(provider, '{"avatar_url": "https://pictures.example/a.png"}') f;

-- a sign-up that was sent a confirmation
create function pg_temp.confirm(provider text, sent_at timestamptz) returns text language plpgsql as $$
declare
  user_id uuid := gen_random_uuid();
begin
  insert into auth.users (id, email, encrypted_password, confirmation_sent_at, raw_app_meta_data, raw_user_meta_data)
  values (user_id, user_id || '@test.example', 'hash', sent_at, jsonb_build_object('provider', provider),
    '{"display_name": "Mallory", "name": "Mallory"}');
  update auth.users u set email_confirmed_at = now() where u.id = user_id;
  return (select format('%s, %s', coalesce(f.display_name, 'no name'), coalesce(u.encrypted_password, 'no password'))
    from auth.users u join public.profiles f using (id) where u.id = user_id);
end $$;
select is(pg_temp.confirm('email', now()), 'no name, no password',
  'confirming a sign-up drops the password and the name that the sign-up chose');
select is(pg_temp.confirm('email', null), 'Mallory, hash',
  'confirming a user who was sent no confirmation keeps password and name');
select is(pg_temp.confirm('google', now()), 'Mallory, no password',
  'provision_user takes over the name of an identity provider that vouches for it');
select tests.person('settled');
update auth.users set encrypted_password = 'hash', confirmation_sent_at = now() where id = tests.id('settled');
update auth.users set email_confirmed_at = now() + interval '1 second', recovery_token = 'x'
where id = tests.id('settled');
update auth.users set email = 'moved@test.example' where id = tests.id('settled');
select is((select encrypted_password from auth.users where id = tests.id('settled')), 'hash',
  'a confirmed user keeps the password in a recovery, an email change and another confirmation');

select * from tests.finish();
rollback;
