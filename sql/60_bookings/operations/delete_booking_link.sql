-- Deletes a booking link. A delete from booking_links does the same.
create function public.delete_booking_link(booking_link_id uuid) returns jsonb
language plpgsql volatile security invoker set search_path = ''
as $$
begin
  perform private.require_booking_link_role(delete_booking_link.booking_link_id, 'admin');
  delete from public.booking_links l where l.id = delete_booking_link.booking_link_id;
  return jsonb_build_object('id', delete_booking_link.booking_link_id);
end $$;
comment on function public.delete_booking_link is
  'DELETE /api/booking-links/{id}: the id; ended and cancelled bookings stay without their link. Requires admin. '
  '403, 404, 409 BOOKING_LINK_HAS_BOOKINGS or PODCAST_PENDING_DELETION.';
grant execute on function public.delete_booking_link to authenticated;
