-- Invitations to a team that were not answered in time: they stay pending, because a team can send them again.
create function private.end_expired_invitations(at timestamptz default now(), max_rows int default 1000) returns int
language plpgsql volatile security invoker set search_path = ''
as $$
declare
  expired_id uuid;
  ended      int := 0;
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
  return ended;
end $$;
comment on function private.end_expired_invitations is
  'Ends the notifications about invitations to a team that expired, at most max_rows. Cron calls it hourly. Returns '
  'how many invitations.';
