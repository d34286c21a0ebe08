-- An email that was sent to a user by name, a guest ('pilot/gus'), or an address. Its tokens are '<name> open',
-- '<name> click' and '<name> unsubscribe'; its message id is its name.
create function tests.sent_email(name text, recipient text, type text default 'chat.message',
  status public.delivery_status default 'sent', destination text default 'https://app.test/chat') returns uuid
language plpgsql security definer as $$
declare
  is_address   constant boolean := recipient like '%@%';
  guest        constant uuid := case when recipient like '%/%' then tests.id(recipient) end;
  member       constant uuid := case when not is_address and guest is null then tests.id(recipient) end;
  notification uuid;
  delivery     uuid;
begin
  if not is_address then
    insert into public.notifications (user_id, episode_guest_id, type, category, priority, title)
    select member, guest, t.type, t.category, t.priority, 'A title'
    from public.notification_types t where t.type = sent_email.type returning id into notification;
  end if;
  insert into public.notification_deliveries (notification_id, user_id, episode_guest_id, type, channel, priority,
    status)
  values (notification, member, guest, sent_email.type, 'email', 'normal', sent_email.status) returning id
    into delivery;
  insert into private.delivery_addresses (delivery_id, email, locale, title)
  select delivery, recipient, 'en', 'A title' where is_address;
  insert into private.delivery_sends (delivery_id, provider_message_id) values (delivery, sent_email.name);
  perform private.store_email_tokens(delivery, jsonb_agg(jsonb_build_object('kind', k.kind,
    'digest', encode(sha256(convert_to(sent_email.name || ' ' || k.kind, 'UTF8')), 'hex'),
    'destination', case k.kind when 'click' then sent_email.destination end)))
  from unnest(enum_range(null::private.email_token_kind)) k (kind);
  return tests.remember(sent_email.name, delivery);
end $$;

-- The worker sends every email to an address. Later ones of the transaction are newer.
create function tests.send_emails() returns void language sql security definer as $$
  update public.notification_deliveries d set created_at = d.created_at - interval '1 second',
    status = case when d.status in ('pending', 'queued') then 'sent' else d.status end
  where d.user_id is null and d.channel = 'email'
$$;

-- The delivery's status and the names of its times that are set.
create function tests.delivery_state(name text) returns text language sql security definer as $$
  select concat_ws(' ', d.status, case when d.sent_at is not null then 'sent_at' end,
    case when d.delivered_at is not null then 'delivered_at' end,
    case when d.opened_at is not null then 'opened_at' end,
    case when d.clicked_at is not null then 'clicked_at' end, case when d.failed_at is not null then 'failed_at' end)
  from public.notification_deliveries d where d.id = tests.id($1)
$$;

-- The worker sends this code to a user who asked for one.
create function tests.issue_email_confirmation(who text, code text) returns boolean
language sql security definer as $$
  select private.issue_email_confirmation(c.user_id, c.code_key, sha256(c.code_key || convert_to(code, 'UTF8')))
  from private.email_confirmations c where c.user_id = tests.id(who)
$$;

select unnest(array['1..1', 'ok 1 - the factories of sent emails are created']);  -- a TAP report, for pg_prove
