-- A profile and a billing account come with the confirmation, and not before.
begin;
select tests.start();

select tests.person('early', confirmed => false), tests.person('ready');
select is((select count(*) from public.profiles where id = tests.id('early')), 0::bigint, 'an unconfirmed sign-up owns no profile');
select is((select count(*) from public.billing_accounts where user_id = tests.id('early')), 0::bigint, 'and no billing account');
select is((select display_name from public.profiles where id = tests.id('ready')), 'Ready', 'who is confirmed at insert has a profile at once');
select is((select plan_code from public.billing_accounts where user_id = tests.id('ready')), 'free', 'and a free account');

update auth.users set raw_user_meta_data = '{"x":1}' where id = tests.id('early');
select is((select count(*) from public.profiles where id = tests.id('early')), 0::bigint, 'another change of the user provisions nothing');
update auth.users set email_confirmed_at = now() where id = tests.id('early');
select is((select count(*) from public.profiles where id = tests.id('early')), 1::bigint, 'the confirmation brings the profile');
select is((select count(*) from public.billing_accounts where user_id = tests.id('early')), 1::bigint, 'and the account');
update auth.users set email_confirmed_at = now() + interval '1 second' where id = tests.id('early');
select is((select count(*) from public.profiles where id = tests.id('early')), 1::bigint, 'a second confirmation changes nothing');

insert into auth.users (id, email, email_confirmed_at, raw_user_meta_data)
values ('00000000-0000-4000-8000-000000000001', 'odd@test.example', now(),
  jsonb_build_object('full_name', repeat('x', 500), 'avatar_url', 'javascript:alert(1)'));
select is((select (char_length(display_name), avatar_url)::text from public.profiles where id = '00000000-0000-4000-8000-000000000001'),
  '(200,)', 'what a form sent never keeps someone from confirming: it is cut or left out');

select * from tests.finish();
rollback;
