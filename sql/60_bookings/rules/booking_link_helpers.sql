-- Booking links: the guard that needs their bookings, the role check and the JSON.
create function private.guard_booked_link() returns trigger
language plpgsql security definer  -- independent of the caller's policies
set search_path = ''
as $$
begin
  -- A booking holds a lock on its link, so the deletion waited for those that were being made.
  perform from public.bookings b
  where b.booking_link_id = old.id and b.status in ('pending', 'confirmed') and b.end_time > now();
  if found then
    raise sqlstate 'PT409' using hint = 'BOOKING_LINK_HAS_BOOKINGS',
      message = 'The booking link has pending or confirmed sessions ahead; cancel them first, or deactivate the link';
  end if;
  return old;
end $$;
create trigger t320_guard_booked before delete on public.booking_links
  for each row when (pg_trigger_depth() = 0)  -- not cascades
  execute function private.guard_booked_link();

create function private.require_booking_link_role(_booking_link_id uuid, _role public.podcast_role) returns uuid
language plpgsql stable security definer  -- distinguishes a missing link from a forbidden one
set search_path = ''
as $$
declare
  podcast_id uuid;
begin
  perform private.require_user();
  select l.podcast_id into podcast_id from public.booking_links l
  where l.id = _booking_link_id;
  if not found then
    raise sqlstate 'PT404' using message = 'Booking link not found';
  end if;
  perform private.require_role(podcast_id, _role);
  return podcast_id;
end $$;
comment on function private.require_booking_link_role is
  'Requires at least this role on the booking link''s podcast, and returns the podcast. PT401, PT403, PT404.';
grant execute on function private.require_booking_link_role to authenticated, service_role;

create function private.booking_link_json(link public.booking_links) returns jsonb
language sql stable security invoker set search_path = ''
as $$
  select to_jsonb(link) || jsonb_build_object(
    'created_at', private.format_timestamp(link.created_at), 'updated_at', private.format_timestamp(link.updated_at))
$$;
comment on function private.booking_link_json is 'A booking link with all its fields, for its admins.';
grant execute on function private.booking_link_json to authenticated;
