-- Ends what no trigger could: invitations to a team that were not answered in time, which stay pending because a team
-- can send them again, and notifications that were locked when their subject ended.
create function private.end_missed_notifications(at timestamptz default now(), max_rows int default 1000) returns int
language plpgsql volatile security invoker set search_path = ''
as $$
declare
  expired_id uuid;
  ended      int := 0;
  read_count int;
begin
  for expired_id in
    select i.id from public.podcast_invitations i
    where i.status = 'pending' and i.expires_at between at - interval '30 days' and at
      and exists (select from public.notifications n
        where n.group_key = 'podcast_invitation:' || i.id and n.read_at is null)
    order by i.expires_at limit max_rows
  loop
    perform private.end_notifications('podcast_invitation', expired_id::text, at);
    ended := ended + 1;
  end loop;
  update public.notifications n set read_at = at, updated_at = at
  where n.id = any (array(
    select o.id from private.ended_notifications e
    join public.notifications o on o.id = e.notification_id
    where e.ended_at > at - interval '2 days' and o.read_at is null
      and o.updated_at <= e.ended_at  -- else the user marked it as unread
    order by o.id limit max_rows for no key update of o skip locked));
  get diagnostics read_count = row_count;
  return ended + read_count;
end $$;
comment on function private.end_missed_notifications is
  'Ends the notifications about invitations to a team that expired, and reads those that stayed unread although their '
  'subject ended within two days, because a verb that failed had locked them; at most max_rows of each. Cron calls it '
  'hourly. Returns how many invitations and notifications.';
