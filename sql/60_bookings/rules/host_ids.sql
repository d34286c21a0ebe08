-- Hosts of a podcast: the users whose calendars block its bookings.
create function private.host_ids(_podcast_id uuid) returns uuid[]
language plpgsql stable security invoker set search_path = ''
as $$
declare
  ids uuid[] := array(
    select m.user_id from public.podcast_members m
    where m.podcast_id = _podcast_id and m.role >= 'admin' order by m.user_id);
begin
  if ids = '{}' then
    raise sqlstate 'PT500' using message = 'The podcast has no owner or admin who could host a session';
  end if;
  return ids;
end $$;
comment on function private.host_ids is 'The owner and the admins of a podcast. PT500 if there is none.';
-- No grant: security definer functions call it.
