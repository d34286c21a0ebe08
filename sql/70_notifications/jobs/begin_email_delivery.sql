-- Begins an attempt to send the email of a delivery. The content is that of the first attempt, so that every attempt
-- sends the same email under the same idempotency key. Some types are rendered at each attempt.
create function private.raise_email_backoff(delivery public.notification_deliveries, at timestamptz) returns void
language sql volatile security invoker set search_path = ''
as $$
  insert into private.email_backoffs as b (recipient_id, group_key, delay, emailed_at)
  select coalesce($1.user_id, $1.episode_guest_id), $1.group_key, 2 * t.email_delay, $2
  from public.notification_types t
  where t.type = $1.type and t.email_delay > interval '0' and $1.collapse_key is not null
    and exists (  -- who turned the app off reads by email alone
      select from public.notifications n
      where n.id in (select private.notification_ids_of($1)) and n.unlisted_user_id is null)
  on conflict on constraint email_backoffs_pkey
    do update set delay = least(2 * b.delay, interval '1 day'), emailed_at = excluded.emailed_at
$$;
comment on function private.raise_email_backoff is
  'Doubles the delay of the recipient''s next email of the group, up to a day. Reading the group ends it.';

create function private.begin_email_delivery(
  _delivery_id uuid, attempt_seconds int default 120, at timestamptz default clock_timestamp(),
  sender_address text default null) returns jsonb
language plpgsql volatile security invoker set search_path = ''
as $$
declare
  delivery public.notification_deliveries;
  problem  text;
  content  jsonb;
  version  int;
  stored   jsonb;
  rendered jsonb;
  others   record;
begin
  perform private.lock_calendar_emails(_delivery_id);  -- before the delivery
  select * into delivery from public.notification_deliveries d
  where d.id = _delivery_id and d.channel = 'email' for update;
  if not found or delivery.status <> 'queued' then
    -- the provider can report an email that the worker could not record
    update private.delivery_sends s set content = null where s.delivery_id = delivery.id and s.content is not null;
    return null;
  end if;
  select s.content, s.content_version into stored, version from private.delivery_sends s
  where s.delivery_id = delivery.id;
  content := stored;
  others := private.other_calendar_emails(delivery.id, at);
  problem := case when others.newest_id <> delivery.id or private.is_outdated_invitation(content)
    then 'A newer email about this event replaced it'
    else private.email_problem(delivery,
      coalesce(content #>> '{to,address}', (private.email_recipient(delivery.id)).email), at) end;
  if problem is null and others.is_other_running then
    return '{"postponed": true}';
  end if;
  if problem is null then
    rendered := private.render_source(delivery.id, delivery.type, at);
    problem := rendered ->> 'problem';
    if rendered ? 'wait_until' then
      update public.notification_deliveries d
      set status = 'pending', queued_at = null, due_at = (rendered ->> 'wait_until')::timestamptz
      where d.id = delivery.id;
      return null;
    elsif rendered is not null and problem is null then
      content := private.email_content(delivery, at) || (rendered -> 'content');
    end if;
  end if;
  if problem is null then
    if content is null and private.is_collapsing(delivery) then
      -- the unsubscribe link acts on the type of what the email lists, a mention's if there is one
      delivery.type := coalesce((
        select (n.notification).type from private.delivery_notifications(delivery.id, at => at) n
        join public.notification_types t on t.type = (n.notification).type order by t.priority desc limit 1),
        delivery.type);
      update public.notification_deliveries d set type = delivery.type
      where d.id = delivery.id and d.type <> delivery.type;
    end if;
    if content is null then
      content := private.invite_to_calendar(private.email_content(delivery, at), sender_address, delivery.id);
      problem := case
        when content is null then 'There is nothing left to list'
        when content ->> 'calendarEvent' is null and exists (
          select from public.notifications n where n.id = delivery.notification_id and n.metadata ? 'email_only')
          then 'Who made the change needs no calendar entry' end;
      perform private.raise_email_backoff(delivery, at) where problem is null;
    end if;
  end if;
  -- a provider that has accepted an earlier version would ignore a later one under the same key
  version := coalesce(version, 1) + coalesce((stored <> content)::int, 0);
  insert into private.delivery_sends as s
    (delivery_id, content, content_version, last_error, begun_at, attempt_expires_at)
  values (delivery.id, case when problem is null then content end, version, problem, at,
    case when problem is null and others.newest_id is not null
      then at + make_interval(secs => attempt_seconds) end)
  on conflict on constraint delivery_sends_pkey do update set
    content = excluded.content, content_version = excluded.content_version,
    last_error = coalesce(excluded.last_error, s.last_error),
    attempt_expires_at = coalesce(excluded.attempt_expires_at, s.attempt_expires_at);
  if problem is not null then
    update public.notification_deliveries d set status = 'canceled' where d.id = delivery.id;
    -- the address gets the newer email today instead, even if its daily limit postponed it
    update public.notification_deliveries d set due_at = at
    where d.id = others.newest_id and d.status = 'pending' and d.due_at > at;
    return null;
  end if;
  return content || case when version > 1 then jsonb_build_object('version', version) else '{}' end;
end $$;
grant execute on function private.begin_email_delivery to service_role;
comment on function private.begin_email_delivery is
  'Returns the content of an email to send. Null if the delivery is not queued, or is canceled now because its '
  'recipient may not get it, has read its notifications, or gets a newer email about the same calendar event; '
  'delivery_sends.last_error has the reason. {postponed: true} while an attempt of an older email about the event may '
  'be running: for attempt_seconds, unless record_email_sent ends it. sender_address, from which emails are sent, is '
  'the organizer of calendar entries that have none. `version` counts contents that changed between attempts, from 2: '
  'each needs an idempotency key of its own. A delivery whose source must wait is pending again.';
