-- Sign-ups that nobody confirmed go after seven days.
begin;
select tests.start();

select tests.person('stale', false), tests.person('fresh', false), tests.person('invited', false), tests.person('kept');
update auth.users set created_at = now() - interval '8 days' where id in (tests.id('stale'), tests.id('invited'), tests.id('kept'));
update auth.users set invited_at = now() where id = tests.id('invited');

select is(private.reap_unconfirmed_users(), 1, 'one is reaped');
select is((select array_agg(i.name order by i.name) from auth.users u join tests.ids i on i.id = u.id),
  '{fresh,invited,kept}', 'the fresh, the invited and the confirmed stay');
select tests.person('phoned', false);
update auth.users set phone_confirmed_at = now() where id = tests.id('phoned');
select throws_ok($$ select private.delete_unconfirmed_user(tests.id('phoned')) $$, 'PT409', null, 'confirmed by phone is confirmed');
select throws_ok($$ select private.delete_unconfirmed_user(tests.id('kept')) $$, 'PT409', null, 'a confirmed user is refused');
select is(private.delete_unconfirmed_user(gen_random_uuid()), false, 'one who is gone already is no error');
select is(private.reap_unconfirmed_users(now() + interval '8 days'), 1, 'time moves by argument: the fresh one is stale in eight days');
select private.set_setting('unconfirmed_user_ttl_days', '30');
select tests.person('later', false);
select is(private.reap_unconfirmed_users(now() + interval '8 days'), 0, 'the setting says after how many days');

select * from tests.finish();
rollback;
