-- record_push_click: the service worker of a front end reports a click without a token.
begin;
select tests.start();

select tests.person('ada'), tests.push_delivery('d', 'ada'), tests.push_delivery('other', 'ada');
create function pg_temp.click(delivery text, notification text, who text default 'anon') returns text
language sql as $$
  select tests.value_as(who, format('select public.record_push_click(%L, %L)', delivery, notification)) $$;
create function pg_temp.status() returns text language sql as $$
  select concat_ws(' ', status, case when clicked_at = now() then 'now' end)
  from public.notification_deliveries where id = tests.id('d') $$;
create function pg_temp.status_after_click(
  before public.delivery_status, who text, channel public.notification_channel default 'push') returns text
language plpgsql as $$
begin
  delete from public.notification_deliveries where id = tests.id('d');
  insert into public.notification_deliveries (id, notification_id, user_id, type, channel, priority, status)
  values (tests.id('d'), tests.id('d/notification'), tests.id('ada'), 'chat.mention', status_after_click.channel,
    'normal', status_after_click.before);
  perform pg_temp.click(tests.id('d')::text, tests.id('d/notification')::text, who);
  return pg_temp.status();
end $$;

select is(pg_temp.click(tests.id('d')::text, tests.id('other/notification')::text)::jsonb, '{"success": true}',
  'record_push_click returns the same for the notification of another delivery');
select is(pg_temp.click(gen_random_uuid()::text, tests.id('d/notification')::text)::jsonb, '{"success": true}',
  'record_push_click returns the same for an unknown delivery');
select is(pg_temp.status(), 'queued', 'record_push_click changes nothing unless both ids name the delivery');
select is(pg_temp.click(tests.id('d')::text, tests.id('d/notification')::text)::jsonb, '{"success": true}',
  'record_push_click returns success');
select is(pg_temp.status(), 'clicked now', 'record_push_click makes the delivery clicked');

select is(pg_temp.status_after_click(before, who), after,
  format('record_push_click by %s makes a delivery that is %s %s', who, before, after))
from (values ('sent'::public.delivery_status, 'clicked now', 'ada'), ('sent', 'clicked now', 'service'),
  ('pending', 'clicked now', 'anon'), ('failed', 'failed now', 'anon'), ('canceled', 'canceled', 'anon')
) w (before, after, who);
select is(pg_temp.status_after_click('sent', 'anon', 'email'), 'sent', 'record_push_click changes no email delivery');

select * from tests.finish();
rollback;
