-- Updates a booking link: an absent field stays unchanged. An update of booking_links does the same.
create function private.update_booking_link(_booking_link_id uuid, _changes jsonb) returns jsonb
language plpgsql volatile security definer  -- callers may not call validate_changes
set search_path = ''
as $$
declare
  link public.booking_links;
begin
  perform private.require_booking_link_role(_booking_link_id, 'admin');
  perform private.validate_changes(_changes, '{"name": ["string"], "timezone": ["string"],
    "slug": ["string", "null"], "description": ["string"], "duration_minutes": ["number"],
    "buffer_before_minutes": ["number"], "buffer_after_minutes": ["number"], "min_notice_hours": ["number", "null"],
    "max_advance_days": ["number", "null"], "availability_rules": ["array"], "questions": ["array"],
    "date_overrides": ["array"], "conflict_scope": ["string"],
    "location": ["object", "null"], "requires_confirmation": ["boolean"], "is_active": ["boolean"]}');
  -- in one statement, so that changes of other fields at the same time are kept
  update public.booking_links l set (name, timezone, slug, description, duration_minutes, buffer_before_minutes,
    buffer_after_minutes, min_notice_hours, max_advance_days, availability_rules, questions, date_overrides,
    conflict_scope, location, requires_confirmation, is_active) = (
    select c.name, c.timezone, c.slug, c.description, c.duration_minutes, c.buffer_before_minutes,
      c.buffer_after_minutes, c.min_notice_hours, c.max_advance_days, c.availability_rules, c.questions,
      c.date_overrides, c.conflict_scope, c.location, c.requires_confirmation, c.is_active
    from jsonb_populate_record(l, _changes) c)
  where l.id = _booking_link_id
  returning * into link;
  if not found then  -- deleted meanwhile
    raise sqlstate 'PT404' using message = 'Booking link not found';
  end if;
  return private.booking_link_json(link);
end $$;
grant execute on function private.update_booking_link to authenticated;

create function public.update_booking_link(booking_link_id uuid, changes jsonb) returns jsonb
language sql volatile security invoker set search_path = ''
return private.update_booking_link(booking_link_id, changes);
comment on function public.update_booking_link is
  'PUT /api/booking-links/{id}: the link with the changed fields; null clears min_notice_hours, max_advance_days '
  'and location, and derives the slug from the name. Requires admin. 400, 403, 404, 409 SLUG_TAKEN or '
  'PODCAST_PENDING_DELETION.';
grant execute on function public.update_booking_link to authenticated;
