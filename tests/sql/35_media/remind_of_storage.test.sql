-- remind_of_storage: users whose account is over its allowance, after a downgrade for example.
begin;
select tests.start();

select tests.person('ola'), tests.person('una');
create function pg_temp.set_account(who text, change text) returns void language plpgsql as $$
begin
  execute format('update public.billing_accounts set %s where user_id = tests.id(%L)', change, who);
end $$;
create function pg_temp.overages() returns text language sql as $$
  select string_agg(concat_ws(' ', i.name, o.over_since = now(), o.reminded_at), ', ' order by i.name)
  from private.storage_overages o join tests.ids i on i.id = o.user_id $$;
-- What is over the allowance
select pg_temp.set_account('ola', 'plan_code = ''pro'', storage_bytes_used = 50::bigint * 1073741824');
select is(pg_temp.overages(), null, 'an account within its allowance is not over it');
select pg_temp.set_account('ola', 'plan_code = ''free''');
select is(pg_temp.overages(), 'ola t', 'a downgrade brings an account over its allowance');
update private.storage_overages set over_since = now() - interval '5 days', reminded_at = now() - interval '1 day';
select pg_temp.set_account('ola', 'storage_bytes_used = 40::bigint * 1073741824');
select is((select (over_since, reminded_at)::text from private.storage_overages),
  (now() - interval '5 days', now() - interval '1 day')::text,
  'an account that stays over its allowance keeps its times');
select pg_temp.set_account('ola', 'storage_bytes_used = 1073741824');
select is(pg_temp.overages(), null, 'an account that uses exactly its allowance is not over it');
select pg_temp.set_account('ola', 'storage_bytes_used = 1073741825');
select is(pg_temp.overages(), 'ola t', 'an account that uses a byte more than its allowance is over it');
insert into public.plans (code, name, is_paid, storage_gb_per_account) values ('small', 'Small', true, 10);
select pg_temp.set_account('ola', 'plan_code = ''small'', storage_bytes_used = 20::bigint * 1073741824');
update private.storage_overages set over_since = now() - interval '40 days', reminded_at = now() - interval '10 days';
select pg_temp.set_account('ola', 'plan_code = ''free''');
select is(pg_temp.overages(), 'ola t', 'a further downgrade restarts the time');
update private.storage_overages set over_since = now() - interval '40 days', reminded_at = now() - interval '10 days';
select pg_temp.set_account('ola', 'plan_code = ''small''');
select is((select over_since from private.storage_overages), now() - interval '40 days',
  'a larger plan that is too small as well keeps the times');
update public.plans set storage_gb_per_account = 20 where code = 'small';
select is(pg_temp.overages(), null, 'a plan that an operator enlarges ends what is over it');
update public.plans set storage_gb_per_account = 19 where code = 'small';
select is(pg_temp.overages(), 'ola t', 'a plan that an operator reduces brings its accounts over the allowance');

-- Reminders
select pg_temp.set_account('ola', 'plan_code = ''free'', storage_bytes_used = 20::bigint * 1073741824');
delete from private.events;
delete from public.notifications;
select is(private.remind_of_storage(now() + interval '30 days' - interval '1 second'), 0,
  'remind_of_storage tells nothing before 30 days');
select is(private.remind_of_storage(now() + interval '30 days'), 1, 'remind_of_storage reminds after 30 days');
select is(private.remind_of_storage(now() + interval '30 days'), 0, 'remind_of_storage reminds once');
select is(private.remind_of_storage(now() + interval '59 days'), 0, 'remind_of_storage tells nothing for 30 days more');
select is((select (n.user_id = tests.id('ola'), n.title, n.body, d.channel)::text from public.notifications n
  join public.notification_deliveries d on d.notification_id = n.id),
  '(t,"You use more storage than your plan includes","You use more than 19 GB, and your plan, Free, includes 1 GB. '
  'Nothing is deleted, but uploads are blocked until you delete files or choose a larger plan.",email)',
  'the reminder says what is used and included, and is sent by email');
select pg_temp.set_account('una', 'storage_bytes_used = 1073741900');
select is(private.remind_of_storage(now() + interval '60 days', 1), 1, 'remind_of_storage keeps to max_accounts');
select is(private.remind_of_storage(now() + interval '60 days', 1), 1, 'the next run of remind_of_storage continues');
select is((select string_agg(i.name || ' ' || c.count, ', ' order by i.name) from (
    select user_id, count(*) from public.notifications where type = 'billing.storage_exceeded' group by 1) c
  join tests.ids i on i.id = c.user_id), 'ola 2, una 1', 'remind_of_storage reminds again after 30 days more');
select matches((select n.body from public.notifications n where n.user_id = tests.id('una')
  and n.type = 'billing.storage_exceeded'), '^You use more than 1 GB, and your plan, Free, includes 1 GB',
  'the reminder rounds down');
select private.set_setting('storage_reminder_days', '0');
select is(private.remind_of_storage(now() + interval '1 year'), 0,
  'remind_of_storage reminds no one if storage_reminder_days is 0');
select private.set_setting('storage_reminder_days', null);
select pg_temp.set_account('una', 'storage_bytes_used = 1073741824'), pg_temp.set_account('ola', 'plan_code = ''pro''');
select is(private.remind_of_storage(now() + interval '1 year'), 0,
  'remind_of_storage reminds no account that is within its allowance again');
select is((select count(*) from public.notifications where type = 'billing.storage_exceeded' and read_at is null),
  0::bigint, 'an account within its allowance ends its reminders');

select * from tests.finish();
rollback;
