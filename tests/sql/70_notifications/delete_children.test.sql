-- What is deleted with a notification and with a delivery, without foreign keys.
begin;
select tests.start();

create temp view child as  -- columns that name a notification or a delivery without a foreign key
  select format('%s.%s.%s', c.relnamespace::regnamespace, c.relname, a.attname) as name, a.attname
  from pg_attribute a join pg_class c on c.oid = a.attrelid
  where c.relnamespace in ('public'::regnamespace, 'private'::regnamespace) and c.relkind = 'r' and a.attnum > 0
    and not a.attisdropped and a.attname in ('notification_id', 'delivery_id')
    and not exists (
      select from pg_constraint f where f.contype = 'f' and f.conrelid = c.oid and f.conkey[1] = a.attnum);
select set_eq(format($$ select name from child where attname = %L $$, attname), format($$
    select a.name from pg_trigger t, unnest(string_to_array(encode(t.tgargs, 'escape'), '\000')) a (name)
    where t.tgname = 't500_delete_children' and t.tgrelid = %L::regclass and a.name <> '' $$, parent),
  format('t500_delete_children deletes from every table that names %s', parent))
from (values ('notification_id', 'public.notifications'), ('delivery_id', 'public.notification_deliveries'))
  v (attname, parent);

select tests.podcast('show', 'ola'), tests.member('mia', 'show'), tests.member('max', 'show'),
  tests.episode('pilot', 'show');
insert into public.push_subscriptions (user_id, endpoint)
select tests.id(who), 'https://push.test/' || who from unnest(array['mia', 'max']) who;
select tests.message('hello', 'pilot', 'ola'), tests.notify_of('hello');
select private.notify('episode.published', private.user_recipients(tests.id('max')),
  jsonb_build_object('podcast_id', tests.id('show')));  -- a push about one notification
update public.notification_preferences set in_app_team_changes = false, email_team_changes = false;
update public.notification_deliveries set status = 'queued';
select private.begin_email_delivery(id), private.begin_push_delivery(id), private.store_email_tokens(id,
  jsonb_build_array(jsonb_build_object('kind', 'open', 'digest', encode(sha256(convert_to(id::text, 'UTF8')), 'hex'))))
from public.notification_deliveries;
create function pg_temp.rows() returns jsonb language plpgsql as $$
declare
  counts jsonb := '{}';
  child  text;
  n      int;
begin
  for child in select name from child union select 'private.delivery_addresses.delivery_id' loop
    execute format('select count(*) from %s', substring(child from '^\w+\.\w+')) into n;
    counts := counts || jsonb_build_object(child, n);
  end loop;
  return counts;
end $$;
select is(pg_temp.rows(), '{"public.notification_deliveries.notification_id": 5,
    "private.notification_keys.notification_id": 2, "private.collapsed_notifications.notification_id": 4,
    "private.collapsed_notifications.delivery_id": 4, "private.delivery_sends.delivery_id": 5,
    "private.email_tokens.delivery_id": 5, "private.push_sends.delivery_id": 3,
    "private.delivery_addresses.delivery_id": 0,
    "private.ended_notifications.notification_id": 0}'::jsonb, 'two people are notified, by email and push');
delete from public.notification_deliveries where user_id = tests.id('mia') and channel = 'push';
select is(pg_temp.rows(), '{"public.notification_deliveries.notification_id": 4,
    "private.notification_keys.notification_id": 2, "private.collapsed_notifications.notification_id": 3,
    "private.collapsed_notifications.delivery_id": 3, "private.delivery_sends.delivery_id": 4,
    "private.email_tokens.delivery_id": 4, "private.push_sends.delivery_id": 2,
    "private.delivery_addresses.delivery_id": 0,
    "private.ended_notifications.notification_id": 0}'::jsonb, 'a delivery is deleted with its sending and tokens');
delete from public.notifications where user_id = tests.id('mia');
select is(pg_temp.rows(), '{"public.notification_deliveries.notification_id": 4,
    "private.notification_keys.notification_id": 1, "private.collapsed_notifications.notification_id": 2,
    "private.collapsed_notifications.delivery_id": 2, "private.delivery_sends.delivery_id": 4,
    "private.email_tokens.delivery_id": 4, "private.push_sends.delivery_id": 2,
    "private.delivery_addresses.delivery_id": 0,
    "private.ended_notifications.notification_id": 0}'::jsonb,
  'a notification is deleted with its dedupe key, and its place in an email that lists several');
delete from public.notifications n using public.notification_deliveries d
where n.user_id = tests.id('max') and d.notification_id = n.id;
select is(pg_temp.rows(), '{"public.notification_deliveries.notification_id": 3,
    "private.notification_keys.notification_id": 1, "private.collapsed_notifications.notification_id": 2,
    "private.collapsed_notifications.delivery_id": 2, "private.delivery_sends.delivery_id": 3,
    "private.email_tokens.delivery_id": 3, "private.push_sends.delivery_id": 1,
    "private.delivery_addresses.delivery_id": 0,
    "private.ended_notifications.notification_id": 0}'::jsonb, 'a notification is deleted with its push');
select tests.value_as(who, 'select public.delete_account()') from unnest(array['mia', 'max']) who;
select is_empty($$ select * from jsonb_each_text(pg_temp.rows()) where value <> '0' $$,
  'deleting an account deletes its deliveries with all of these');

select * from tests.finish();
rollback;
