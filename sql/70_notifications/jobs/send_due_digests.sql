-- Writes the digests that are due: an email that lists the unread notifications whose emails can wait.
create function private.digest_notifications(
  preferences public.notification_preferences, since timestamptz, at timestamptz) returns setof uuid
language sql stable security invoker set search_path = ''
as $$
  select n.id
  from (
    select u.id, u.type, u.created_at, u as notification from public.notifications u
    where u.user_id = $1.user_id and u.read_at is null and (u.scheduled_for is null or u.scheduled_for <= $3)
      -- a transaction that began before the choice may have read it
      and u.created_at > greatest($2 - interval '10 minutes', $3 - interval '15 days')
    union all
    select u.id, u.type, u.created_at, u from public.notifications u
    where u.unlisted_user_id = $1.user_id and (u.scheduled_for is null or u.scheduled_for <= $3)
      and u.created_at > greatest($2 - interval '10 minutes', $3 - interval '15 days')
  ) n
  join public.notification_types t on t.type = n.type and t.can_wait
  where to_jsonb($1) -> ('email_' || t.preference) = 'true'
    -- by an earlier digest, or an email from before the user chose a digest
    and not exists (
      select from public.notification_deliveries d
      where d.notification_id = n.id and d.channel = 'email' and d.status <> 'canceled')
    and not exists (
      select from private.collapsed_notifications c join public.notification_deliveries d on d.id = c.delivery_id
      where c.notification_id = n.id and d.channel = 'email' and d.status <> 'canceled')
    and private.notification_problem(n.notification, $3) is null
  order by n.created_at desc, n.id desc
  limit 200
$$;
comment on function private.digest_notifications is
  'What the digest of a user lists: the newest 200 unread notifications since the user chose a digest, of the last 15 '
  'days, of types whose emails can wait and that the user wants by email, and that may be emailed. No email has listed '
  'them.';

create function private.send_due_digests(at timestamptz default now(), max_users int default 2000) returns int
language plpgsql volatile security invoker set search_path = ''
as $$
declare
  due       record;
  digest_id uuid;
  written   int := 0;
begin
  for due in
    select d.user_id, d.chosen_at, p as preferences, f.timezone
    from private.digests d
    join public.notification_preferences p on p.user_id = d.user_id
    join public.profiles f on f.id = d.user_id
    where d.next_at <= at
    order by d.next_at limit max_users
    for update of d skip locked for key share of f skip locked  -- its user is changing or being deleted
  loop
    digest_id := gen_random_uuid();
    with listed as (
      insert into private.collapsed_notifications (notification_id, delivery_id)
      select n.id, digest_id from private.digest_notifications(due.preferences, due.chosen_at, at) n (id)
      returning notification_id
    )
    insert into public.notification_deliveries (id, user_id, type, channel, priority, collapse_key, due_at, created_at)
    select digest_id, due.user_id, t.type, 'email', t.priority, 'digest/' || digest_id, at, at
    from public.notification_types t
    where t.preference = 'digest' and exists (select from listed);
    written := written + found::int;
    if (due.preferences).digest_frequency = 'off' then
      delete from private.digests d where d.user_id = due.user_id;
    else
      update private.digests d set next_at = private.next_digest_at(due.preferences, due.timezone, at)
      where d.user_id = due.user_id;
    end if;
  end loop;
  return written;
end $$;
comment on function private.send_due_digests is
  'Writes the digests that are due, at most for max_users: one email each that lists unread notifications, if there '
  'are any. A user who turned the digest off gets what had waited. Cron calls it every minute. Returns how '
  'many emails.';
