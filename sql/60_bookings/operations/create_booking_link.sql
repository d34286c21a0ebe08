-- Creates a booking link. An insert into booking_links does the same.
create function public.create_booking_link(
  podcast_id            uuid,
  name                  text,
  timezone              text,
  slug                  text default null,
  description           text default '',
  duration_minutes      int default 60,
  buffer_before_minutes int default 0,
  buffer_after_minutes  int default 0,
  min_notice_hours      int default null,
  max_advance_days      int default null,
  availability_rules    jsonb default '[]',
  questions             jsonb default '[]',
  date_overrides        jsonb default '[]',
  conflict_scope        public.conflict_scope default 'link',
  location              jsonb default null,
  requires_confirmation boolean default true,
  is_active             boolean default true
) returns jsonb
language plpgsql volatile security invoker set search_path = ''
as $$
declare
  link public.booking_links;
begin
  perform private.require_role(create_booking_link.podcast_id, 'admin');
  insert into public.booking_links (podcast_id, name, timezone, slug, description, duration_minutes,
    buffer_before_minutes, buffer_after_minutes, min_notice_hours, max_advance_days, availability_rules, questions,
    date_overrides, conflict_scope, location, requires_confirmation, is_active)
  values (create_booking_link.podcast_id, create_booking_link.name, create_booking_link.timezone,
    create_booking_link.slug, create_booking_link.description, create_booking_link.duration_minutes,
    create_booking_link.buffer_before_minutes, create_booking_link.buffer_after_minutes,
    create_booking_link.min_notice_hours, create_booking_link.max_advance_days,
    create_booking_link.availability_rules, create_booking_link.questions,
    create_booking_link.date_overrides, create_booking_link.conflict_scope, create_booking_link.location,
    create_booking_link.requires_confirmation, create_booking_link.is_active)
  returning * into link;
  perform set_config('response.status', '201', true);
  return private.booking_link_json(link);
end $$;
comment on function public.create_booking_link is
  'POST /api/booking-links: 201 with the link; derives the slug from the name if absent. Requires admin. 400, 403, '
  '404, 409 SLUG_TAKEN, TOO_MANY_BOOKING_LINKS or PODCAST_PENDING_DELETION.';
grant execute on function public.create_booking_link to authenticated;
