-- Offered links: the booking links that exist for guests.
create function private.require_offered_link(_booking_link_id uuid) returns public.booking_links
language plpgsql stable security invoker set search_path = ''
as $$
declare
  link public.booking_links;
begin
  select l.* into link from public.booking_links l join public.podcasts p on p.id = l.podcast_id
  where l.id = _booking_link_id and l.is_active and p.status <> 'pending_deletion';
  if not found then
    raise sqlstate 'PT404' using message = 'Booking link not found';
  end if;
  return link;
end $$;
comment on function private.require_offered_link is
  'An active booking link of a podcast that is not pending deletion; paused podcasts take bookings. PT404.';
-- No grant: security definer functions call it.
