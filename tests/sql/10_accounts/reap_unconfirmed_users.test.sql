-- reap_unconfirmed_users: deletes stale sign-ups and anonymous users, except users with an open invitation.
begin;
select tests.start();

select tests.person(name, false) from unnest('{stale,fresh,invited,phoned,single}'::text[]) name;
select tests.person('confirmed'), tests.anonymous_user('anonymous'), tests.anonymous_user('changing');
update auth.users set created_at = now() - interval '7 days'
  - case when id = tests.id('fresh') then interval '0' else interval '1 second' end;
update auth.users set invited_at = now() where id = tests.id('invited');
update auth.users set email_change = 'changing@test.example', email_change_sent_at = now() - interval '23 hours'
where id = tests.id('changing');
update auth.users set phone_confirmed_at = now() where id = tests.id('phoned');
-- Auth confirms the address of a single sign-on user when it creates the user
update auth.users set is_sso_user = true, email_confirmed_at = now() where id = tests.id('single');

select is(private.reap_unconfirmed_users(), 2,
  'reap_unconfirmed_users deletes users who have been unconfirmed or anonymous for more than 7 days');
select is((select array_agg(i.name order by i.name) from auth.users u join tests.ids i on i.id = u.id),
  '{changing,confirmed,fresh,invited,phoned,single}',
  'reap_unconfirmed_users keeps recent, invited, phone, single sign-on and confirmed users, and open email changes');
select throws_ok($$ select private.delete_unconfirmed_user(tests.id('changing')) $$, 'PT409',
  'User has an open email change; delete the user when it has expired',
  'delete_unconfirmed_user rejects a user whose email change began after the reaper selected the user');
update auth.users set email_change_sent_at = now() - interval '25 hours' where id = tests.id('changing');
select is(private.reap_unconfirmed_users(), 1,
  'reap_unconfirmed_users deletes an anonymous user whose email change has expired');
select is(private.reap_unconfirmed_users(now() + interval '8 days'), 1,
  'reap_unconfirmed_users takes the time as an argument');
select private.set_setting('unconfirmed_user_ttl_days', '30');
select tests.person('later', false);
select is(private.reap_unconfirmed_users(now() + interval '8 days'), 0,
  'reap_unconfirmed_users reads the setting unconfirmed_user_ttl_days');
select private.set_setting('unconfirmed_user_ttl_days', null);
delete from auth.users where id = tests.id('later');

-- Former anonymous users
select tests.anonymous_user('former');
update auth.users set is_anonymous = false, email = 'former@test.example', email_confirmed_at = now()
where id = tests.id('former');
select is(private.reap_unconfirmed_users(now() + interval '8 days'), 0,
  'reap_unconfirmed_users keeps a former anonymous user with a confirmed email');
select throws_ok($$ select private.delete_unconfirmed_user(tests.id('former')) $$, 'PT409', null,
  'delete_unconfirmed_user rejects a former anonymous user with a confirmed email');

-- delete_unconfirmed_user
select throws_ok($$ select private.delete_unconfirmed_user(tests.id('phoned')) $$, 'PT409', null,
  'delete_unconfirmed_user rejects a user with a confirmed phone');
select throws_ok($$ select private.delete_unconfirmed_user(tests.id('confirmed')) $$, 'PT409',
  'User is already confirmed and cannot be deleted as unconfirmed', 'delete_unconfirmed_user rejects a confirmed user');
select is(private.delete_unconfirmed_user(gen_random_uuid()), false,
  'delete_unconfirmed_user returns false for a user who does not exist');

-- Bounds
delete from auth.users;
insert into auth.users (id, email, created_at)
select gen_random_uuid(), n || '@many.test', now() - interval '30 days' - n * interval '1 minute'
from generate_series(1, 1001) n;
select is(private.reap_unconfirmed_users(), 1000, 'reap_unconfirmed_users deletes at most 1,000 users per run');
select is((select array_agg(email) from auth.users), '{1@many.test}',
  'reap_unconfirmed_users deletes the oldest first');
select is(private.reap_unconfirmed_users(), 1, 'reap_unconfirmed_users deletes the rest in the next run');

-- Invitations to a team or an episode
select tests.podcast('show', 'ola'), tests.episode('pilot', 'show');
select tests.person(name, false) from unnest(array['team', 'guest', 'withdrawn', 'declined', 'expired', 'none']) name;
select tests.invitation('show', name || '@test.example', 'ola') from unnest(array['team', 'withdrawn', 'expired']) name;
update public.podcast_invitations set status = 'withdrawn' where email = 'withdrawn@test.example';
update public.podcast_invitations set expires_at = now() + interval '8 days' where email = 'expired@test.example';
select tests.guest('guest', 'pilot'), tests.guest('declined', 'pilot', 'declined');
create function pg_temp.unconfirmed() returns text[] language sql as $$
  select array_agg(i.name order by i.name) from auth.users u join tests.ids i on i.id = u.id
  where u.email_confirmed_at is null
$$;
select is(private.reap_unconfirmed_users(now() + interval '9 days'), 4,
  'reap_unconfirmed_users deletes users without an open invitation');
select is(pg_temp.unconfirmed(), '{guest,team}',
  'reap_unconfirmed_users keeps users with an open invitation to a team or an episode');
select is_empty('select from private.reapable_users', 'reap_unconfirmed_users leaves no row in reapable_users');
select is(private.reap_unconfirmed_users(now() + interval '15 days'), 1,
  'reap_unconfirmed_users deletes a user whose team invitation has expired');
select is(private.reap_unconfirmed_users(now() + interval '91 days'), 1,
  'reap_unconfirmed_users deletes a user whose episode invitation has expired');

select * from tests.finish();
rollback;
